# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A rating matrix in partitions: which ratings are held out, and how the work is divided.

Least squares need two sweeps, one for each side of the graph, and each has split points that balance that side's
work alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux.graph.graph
from lux import runtime
from lux.algorithms.factorization import kernels as kernel
from lux.algorithms.factorization import tasks
from lux.algorithms.factorization.tasks import BOTH
from lux.engine.executor import runs_as_team
from lux.errors import GraphError, ParameterError, WeightError
from lux.graph.layout import PartitionedGraph
from lux.graph.sides import LEFT, RIGHT, side_layout, sides_in_places
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


@dataclass(frozen=True)
class Problem:
    """The objective: squared errors, and ``regularization`` times the squared norms of factors of length ``k``.

    Attributes
    ----------
    k : int
    regularization : float
    by_degree : bool
        A vertex's norm counts once for each of its training ratings, and not once.
    dtype : np.dtype
        Of the factors.
    seed : int
        Of the test part and the first factors.
    """

    k: int
    regularization: float
    by_degree: bool
    dtype: np.dtype[Any]
    seed: int


@dataclass(frozen=True)
class Sums:
    """Sums of a sweep: squared errors (units of a rating, squared), and the objective's other part."""

    train_error: float
    test_error: float
    penalty: float
    seconds: NDArray[np.float64]

    @property
    def objective(self) -> float:
        """The value of the objective."""
        return self.train_error + self.penalty


class RatingMatrix:
    """The ratings of a graph in both directions, in partitions, and which of them are held out.

    Everything here is in the order in which the graph is stored; only the choice of test ratings and the first
    factors depend on dense ids, so that they are the same for every order, partition count and process.

    Attributes
    ----------
    parts, threads : int
        Partitions, and threads that share each.
    n_train, n_test : int
    mean, mean_square : float
        Of the training ratings.
    held_out : Store of shape (n_edges,), bool
    counts : Store of shape (n_vertices,)
        Training ratings of every vertex.
    """

    def __init__(
        self, graph: Graph, name: str, sides: NDArray[np.uint8], problem: Problem, test: float, parts: int | None
    ) -> None:
        team = runs_as_team(parts)
        layout = graph.layout(1 if team else parts)
        self.graph, self.problem, self.parts = layout.graph, problem, layout.parts
        self.threads = _threads(graph, problem.k) if team and parts is None else 1
        self._ratings = graph.properties[name]
        order = np.empty(0, graph.id_dtype) if graph.order is None else runtime.to_array(graph.order.vertices)
        self.shared = tasks.SharedRatings(sides_in_places(graph, sides), order, problem)
        self._layouts = {BOTH: layout, LEFT: self._side(layout, LEFT), RIGHT: self._side(layout, RIGHT)}
        runtime.check_points(self.parts)
        self.held_out = runtime.new_store(np.bool_, graph.n_edges, of_graph=True)
        self.counts = runtime.new_store(graph.degree_dtype, graph.n_vertices, of_graph=True)
        self._hold_out(test)

    def _side(self, layout: PartitionedGraph, side: int) -> PartitionedGraph:
        """Move the split points so that they balance the least squares of one side."""
        if layout.parts == 1:
            return layout
        return side_layout(layout.graph, self.shared.sides, side, self.problem.k, layout.parts)

    def layouts(self, method: str) -> list[PartitionedGraph]:
        """Return the partitions that sweep over the left and the right side, or one layout for both."""
        return [self._layouts[side] for side in ((LEFT, RIGHT) if method == "als" else (BOTH,))]

    def edges(self) -> dict[str, Store]:
        """Return the stores of the ratings."""
        return {
            "in_offsets": self.graph.offsets,
            "sources": self.graph.sources,
            "ratings": self._ratings,
            "held_out": self.held_out,
        }

    def _hold_out(self, fraction: float) -> None:
        layout, columns = self._layouts[BOTH], kernel.COUNTS
        found = runtime.new_store(np.float64, self.parts * columns)
        key = runtime.register((self.shared, layout.points.tolist()))
        tasks.hold_out(
            self.parts,
            **self.edges(),
            counts=self.counts,
            found=found,
            **{name: layout.splits[name] for name in ("offsets", "edges", "vertices")},
            found_rows=layout.rows(columns),
            fraction=fraction,
            key=key,
        )
        sums = runtime.to_array(found).reshape(self.parts, columns).sum(axis=0)
        runtime.unregister(key)
        if sums[kernel.BAD_EDGES]:
            raise GraphError("an edge joins two vertices of the same side: ratings go from left to right vertices")
        if sums[kernel.BAD_RATINGS]:
            raise WeightError(f"{int(sums[kernel.BAD_RATINGS])} ratings are NaN or infinite: leave those edges out")
        self.n_train, self.n_test = int(sums[kernel.N_TRAIN]), int(sums[kernel.N_TEST])
        if not self.n_train:
            raise ParameterError(f"test={fraction} leaves none of {self.n_test} ratings to train with: pass less")
        self.mean = self.shared.mean = float(sums[kernel.RATING] / self.n_train)
        self.mean_square = float(sums[kernel.RATING_SQUARE] / self.n_train)

    def new_factors(self) -> Store:
        """Return a store for a row of K numbers for each vertex."""
        return runtime.new_store(self.problem.dtype, self.graph.n_vertices * self.problem.k, of_graph=True)

    def start(self, factors: Store, first: tuple[float, float], noise: float) -> None:
        """Write first factors: random numbers of standard deviation ``noise``, and ``first[side]`` more in front."""
        layout = self._layouts[BOTH]
        with runtime.registered((self.shared, layout.points.tolist(), np.array(first))) as key:
            tasks.start_factors(
                self.parts,
                counts=self.counts,
                new=factors,
                factor_rows=runtime.ranges(layout.points * self.problem.k),
                noise=noise,
                key=key,
            )


def matrix_bytes(graph: Graph, problem: Problem, copies: int) -> int:
    """Count the bytes of a run's stores: which ratings are held out, their counts, and ``copies`` of the factors."""
    factors = copies * problem.k * problem.dtype.itemsize * graph.n_vertices
    return graph.n_edges + graph.degree_dtype.itemsize * graph.n_vertices + factors


def _threads(graph: Graph, k: int) -> int:
    """Threads of one task: few enough that each has something to do; an edge is K times the work of a simple one."""
    return max(1, min(runtime.team_size(), graph.n_vertices, graph.n_edges * k // lux.graph.graph.EDGES_PER_THREAD))
