# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The query and the run of a factorization."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from lux.algorithms.factorization.gpu_memory import FactorPlan, planned
from lux.algorithms.factorization.rating_matrix import Problem, RatingMatrix
from lux.algorithms.strategy import Query
from lux.engine.run.run import Run
from lux.graph.sides import sides_in_places

if TYPE_CHECKING:
    from lux.algorithms.factorization.minimize import Sweep
    from lux.graph.sides import Sides


@dataclass(frozen=True, eq=False, kw_only=True)
class FactorizationQuery(Query):
    """Ratings, what is minimized, and by which method.

    Attributes
    ----------
    graph : Graph
        With both directions of every rating.
    name : str
        The edge property that holds the ratings.
    sides : Sides
    problem : Problem
    method : {"als", "gd"}
    learning_rate : float or None
    tol, test : float
        As `lux.factorize` has them.
    """

    algorithm: str = "factorize"
    keeps: tuple[str, ...] = ("gpus", "partitions", "program")
    name: str
    sides: Sides
    problem: Problem
    method: str
    learning_rate: float | None = None
    tol: float = 0.0
    test: float = 0.0

    @cached_property
    def plan(self) -> FactorPlan | str:
        """The plan of a run on GPUs, or why there is none; `ConfigurationError` where ``device="gpu"`` must be had."""
        sides = sides_in_places(self.graph, self.sides.of)
        return planned(self.graph, self.name, sides, self.problem, self.method, self.parts)

    def matrix(self, parts: int | None) -> RatingMatrix:
        """Make the rating matrix in partitions, and choose the ratings that are held out."""
        return RatingMatrix(self.graph, self.name, self.sides.of, self.problem, self.test, parts)


@dataclass
class FactorizationRun(Run):
    """A factorization that has ended: its field ``factor`` has vectors, in the order in which the graph is stored.

    Attributes
    ----------
    best : int
        The iteration that led to the factors; 0 stands for the first factors.
    kept : Sweep
        Their errors.
    matrix : RatingMatrix
    """

    best: int = field(kw_only=True)
    kept: Sweep = field(kw_only=True)
    matrix: RatingMatrix = field(kw_only=True)
