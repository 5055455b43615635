# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What an engine is, and which there are.

All engines own vertices in contiguous ranges of places, one for each processor, so that their answers are ordinary
fields. They differ in who has which edges, and in what processors send one another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from lux.errors import ParameterError

if TYPE_CHECKING:
    from lux.engine.run import Progress, Run
    from lux.graph.graph import Graph

AUTO = "auto"
"""Lux's own direction-optimising search, in the way that suits the graph and the machine."""
ENGINES: dict[str, str] = {
    "degree-separated": "lux.algorithms.bfs.distributed.degree_separated.degree_separated",
    "hybrid": "lux.algorithms.bfs.distributed.grid.hybrid",
    "two-dimensional": "lux.algorithms.bfs.distributed.grid.two_dimensional",
}
"""By name, the module that is the engine (an `Engine`)."""
UNDIRECTED = frozenset({"degree-separated"})
"""Engines that take undirected graphs only."""


class Engine(Protocol):
    """The functions of an engine's module."""

    def prepare(self, graph: Graph, parts: int | None) -> None:
        """Deal the edges to the processors; the graph's layout keeps them."""

    def search(self, graph: Graph, source: int, limit: int, parts: int | None, progress: Progress | None) -> Run:
        """A search from the place ``source``, of at most ``limit`` levels.

        The run's fields ``distance`` (int32) and ``parent`` (a place, of the graph's id type) are in the order of
        places, with the largest value of their types where no path leads; those of GPUs are as users see them.
        """


def find(name: str) -> Engine:
    """The engine of that name.

    Raises
    ------
    ParameterError
        There is none.
    """
    if name not in [*ENGINES]:  # also where it cannot be hashed
        raise ParameterError(f"engine={name!r} was passed; allowed are {', '.join([AUTO, *ENGINES])}")
    from lux.engine.gpu.placement import device_selection

    device_selection.refuse_mixed(f"engine={name!r}")
    return cast("Engine", import_module(ENGINES[name]))
