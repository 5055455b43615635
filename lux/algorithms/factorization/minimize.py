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
import itertools
import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lux import settings
from lux.algorithms.factorization.kernels import LEFT, RIGHT
from lux.algorithms.factorization.rating_matrix import RatingMatrix, Sums
from lux.algorithms.factorization.steps import Limits, Step
from lux.engine.run.statistics import Iteration
from lux.errors import ConvergenceError, LuxError
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.algorithms.factorization.gpu_memory import FactorPlan
    from lux.algorithms.factorization.gpu_repartition import MovedFactors
    from lux.algorithms.factorization.query import FactorizationQuery, FactorizationRun
    from lux.engine.run.run import Progress
    from lux.runtime.exchange import Sent

PATIENCE = {"als": 3, "gd": 20}
"""Iterations in which the error must have improved by ``tol``. A step of gradient descent does little, and its first
ones only find out in which directions factors differ."""
NOISE = 0.7
"""Norm of the random part of the first factors, relative to that of the part that predicts the mean."""
FASTER, SLOWER = 1.05, 0.5
ROUNDING = 1e-6
"""By how much an objective may seem to rise, relative to it, without being taken for a rise."""


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


class Stores:
    """Stores for factors: whoever needs one to write gets one that nobody needs to read any more.

    ``matrix.new_factors()`` makes them: a store or, where Legion moves factors between GPUs, one for each side.
    """

    def __init__(self, matrix: Any) -> None:
        self._matrix, self._all = matrix, list[Any]()
        self.best: Any = None

    def unused(self, *needed: Any) -> Any:
        """Return a store that is neither ``best`` nor among those ``needed``."""
        for store in self._all:
            if store is not self.best and not any(store is other for other in needed):
                return store
        self._all.append(self._matrix.new_factors())
        return self._all[-1]

    def keep(self, store: Any) -> None:
        """Name the best factors so far."""
        self.best = store

    @property
    def kept(self) -> Any:
        """The best factors; there is at least one iteration."""
        assert self.best is not None
        return self.best


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


def on_cores(matrix: RatingMatrix, query: FactorizationQuery, progress: Progress | None) -> BestFactors:
    """Run the query's method on CPU cores until the error stays, and keep the best factors."""
    from lux.algorithms.factorization.checkpoints import Checkpoints
    from lux.algorithms.factorization.iterations import LONGEST, CpuIterations

    wanted, slots = settings.current(), Slots()
    longest = LONGEST if wanted.checkpoint is None else min(LONGEST, wanted.every)
    run = CpuIterations(matrix, query.method, _limits(query), *_first(matrix), longest)
    with contextlib.closing(run):
        course = Followed(query.tol, PATIENCE[query.method])
        checkpoints = Checkpoints(run, query, slots, course)
        first = checkpoints.resume()
        steps = _reported(matrix, query, run.steps(checkpoints.save_if_due), slots, first)
        found = follow(matrix, query, steps, progress, slots.keep, lambda: slots.result(run.result()), course)
        return replace(found, sent=run.exchange.sent())


def on_gpus(
    matrix: RatingMatrix, plan: FactorPlan, query: FactorizationQuery, progress: Progress | None
) -> BestFactors:
    """Run the query's method on GPUs until the error stays, and keep the best factors."""
    from lux.algorithms.factorization.gpu import FactorRun

    first = matrix.new_factors()
    start(matrix, first)
    limits = _limits(query)
    if plan.moved:
        from lux.algorithms.factorization.gpu_repartition import MovedFactors

        with contextlib.closing(MovedFactors(plan, matrix, first, limits)) as moved:
            moved.set_up()
            copies = Stores(moved)
            now = copies.unused()
            moved.begin(now)
            steps = _steps(moved, copies, now, query)
            return follow(matrix, query, steps, progress, copies.keep, lambda: moved.finish(copies.kept))
    run, slots = FactorRun(plan, matrix, first, limits), Slots()
    launches = run.prepare()
    steps = _reported(matrix, query, run.steps(launches), slots)
    return follow(matrix, query, steps, progress, slots.keep, lambda: slots.result(run.result))


def _limits(query: FactorizationQuery) -> Limits:
    rate = 1.0 if query.learning_rate is None else float(query.learning_rate)
    return Limits(query.limit, query.tol, PATIENCE[query.method], rate, scaled=query.learning_rate is None)


def _steps(matrix: Any, stores: Stores, now: Any, query: FactorizationQuery) -> Steps:
    """Begin the steps of the query's method at the factors ``now``."""
    return (
        _alternate(matrix, stores, now) if query.method == "als" else descend(matrix, stores, now, query.learning_rate)
    )


def follow(
    matrix: RatingMatrix,
    query: FactorizationQuery,
    steps: Steps,
    progress: Progress | None,
    keep: Callable[[Any], None],
    result: Callable[[], Store],
    course: Followed | None = None,
) -> BestFactors:
    """Take steps until the test error (the objective, without a test part) stays; ``keep`` gets the best so far.

    ``course`` is that of a run that goes on.
    """
    course = Followed(query.tol, PATIENCE[query.method]) if course is None else course
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


def start(matrix: RatingMatrix, factors: Store) -> None:
    """Factors that predict the mean rating, and a random part."""
    matrix.start(factors, *_first(matrix))


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


def _alternate(matrix: Any, stores: Stores, now: Any) -> Steps:
    """Factors after each iteration, from 1 on."""
    for iteration in itertools.count(1):
        half = stores.unused(now)
        left = matrix.solve(LEFT, now, half)
        now = stores.unused(half)
        right = matrix.solve(RIGHT, half, now)
        penalty, seconds = left.penalty + right.penalty, left.seconds + right.seconds
        sums = Sums(right.train_error, right.test_error, penalty, seconds)
        _check_finite(matrix, sums, iteration, None)
        yield iteration, now, sums


def descend(matrix: Any, stores: Stores, now: Any, learning_rate: float | None) -> Steps:
    """Factors after each iteration, from 0 on: only a step from them finds their errors."""
    scaled = learning_rate is None
    rate = 1.0 if learning_rate is None else float(learning_rate)
    last, last_sums = now, Sums(math.inf, math.inf, math.inf, np.empty(0))
    for iteration in itertools.count():
        ahead = stores.unused(last, now)
        sums = matrix.descend(rate, now, ahead, scaled=scaled)
        _check_finite(matrix, sums, iteration, learning_rate)
        if not scaled:
            last, last_sums, now = now, sums, ahead
        elif sums.objective <= last_sums.objective * (1 + ROUNDING):
            last, last_sums, now, rate = now, sums, ahead, rate * FASTER
        else:
            now, rate = last, rate * SLOWER
        yield iteration, last, last_sums


def _reported(
    matrix: RatingMatrix, query: FactorizationQuery, found: Generator[Step], slots: Slots, first: int | None = None
) -> Steps:
    """Factors after each iteration that was decided inside a launch, as `_alternate` and `descend` tell of theirs.

    ``first`` is the first iteration of a run that goes on.
    """
    with contextlib.closing(found) as steps:
        for iteration, step in enumerate(steps, int(query.method == "als") if first is None else first):
            sums = Sums(step.train_error, step.test_error, step.penalty, step.seconds)
            _check_finite(matrix, sums, iteration, query.learning_rate)
            slots.sums = sums if step.accepted else slots.sums
            slots.reported = step.best
            yield iteration, step.slot, slots.sums


def _check_finite(matrix: RatingMatrix | MovedFactors, sums: Sums, iteration: int, learning_rate: float | None) -> None:
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
