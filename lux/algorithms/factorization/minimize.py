# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix factorization, iteration by iteration: alternating least squares, and gradient descent.

Least squares solve one side for fixed factors of the other, which lowers the objective in every sweep. Gradient
descent is that of section 3.4 of the Lux paper (VLDB 2017): both sides move at once. Without a learning rate, a step
is divided by a bound of each vertex's curvature, and the common rate is that of a "bold driver": it grows while the
objective falls; a step that raises it is taken back, and the rate is halved.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lux import settings
from lux.algorithms.factorization.rating_matrix import RatingMatrix, Sums
from lux.algorithms.factorization.steps import ITERATION, STATE, Limits, Step, renumbered
from lux.engine.run import checkpoint
from lux.engine.run.fingerprint import store_fingerprint
from lux.engine.run.statistics import Iteration
from lux.errors import ConvergenceError, LuxError
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.algorithms.factorization.gpu_memory import FactorPlan
    from lux.algorithms.factorization.query import FactorizationQuery, FactorizationRun
    from lux.algorithms.factorization.steps import Iterations
    from lux.engine.run.run import Progress
    from lux.runtime.exchange import Sent

PATIENCE = {"als": 3, "gd": 20}
"""Iterations in which the error must have improved by ``tol``. A step of gradient descent does little, and its first
ones only find out in which directions factors differ."""
NOISE = 0.7
"""Norm of the random part of the first factors, relative to that of the part that predicts the mean."""


@dataclass(frozen=True)
class Sweep(Iteration):
    """An iteration of a factorization, with the errors of the factors that it led to.

    Attributes
    ----------
    train_rmse, test_rmse : float
        Root of the mean squared error of training and of test ratings, in the unit of a rating; ``test_rmse`` is
        NaN where no ratings are held out.
    objective : float
        What is minimized (`lux.factorize`).
    """

    train_rmse: float
    test_rmse: float
    objective: float


Steps = Generator[tuple[int, Any, Sums]]
"""Number of an iteration, the factors after it (a store, or the number of a slot), and their sums."""


class Slots:
    """Slots of the best factors so far of a run that decides inside: by its reported sums, and as it reports it.

    Attributes
    ----------
    sums : Sums
        Those of the last factors that were accepted.
    """

    best = reported = -1

    def __init__(self) -> None:
        self.sums = Sums(math.inf, math.inf, math.inf, np.empty(0))

    def keep(self, slot: int) -> None:
        """Name them."""
        self.best = slot

    def result(self, store: Store) -> Store:
        """Return the store that was written at the end."""
        if self.best != self.reported:
            raise LuxError("factorize: the processors kept other factors than their sums say")
        return store


COPIES = 4
"""Most stores that are needed at a time: the best factors, those of the last step, and two for the next."""
SLOTS = {"als": 2, "gd": COPIES}
"""Slots of factors in each process on CPU cores: least squares work where the last factors are, unless these are the
best."""
RESULTS = {"als": 3, "gd": 1}
"""Most stores of factors at the end, on CPU cores: those of either side, and of both."""


class _StopRule:
    """Stop rule for an error that no longer falls: by ``tol``, relative to itself, in ``patience`` iterations."""

    def __init__(self, tol: float, patience: int) -> None:
        self._tol, self._patience, self._since = tol, patience, 0
        self._lowest = self._reference = math.inf

    @property
    def numbers(self) -> tuple[float, ...]:
        """The errors that it has seen, as numbers, and how many since."""
        return self._lowest, self._reference, float(self._since)

    @numbers.setter
    def numbers(self, seen: Sequence[float]) -> None:
        self._lowest, self._reference, self._since = seen[0], seen[1], int(seen[2])

    def sees_lowest(self, error: float) -> bool:
        """Record an error; return True if it is lower than all before."""
        self._since += 1
        if error < self._reference * (1 - self._tol):
            self._reference, self._since = error, 0
        lowest, self._lowest = error < self._lowest, min(error, self._lowest)
        return lowest

    @property
    def stopped(self) -> bool:
        return self._tol > 0 and self._since >= self._patience


@dataclass(frozen=True)
class BestFactors:
    """The best factors of a run, in the order in which the graph is stored.

    Attributes
    ----------
    factors : Store of shape (n_vertices * k,)
    best : int
        The iteration that led to them; 0 stands for the first factors.
    kept : Sweep
        Their errors.
    converged : bool
    seconds : float
    statistics : list of Sweep
    sent : Sent or None
        What this process sent, where that is counted.
    """

    factors: Store
    best: int
    kept: Sweep
    converged: bool
    seconds: float
    statistics: list[Sweep]
    sent: Sent | None = None
    resumed: int = 0


class Followed:
    """Course of a run: its best factors, and when it stops.

    Attributes
    ----------
    watch : _StopRule
    best : int
        The iteration that led to the best factors; -1 where there is none yet.
    kept : Sweep or None
        Their errors.
    statistics : list of Sweep
    resumed : int
        Iterations that a checkpoint had.
    """

    def __init__(self, tol: float, patience: int) -> None:
        self.watch, self.best, self.kept = _StopRule(tol, patience), -1, cast("Sweep | None", None)
        self.statistics, self.resumed = list[Sweep](), 0


class Checkpoints:
    """Checkpoints of a run, if they are asked for (`lux.using`).

    Parameters
    ----------
    run : Iterations
    query : FactorizationQuery
    slots : Slots
    course : Followed
    """

    def __init__(self, run: Iterations, query: FactorizationQuery, slots: Slots, course: Followed) -> None:
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
        state, number_of = renumbered(self.run.state)
        facts = {"best": course.best, "slot": number_of[self.slots.best], "reported": number_of[self.slots.reported]}
        factors = {f"slot {number}": self.run.factors(slot) for slot, number in number_of.items()}
        self._file.save(facts, factors, {"state": state, "numbers": np.array(numbers)})

    def resume(self) -> int | None:
        """Take over what a checkpoint has, and return the next iteration; None where there is none."""
        if self._file is None or self._file.found is None:
            return None
        found, query, course = self._file.found, self.query, self.course
        state = found.values("state", np.float64, STATE)
        *watch, train, test, objective, of_train, of_test, penalty = found.values("numbers", np.float64, 9).tolist()
        self.run.restore(state, found)
        course.watch.numbers, course.best = watch, found.facts["best"]
        graph, nothing = query.graph, np.empty(0)
        course.kept = Sweep(query.method, graph.n_vertices, graph.n_edges, nothing, train, test, objective)
        self.slots.best, self.slots.reported = found.facts["slot"], found.facts["reported"]
        self.slots.sums = Sums(of_train, of_test, penalty, nothing)
        next_iteration = int(state[ITERATION])
        course.resumed = next_iteration - 1
        return next_iteration


def on_cores(matrix: RatingMatrix, query: FactorizationQuery, progress: Progress | None) -> BestFactors:
    """Run the query's method on CPU cores until the error stays, and keep the best factors."""
    from lux.algorithms.factorization.iterations import LONGEST, CpuIterations

    run = CpuIterations(matrix, query.method, limits_of(query), *_first(matrix), _longest(LONGEST))
    with contextlib.closing(run):
        found = drive(run, matrix, query, progress, lambda: None)
        return replace(found, sent=run.exchange.sent())


def on_gpus(
    matrix: RatingMatrix, plan: FactorPlan, query: FactorizationQuery, progress: Progress | None
) -> BestFactors:
    """Run the query's method on GPUs until the error stays, and keep the best factors."""
    from lux.algorithms.factorization.gpu import LONGEST, FactorRun

    limits = limits_of(query)
    if plan.moved:
        from lux.algorithms.factorization.gpu_repartition import MovedFactors
        from lux.algorithms.factorization.host_iterations import HostIterations

        with contextlib.closing(MovedFactors(plan, matrix, limits)) as moved:
            moved.set_up()
            stepped = HostIterations(moved, query.method, limits)
            return drive(stepped, matrix, query, progress, lambda: stepped.begin(first_factors(matrix)))
    with contextlib.closing(FactorRun(plan, matrix, limits, _longest(LONGEST))) as run:
        run.set_up()
        return drive(run, matrix, query, progress, lambda: run.begin({0: first_factors(matrix)}))


def _longest(most: float) -> float:
    """Return the seconds of a launch: fewer where checkpoints are to be kept more often."""
    wanted = settings.current()
    return most if wanted.checkpoint is None else min(most, wanted.every)


def drive(
    run: Iterations,
    matrix: RatingMatrix,
    query: FactorizationQuery,
    progress: Progress | None,
    begin: Callable[[], None],
) -> BestFactors:
    """Go on from the run's checkpoint, or ``begin``; and iterate to the end."""
    slots, course = Slots(), Followed(query.tol, PATIENCE[query.method])
    checkpoints = Checkpoints(run, query, slots, course)
    first = checkpoints.resume()
    if first is None:
        begin()
    steps = _reported(matrix, query, run.steps(checkpoints.save_if_due), slots, first)
    return follow(matrix, query, steps, progress, slots.keep, lambda: slots.result(run.result()), course)


def limits_of(query: FactorizationQuery) -> Limits:
    """Return the limits of a query's run, and its first rate."""
    rate = 1.0 if query.learning_rate is None else float(query.learning_rate)
    return Limits(query.limit, query.tol, PATIENCE[query.method], rate, scaled=query.learning_rate is None)


def follow(
    matrix: RatingMatrix,
    query: FactorizationQuery,
    steps: Steps,
    progress: Progress | None,
    keep: Callable[[Any], None],
    result: Callable[[], Store],
    course: Followed,
) -> BestFactors:
    """Take steps until the test error (the objective, without a test part) stays; ``keep`` gets the best so far."""
    watch = course.watch
    began = time.perf_counter()
    with contextlib.closing(steps):
        for iteration, factors, sums in steps:
            sweep = _sweep(matrix, query.method, sums)
            if watch.sees_lowest(sweep.test_rmse if matrix.n_test else sweep.objective) or course.best < 0:
                keep(factors)
                course.best, course.kept = iteration, sweep
            if iteration > 0:
                course.statistics.append(sweep)
                if progress is not None:
                    progress(iteration)
            if watch.stopped or iteration == query.limit:
                break
    assert course.kept is not None  # there is at least one iteration
    seconds = time.perf_counter() - began
    facts = course.best, course.kept, watch.stopped, seconds, course.statistics
    return BestFactors(result(), *facts, resumed=course.resumed)


def as_run(found: BestFactors, matrix: RatingMatrix, *, parts: int, threads: int, device: str) -> FactorizationRun:
    """Make a run of what was found."""
    from lux.algorithms.factorization.query import FactorizationRun

    return FactorizationRun(
        {"factor": found.factors},
        found.resumed + len(found.statistics),
        found.converged,
        found.seconds,
        parts,
        found.statistics,
        threads,
        device,
        best=found.best,
        kept=found.kept,
        matrix=matrix,
        sent=found.sent,
        resumed=found.resumed,
    )


def first_factors(matrix: RatingMatrix) -> Store:
    """Make factors that predict the mean rating, and a random part."""
    found = matrix.new_factors()
    matrix.start(found, *_first(matrix))
    return found


def _first(matrix: RatingMatrix) -> tuple[tuple[float, float], float]:
    """Return what predicts the mean rating, on each side, and the standard deviation of the random part."""
    size = math.sqrt(abs(matrix.mean))
    noise = NOISE * math.sqrt(math.sqrt(matrix.mean_square) / matrix.problem.k)
    return (size, math.copysign(size, matrix.mean)), noise


def _sweep(matrix: RatingMatrix, method: str, sums: Sums) -> Sweep:
    test = math.sqrt(sums.test_error / matrix.n_test) if matrix.n_test else math.nan
    train = math.sqrt(sums.train_error / matrix.n_train)
    graph = matrix.graph
    return Sweep(method, graph.n_vertices, graph.n_edges, sums.seconds, train, test, sums.objective)


def _reported(
    matrix: RatingMatrix, query: FactorizationQuery, found: Generator[Step], slots: Slots, first: int | None = None
) -> Steps:
    """Factors after each iteration, and their sums.

    ``first`` is the first iteration of a run that goes on.
    """
    with contextlib.closing(found) as steps:
        for iteration, step in enumerate(steps, int(query.method == "als") if first is None else first):
            sums = Sums(step.train_error, step.test_error, step.penalty, step.seconds)
            _check_finite(matrix, sums, iteration, query.learning_rate)
            slots.sums = sums if step.accepted else slots.sums
            slots.reported = step.best
            yield iteration, step.slot, slots.sums


def _check_finite(matrix: RatingMatrix, sums: Sums, iteration: int, learning_rate: float | None) -> None:
    """Raise `ConvergenceError` where a sum is beyond all numbers."""
    if math.isfinite(sums.objective):
        return
    if learning_rate is None or iteration == 0:
        raise ConvergenceError(
            f"the errors are beyond {matrix.problem.dtype}: pass dtype=float64, or scale the ratings, whose root mean "
            f"square is {math.sqrt(matrix.mean_square):.3g}"
        )
    raise ConvergenceError(
        f"gradient descent with learning_rate={learning_rate} diverged in iteration {iteration}: "
        "pass a smaller one, or None for one that adapts itself"
    )
