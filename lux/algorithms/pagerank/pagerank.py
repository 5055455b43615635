# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""PageRank by power iteration.

Brin and Page, "The anatomy of a large-scale hypertextual web search engine", 1998; the pull program is Figure 4
of the Lux paper (VLDB 2017), the push program its Figure 5. A vertex keeps its rank and its share, the rank divided
by its out-degree (or, with weights, by the sum of its out-edges' weights); it gathers shares. The rank of vertices
without out-edges is given to all vertices, as NetworkX does. When a run stops is in `lux.algorithms.pagerank.stopping`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.algorithms.pagerank.stopping import longest_sum, rounding, stop_rule
from lux.autotune import tuning
from lux.checks import checked_real, checked_type
from lux.errors import GraphError, LuxError
from lux.graph.arguments import checked_graph
from lux.graph.edge_queries import edge_slices
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import Result, common

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph


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

    @lux.aggregate
    def dangling(v, old, params):
        return v.rank if v.out_degree == 0 else 0.0

    @lux.aggregate
    def change(v, old, params):
        return abs(v.rank - old.rank)

    def converged(params):
        return params.change < params.stop


class PageRankDeltas(lux.Program):
    """Ranks from their changes, for pushing: a vertex whose rank did not change pushes nothing (Figure 5)."""

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

    @lux.aggregate
    def dangling(v, old, params):
        return v.delta if v.out_degree == 0 else 0.0

    @lux.aggregate
    def change(v, old, params):
        return abs(v.delta)

    def converged(params):
        return params.change < params.stop


PageRank32 = PageRank.typed("PageRank32", rank=np.float32, share=np.float32)
PageRankDeltas32 = PageRankDeltas.typed("PageRankDeltas32", **dict.fromkeys(("rank", "delta", "share"), np.float32))


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
    tol : float
        As it was passed, or its default.
    error : float
        The L1 distance (the sum of absolute differences) to the exact ranks, at most.
    """

    alpha: float
    weight: str | None
    given: dict[str, NDArray[np.float64]] | None
    tol: float
    error: float

    def _title(self) -> str:
        return f"{super()._title()[:-1]}, error at most {self.error:.3g}>"

    @property
    def ranks(self) -> Values:
        """The rank of every vertex."""
        return self.columns["rank"]


@checked_call
@runtime.on_driver
@tuning.tuned
def pagerank(
    graph: Graph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    nstart: Mapping[Any, float] | None = None,
    weight: str | None = "weight",
    dangling: Mapping[Any, float] | None = None,
    *,
    stop: str = "error",
    dtype: Any = np.float64,
    strategy: str = "auto",
    parts: int | None = None,
    model: str = "auto",
    progress: Progress | None = None,
    config: Any = None,
) -> PageRankResult:
    """PageRank of every vertex; arguments and answers are those of `networkx.pagerank`, but for when it stops.

    Parameters
    ----------
    graph : Graph
    alpha : float
        Damping factor, from 0 to 1.
    personalization, nstart, dangling : mapping of the user's ids to numbers, optional
        Where a random walk restarts, the first ranks, and where the rank of vertices without out-edges goes;
        each is scaled to sum to one, and vertices that are not named have zero.
    max_iter : int, optional
        Most iterations. By default as many as ``tol`` may need; 100 with ``tol=0`` or ``stop="networkx"``.
    tol : float, optional
        How far the ranks may be from the exact ones: the sum of the absolute differences (L1) is at most that. The
        default is 1e-6; in float32 it is 1e-6 and what rounding may add, in all 8.9e-6 with ``alpha=0.85``. 0 runs
        exactly ``max_iter`` iterations.
    weight : str or None
        The edge property to use as weight; edges weigh the same with None, and where the graph has no ``weight``.
    stop : {"error", "networkx"}
        What ``tol`` bounds. ``networkx`` is NetworkX's rule: the run stops when an iteration changes the ranks by less
        than ``tol * n_vertices`` in all, so that on large graphs the first iterations may do.
    dtype : float64 or float32
        Of the ranks. With ``alpha=0.85`` rounding may put them wrong, in all, by 7.9e-6 in float32 (2.4e-5 where
        changes are pushed), and in float64 by 7.4e-10 for each million edges of the vertex that has most; see
        `lux.algorithms.pagerank.stopping.rounding`.
    strategy : {"auto", "program"}
        The vertex program is the only one.
    model : {"auto", "pull", "push"}
        With ``push`` and neither weights nor distributions, vertices push the changes of their ranks.
    parts, progress
        As in `lux.run`.
    config : None, "auto", path or perfmodel.Configuration
        Where ``parts`` and ``model`` come from if they are not given; see `lux.autotune.tuning.apply`.

    Returns
    -------
    PageRankResult

    Warns
    -----
    LuxWarning
        ``tol`` is less than what rounding may add. The run ends when iterations have met it; `PageRankResult.error`
        has both.

    Raises
    ------
    ConvergenceError
        ``max_iter`` iterations did not reach ``tol``.
    ParameterError, GraphError, WeightError
        Before anything is launched. Also where ``alpha`` is 1, or so near that no number of iterations bounds the
        error.
    ConfigurationError, MemoryNeededError
        What was asked of processors cannot be had: the message says which flag to give.

    Examples
    --------
    >>> import lux
    >>> [(vertex, round(rank, 4)) for vertex, rank in lux.pagerank(lux.toy.star(5)).top(2)]
    [(0, 0.5238), (1, 0.119)]
    >>> lux.pagerank(lux.toy.kite())
    <PageRankResult: rank of 10 vertices, 41 iterations, error at most 1e-06>
    ...
    """
    checked_graph(graph, "pagerank")
    dtype = checked_type("dtype", dtype, (np.float32, np.float64))
    alpha = checked_real("alpha", alpha, 0, 1)
    if weight not in list(graph.property_types):
        if weight not in (None, "weight"):
            has = ", ".join(graph.property_types) or "none"
            raise GraphError(f"pagerank: weight={weight!r} was passed, and this graph's edge properties are: {has}")
        weight = None
    parts, model = tuning.apply("pagerank", graph, config, parts, model)
    general = any(x is not None for x in (weight, personalization, nstart, dangling))
    deltas = model == "push" and not general
    longest = longest_sum(graph, weighted=weight is not None)
    added = rounding(alpha, dtype, longest=longest, deltas=deltas)
    rule = stop_rule(stop, tol, max_iter, alpha=alpha, dtype=dtype, added=added, n=graph.n_vertices)
    given, weighted = None, graph
    if general:
        from lux.algorithms.pagerank import general_pagerank

        given = general_pagerank.distributions(graph, personalization, nstart, dangling)
        weighted, given["inverse"] = general_pagerank.shares(graph, weight, dtype)
    from lux.algorithms.pagerank.strategies import STRATEGIES, PageRankQuery
    from lux.algorithms.strategy import select
    from lux.engine.to_user_ids import to_user_ids

    query = PageRankQuery(
        graph=weighted,
        parts=parts,
        model=model,
        max_iter=rule.most,
        strategy=strategy,
        params={"alpha": alpha, "stop": rule.change},
        constants=given,
        expected=rule.expected,
        program=_program(general=general, weighted=weight is not None, single=dtype == np.float32, deltas=deltas),
    )
    run = select(STRATEGIES, query).run(query, progress)
    ranks = Values(graph, to_user_ids(graph, run.fields["rank"], run=run), name="rank")
    facts = common(run, graph, ranks) | {"converged": rule.check(run.iterations, small=run.converged)}
    error = rule.error(run.iterations, small=run.converged)
    return PageRankResult(**facts, alpha=alpha, weight=weight, given=given, tol=rule.tol, error=error)


def _program(*, general: bool, weighted: bool, single: bool, deltas: bool) -> type[lux.Program]:
    if general:
        from lux.algorithms.pagerank import general_pagerank as programs

        if weighted:
            return programs.WeightedPageRank32 if single else programs.WeightedPageRank
        return programs.GeneralPageRank32 if single else programs.GeneralPageRank
    if deltas:
        return PageRankDeltas32 if single else PageRankDeltas
    return PageRank32 if single else PageRank


def verify(result: PageRankResult) -> None:
    """Check that ranks are not negative and sum to one, and that their error is at most ``result.error``.

    ``k`` further iterations ``T`` (by NumPy, in float64) bound the error from both sides: it is between
    ``|T^k(x) - x| / (1 + alpha^k)`` and ``|T^k(x) - x| / (1 - alpha^k)``. Mostly one is enough. Raises `LuxError`
    where a check fails.
    """
    ranks, alpha = result.ranks.dense().astype(np.float64), result.alpha
    slack = 1e-4 if result.ranks.dense().dtype == np.float32 else 1e-8
    if not (ranks >= 0).all():
        raise LuxError(f"PageRank: {int((~(ranks >= 0)).sum())} ranks are negative or NaN")
    if abs(ranks.sum() - 1) > slack:
        raise LuxError(f"PageRank: the ranks sum to {ranks.sum()!r}, not to 1")
    iterate, further, left = _iteration(result), ranks, 1.0
    while left > 1e-3:
        further, left = iterate(further), left * alpha
        moved = float(np.abs(further - ranks).sum())
        if moved > (1 + left) * result.error:
            raise LuxError(
                f"PageRank: further iterations move the ranks by {moved:.3g}, which are said to be wrong by "
                f"{result.error:.3g} at most"
            )
        if moved <= (1 - left) * result.error or alpha == 1:
            return


def _iteration(result: PageRankResult) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Make the function that takes ranks through one iteration, by NumPy, some edges at a time."""
    graph, n = result.graph, result.graph.n_vertices
    largest, out, names = np.ones(n), np.zeros(n), [] if result.weight is None else [result.weight]
    if result.weight is not None:
        largest[:] = 0
        for u, _, properties in edge_slices(graph, names, both=True):
            np.maximum.at(largest, u, properties[result.weight])
        largest[largest == 0] = 1

    def edges() -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]]:
        """List edges with weights whose sums are finite."""
        for u, v, properties in edge_slices(graph, names, both=True):
            yield u, v, np.ones(len(u)) if result.weight is None else properties[result.weight] / largest[u]

    for u, _, weights in edges():
        out += np.bincount(u, weights, n)
    uniform = np.full(n, 1 / n)
    teleport = result.given["teleport"] if result.given else uniform
    to_dangling = result.given["to_dangling"] if result.given else uniform

    def iterate(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        sent = np.divide(ranks, out, out=np.zeros(n), where=out > 0)
        gathered = ranks[out == 0].sum() * to_dangling
        for u, v, weights in edges():
            gathered = gathered + np.bincount(v, weights * sent[u], n)
        return np.asarray((1 - result.alpha) * teleport + result.alpha * gathered)

    return iterate
