# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Single-source shortest paths along edge weights: distances and parents.

By default vertices wait in buckets by distance (`lux.algorithms.sssp.delta_stepping`). With ``strategy="program"``, a
model or ``max_iter``, and where some weight is negative, the vertex program propagates distances
(`lux.algorithms.sssp.bellman_ford`). All strategies are in `lux.algorithms.sssp.strategies`, and give the same answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import runtime
from lux.algorithms.sssp.weights import weight_range
from lux.autotune import tuning
from lux.checks import checked_count
from lux.errors import GraphError, LuxError, ParameterError
from lux.graph.arguments import checked_graph
from lux.graph.edge_queries import edge_slices
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import common
from lux.results.search import SearchResult

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph


@dataclass(frozen=True, eq=False, repr=False)
class SSSPResult(SearchResult):
    """The distances and parents of a search.

    Attributes
    ----------
    source : object
        The user's id of the source.
    weight : str
        The edge property that was added up.
    cutoff : float or None
    unreached : int or float
        The value of `distances` where no path leads, or none up to ``cutoff``.
    delta : float or None
        Width of the buckets; None where Bellman-Ford ran.
    """

    weight: str
    cutoff: float | None
    unreached: float
    delta: float | None

    @property
    def distances(self) -> Values:
        """Length of a shortest path from the source.

        Along floats of their type, and inf where unreached; along integers int64, and -1 where unreached. Where
        some integers are negative, -1 may be a distance, and unreached vertices have 2^63 - 1. `unreached` is
        the value of unreached vertices in each case.
        """
        return self.columns["distance"]

    @property
    def parents(self) -> Values:
        """The vertex before each on a shortest path; the source is its own parent, -1 where unreached.

        Of nearer vertices the parent is the first in the order in which the graph is stored (the order of the ids
        unless it was reordered). Where none is nearer, because of edges of weight zero, or where some
        weights are negative: the first of the vertices with the fewest edges before them. Stored as int32, above 2^31
        vertices as int64.
        """
        return self.columns["parent"]

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """Return the ``k`` vertices farthest from the source that it reaches, with their distances."""
        k = checked_count("k", k)
        distances = self.distances.dense()
        reached = np.flatnonzero(self._reached())
        order = reached[np.lexsort((reached, -distances[reached]))][:k]
        return [(self.graph.ids.labels(int(i), int(i) + 1).tolist()[0], distances[i].item()) for i in order]


@checked_call
@runtime.on_driver
@tuning.tuned
def sssp(
    graph: Graph,
    source: Any,
    *,
    target: Any = None,
    weight: str = "weight",
    cutoff: float | None = None,
    delta: float | None = None,
    strategy: str = "auto",
    parts: int | None = None,
    model: str = "auto",
    max_iter: int | None = None,
    progress: Progress | None = None,
    config: Any = None,
) -> SSSPResult:
    """Find shortest paths from ``source`` along the edges' direction, and their lengths.

    Parameters
    ----------
    graph : Graph
    source : object
        The user's id of a vertex.
    target : object, optional
        The user's id of the vertex that is looked for: the search ends when its distance is known, and vertices that
        are farther away count as unreached. ``result.path_to()`` is a shortest path to it. No weight may be negative
        then. (Only the strategy ``threads`` ends early; all give this answer.)
    weight : str
        Edge property to add up: integers, float32 or float64. (`lux.bfs` counts edges.)
    cutoff : float, optional
        Vertices farther away count as unreached. No weight may be negative then.
    delta : float, optional
        Width of the buckets in which vertices wait. By default it follows from the mean weight and the mean degree;
        with wider buckets there are fewer rounds, and more edges are relaxed again. Answers do not depend on the width.
    strategy : str
        ``auto``, or the name of a strategy (`lux.algorithms.sssp.strategies`): ``gpus`` (several), ``gpu`` (one),
        ``threads``, ``partitions``, or ``program`` (Bellman-Ford, on any processors). ``auto`` takes the first of these
        that can run.
    model : {"auto", "pull", "push"}
        The model of Bellman-Ford: ``pull`` and ``push`` ask for it.
    max_iter : int, optional
        Most iterations of Bellman-Ford: distances are those along paths of at most so many edges.
    parts, progress
        As in `lux.run`.
    config : None, "auto", path or perfmodel.Configuration
        Source of ``parts`` and ``model`` if they are not given; see `lux.autotune.tuning.apply`.

    Returns
    -------
    SSSPResult

    Raises
    ------
    GraphError
        There is no such vertex, or no such edge property.
    ParameterError
        Arguments out of range, or that contradict one another; a strategy that cannot run here, with the reason.
    ConfigurationError, MemoryNeededError
        The processors that were asked for cannot be had: the message says which flag to give.
    WeightError
        Weights that are NaN or infinite, or so large that the length of some path is more than its type can hold.
    NegativeCycleError
        A cycle of negative length can be reached. In an undirected graph each edge of negative weight is one.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([0, 0, 1, 2], [1, 2, 2, 3], weight=[7, 2, 1, 3], n_vertices=5, directed=False)
    >>> r = lux.sssp(g, source=0)
    >>> r.distances.to_numpy()
    array([ 0,  3,  2,  5, -1])
    >>> r.parents.to_numpy()
    array([ 0,  2,  0,  2, -1], dtype=int32)
    >>> lux.sssp(g, source=0, target=1).path_to()
    [0, 2, 1]
    """
    from lux.algorithms.sssp.delta_stepping import DeltaStepping
    from lux.algorithms.sssp.query import PathQuery
    from lux.algorithms.sssp.strategies import STRATEGIES
    from lux.algorithms.strategy import AUTO, PROGRAM, select
    from lux.algorithms.target import cut

    if np.ndim(source):
        raise ParameterError(f"source={source!r} was passed; allowed is one vertex: call lux.sssp for each")
    dense = checked_graph(graph, "sssp").ids.dense(source)
    last = None if target is None else graph.ids.dense(target)
    parts, tuned = tuning.apply("sssp", graph, config, parts, model)
    model = tuned if strategy in (AUTO, PROGRAM) else model  # only the program has a use for a configuration's model
    weighted = check(
        graph, weight, target=target, strategy=strategy, cutoff=cutoff, delta=delta, model=model, max_iter=max_iter
    )
    query = PathQuery(
        graph=weighted,
        parts=parts,
        model=model,
        max_iter=max_iter,
        strategy=strategy,
        params={"source": dense},
        source=source,
        target=target,
        cutoff=cutoff,
        delta=delta,
    )
    chosen = select(STRATEGIES, query)
    run = chosen.run(query, progress)
    distance, parent = run.fields["distance"], run.fields["parent"]
    if last is not None and not chosen.ends_at_target:
        cut(graph, distance, parent, last, query.unreached)
    columns = Values(graph, distance, name="distance"), Values(graph, parent, vertices=True, name="parent")
    facts = {"source": source, "target": target, "weight": weight, "cutoff": cutoff, "unreached": query.unreached}
    width = chosen.strategy.delta(query) if isinstance(chosen.strategy, DeltaStepping) else delta
    return SSSPResult(**common(run, graph, *columns), **facts, delta=width)


def check(
    graph: Graph,
    weight: str,
    *,
    target: Any = None,
    strategy: str = "auto",
    cutoff: float | None = None,
    delta: float | None = None,
    model: str = "auto",
    max_iter: int | None = None,
) -> Graph:
    """Refuse weights and numbers that do not fit; returns the graph with the named property as its ``weight``."""
    weighted = _with_weight(graph, weight)
    negative = weight_range(weighted).least < 0
    stepping = strategy != "program" and model == "auto" and max_iter is None and not negative
    for name, value, fine in (("cutoff", cutoff, "numbers from 0"), ("delta", delta, "finite numbers above 0")):
        real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if value is not None and not (real and (value >= 0 if name == "cutoff" else 0 < value < math.inf)):
            raise ParameterError(f"{name}={value!r} was passed; allowed are {fine}")
    if delta is not None and not stepping:
        raise ParameterError(
            f"delta={delta!r} is for delta-stepping, and strategy, model, max_iter or a negative weight ask for "
            "Bellman-Ford: leave it out"
        )
    for name, given in (("cutoff", cutoff), ("target", target)):
        if given is not None and negative:
            raise ParameterError(
                f"{name}={given!r} was passed and some weights are negative, so that a path may go beyond it and come "
                "back: leave it out"
            )
    return weighted


def prepare(
    graph: Graph, weight: str, *, strategy: str = "auto", parts: int | None, model: str, max_iter: int | None
) -> None:
    """Make everything that a search needs of the graph and keep it, so that its time is measured apart."""
    from lux.algorithms.sssp.query import PathQuery
    from lux.algorithms.sssp.strategies import STRATEGIES
    from lux.algorithms.strategy import select

    weighted = _with_weight(graph, weight)
    query = PathQuery(graph=weighted, strategy=strategy, parts=parts, model=model, max_iter=max_iter)
    select(STRATEGIES, query).prepare(query)


def _with_weight(graph: Graph, weight: Any) -> Graph:
    """Return the graph with the named edge property, which must be there and hold numbers, as its ``weight``."""
    if not isinstance(weight, str):
        raise ParameterError(
            f"weight={weight!r} was passed; allowed is the name of an edge property (bfs counts edges)"
        )
    if weight not in graph.property_types:
        others = list(graph.property_types)
        named = "" if weight == "weight" else f" {weight!r}"
        instead = (
            f"weight={others[0]!r}, one of what it has ({', '.join(others)})" if others else "a graph with weights"
        )
        raise GraphError(f"sssp needs weights and this graph has none{named}: use bfs, or pass {instead}")
    kind = graph.property_types[weight]
    if kind.kind not in "iuf" or kind == np.float16:
        raise GraphError(f"sssp adds up integers, float32 and float64, and {weight!r} is {kind}: convert it")
    return graph.with_weight(weight)


def verify(result: SSSPResult) -> None:
    """Check distances and parents against every edge.

    The source has distance 0; no edge is left that makes a distance shorter; every parent leads to its child by
    an edge that accounts for the difference; and parents lead back to the source. Sums are those of the distances'
    own type. Raises `LuxError` where a check fails. A search that ``max_iter`` ended may leave shorter ways.
    """
    graph = result.graph
    distance, parent = result.distances.dense(), result.parents.dense().astype(np.int64)
    source, every = graph.ids.dense(result.source), np.arange(len(distance))
    reached = distance != result.unreached
    _check(distance[source] == 0 and parent[source] == source, "the source has distance 0 and is its own parent")
    _check(bool((reached == (parent >= 0)).all()), "exactly the reached vertices have a parent")
    cutoff = np.float64(math.inf if result.cutoff is None else result.cutoff)
    if result.target is not None and reached[graph.ids.dense(result.target)]:
        cutoff = min(cutoff, distance[graph.ids.dense(result.target)])
    _check(bool((distance[reached] <= cutoff).all()), "distances are within the cutoff")
    tight = np.zeros(len(distance), np.bool_)
    for sources, destinations, properties in edge_slices(graph, [result.weight], both=True):
        begins = reached[sources]
        u, v, lengths = (each[begins] for each in (sources, destinations, properties[result.weight]))
        with np.errstate(over="ignore"):  # beyond the cutoff
            ends = distance[u] + lengths.astype(distance.dtype)
        if result.converged:
            shorter = (ends <= cutoff) & (~reached[v] | (ends < distance[v]))
            _check(not shorter.any(), "no edge makes a distance shorter")
        tight[v[(parent[v] == u) & (ends <= distance[v])]] = True
    _check(bool((tight | ~reached | (every == source)).all()), "a parent's distance and an edge give its child's")
    ancestor = np.where(reached, parent, source)
    for _ in range(len(distance).bit_length()):
        ancestor = ancestor[ancestor]
    _check(bool((ancestor == source).all()), "parents lead back to the source")


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise LuxError(f"shortest paths: it does not hold that {what}")
