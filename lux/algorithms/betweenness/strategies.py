# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of betweenness, in the order of preference; those after ``partitions`` run only by their names."""

from lux.algorithms.betweenness.brandes import BrandesQuery
from lux.algorithms.betweenness.gpu import BrandesGpu, WeightedBrandesGpu
from lux.algorithms.betweenness.multi_source_levels import BrandesPartitions
from lux.algorithms.betweenness.program import BrandesProgram
from lux.algorithms.betweenness.source_parallel_tasks import BrandesTasks
from lux.algorithms.betweenness.threads import BrandesThreads
from lux.algorithms.strategy import Strategy

STRATEGIES: tuple[Strategy[BrandesQuery], ...] = (
    BrandesGpu(),
    WeightedBrandesGpu(),
    BrandesThreads(),
    BrandesTasks(),
    BrandesPartitions(),
    BrandesThreads("threads-apart", "Sweeps by the threads of one task, each from sources of its own.", together=False),
    BrandesThreads(
        "threads-together", "Sweeps by the threads of one task, all together from each source.", together=True
    ),
    BrandesProgram(),
)
