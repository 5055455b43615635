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
    BrandesThreads("source-per-thread", together=False),
    BrandesThreads("threads-together", together=True),
    BrandesProgram(),
)
