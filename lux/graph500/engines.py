# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Engines of the benchmark: each prepares a graph in kernel 1, and searches it in kernels 2 and 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lux
from lux.algorithms.bfs import bfs, distributed
from lux.algorithms.sssp import sssp

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
class Engine:
    """Engine: an implementation of the kernels.

    Attributes
    ----------
    prepare : callable ``prepare(graph, kernels)``
        Builds the graph's data structures for searches; its time belongs to kernel 1.
    searches : dict of str to callable ``search(graph, root)``
        Search of each kernel: ``bfs``, ``sssp``.
    """

    prepare: Callable[[Graph, Sequence[str]], None]
    searches: dict[str, Search]


def _prepare(graph: Graph, kernels: Sequence[str]) -> None:
    if "bfs" in kernels:
        bfs.prepare(graph, parts=None, model="auto")
    if "sssp" in kernels:
        sssp.prepare(graph, "weight", parts=None, model="auto", max_iter=None)


def _bfs(graph: Graph, root: int) -> Tree:
    found = lux.bfs(graph, root)
    return Tree(root, found.parents.store, found.distances.store)


def _by(name: str) -> Engine:
    """Return an engine of `distributed`, which has no weighted search: kernel 3 is that of ``default``."""

    def prepare(graph: Graph, kernels: Sequence[str]) -> None:
        if "bfs" in kernels:
            bfs.prepare(graph, engine=name, parts=None, model="auto")
        _prepare(graph, [kernel for kernel in kernels if kernel != "bfs"])

    def search(graph: Graph, root: int) -> Tree:
        found = lux.bfs(graph, root, engine=name)
        return Tree(root, found.parents.store, found.distances.store)

    return Engine(prepare, {"bfs": search, "sssp": _sssp})


def _sssp(graph: Graph, root: int) -> Tree:
    found = lux.sssp(graph, root)
    return Tree(root, found.parents.store, found.distances.store)


ENGINES = {"default": Engine(_prepare, {"bfs": _bfs, "sssp": _sssp})} | {
    name: _by(name) for name in distributed.ENGINES
}
"""Engines by name. ``default`` is `bfs` and `sssp` with their own choices; the others are `distributed`."""
