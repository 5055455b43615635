# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of shortest paths, in the order of preference: `lux.sssp` takes the first that does not refuse."""

from __future__ import annotations

from lux.algorithms.gpu_strategy import GpuStrategy
from lux.algorithms.sssp.bellman_ford import BellmanFord
from lux.algorithms.sssp.partitions import DeltaSteppingPartitions
from lux.algorithms.sssp.query import PathQuery
from lux.algorithms.sssp.threads import DeltaSteppingThreads
from lux.algorithms.strategy import Strategy


def _gpus() -> Strategy[PathQuery]:
    from lux.algorithms.sssp.multi_gpu import MultiGpu

    return MultiGpu()


def _gpu() -> Strategy[PathQuery]:
    from lux.algorithms.sssp.gpu import OneGpu

    return OneGpu()


STRATEGIES: tuple[Strategy[PathQuery], ...] = (
    GpuStrategy("gpus", _gpus, PathQuery.needs_bellman_ford),
    GpuStrategy("gpu", _gpu, PathQuery.needs_bellman_ford),
    DeltaSteppingThreads(),
    DeltaSteppingPartitions(),
    BellmanFord(),
)
