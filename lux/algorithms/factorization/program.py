# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Gradient descent as a vertex program (equations 3 to 5 of the Lux paper, VLDB 2017), a run for each step.

The driver takes the steps, keeps the best factors and adapts the rate, as it does for the strategies by hand
(`lux.algorithms.factorization.minimize`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import lux
from lux import runtime
from lux.algorithms.factorization.host_iterations import HostIterations
from lux.algorithms.factorization.minimize import COPIES, as_run, drive, first_factors, limits_of
from lux.algorithms.factorization.rating_matrix import RatingMatrix, Sums, matrix_bytes
from lux.algorithms.strategy import PROGRAM, Memory, needs_name
from lux.engine import executor
from lux.engine.gpu.placement import device_selection
from lux.engine.to_user_ids import to_user_ids
from lux.graph.ordering import in_places
from lux.graph.sides import RIGHT, sides_in_places

if TYPE_CHECKING:
    from lux.algorithms.factorization.query import FactorizationQuery, FactorizationRun
    from lux.engine.run.run import Progress, Run
    from lux.runtime import Store


@functools.cache
def gradient_descent(k: int, dtype: str) -> type[lux.Program]:
    """Make the program for factors of length ``k`` and a type."""

    class GradientDescent(lux.Program):
        """One step for every vertex, against the gradient of the squared errors of its ratings and of its penalty."""

        edges = lux.BOTH
        first = lux.field(np.dtype(dtype), shape=k, constant=True)
        ratings = lux.field(np.int64, constant=True)  # those to train with
        penalty = lux.field(np.float64, constant=True)  # lambda, or lambda for each of them
        p = lux.field(np.dtype(dtype), shape=k)
        gradient = lux.field(np.float64, shape=k, reduce=lux.ADD)
        curvature = lux.field(np.float64, reduce=lux.ADD)
        train_error = lux.field(np.float64, reduce=lux.ADD)
        test_error = lux.field(np.float64, reduce=lux.ADD)

        def start(v, params):
            v.p = v.first

        def compute(v, u, edge, params):
            error = edge.weight - lux.dot(v.p, u.p)
            trains = 1.0
            if edge.held_out:
                trains = 0.0
                if v.ratings == 0 or u.ratings == 0:
                    error = edge.weight - params.mean
            square = error * error
            return trains * error * u.p, trains * lux.dot(u.p, u.p), trains * square, (1.0 - trains) * square

        def update(v, old, params):
            step = params.rate
            bound = 2.0 * v.curvature + v.penalty
            if params.scaled:
                step = params.rate / bound if bound > 0 else 0.0
            v.p = old.p + step * (v.gradient - v.penalty * old.p)

    return GradientDescent


class FactorizationProgram:
    """Gradient descent by `gradient_descent`, on any processors and partitions."""

    name = PROGRAM

    def refusal(self, query: FactorizationQuery) -> str:
        """Refuse least squares, and (unless it is asked for by name) GPUs that other strategies need longer for."""
        if query.method != "gd":
            return f"method={query.method!r} is asked for, and the program is gradient descent: pass method='gd'"
        return needs_name(query)

    def memory(self, query: FactorizationQuery) -> Memory:
        """Estimate the factors, which ratings are held out, and the stores of a step on CPU cores."""
        factors = matrix_bytes(query.graph, query.problem, COPIES)
        if device_selection.partitions(query.graph, query.parts):
            return Memory(host=factors)
        layout = executor.run_layout(query.graph, query.parts)
        return Memory(host=factors + executor.store_bytes(_program(query).spec, layout, push=False))

    def prepare(self, query: FactorizationQuery) -> None:
        """Partition the graph."""
        executor.run_layout(query.graph, query.parts).splits  # noqa: B018  # made on first use

    def run(self, query: FactorizationQuery, progress: Progress | None) -> FactorizationRun:
        """Take steps until the error stays."""
        steps, limits = _Steps(query.matrix(query.parts), query), limits_of(query)
        run = HostIterations(steps, query.method, limits)
        found = drive(run, steps.matrix, query, progress, lambda: run.begin(first_factors(steps.matrix)))
        last = steps.last
        assert last is not None
        return as_run(found, steps.matrix, parts=last.parts, threads=last.threads, device=last.device)


def _program(query: FactorizationQuery) -> type[lux.Program]:
    return gradient_descent(query.problem.k, query.problem.dtype.name)


def _with_ratings(query: FactorizationQuery, held_out: Store) -> lux.Graph:
    """Return the graph with the edge properties that the program reads."""
    return query.graph.with_weight(query.name).with_property("held_out", held_out, np.dtype(np.bool_))


@dataclass
class _Factors:
    """Factors after a step, in the order of dense ids."""

    store: Any = None


class _Steps:
    """Steps of gradient descent, each by a run of the program."""

    def __init__(self, matrix: RatingMatrix, query: FactorizationQuery) -> None:
        self.matrix, self.query, self.problem = matrix, query, query.problem
        self.mean_square = matrix.mean_square
        self.graph = _with_ratings(query, matrix.held_out)
        self._right = sides_in_places(self.graph, query.sides.of) == RIGHT
        counts = runtime.to_array(to_user_ids(self.graph, matrix.counts))
        factor = np.float64(self.problem.regularization)
        penalty = factor * counts if self.problem.by_degree else np.full(len(counts), factor)
        self._penalty = penalty
        self._constants = {
            "ratings": runtime.from_array(counts.astype(np.int64)),
            "penalty": runtime.from_array(penalty),
        }
        self.last: Run | None = None

    def new_factors(self) -> _Factors:
        """Make room for factors."""
        return _Factors()

    def write(self, factors: _Factors, values: Store) -> None:
        """Set a copy to factors in the order in which the graph is stored."""
        factors.store = to_user_ids(self.graph, values, length=self.problem.k)

    def read(self, factors: _Factors) -> Store:
        """Return factors in the order in which the graph is stored."""
        return in_places(self.graph, factors.store, self.problem.k)

    def descend(self, rate: float, old: _Factors, new: _Factors, *, scaled: bool) -> Sums:
        """Take one step for all vertices; the sums are those of the old factors."""
        run = executor.execute(
            _program(self.query),
            self.graph,
            {"rate": float(rate), "scaled": scaled, "mean": self.matrix.mean},
            constants=self._constants | {"first": old.store},
            parts=self.query.parts,
            max_iterations=1,
        )
        new.store = to_user_ids(self.graph, run.fields["p"], length=self.problem.k, run=run)
        self.last = run
        train, test = (
            float(runtime.to_array(run.fields[name])[self._right].sum()) for name in ("train_error", "test_error")
        )
        factors = runtime.to_array(old.store).reshape(-1, self.problem.k).astype(np.float64)
        norms = float(self._penalty @ (factors**2).sum(axis=1))
        return Sums(train, test, norms, run.statistics[0].seconds)
