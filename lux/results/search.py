# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Results of searches: distances and parents, which vertices were reached, and the paths to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import GraphError, ParameterError
from lux.graph.values import Values
from lux.results.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Result):
    """The distances and parents of a search.

    Attributes
    ----------
    source : object
        The user's id of the source.
    target : object
        The user's id of the vertex at which the search ended; None if it was to reach all.
    """

    source: Any
    target: Any = field(default=None, kw_only=True)

    @property
    def distances(self) -> Values:
        """Distance of every vertex from the source."""
        return self.columns["distance"]

    @property
    def parents(self) -> Values:
        """The vertex before each on a shortest path; the source is its own parent, -1 where unreached."""
        return self.columns["parent"]

    @property
    def reached(self) -> Values:
        """True for every vertex that the search reached; ``distances[reached]`` are their distances.

        >>> import lux
        >>> r = lux.bfs(lux.toy.path(4), source=2)
        >>> r.reached.to_numpy(), r.distances[r.reached]
        (array([False, False,  True,  True]), array([0, 1], dtype=int32))
        """
        return Values(self.graph, runtime.from_array(self._reached()), name="reached")

    def _reached(self) -> NDArray[np.bool_]:
        return np.asarray(self.parents.dense() >= 0)

    def path_to(self, vertex: Any = None) -> list[Any]:
        """Return the vertices of a shortest path from the source to a vertex, both included.

        Parameters
        ----------
        vertex : object
            The user's id of a vertex; by default the search's target.

        Raises
        ------
        GraphError
            The search did not reach the vertex, or there is no such vertex.
        ParameterError
            No vertex was passed, and the search had no target.

        Examples
        --------
        >>> import lux
        >>> lux.bfs(lux.toy.kite(), source=0).path_to(9)
        [0, 5, 7, 8, 9]
        >>> lux.bfs(lux.toy.kite(), source=0, target=8).path_to()
        [0, 5, 7, 8]
        """
        vertex = self.target if vertex is None else vertex
        if vertex is None:
            raise ParameterError("path_to() was called without a vertex, and the search had no target: pass a vertex")
        place, parents = self.graph.ids.dense(vertex), self.parents.dense()
        if parents[place] < 0:
            raise GraphError(f"vertex {vertex!r} was not reached from {self.source!r}, so there is no path to it")
        way = [place]
        while (before := int(parents[way[-1]])) != way[-1]:
            way.append(before)
        found: list[Any] = self.parents.user(np.array(way[::-1])).tolist()
        return found
