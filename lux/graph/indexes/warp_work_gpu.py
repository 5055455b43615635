# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Warp work of partitions, made on the GPUs that have their rows as `lux.graph.indexes.warp_work` does on cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.graph.indexes.degree_bins import CLASSES
from lux.graph.indexes.degree_bins_gpu import MOST_BLOCKS, REPORTED, THREADS
from lux.graph.indexes.warp_work import WarpWork, WorkRoom
from lux.launch.call import kernel
from lux.launch.memory import Scratch
from lux.launch.part_calls import REPORT, PartCalls, Wait, until_finished
from lux.runtime import Kernel

if TYPE_CHECKING:
    from lux.graph.core.partitions import Partitions

NUMBERS = 4
"""Numbers of a partition's report: items, segments, whether rows are not stored by class, and 1 when it is written."""


def binning() -> Kernel:
    """Return the kernel, compiled or loaded from disk."""
    return kernel("degree_bins.cu", "lux_bin_partition", THREADS)


def scratch_bytes(n_rows: int) -> int:
    """Count the bytes in a GPU's memory in which so many rows are sorted by class."""
    return _scratch(n_rows).nbytes


def _scratch(n_rows: int) -> Scratch:
    return Scratch({"control": REPORTED}, {"tallies": 16 * len(CLASSES) * MOST_BLOCKS, "costs": 8 * (n_rows + 1)})


def on_gpus(layout: Partitions) -> WarpWork:
    """Bin the rows of all partitions, and wait for it. All processes must call this at the same place."""
    with PartCalls() as calls:
        return issued(calls, layout, until_finished)


def issued(calls: PartCalls, layout: Partitions, wait: Wait) -> WarpWork:
    """Bin the rows of all partitions, side by side with other launches; launches may use them at once."""
    room, parts = WorkRoom(layout), layout.parts
    scratch = _scratch(int(room.n_rows.max()))
    work, memory = room.store(), runtime.new_store(np.uint8, parts * scratch.nbytes, touched=False)
    calls.issue(
        binning(),
        "bin_partition",
        [
            *("offsets", room.n_rows, room.n_edges, layout.points[:-1], "given", len(room.tables)),
            *("work", 2 * len(room.tables), room.items_at, "costs", "tallies", "control", REPORT),
        ],
        {"offsets": layout.graph.offsets, "given": runtime.from_array(room.tables)},
        {"work": work, "scratch": memory},
        {"offsets": "offset_rows", "given": None, "work": "work_rows", "scratch": "scratch_rows"},
        {
            "offset_rows": layout.splits["offsets"],
            "work_rows": runtime.ranges(room.starts),
            "scratch_rows": layout.rows(scratch.nbytes),
        },
        scratch=scratch,
        report_bytes=8 * NUMBERS,
    )
    found = calls.reported(parts, NUMBERS, wait)
    return room.work(work, found, ordered=not found[:, 2].any())
