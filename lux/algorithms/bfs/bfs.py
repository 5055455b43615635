# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search: distances and parents from one source.

In the push model the frontier's vertices visit their out-neighbours; in the pull model unvisited vertices look
for a parent in the frontier and stop at the first (Beamer, Asanovic and Patterson, "Direction-optimizing
breadth-first search", 2012). Searches choose between both in every iteration, by a rule that ``direction`` names
(`lux.engine.run.directions`). `BreadthFirstSearch` is the vertex program, which runs on any processors; strategies that
are faster on one kind of processors or graphs are in `lux.algorithms.bfs.strategies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.autotune import tuning
from lux.checks import checked_flag
from lux.errors import ParameterError
from lux.graph.arguments import checked_graph
from lux.graph.by_vertex import checked_vertices
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import common
from lux.results.search import SearchResult

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph

UNREACHED = 2**31 - 1
"""Distance of a vertex that has not been reached, inside the program; -1 in results."""


class BreadthFirstSearch(lux.Program):
    """The vertex program of levels and parents; of several parents in the frontier, the one stored first is kept."""

    distance = lux.field(np.int32, reduce=lux.MIN)
    parent = lux.field(lux.PLACE, arg_of="distance")

    def start(v, params):
        if v.id == params.source:
            v.distance = 0
            v.parent = v.place
        return v.id == params.source

    def compute(v, u, edge, params):
        return params.iteration + 1, u.place  # u is in the frontier: its distance need not be fetched

    def update(v, old, params):
        return v.distance < old.distance

    def done(v, old):
        return v.distance < UNREACHED


class SeveralSources(BreadthFirstSearch):
    """The search from all vertices whose ``first`` is True; each of them is its own parent."""

    first = lux.field(bool, constant=True)

    def start(v, params):
        if v.first:
            v.distance = 0
            v.parent = v.place
        return v.first


class BFSResult(SearchResult):
    """The distances and parents of a search.

    ``distances`` is the number of edges from the nearest source, int32; -1 where unreached. ``parents`` is stored as
    int32, above 2^31 vertices as int64. `SearchResult` says more.
    """

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """Return the ``k`` vertices farthest from the source, with their distances."""
        return self.distances.top(k)


@checked_call
@runtime.on_driver
@tuning.tuned
def bfs(
    graph: Graph,
    source: Any,
    *,
    target: Any = None,
    strategy: str = "auto",
    direction: str = "auto",
    do_a: float | None = None,
    do_b: float | None = None,
    deterministic: bool = False,
    parts: int | None = None,
    model: str = "auto",
    max_iter: int | None = None,
    progress: Progress | None = None,
    config: Any = None,
) -> BFSResult:
    """Search breadth-first from ``source`` along the edges' direction.

    Parameters
    ----------
    graph : Graph
    source : object, or a list or array of them
        The user's id of a vertex. Of several, distances are those from the nearest; the program searches then.
    target : object, optional
        The user's id of the vertex that is looked for: the search ends with its level, and vertices that are farther
        away count as unreached. ``result.path_to()`` is a path to it. (Only the strategies of threads end early; all
        give this answer.)
    strategy : str
        ``auto``, or the name of a strategy (`lux.algorithms.bfs.strategies`): ``gpus``, ``gpu``, ``threads-top-down``,
        ``threads-direction-optimizing``, or ``program`` (`BreadthFirstSearch`, on any processors). Or a published
        search over many processors, with edges distributed to them (once for a graph and ``parts``) and messages
        between them: ``two-dimensional``, ``hybrid``, ``degree-separated``. ``auto`` takes the first of these that can
        run and suits the graph. Distances do not depend on the strategy.
    direction : {"auto", "edges", "estimates"}
        When levels go from the frontier forward (push) and when from unvisited vertices backward (pull). ``edges``:
        by the frontier's edges (Beamer, Asanovic and Patterson, 2012). ``estimates``: by the edges of vertices on
        average (Pan et al., "Multi-GPU graph analytics", 2017, section VI-A): FV = Q E / V edges forward and
        BV = U V / P backward, with Q vertices in the frontier, P visited, U unvisited, V in all and E stored edges. A
        search goes forward at first, backward once FV > ``do_a`` BV, and forward to its end once FV < ``do_b`` BV.
        ``auto``: by edges, but sparse graphs are pushed on, and GPUs choose in their own way. Rules other than ``auto``
        take CPU cores. Answers do not depend on the rule.
    do_a, do_b : float, optional
        From 0; by default 0.01 and 0.1, the paper's values for social graphs. Larger values go backward later, and
        forward sooner.
    deterministic : bool
        Parents do not depend on partitions, models and devices: of all valid parents the first in the order in which
        the graph is stored (the order of the ids unless it was reordered). CPU cores always give these parents.
    max_iter : int, optional
        Levels to visit at most.
    parts, model, progress
        As in `lux.run`.
    config : None, "auto", path or perfmodel.Configuration
        Source of ``parts`` and ``model`` if they are not given; see `lux.autotune.tuning.apply`.

    Returns
    -------
    BFSResult

    Raises
    ------
    GraphError
        There is no such vertex.
    ParameterError
        Arguments out of range, or that contradict one another; a directed graph with ``strategy="degree-separated"``.
    ConfigurationError, MemoryNeededError
        The processors that were asked for cannot be had: the message says which flag to give.

    Notes
    -----
    Where one task on CPU cores searches a graph of many edges a vertex, the first search makes columns of every
    vertex's first in-neighbours, 12 bytes a vertex. They are kept with the graph, as are the lists that threads work
    in: 8 bytes a vertex beside Legate's memory, 16 if the graph was reordered.

    Examples
    --------
    >>> import lux
    >>> r = lux.bfs(lux.toy.kite(), source=0)
    >>> r.distances.to_numpy()
    array([0, 1, 1, 1, 2, 1, 2, 2, 3, 4], dtype=int32)
    >>> r.parents.to_numpy()
    array([0, 0, 0, 0, 1, 0, 1, 5, 7, 8], dtype=int32)
    >>> lux.bfs(lux.toy.path(9), [1, 6]).distances.to_numpy()
    array([-1,  0,  1,  2,  3,  4,  0,  1,  2], dtype=int32)
    >>> lux.bfs(lux.toy.path(9), 1, target=3).path_to()
    [1, 2, 3]
    """
    from lux.algorithms.bfs.query import BfsQuery
    from lux.algorithms.bfs.strategies import STRATEGIES
    from lux.algorithms.strategy import AUTO, PROGRAM, Strategy, VertexProgram, select
    from lux.algorithms.target import cut
    from lux.engine.run import directions
    from lux.engine.to_user_ids import both_to_user_ids

    checked_graph(graph, "bfs")
    rule = directions.checked(direction, do_a, do_b)
    if rule is not None:
        directions.check_combination(rule, model)
    parts, tuned = tuning.apply("bfs", graph, config, parts, model)
    sources, last = _sources(graph, source), None if target is None else graph.ids.dense(target)
    strategies: tuple[Strategy[BfsQuery], ...] = STRATEGIES
    if sources is not None:
        strategies = (VertexProgram(SeveralSources),)
    query = BfsQuery(
        graph=graph,
        parts=parts,
        # Only the program has a use for a configuration's model, and none where a rule chooses directions.
        model=tuned if rule is None and strategy in (AUTO, PROGRAM) else model,
        max_iter=max_iter,
        strategy=strategy,
        params={} if sources is not None else {"source": graph.ids.dense(source)},
        constants=None if sources is None else {"first": sources},
        directions=rule,
        source=source,
        target=target,
        deterministic=bool(checked_flag("deterministic", deterministic)),
    )
    chosen = select(strategies, query)
    run = chosen.run(query, progress)
    distance, parent = both_to_user_ids(graph, run.fields["distance"], np.int32, run.fields["parent"], run)
    if last is not None and not chosen.ends_at_target:
        run.converged |= -1 < cut(graph, distance, parent, last, -1) < query.limit
    columns = Values(graph, distance, name="distance"), Values(graph, parent, vertices=True, name="parent")
    return BFSResult(**common(run, graph, *columns), source=source, target=target)


def _sources(graph: Graph, source: Any) -> NDArray[np.bool_] | None:
    """Mark several sources by dense id; None where ``source`` is one vertex."""
    scalar = np.ndim(source) == 0 and not isinstance(source, set | frozenset)
    if isinstance(source, str) or not hasattr(source, "__iter__") or scalar:
        return None
    dense = checked_vertices("source", source, graph.ids)
    if not len(dense):
        raise ParameterError("source=[] was passed; allowed are a vertex, or a list with at least one")
    mask = np.zeros(graph.n_vertices, np.bool_)
    mask[dense] = True
    return mask


def prepare(
    graph: Graph,
    *,
    strategy: str = "auto",
    direction: str = "auto",
    deterministic: bool = False,
    parts: int | None,
    model: str,
) -> None:
    """Make everything that a search needs of the graph and keep it, so that its time is measured apart."""
    from lux.algorithms.bfs.query import BfsQuery
    from lux.algorithms.bfs.strategies import STRATEGIES
    from lux.algorithms.strategy import select
    from lux.engine.run import directions

    rule = None if direction == directions.AUTO else directions.Directions(direction)
    query = BfsQuery(
        graph=graph, parts=parts, model=model, strategy=strategy, directions=rule, deterministic=deterministic
    )
    select(STRATEGIES, query).prepare(query)


def verify(result: BFSResult) -> None:
    """Check the tree: the source, levels that differ by one along it, its edges, and no edge that skips a level.

    Raises `LuxError` where a check fails. A search that ``max_iter`` or a target ended is checked up to its last level.
    """
    from lux.algorithms.bfs import tree_check

    graph, several = result.graph, _sources(result.graph, result.source)
    distance, parent = result.distances.dense(), result.parents.dense()
    if several is None:
        several = np.zeros(len(distance), np.bool_)
        several[graph.ids.dense(result.source)] = True
    ended = not result.converged or (result.target is not None and distance[graph.ids.dense(result.target)] >= 0)
    last = int(distance.max())
    tree_check.check(graph, distance, parent, several, last if ended else last + 1)
