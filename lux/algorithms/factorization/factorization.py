# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Collaborative filtering by matrix factorization, with alternating least squares or gradient descent.

Koren, Bell and Volinsky, "Matrix factorization techniques for recommender systems", Computer 42(8), 2009; gradient
descent is that of section 3.4 of the Lux paper (VLDB 2017), least squares with a regularization by degree those of
Zhou et al., "Large-scale parallel collaborative filtering for the Netflix prize" (ALS-WR), AAIM 2008.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization.result import FactorizationResult
from lux.autotune import tuning
from lux.checks import checked_flag, checked_real, checked_type
from lux.errors import GraphError, LuxError, ParameterError
from lux.graph.arguments import checked_graph
from lux.graph.sides import RIGHT, Sides
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import common

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph

MAX_K = 512
MAX_ITER = {"als": 50, "gd": 500}


@checked_call
@runtime.on_driver
@tuning.tuned
def factorize(
    graph: Graph,
    k: int = 20,
    *,
    method: str = "als",
    regularization: float = 0.12,
    by_degree: bool = True,
    learning_rate: float | None = None,
    max_iter: int | None = None,
    tol: float = 1e-4,
    test: float = 0.1,
    seed: int = 1,
    weight: str | None = None,
    dtype: Any = np.float32,
    strategy: str = "auto",
    parts: int | None = None,
    config: Any = None,
    progress: Progress | None = None,
) -> FactorizationResult:
    r"""Factors p of users and q of items such that ``p @ q`` is close to the rating.

    Minimized is the sum over all training ratings r of user u and item v

    .. math:: \sum (r - p_u^T q_v)^2 + \lambda \|p_u\|^2 + \lambda \|q_v\|^2

    as equation 2 of the Lux paper is written: the norm of a vertex counts once for each of its ratings (ALS-WR; also
    what stochastic gradient descent minimizes). With ``by_degree=False`` it counts once, whatever the number of
    ratings, as in the paper's equations 4 and 5. There are no biases, and no mean is taken off.

    Parameters
    ----------
    graph : Graph
        Ratings are edges between left vertices (users) and right ones (items): a graph made with ``bipartite=True``,
        or a directed graph in which no vertex has both in- and out-edges.
    k : int
        Length of the factors, 1 to 512.
    method : {"als", "gd"}
        Alternating least squares; or gradient descent, in which both sides move at once.
    regularization : float
        Lambda, from 0. With 0, a vertex with fewer ratings than ``k`` has zeros in its factor.
    by_degree : bool
        Whether a vertex's norm counts once for each of its training ratings.
    learning_rate : float, optional
        Gamma of the paper's equations 4 and 5, for ``gd``. By default a vertex's gamma is a rate that adapts itself,
        divided by a bound of the curvature there.
    max_iter : int, optional
        Most iterations, by default 50 of least squares and 500 of gradient descent. A step of gradient descent that
        was taken back counts.
    tol : float
        Stop when the error of the test ratings (the objective, without any) has not improved by this, relative to
        itself, in 3 iterations of least squares or 20 of gradient descent. 0 runs exactly ``max_iter`` iterations.
        The best factors are kept.
    test : float
        Fraction of the ratings that are held out, from 0 to below 1. Which ones depends on their ends and on ``seed``
        alone, so ratings with the same ends are in one part.
    seed : int
        Of the test part and of the first factors, from 0.
    weight : str, optional
        The edge property that holds the ratings; by default ``weight``, or the only one.
    dtype : float32 or float64
        Of the factors. Sums over ratings and the solutions of least squares are in float64.
    strategy : {"auto", "gpus", "partitions", "program"}
        Who does it: GPUs, CPU cores in partitions (by default in one, of all cores of the process), or a vertex program
        for each step of gradient descent. ``auto`` takes GPUs where they can.
    parts : int, optional
        Number of partitions; on GPUs, that of GPUs, which each make the factors of some users and items.
    config : None, "auto", path or perfmodel.Configuration
        ``parts`` and the placement from the performance model, or from a file that ``lux autotune`` wrote; see
        `lux.autotune.tuning`.
    progress
        As in `lux.run`.

    Returns
    -------
    FactorizationResult

    Raises
    ------
    GraphError, WeightError
        The graph has no such property, is not bipartite, or has a rating that is not finite.
    ParameterError
        Before anything is launched.
    ConfigurationError, MemoryNeededError
        ``lux.using(device="gpu")`` holds, and there is no GPU, or it does not fit.
    ConvergenceError
        Gradient descent with ``learning_rate`` diverged.

    Examples
    --------
    >>> import lux
    >>> users, items = [7, 7, 8, 8, 9], [1, 2, 1, 2, 1]
    >>> g = lux.from_edges(users, items, weight=[2.0, 4.0, 3.0, 6.0, 1.0], bipartite=True)
    >>> r = lux.factorize(g, k=1, test=0, regularization=1e-6, by_degree=False)
    >>> round(r.predict(9, 2), 2)
    2.0
    >>> [(item, round(rating, 2)) for item, rating in r.recommend("left:9")]
    [('right:2', 2.0)]
    """
    from lux.algorithms.factorization.query import FactorizationQuery, FactorizationRun
    from lux.algorithms.factorization.rating_matrix import Problem
    from lux.algorithms.factorization.strategies import STRATEGIES
    from lux.algorithms.strategy import select
    from lux.engine.to_user_ids import to_user_ids
    from perfmodel import Factors

    checked_graph(graph, "factorize")
    _check_numbers(k, method, regularization, learning_rate, tol, test, seed)
    limit: Any = MAX_ITER[method] if max_iter is None else max_iter
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
        raise ParameterError(f"max_iter={max_iter!r} was passed; allowed are whole numbers from 1")
    kind = checked_type("dtype", dtype, (np.float32, np.float64))
    name = _ratings(graph, weight)
    sides = Sides(graph)
    problem = Problem(int(k), float(regularization), bool(checked_flag("by_degree", by_degree)), kind, int(seed))
    parts, _ = tuning.apply("factorize", graph, config, parts, factors=Factors(problem.k, method, kind.name))
    both = graph.symmetrized()
    query = FactorizationQuery(
        graph=both,
        parts=parts,
        max_iter=int(limit),
        strategy=strategy,
        name=name,
        sides=sides,
        problem=problem,
        method=method,
        learning_rate=learning_rate,
        tol=tol,
        test=float(test),
    )
    run = select(STRATEGIES, query).run(query, progress)
    assert isinstance(run, FactorizationRun)
    factors = Values(graph, to_user_ids(both, run.fields["factor"], length=problem.k), length=problem.k, name="factor")
    return FactorizationResult(
        **common(run, graph, factors),
        method=method,
        k=problem.k,
        regularization=problem.regularization,
        by_degree=problem.by_degree,
        weight=name,
        seed=problem.seed,
        test=query.test,
        best=run.best,
        kept=run.kept,
        n_train=run.matrix.n_train,
        n_test=run.matrix.n_test,
        mean=run.matrix.mean,
        trained=Values(graph, to_user_ids(both, run.matrix.counts), name="trained"),
        sides=sides,
    )


def prepare(
    graph: Graph,
    k: int = 20,
    *,
    method: str = "als",
    weight: str | None = None,
    dtype: Any = np.float32,
    strategy: str = "auto",
    parts: int | None = None,
) -> None:
    """Make what a run with these arguments needs of the graph and keep it, so that its time is seen apart."""
    from lux.algorithms.factorization.query import FactorizationQuery
    from lux.algorithms.factorization.rating_matrix import Problem
    from lux.algorithms.factorization.strategies import STRATEGIES
    from lux.algorithms.strategy import select

    problem = Problem(int(k), 0.0, by_degree=True, dtype=np.dtype(dtype), seed=1)
    asked: Any = {"name": _ratings(graph, weight), "sides": Sides(graph), "problem": problem, "method": method}
    query = FactorizationQuery(graph=graph.symmetrized(), parts=parts, strategy=strategy, **asked)
    select(STRATEGIES, query).prepare(query)


def _ratings(graph: Graph, weight: str | None) -> str:
    """Return the name of the edge property that holds the ratings."""
    names = list(graph.property_types)
    wanted = weight or (names[0] if len(names) == 1 else "weight")
    if wanted not in names:
        raise GraphError(
            f"factorize needs ratings, and this graph has no edge property {wanted!r}; its edge properties are: "
            f"{', '.join(names) or 'none'}. Pass weight=NAME, or make the graph with weights"
        )
    return wanted


def _check_numbers(
    k: Any, method: str, regularization: float, learning_rate: float | None, tol: float, test: float, seed: Any
) -> None:
    if method not in [*MAX_ITER]:  # also where it cannot be hashed
        raise ParameterError(f"method={method!r} was passed; allowed are {', '.join(MAX_ITER)}")
    for name, value, least, most in (("k", k, 1, MAX_K), ("seed", seed, 0, 2**63 - 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
            raise ParameterError(f"{name}={value!r} was passed; allowed are whole numbers from {least} to {most}")
    for name, number in (("regularization", regularization), ("tol", tol)):
        checked_real(name, number, 0)
    if not checked_real("test", test, 0) < 1:
        raise ParameterError(f"test={test!r} was passed; allowed are fractions from 0 to below 1")
    if learning_rate is not None:
        if method != "gd":
            raise ParameterError("learning_rate is for method='gd': leave it out, or pass method='gd'")
        if not checked_real("learning_rate", learning_rate) > 0:
            raise ParameterError(f"learning_rate={learning_rate!r} was passed; allowed are positive numbers, or None")


def verify(result: FactorizationResult) -> None:
    """Check what defines a factorization, by NumPy in float64.

    The test part is the one that the seed gives, reported errors and the objective are those of the factors, vertices
    without training ratings have zeros, factors of least squares on the right side solve their normal equations, and
    recommendations are sorted and hold no rated item. Raises `LuxError` where a check fails.
    """
    users, items, ratings, held_out = result.dense_ratings()
    p = result.factors.dense().astype(np.float64)
    slack = 1e-4 if result.factors.store.dtype == np.float32 else 1e-10
    train = [x[~held_out] for x in (users, items, ratings)]
    counts = np.bincount(np.concatenate(train[:2]), minlength=len(p))
    if held_out.sum() != result.n_test or (counts != result.trained.dense()).any():
        raise LuxError(f"factorization: {held_out.sum()} ratings are held out by the seed, and {result.n_test} were")
    if not np.isfinite(p).all() or p[counts == 0].any():
        raise LuxError("factorization: a factor is not finite, or not zero without training ratings")
    weights = np.float64(result.regularization) * (counts if result.by_degree else np.ones(len(p)))
    errors = _errors(result, p, users, items, ratings, counts)
    squares = float((errors[~held_out] ** 2).sum())
    expected = {"train_rmse": math.sqrt(squares / result.n_train)}
    expected["objective"] = squares + float(weights @ (p**2).sum(axis=1))
    if result.n_test:
        expected["test_rmse"] = math.sqrt((errors[held_out] ** 2).mean())
    scale = {"objective": float((ratings**2).sum())}
    for name, value in expected.items():
        found = getattr(result, name)
        if abs(found - value) > slack * max(value, scale.get(name, math.sqrt((ratings**2).mean()))):
            raise LuxError(f"factorization: {name} is {found}, and the factors give {value}")
    if result.method == "als":
        _verify_equations(result, p, train, errors[~held_out], weights, slack)
    for user in np.unique(users)[:: max(1, len(np.unique(users)) // 5)].tolist():
        _verify_recommendations(result, user, set(items[users == user].tolist()))


def _errors(
    result: FactorizationResult,
    p: NDArray[np.float64],
    users: NDArray[np.int64],
    items: NDArray[np.int64],
    ratings: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> NDArray[np.float64]:
    known = (counts[users] > 0) & (counts[items] > 0)
    return np.asarray(ratings - np.where(known, np.einsum("ek,ek->e", p[users], p[items]), result.mean))


def _verify_equations(
    result: FactorizationResult,
    p: NDArray[np.float64],
    train: list[NDArray[Any]],
    errors: NDArray[np.float64],
    weights: NDArray[Any],
    slack: float,
) -> None:
    """Right factors, which were solved for last, are where the objective's gradient is zero.

    Equations that are singular but for rounding have no one solution and are not looked at.
    """
    users, items, ratings = train
    curvature = np.bincount(items, (p[users] ** 2).sum(axis=1), len(p))
    right = (result.sides.of == RIGHT) & (weights > slack * curvature)
    sizes = np.abs(errors) + np.abs(ratings)
    for c in range(result.k):
        gradient = np.bincount(items, errors * p[users, c], len(p)) - weights * p[:, c]
        size = np.bincount(items, sizes * np.abs(p[users, c]), len(p)) + weights * np.abs(p[:, c])
        wrong = right & (np.abs(gradient) > slack * size)
        if wrong.any():
            raise LuxError(f"factorization: {wrong.sum()} factors of items do not solve their normal equations")


def _verify_recommendations(result: FactorizationResult, user: int, rated: set[int]) -> None:
    found = result.recommend(result.graph.ids.labels(user, user + 1).tolist()[0], 20)
    scores = [score for _, score in found]
    if scores != sorted(scores, reverse=True):
        raise LuxError(f"factorization: recommendations for user {user} are not sorted")
    if rated & {result.graph.ids.dense(item) for item, _ in found}:
        raise LuxError(f"factorization: a recommendation for user {user} was rated before")
