# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness centrality: on how many shortest paths between others each vertex lies.

A vertex's score is the sum over all sources s of its dependency on s: over all targets t, the share of the shortest
paths from s to t that pass through it (Brandes, "A faster algorithm for betweenness centrality", 2001). How
dependencies are found is in `lux.algorithms.betweenness.strategies`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.checks import checked_flag
from lux.errors import LuxError, ParameterError
from lux.graph.arguments import checked_graph
from lux.graph.by_vertex import checked_vertices
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import Result, common

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph


class ShortestPathCounts(lux.Program):
    """Forward sweep: levels, and numbers of shortest paths from the source, each the sum over the predecessors."""

    level = lux.field(np.int32)
    paths = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.level = -1
        if v.id == params.source:
            v.level = 0
            v.paths = 1.0
        return v.id == params.source

    def compute(v, u, edge, params):
        return u.paths

    def update(v, old, params):
        v.level = params.iteration + 1
        return old.level < 0 and v.paths > 0


class Dependencies(lux.Program):
    """Backward sweep: each iteration adds what targets count that are one level farther away.

    A vertex has the sum, over its successors w on shortest paths, of (1 + dependency of w) / (paths to w) for each of
    its own paths. Vertices pass on what they have newly received.
    """

    edges = lux.OUT
    level = lux.field(np.int32, constant=True)
    paths = lux.field(np.float64, constant=True)
    share = lux.field(np.float64, reduce=lux.ADD)
    dependency = lux.field(np.float64)

    def start(v, params):
        v.dependency = 0.0
        v.share = 1.0 / v.paths if v.level > 0 else 0.0
        return v.level > 0

    def init(v, old, params):
        v.share = 0.0

    def compute(v, u, edge, params):
        return u.share if v.level + 1 == u.level else 0.0

    def update(v, old, params):
        v.dependency = old.dependency + v.paths * v.share
        return v.level > 0 and v.share > 0


class WeightedPathCounts(lux.Program):
    """Forward sweep along weights: each iteration adds shortest paths of one edge more, given the distances."""

    distance = lux.field(np.float64, constant=True)
    arriving = lux.field(np.float64, reduce=lux.ADD)
    paths = lux.field(np.float64)

    def start(v, params):
        v.arriving = 1.0 if v.id == params.source else 0.0
        v.paths = v.arriving
        return v.id == params.source

    def init(v, old, params):
        v.arriving = 0.0

    def compute(v, u, edge, params):
        return u.arriving if u.distance + edge.weight == v.distance else 0.0

    def update(v, old, params):
        v.paths = old.paths + v.arriving
        return v.arriving > 0


class WeightedDependencies(lux.Program):
    """Backward sweep along weights: `Dependencies`, where successors are those that distances show."""

    edges = lux.OUT
    distance = lux.field(np.float64, constant=True)
    paths = lux.field(np.float64, constant=True)
    share = lux.field(np.float64, reduce=lux.ADD)
    dependency = lux.field(np.float64)

    def start(v, params):
        v.dependency = 0.0
        v.share = 1.0 / v.paths if v.distance > 0 and v.paths > 0 else 0.0
        return v.share > 0

    def init(v, old, params):
        v.share = 0.0

    def compute(v, u, edge, params):
        return u.share if v.distance + edge.weight == u.distance else 0.0

    def update(v, old, params):
        v.dependency = old.dependency + v.paths * v.share
        return v.distance > 0 and v.share > 0


@dataclass(frozen=True, eq=False, repr=False)
class BetweennessResult(Result):
    """Scores. Its iterations are the sources; the statistics have an entry for each batch of them.

    Attributes
    ----------
    dense_sources : np.ndarray of shape (n_sources,), int64
        Dense ids of the sources.
    weight : str or None
    endpoints : bool
        As they were passed.
    scale, source_scale : float
        What dependencies were multiplied by to make scores: those of sources by ``source_scale``.
    """

    dense_sources: NDArray[np.int64]
    weight: str | None
    endpoints: bool
    scale: float
    source_scale: float

    @property
    def sources(self) -> NDArray[Any]:
        """The user's ids of the sources, of shape (n_sources,)."""
        return self.graph.ids.labels(0, self.graph.n_vertices)[self.dense_sources]

    @property
    def scores(self) -> Values:
        """The betweenness of every vertex, float64."""
        return self.columns["score"]


@checked_call
@runtime.on_driver
def betweenness(
    graph: Graph,
    k: int | None = None,
    normalized: bool = True,
    weight: str | None = None,
    endpoints: bool = False,
    seed: int | None = None,
    *,
    sources: Iterable[Any] | None = None,
    strategy: str = "auto",
    parts: int | None = None,
    model: str = "auto",
    progress: Progress | None = None,
) -> BetweennessResult:
    """Betweenness centrality; arguments and answers are those of `networkx.betweenness_centrality` (3.6).

    Parameters
    ----------
    graph : Graph
        Parallel edges count as one (with weights, as the lightest), and self-loops are on no shortest path.
    k : int, optional
        Sample that many sources, and estimate from them; by default all vertices are sources.
    normalized : bool
        Divide by the number of pairs of a source and a target. Otherwise scores are sums over pairs, of which an
        undirected graph has each once.
    weight : str, optional
        The edge property that is an edge's length, positive and finite; by default every edge has length 1. Lengths
        that are no whole numbers are added in float64, and paths of equal length are those with equal sums.
    endpoints : bool
        A path also counts for the two vertices that it joins.
    seed : int, optional
        For the sample: the same sources as NetworkX's, if its graph has the vertices in ascending order.
    sources : iterable of the user's ids, optional
        Only paths from these vertices count, and nothing is inflated: the scores are those of
        `networkx.betweenness_centrality_subset` with all vertices as targets. (Not normalized, those of an undirected
        graph are half the sums of the sources' dependencies.)
    strategy : str
        ``auto``, or the name of a strategy (`lux.algorithms.betweenness.strategies`): ``gpus``, ``gpus-weighted``,
        ``threads``, ``tasks``, ``partitions``, ``threads-apart``, ``threads-together``, or ``program``: vertex
        programs, run for one source after the other, which with ``weight`` refuse parallel edges.
    parts : int, optional
        Number of partitions. By default one task uses all cores of the process, each for sources of its own if there
        are several. Partitions work together on one level of a batch of sources after the other. With ``weight``, and
        from 16 sources on in several processes that each have room for the whole graph, they share out the sources. On
        GPUs it is the number of GPUs (of all processes), which share out the sources and each hold the whole graph.
    model : {"auto", "pull", "push"}
        Whether vertices read from their neighbours or write to them; ``auto`` takes what visits fewer edges. It has
        no meaning with ``weight``.
    progress : callable, optional
        Called with the number of sources that are done.

    Returns
    -------
    BetweennessResult

    Raises
    ------
    ParameterError, GraphError, WeightError
        Weights that are zero, negative, NaN or infinite; or so small beside others that they are lost in a sum,
        which is found while the algorithm runs.
    ConfigurationError, MemoryNeededError
        ``lux.using(device="gpu")`` holds, and there is no GPU, or it does not fit, or with ``model``, or lengths are
        not integers, float32 or float64.

    Notes
    -----
    Memory is proportional to the vertices (for each thread, or for each source of a batch); what all threads together
    worked in for one source, some 30 bytes a vertex, is kept with the graph for the next call. Numbers of paths are
    kept with exponents of their own, so that they do not overflow on lattices and road networks; where they are too
    many for float64 on GPUs, CPU cores take over. Scores of GPUs differ by rounding from run to run.

    Examples
    --------
    >>> import lux
    >>> [(vertex, round(score, 4)) for vertex, score in lux.betweenness(lux.toy.kite()).top(3)]
    [(7, 0.3889), (5, 0.2315), (6, 0.2315)]
    >>> lux.betweenness(lux.toy.path(4), normalized=False).scores.to_numpy()
    array([0., 2., 2., 0.])
    """
    from lux.algorithms.betweenness import brandes

    chosen = _chosen(checked_graph(graph, "betweenness"), k, seed, sources)
    checked_flag("normalized", normalized)
    one = float(bool(checked_flag("endpoints", endpoints)))
    sampled = len(chosen) if k is not None and len(chosen) < graph.n_vertices else None
    scale, source_scale = scales(
        graph.n_vertices, sampled, normalized=normalized, directed=graph.directed, endpoints=endpoints
    )
    asked: Any = {"weight": weight, "one": one, "strategy": strategy, "parts": parts, "model": model}
    query = _query(graph, chosen, **asked, factor=scale, source_factor=source_scale)
    kept = brandes.checkpoint_of(query)
    if kept is None:
        run = brandes.dependencies(query, progress)
    else:
        run = brandes.in_slices(graph, query, chosen, kept, progress)
    scores = brandes.finished(graph, run, scale, chosen, source_scale)
    return BetweennessResult(
        **common(run, graph, Values(graph, scores, name="score")),
        dense_sources=chosen,
        weight=weight,
        endpoints=bool(endpoints),
        scale=scale,
        source_scale=source_scale,
    )


def _query(graph: Graph, chosen: NDArray[np.int64], *, weight: str | None, **asked: Any) -> BrandesQuery:
    """Return the query for sources given by their dense ids; `GraphError` where its lengths are none."""
    from lux.algorithms.betweenness import brandes
    from lux.algorithms.sssp.weights import check_lengths
    from lux.graph.parallel_edges import without_parallel_edges

    if weight is not None:
        check_lengths(graph, weight, "betweenness")
    swept = without_parallel_edges(graph) if weight is None else graph
    return brandes.BrandesQuery(graph=swept, chosen=brandes.places_of(graph, chosen), weight=weight, **asked)


def prepare(
    graph: Graph,
    k: int | None = None,
    *,
    weight: str | None = None,
    sources: Iterable[Any] | None = None,
    strategy: str = "auto",
    parts: int | None = None,
    model: str = "auto",
) -> None:
    """Make what a run with these arguments needs of the graph and keep it, so that its time is seen apart."""
    from lux.algorithms.betweenness.strategies import STRATEGIES
    from lux.algorithms.strategy import select

    chosen = _chosen(graph, k, 1, sources)  # of a sample only the size matters here
    query = _query(graph, chosen, weight=weight, strategy=strategy, parts=parts, model=model)
    select(STRATEGIES, query).prepare(query)


def _chosen(graph: Graph, k: Any, seed: Any, sources: Iterable[Any] | None) -> NDArray[np.int64]:
    """Dense ids of the sources; or `ParameterError`."""
    from lux.engine import agreed_sampling

    n = graph.n_vertices
    if sources is not None and k is not None:
        raise ParameterError(f"k={k} and sources were passed: pass one of them")
    if sources is not None:
        chosen = checked_vertices("sources", sources, graph.ids)
        if not len(chosen) or len(np.unique(chosen)) < len(chosen):
            raise ParameterError(f"sources has {len(chosen)} vertices; allowed are one or more, each named once")
        return chosen
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
        raise ParameterError(f"seed={seed!r} was passed; allowed are whole numbers")
    if k is None:
        return np.arange(n)
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= n:
        raise ParameterError(f"k={k!r} was passed; allowed are 1 to {n}, the number of vertices")
    return np.arange(n) if k == n else agreed_sampling.sample(n, int(k), None if seed is None else int(seed))


def scales(n: int, k: int | None, *, normalized: bool, directed: bool, endpoints: bool) -> tuple[float, float]:
    """Compute the factors that make scores of dependencies: of vertices, and of sources in a sample.

    The rule of NetworkX 3.6: a source of a sample is on no path from itself, so one source fewer counts
    for it. That is not a number where it was the only one.

    Parameters
    ----------
    n : int
        Number of vertices.
    k : int, optional
        Number of sources in the sample; None where there is none.

    Examples
    --------
    >>> scales(5, None, normalized=True, directed=True, endpoints=False)
    (0.08333333333333333, 0.08333333333333333)
    >>> scales(5, 2, normalized=False, directed=True, endpoints=False)
    (2.0, 4.0)
    """
    others = n if endpoints else n - 1
    if others < 2:
        return 1.0, 1.0

    def scale(sources: int) -> float:
        if sources == 0:
            return math.nan
        if normalized:
            return 1 / (sources * (others - 1))
        return others / (sources * (1 if directed else 2))

    if k is None:
        return scale(others), scale(others)
    return scale(k), scale(k) if endpoints else scale(k - 1)


def verify(result: BetweennessResult) -> None:
    """Check the scores against SciPy's distances from every source.

    Without weights a path has one vertex less inside than its length, so the dependencies' sum is known. Each
    vertex's dependency is the solution of a triangular system over the edges that lie on shortest paths; it is
    checked where the numbers of paths fit float64. Raises `LuxError` where a check fails.
    """
    from scipy.sparse.csgraph import dijkstra

    scores = result.scores.dense()
    factors = np.full(len(scores), result.scale)
    factors[result.dense_sources] = result.source_scale
    known = ~np.isnan(factors)
    if not (scores[known] >= 0).all() or not np.isnan(scores[~known]).all():
        raise LuxError("betweenness: a score is negative, or NaN where it is known, or a number where it is not")
    found = np.divide(scores, factors, out=np.zeros_like(scores), where=known)
    matrix = _lengths(result.graph, result.weight)
    one = float(result.endpoints)
    expected: NDArray[np.float64] | None = np.zeros_like(scores)
    total = 0.0
    for source in result.dense_sources.tolist():
        distances = dijkstra(matrix, indices=source, unweighted=result.weight is None)
        reached = np.isfinite(distances)
        others = np.count_nonzero(reached) - 1
        total += distances[reached].sum() - others + 2 * one * others
        dependencies = _dependencies(matrix, distances)
        if expected is None or dependencies is None:
            expected = None
            continue
        expected += dependencies + one * reached
        expected[source] += one * (others - 1)
    if result.weight is None and abs(found.sum() - total) > 1e-9 * max(total, 1.0):
        raise LuxError(f"betweenness: the dependencies sum to {found.sum()!r}, and path lengths say {total!r}")
    if expected is not None and not np.allclose(found[known], expected[known], rtol=1e-9, atol=1e-9):
        worst = int(np.abs(found - expected)[known].argmax())
        raise LuxError(
            f"betweenness: the dependencies of vertex {np.flatnonzero(known)[worst]} (dense id) sum to "
            f"{found[known][worst]!r}, and its paths say {expected[known][worst]!r}"
        )


def _lengths(graph: Graph, weight: str | None) -> Any:
    """Return a SciPy matrix of edge lengths: of parallel edges the lightest, and no self-loops."""
    from scipy.sparse import csr_array

    edges = graph.dense_edge_list()
    u, v = edges.sources.astype(np.int64), edges.destinations.astype(np.int64)
    lengths = np.ones(len(u)) if weight is None else edges.properties[weight].astype(np.float64)
    if not graph.directed:
        u, v, lengths = np.concatenate([u, v]), np.concatenate([v, u]), np.concatenate([lengths, lengths])
    order = np.lexsort((lengths, v, u))
    order = order[u[order] != v[order]]
    u, v, lengths = u[order], v[order], lengths[order]
    first = np.ones(len(u), np.bool_)
    first[1:] = (u[1:] != u[:-1]) | (v[1:] != v[:-1])
    return csr_array((lengths[first], (u[first], v[first])), shape=(graph.n_vertices, graph.n_vertices))


def _dependencies(matrix: Any, distances: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Dependencies on one source; None where numbers of paths overflow."""
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import spsolve_triangular

    edges = matrix.tocoo()
    u, v = edges.coords
    with np.errstate(invalid="ignore"):
        shortest = (distances[u] + edges.data == distances[v]) & np.isfinite(distances[u])
    u, v = u[shortest], v[shortest]
    vertices = np.argsort(distances, kind="stable")[: np.count_nonzero(np.isfinite(distances))]
    size = len(vertices)
    place = np.zeros(len(distances), np.int64)
    place[vertices] = np.arange(size)
    a, b = place[u], place[v]  # of each edge: earlier, later
    unit = eye_array(size, format="csc")
    from_source = np.zeros(size)
    from_source[0] = 1.0
    counts = csc_array((np.ones(len(a)), (b, a)), shape=(size, size))
    with np.errstate(over="ignore", invalid="ignore"):
        paths = spsolve_triangular(unit - counts, from_source, lower=True, unit_diagonal=True)
    if not np.isfinite(paths).all():
        return None
    shares = csc_array((paths[a] / paths[b], (a, b)), shape=(size, size))
    through = spsolve_triangular(unit - shares, np.ones(size), lower=False, unit_diagonal=True)
    dependencies = np.zeros(len(distances))
    dependencies[vertices[1:]] = through[1:] - 1.0
    return dependencies
