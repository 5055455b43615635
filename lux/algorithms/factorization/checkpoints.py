# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a factorization on CPU cores: the slots that are needed, and what decides which are the best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np

from lux.algorithms.factorization import iteration_kernels as kernels
from lux.algorithms.factorization.minimize import PATIENCE, Sweep
from lux.algorithms.factorization.rating_matrix import Sums
from lux.engine.run import checkpoint
from lux.engine.run.fingerprint import store_fingerprint

if TYPE_CHECKING:
    from lux.algorithms.factorization.iterations import CpuIterations
    from lux.algorithms.factorization.minimize import Followed, Slots
    from lux.algorithms.factorization.query import FactorizationQuery


class Checkpoints:
    """Checkpoints of a run, if they are asked for (`lux.using`).

    Parameters
    ----------
    run : CpuIterations
    query : FactorizationQuery
    slots : Slots
    course : Followed
    """

    def __init__(self, run: CpuIterations, query: FactorizationQuery, slots: Slots, course: Followed) -> None:
        self.run, self.query, self.slots, self.course = run, query, slots, course

        def facts() -> Iterable[Any]:
            yield query.method, query.learning_rate, query.tol, query.test, query.limit, PATIENCE[query.method]
            yield [str(value) for value in astuple(query.problem)]
            yield store_fingerprint(query.graph.properties[query.name])

        self._file = checkpoint.opened("factorize", query.graph, facts)

    def save_if_due(self) -> None:
        """Save a checkpoint, if it is time."""
        if self._file is None or not self._file.due():
            return
        course, sums = self.course, self.slots.sums
        assert course.kept is not None
        errors = course.kept.train_rmse, course.kept.test_rmse, course.kept.objective
        numbers = [*course.watch.numbers, *errors, sums.train_error, sums.test_error, sums.penalty]
        facts = {"best": course.best, "slot": self.slots.best, "reported": self.slots.reported}
        factors = {f"slot {slot}": self.run.factors(slot) for slot in self.run.needed}
        self._file.save(facts, factors, {"state": self.run.state, "numbers": np.array(numbers)})

    def resume(self) -> int | None:
        """Take over what a checkpoint has, and return the next iteration; None where there is none."""
        if self._file is None or self._file.found is None:
            return None
        found, query, course = self._file.found, self.query, self.course
        state = found.values("state", np.float64, kernels.STATE)
        *watch, train, test, objective, of_train, of_test, penalty = found.values("numbers", np.float64, 9).tolist()
        length = query.graph.n_vertices * query.problem.k
        self.run.state[:] = state
        factors = {slot: found.values(f"slot {slot}", query.problem.dtype, length) for slot in self.run.needed}
        self.run.restore(state, factors)
        course.watch.numbers, course.best = watch, found.facts["best"]
        graph, nothing = query.graph, np.empty(0)
        course.kept = Sweep(query.method, graph.n_vertices, graph.n_edges, nothing, train, test, objective)
        self.slots.best, self.slots.reported = found.facts["slot"], found.facts["reported"]
        self.slots.sums = Sums(of_train, of_test, penalty, nothing)
        next_iteration = int(state[kernels.ITERATION])
        course.resumed = next_iteration - 1
        return next_iteration
