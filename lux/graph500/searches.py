# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The searches of the benchmark: each strategy prepares a graph in kernel 1, and searches it in kernels 2 and 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lux
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.strategies import STRATEGIES
from lux.algorithms.sssp import sssp
from lux.algorithms.strategy import AUTO

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.runtime import Store


@dataclass(frozen=True)
class Tree:
    """Tree that a search wrote.

    Attributes
    ----------
    root : int
        Dense id.
    parent : Store of shape (n_vertices,), int32 or int64
        The root is its own parent; -1 outside the tree.
    distance : Store of shape (n_vertices,)
        Levels (integers), or sums of weights; -1 or inf outside the tree.
    """

    root: int
    parent: Store
    distance: Store


Search = Callable[["Graph", int], Tree]


@dataclass(frozen=True)
class Searches:
    """The searches of the kernels, and the construction that they need.

    Attributes
    ----------
    prepare : callable ``prepare(graph, kernels)``
        Makes what searches need of the graph; its time belongs to kernel 1.
    by_kernel : dict of str to callable ``search(graph, root)``
        By kernel: ``bfs``, ``sssp``.
    """

    prepare: Callable[[Graph, Sequence[str]], None]
    by_kernel: dict[str, Search]


def _by(strategy: str) -> Searches:
    """Search by a strategy of `lux.bfs`; kernel 3 is always `lux.sssp` by its own choice."""

    def prepare(graph: Graph, kernels: Sequence[str]) -> None:
        if "bfs" in kernels:
            bfs.prepare(graph, strategy=strategy, parts=None, model="auto")
        if "sssp" in kernels:
            sssp.prepare(graph, "weight", parts=None, model="auto", max_iter=None)

    def search(graph: Graph, root: int) -> Tree:
        found = lux.bfs(graph, root, strategy=strategy)
        return Tree(root, found.parents.store, found.distances.store)

    return Searches(prepare, {"bfs": search, "sssp": _sssp})


def _sssp(graph: Graph, root: int) -> Tree:
    found = lux.sssp(graph, root)
    return Tree(root, found.parents.store, found.distances.store)


SEARCHES = {name: _by(name) for name in (AUTO, *(strategy.name for strategy in STRATEGIES))}
"""By the names of the strategies of `lux.bfs`; ``auto`` is its own choice."""
