# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The published searches over many processors, as strategies.

All own vertices in contiguous ranges of places, one for each processor, so that their answers are ordinary fields. They
differ in the distribution of edges to processors, and in the messages between processors.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from lux.algorithms.bfs.distributed.processor_grid import why_not_numbered
from lux.algorithms.strategy import Memory
from lux.engine.gpu.placement import device_selection

if TYPE_CHECKING:
    from lux.algorithms.bfs.query import BfsQuery
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph


class SearchModule(Protocol):
    """The functions of a published search's module."""

    def bytes_on_host(self, graph: Graph, parts: int | None) -> int:
        """Estimate the bytes of Legate's memory that a search by CPU cores needs, over all processes.

        On GPUs it is 0: searches there check each stage of the distribution once its sizes are known.
        """

    def prepare(self, graph: Graph, parts: int | None) -> None:
        """Distribute the edges to the processors; the graph's layout keeps them."""

    def search(self, graph: Graph, source: int, limit: int, parts: int | None, progress: Progress | None) -> Run:
        """Search from the place ``source``, at most ``limit`` levels.

        The run's fields ``distance`` (int32) and ``parent`` (a place, of the graph's id type) are in the order of
        places, with the largest value of their types where no path leads; fields from GPUs are as users see them.
        """


@dataclass(frozen=True)
class Published:
    """A published search, whose module is imported when it is first used.

    Attributes
    ----------
    name : str
    home : str
        The name of its module.
    summary : str
        The search in one line.
    undirected : bool
        The search takes undirected graphs only.
    """

    name: str
    home: str
    summary: str
    undirected: bool = False

    def module(self) -> SearchModule:
        """Import the module."""
        return cast("SearchModule", import_module(self.home))

    def refusal(self, query: BfsQuery) -> str:
        """Refuse models, rules for directions, fixed parents, and graphs that the search does not take."""
        if why := query.takes_any_parent() or why_not_numbered(query.graph.n_vertices):
            return why
        if self.undirected and query.graph.directed:
            return (
                "it takes undirected graphs, and this is a directed graph: pass graph.symmetrized() (--undirected) to "
                "search without regard to direction, or leave strategy out"
            )
        return device_selection.why_not_mixed()

    def memory(self, query: BfsQuery) -> Memory:
        """Estimate the answers, and the distribution of the edges to CPU cores where it is to be made."""
        return Memory(host=self.module().bytes_on_host(query.graph, query.parts))

    def prepare(self, query: BfsQuery) -> None:
        """Distribute the edges to the processors, once for a graph and ``parts``."""
        self.module().prepare(query.graph, query.parts)

    def run(self, query: BfsQuery, progress: Progress | None) -> Run:
        """Search; GPUs that cannot be had are a `ConfigurationError` before anything is launched."""
        return self.module().search(query.graph, query.place, query.limit, query.parts, progress)


STRATEGIES = (
    Published(
        "two-dimensional",
        "lux.algorithms.bfs.distributed.grid.two_dimensional",
        "A top-down search by a grid of processors, each with a block of the adjacency matrix (Bisson et al., 2014).",
    ),
    Published(
        "hybrid",
        "lux.algorithms.bfs.distributed.grid.hybrid",
        "A search by a grid of processors, each level top-down or bottom-up, as on the K computer (Ueno et al., 2017).",
    ),
    Published(
        "degree-separated",
        "lux.algorithms.bfs.distributed.degree_separated.degree_separated",
        "A search with copies of high-degree vertices on all processors, for undirected graphs (Pan et al., 2018).",
        undirected=True,
    ),
)
BY_NAME = {strategy.name: strategy for strategy in STRATEGIES}
