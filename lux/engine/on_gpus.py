# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Choice of a program's run on GPUs, in a module that only machines with GPUs load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lux import settings
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.gpu.placement import device_selection
from lux.engine.gpu.single import GpuRun
from lux.engine.mixed import MixedRun
from lux.engine.repartition.repartitionable_run import RepartitionableRun
from lux.program.program import Program

if TYPE_CHECKING:
    from lux.graph.graph import Graph


def placed(
    program: type[Program], graph: Graph, *inputs: Any, parts: int, asked: bool, ends_after: int | None
) -> GpuRun | PartitionedGpuRun | None:
    """Return the run on GPUs in ``parts``, which the user may have ``asked`` for; None if there is no room.

    ``ends_after`` are its iterations, if they are known.
    """
    whole = GpuRun(program, graph, *inputs)
    if device_selection.on_one_gpu(graph, parts, whole.memory_bytes):
        return whole
    found: PartitionedGpuRun | None
    if device_selection.mixed():
        found = MixedRun.shared_out(program, graph, *inputs, parts=parts)
    else:
        kind = RepartitionableRun if settings.current().loading == "kernel" else PartitionedGpuRun
        found = kind.placed(program, graph, *inputs, parts=parts, asked=asked)
    if isinstance(found, RepartitionableRun):
        found.ends_after = ends_after
    return found
