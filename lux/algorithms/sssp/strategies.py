# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of shortest paths, in the order of preference: `lux.sssp` takes the first that does not refuse."""

from __future__ import annotations

from lux.algorithms.sssp.bellman_ford import BellmanFord
from lux.algorithms.sssp.gpu import OneGpu
from lux.algorithms.sssp.multi_gpu import MultiGpu
from lux.algorithms.sssp.partitions import DeltaSteppingPartitions
from lux.algorithms.sssp.query import PathQuery
from lux.algorithms.sssp.threads import DeltaSteppingThreads
from lux.algorithms.strategy import Strategy

STRATEGIES: tuple[Strategy[PathQuery], ...] = (
    MultiGpu(),
    OneGpu(),
    DeltaSteppingThreads(),
    DeltaSteppingPartitions(),
    BellmanFord(),
)
