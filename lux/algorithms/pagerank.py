# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""PageRank by power iteration.

Brin and Page, "The anatomy of a large-scale hypertextual web search engine", 1998; the pull program is Figure 4
of the Lux paper (VLDB 2017), the push program its Figure 5. A vertex keeps its rank and its share, the rank divided
by its out-degree (or, with weights, by the sum of its out-edges' weights); it gathers shares. The rank of vertices
without out-edges is given to all vertices, as NetworkX does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import tuning
from lux.checks import checked_graph, checked_real, checked_type
from lux.errors import ConvergenceError, GraphError, LuxError
from lux.names import checked_call
from lux.result import Result, Values, common

if TYPE_CHECKING:
    from lux.engine.run import Progress
    from lux.graph import Graph


class PageRank(lux.Program):
    """Uniform teleport, unweighted: every vertex's in-neighbours give it equal shares of their ranks."""

    rank = lux.field(np.float64)
    share = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.rank = 1.0 / params.n_vertices
        v.share = v.rank / max(v.out_degree, 1)

    def compute(v, u, edge, params):
        return u.share

    def update(v, old, params):
        v.rank = (1.0 - params.alpha + params.alpha * params.dangling) / params.n_vertices + params.alpha * v.share
        v.share = v.rank / max(v.out_degree, 1)

    @lux.total
    def dangling(v, old, params):
        return v.rank if v.out_degree == 0 else 0.0

    @lux.total
    def change(v, old, params):
        return abs(v.rank - old.rank)

    def converged(params):
        return params.change < params.tol * params.n_vertices


class PageRankDeltas(lux.Program):
    """The same ranks from their changes, for pushing: a vertex whose rank did not change pushes nothing (Figure 5)."""

    rank = lux.field(np.float64)
    delta = lux.field(np.float64)
    share = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.rank = 1.0 / params.n_vertices
        v.delta = v.rank
        v.share = v.rank / max(v.out_degree, 1)
        return True

    def init(v, old, params):
        v.share = 0.0

    def compute(v, u, edge, params):
        return u.share

    def update(v, old, params):
        given = params.alpha * params.dangling / params.n_vertices + params.alpha * v.share
        if params.iteration == 0:
            v.rank = (1.0 - params.alpha) / params.n_vertices + given
            v.delta = v.rank - old.rank
        else:
            v.rank = old.rank + given
            v.delta = given
        v.share = v.delta / max(v.out_degree, 1)
        # One more iteration after the last change, as False would leave the old delta where totals see it.
        return v.delta != 0.0 or old.delta != 0.0

    @lux.total
    def dangling(v, old, params):
        return v.delta if v.out_degree == 0 else 0.0

    @lux.total
    def change(v, old, params):
        return abs(v.delta)

    def converged(params):
        return params.change < params.tol * params.n_vertices


class PageRankDeltas32(PageRankDeltas):
    """The same in float32."""

    rank = lux.field(np.float32)
    delta = lux.field(np.float32)
    share = lux.field(np.float32, reduce=lux.ADD)


class PageRank32(PageRank):
    """The same in float32."""

    rank = lux.field(np.float32)
    share = lux.field(np.float32, reduce=lux.ADD)


@dataclass(frozen=True, eq=False, repr=False)
class PageRankResult(Result):
    """Ranks that sum to one.

    Attributes
    ----------
    alpha : float
        The damping factor they were computed with.
    weight : str or None
        The edge property they were computed with.
    given : dict or None
        Teleport, dangling and starting distributions and inverse out-weights, where they are not uniform.
    """

    alpha: float
    weight: str | None
    given: dict[str, NDArray[np.float64]] | None

    @property
    def ranks(self) -> Values:
        """The rank of every vertex."""
        return self.columns["rank"]


@checked_call
@tuning.tuned
def pagerank(
    graph: Graph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: str | None = "weight",
    dangling: Mapping[Any, float] | None = None,
    *,
    dtype: Any = np.float64,
    parts: int | None = None,
    model: str = "auto",
    progress: Progress | None = None,
    config: Any = None,
) -> PageRankResult:
    """PageRank of every vertex; arguments and answers are those of `networkx.pagerank`.

    Parameters
    ----------
    graph : Graph
    alpha : float
        Damping factor, from 0 to 1.
    personalization, nstart, dangling : mapping of the user's ids to numbers, optional
        Where a random walk restarts, the first ranks, and where the rank of vertices without out-edges goes;
        each is scaled to sum to one, and vertices that are not named have zero.
    max_iter : int
        Most iterations.
    tol : float
        Stop when the ranks' changes sum to less than ``tol * n_vertices``. 0 runs exactly ``max_iter`` iterations.
    weight : str or None
        The edge property to use as weight; edges weigh the same with None, and where the graph has no ``weight``.
    dtype : float64 or float32
    model : {"auto", "pull", "push"}
        With ``push`` and neither weights nor distributions, vertices push the changes of their ranks.
    parts, progress
        As in `lux.run`.
    config : None, "auto", path or perfmodel.Configuration
        Where ``parts`` and ``model`` come from if they are not given; see `lux.tuning.apply`.

    Returns
    -------
    PageRankResult

    Raises
    ------
    ConvergenceError
        ``max_iter`` iterations did not reach ``tol``.
    ParameterError, GraphError, WeightError
        Before anything is launched.
    ConfigurationError, MemoryNeededError
        What was asked of processors cannot be had: the message says which flag to give.

    Examples
    --------
    >>> import lux
    >>> [(vertex, round(rank, 4)) for vertex, rank in lux.pagerank(lux.toy.star(5)).top(2)]
    [(0, 0.5238), (1, 0.119)]
    """
    checked_graph(graph, "pagerank")
    dtype = checked_type("dtype", dtype, (np.float32, np.float64))
    alpha, tol = checked_real("alpha", alpha, 0, 1), checked_real("tol", tol, 0)
    if weight not in graph.property_types:
        if weight not in (None, "weight"):
            has = ", ".join(graph.property_types) or "none"
            raise GraphError(f"pagerank: weight={weight!r} was passed, and this graph's edge properties are: {has}")
        weight = None
    parts, model = tuning.apply("pagerank", graph, config, parts, model)
    given = None
    if any(x is not None for x in (weight, personalization, nstart, dangling)):
        from lux.algorithms import general_pagerank

        given = general_pagerank.given(graph, weight, personalization, nstart, dangling)
    from lux.engine.finish import finished
    from lux.engine.loop import execute

    run = execute(
        _program(
            general=given is not None, weighted=weight is not None, single=dtype == np.float32, deltas=model == "push"
        ),
        graph if weight is None else graph.with_weight(weight),
        {"alpha": float(alpha), "tol": float(tol)},
        given=given,
        parts=parts,
        model=model,
        max_iterations=max_iter,
        expected=_expected_iterations(alpha, tol * graph.n_vertices),
        progress=progress,
    )
    if not run.converged and tol > 0:
        raise ConvergenceError(
            f"PageRank did not reach tol={tol} within max_iter={max_iter}: raise one of them, "
            "or pass tol=0 to run exactly that many"
        )
    columns = {"rank": Values(graph, finished(graph, run.fields["rank"], run=run))}
    return PageRankResult(**common(run, graph, columns), alpha=float(alpha), weight=weight, given=given)


def _expected_iterations(alpha: float, change: float) -> int | None:
    """After how many iterations the ranks change by less than ``change`` in all, if ever.

    The first changes them by 2 at most, and each by at most ``alpha`` times what the one before did.
    """
    if change >= 2 or alpha == 0:
        return 2
    return None if change == 0 or alpha == 1 else 2 + math.ceil(math.log(change / 2) / math.log(alpha))


def _program(*, general: bool, weighted: bool, single: bool, deltas: bool) -> type[lux.Program]:
    if general:
        from lux.algorithms import general_pagerank as programs

        if weighted:
            return programs.WeightedPageRank32 if single else programs.WeightedPageRank
        return programs.GeneralPageRank32 if single else programs.GeneralPageRank
    if deltas:
        return PageRankDeltas32 if single else PageRankDeltas
    return PageRank32 if single else PageRank


def verify(result: PageRankResult) -> None:
    """Check that ranks are not negative and sum to one, and that one more step (by SciPy, in float64) keeps them.

    Raises `LuxError` where a check fails.
    """
    graph, ranks = result.graph, result.ranks.dense().astype(np.float64)
    slack = 1e-5 if result.ranks.dense().dtype == np.float32 else 1e-9
    if not (ranks >= 0).all():
        raise LuxError(f"PageRank: {int((~(ranks >= 0)).sum())} ranks are negative or NaN")
    if abs(ranks.sum() - 1) > 10 * slack:
        raise LuxError(f"PageRank: the ranks sum to {ranks.sum()!r}, not to 1")
    matrix = graph.to_scipy(weight=result.weight).astype(np.float64)
    out = np.asarray(matrix.sum(axis=1)).ravel()
    shares = np.divide(ranks, out, out=np.zeros_like(ranks), where=out != 0)
    uniform = np.full(len(ranks), 1 / len(ranks))
    teleport = result.given["teleport"] if result.given else uniform
    to_dangling = result.given["to_dangling"] if result.given else uniform
    gathered = matrix.T @ shares + ranks[out == 0].sum() * to_dangling
    moved = float(np.abs((1 - result.alpha) * teleport + result.alpha * gathered - ranks).sum())
    # A step shrinks the change by alpha at least; the first one changes the ranks by 2 at most.
    allowed = 2 * result.alpha**result.iterations + 100 * slack
    if moved > allowed:
        raise LuxError(f"PageRank: one more step moves the ranks by {moved:.3g}, more than {allowed:.3g}")
