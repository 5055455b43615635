# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of breadth-first search, in the order of preference: `lux.bfs` takes the first that can run."""

from __future__ import annotations

from lux.algorithms.bfs import published
from lux.algorithms.bfs.bfs import BreadthFirstSearch
from lux.algorithms.bfs.gpu import OneGpu
from lux.algorithms.bfs.multi_gpu import MultiGpu
from lux.algorithms.bfs.query import BfsQuery
from lux.algorithms.bfs.threads_direction_optimizing import ThreadsDirectionOptimizing
from lux.algorithms.bfs.threads_top_down import ThreadsTopDown
from lux.algorithms.strategy import Strategy, VertexProgram

STRATEGIES: tuple[Strategy[BfsQuery], ...] = (
    MultiGpu(),
    OneGpu(),
    ThreadsTopDown(),
    ThreadsDirectionOptimizing(),
    VertexProgram(BreadthFirstSearch),
    *published.STRATEGIES,  # the program refuses nothing, so that these run by name alone
)
