# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of breadth-first search, in the order of preference: `lux.bfs` takes the first that can run."""

from __future__ import annotations

from lux.algorithms.bfs import published
from lux.algorithms.bfs.bfs import BreadthFirstSearch
from lux.algorithms.bfs.query import BfsQuery
from lux.algorithms.bfs.threads_direction_optimizing import ThreadsDirectionOptimizing
from lux.algorithms.bfs.threads_top_down import ThreadsTopDown
from lux.algorithms.gpu_strategy import GpuStrategy
from lux.algorithms.strategy import Strategy, VertexProgram


def _gpus() -> Strategy[BfsQuery]:
    from lux.algorithms.bfs.multi_gpu import MultiGpu

    return MultiGpu()


def _gpu() -> Strategy[BfsQuery]:
    from lux.algorithms.bfs.gpu import OneGpu

    return OneGpu()


STRATEGIES: tuple[Strategy[BfsQuery], ...] = (
    GpuStrategy("gpus", _gpus, BfsQuery.takes_any_parent),
    GpuStrategy("gpu", _gpu, BfsQuery.takes_any_parent),
    ThreadsTopDown(),
    ThreadsDirectionOptimizing(),
    VertexProgram(BreadthFirstSearch),
    *published.STRATEGIES,  # the program refuses nothing, so that these run by name alone
)
