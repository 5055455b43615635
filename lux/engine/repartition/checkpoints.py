# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of runs on partitions of GPUs.

Kernels write fields behind Legion, which so far knows of their first launch alone. Once Legion has read fields for a
checkpoint it has copies of them in other memory, so the run goes on as after a move, though on the same partitions: the
first launch of an epoch writes all fields. A run that begins with a checkpoint does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.engine.repartition.epoch import EpochState
from lux.engine.run.progress_state import ProgressState
from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from lux.engine.repartition.repartitionable_run import RepartitionableRun
    from lux.engine.run.checkpoint import Checkpoint
    from lux.runtime import Store


def save(checkpoint: Checkpoint, run: RepartitionableRun, fields: dict[str, Store], left: EpochState) -> None:
    """Save a checkpoint of an epoch that has left these fields and control stores; no launch runs."""
    control = left.control_stores
    rows = runtime.to_array(control["state"]).reshape(run.parts, fr.STATE_COLUMNS).copy()
    rows[:, [fr.NANOSECONDS, fr.VISITED]] = 0  # GPUs have other values there, or none
    rows[:, fr.TOTALS + len(run.writer.totals) :] = 0
    words = runtime.to_array(control["words"]) if "words" in control else None
    progress = ProgressState.of(left.layout, rows.reshape(-1), words)
    names = {n: f"0_{n}" if n in run.writer.swapped else f"own_{n}" for n in run.writer.state}
    checkpoint.save_progress(progress, {n: fields[name] for n, name in names.items()})


def load(checkpoint: Checkpoint, run: RepartitionableRun) -> tuple[int, dict[str, Store], EpochState] | None:
    """Return a checkpoint's iterations, fields and state as an epoch leaves them; None if there is none."""
    found = checkpoint.progress(frontier=run.spec.frontier)
    if found is None:
        return None
    fields = run.field_stores()
    for copy in ("0", "1", "own"):
        checkpoint.read_fields({n.partition("_")[2]: store for n, store in fields.items() if n.startswith(f"{copy}_")})
    state, words = found.for_partitions(run.layout)
    control = {"state": state} if words is None else {"state": state, "words": words}
    stores = {name: runtime.from_array(np.asarray(values)) for name, values in control.items()}
    return found.iterations, fields, EpochState(run.layout, stores)
