# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of betweenness, in the order of preference; those after ``partitions`` run only by their names."""

from __future__ import annotations

from lux.algorithms.betweenness.brandes import BrandesQuery, needs_hops, needs_weights
from lux.algorithms.betweenness.multi_source_levels import BrandesPartitions
from lux.algorithms.betweenness.program import BrandesProgram
from lux.algorithms.betweenness.source_parallel_tasks import BrandesTasks
from lux.algorithms.betweenness.threads import BrandesThreads
from lux.algorithms.gpu_strategy import GpuStrategy
from lux.algorithms.strategy import Strategy


def _gpus() -> Strategy[BrandesQuery]:
    from lux.algorithms.betweenness.gpu import BrandesGpu

    return BrandesGpu()


def _weighted_gpus() -> Strategy[BrandesQuery]:
    from lux.algorithms.betweenness.gpu import WeightedBrandesGpu

    return WeightedBrandesGpu()


STRATEGIES: tuple[Strategy[BrandesQuery], ...] = (
    GpuStrategy("gpus", _gpus, needs_hops),
    GpuStrategy("gpus-weighted", _weighted_gpus, needs_weights),
    BrandesThreads(),
    BrandesTasks(),
    BrandesPartitions(),
    BrandesThreads("threads-apart", "Sweeps by the threads of one task, each from sources of its own.", together=False),
    BrandesThreads(
        "threads-together", "Sweeps by the threads of one task, all together from each source.", together=True
    ),
    BrandesProgram(),
)
