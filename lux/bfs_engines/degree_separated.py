# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The engine ``degree-separated``: masks of high-degree vertices are reduced, low-degree ones are named point to point.

R. Pearce's idea of delegates as Y. Pan, R. Pearce and J. D. Owens use it: "Scalable breadth-first search on a GPU
cluster", 2018. Of the four kinds of edges (`lux.bfs_engines.separation`) only those between normal vertices lead to
other processors; nd, dn and dd edges are visited in the direction that is cheaper, each processor choosing for each
kind. It takes undirected graphs of fewer than 2^32 vertices.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.grid import check_size
from lux.bfs_engines.separated_alone import search_alone
from lux.bfs_engines.separated_streams import Source, Streams, work_sections
from lux.bfs_engines.separation import Separation, bytes_to_deal, separate
from lux.bfs_engines.threshold import suggest_threshold
from lux.engine.loop import Run
from lux.engine.statistics import Iteration
from lux.errors import ParameterError
from lux.kernels import separated_state as st
from lux.kernels.separated_dealing import DD, DN, ND, NN
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.engine.layout import Layout
    from lux.engine.loop import Progress
    from lux.graph import Graph

__all__ = ["Options", "prepare", "search", "separation", "suggest_threshold"]

NAME = "degree-separated"
KINDS = {NN: "nn", ND: "nd", DN: "dn", DD: "dd"}


@dataclass(frozen=True)
class Options:
    """How the engine sends.

    The defaults are what took the least time on a Kronecker graph of scale 17, in one process and in two. Without
    ``uniquify`` searches took as long where 1 % of the edges are nn, and two to three times as long where all are; with
    ``local_all_to_all`` they took up to half as long again, for one launch more in each level, and on two processes of
    two processors too few vertices were named twice to make up for it. The paper found the same (section VI-B).

    Attributes
    ----------
    uniquify : bool
        A processor names a normal vertex to its owner once in a search, not once for each edge that leads to it.
    local_all_to_all : bool
        The processors of a process gather their messages to each receiver before these are sent: see
        `lux.bfs_engines.gathering`.
    group : int or None
        Where they gather: processors that do so together; by default those of a process.
    """

    uniquify: bool = True
    local_all_to_all: bool = False
    group: int | None = None


DEFAULTS = Options()


def separation(graph: Graph, parts: int | None = None, threshold: int | None = None) -> Separation:
    """The graph's edges as they are dealt to processors; made once for ``parts`` and ``threshold``.

    Parameters
    ----------
    graph : Graph
        Undirected.
    parts : int, optional
        Number of processors.
    threshold : int, optional
        Vertices with more edges are delegates; by default as `suggest_threshold` says.

    Examples
    --------
    >>> import lux
    >>> from lux.bfs_engines import degree_separated
    >>> separated = degree_separated.separation(lux.toy.kite(), parts=2, threshold=4)
    >>> separated.places.tolist(), separated.edges.sum(axis=0).tolist()  # nn, nd, dn, dd
    ([3, 5, 6], [10, 10, 10, 6])
    """
    _check(graph, threshold)
    layout = graph.layout(parts)
    chosen = _threshold(graph, layout) if threshold is None else int(threshold)

    def make(layout: Layout) -> Separation:
        runtime.check_memory(bytes_to_deal(layout), f"dealing edges to {layout.parts} processors for engine={NAME!r}")
        return separate(layout, chosen)

    return layout.keep(f"separated at {chosen}", make)


def prepare(graph: Graph, parts: int | None, *, threshold: int | None = None) -> None:
    """Deal the edges to the processors; the graph's layout keeps them."""
    _streams(graph.layout(parts), separation(graph, parts, threshold), DEFAULTS)


def search(
    graph: Graph,
    source: int,
    limit: int,
    parts: int | None,
    progress: Progress | None,
    *,
    threshold: int | None = None,
    options: Options = DEFAULTS,
) -> Run:
    """A search from the place ``source``, of at most ``limit`` levels.

    Parameters
    ----------
    graph : Graph
        Undirected, of fewer than 2^32 vertices.
    source : int
    limit : int
    parts : int, optional
        Number of processors.
    progress : callable, optional
        Called with the number of levels that are done.
    threshold : int, optional
        Vertices with more edges are delegates; by default as `suggest_threshold` says.
    options : Options

    Returns
    -------
    Run
        Its ``statistics`` say for each level in ``why`` what became of each kind of edges, and in ``exchanged`` the
        bytes of messages and masks that processors read; those of parents, at the end, are in the last level's.

    Examples
    --------
    >>> import lux
    >>> from lux import runtime
    >>> from lux.bfs_engines import degree_separated
    >>> run = degree_separated.search(lux.toy.kite(), 0, 99, 2, None, threshold=4)
    >>> runtime.to_array(run.fields["distance"])
    array([0, 1, 1, 1, 2, 1, 2, 2, 3, 4], dtype=int32)
    >>> run.statistics[0].frontier, run.statistics[1].frontier, run.iterations
    (1, 4, 5)
    """
    separated = separation(graph, parts, threshold)
    runtime.check_memory(8 * graph.n_vertices, "bfs")
    fields = {
        "distance": runtime.new_store(np.int32, graph.n_vertices),
        "parent": runtime.new_store(np.uint32, graph.n_vertices),
    }
    return _Levels(_streams(graph.layout(parts), separated, options), source, fields).run(limit, progress)


def _check(graph: Graph, threshold: Any) -> None:
    check_size(graph.n_vertices, NAME)
    if graph.directed:
        raise ParameterError(
            f"engine={NAME!r} was asked for on a directed graph; it takes undirected ones: pass graph.symmetrized() to "
            "search without regard to direction, or leave engine out"
        )
    whole = isinstance(threshold, int | np.integer) and not isinstance(threshold, bool)
    if threshold is not None and (not whole or threshold < 0):
        raise ParameterError(
            f"threshold={threshold!r} was passed; allowed are whole numbers from 0 (vertices with more edges are "
            "delegates), and None for a suggestion"
        )


def _threshold(graph: Graph, layout: Layout) -> int:
    return layout.keep("suggested threshold", lambda _: suggest_threshold(graph, layout.parts))


def _streams(layout: Layout, separated: Separation, options: Options) -> Streams:
    def make(layout: Layout) -> Streams:
        needed = work_sections(separated, separated.far).nbytes + (20 if options.local_all_to_all else 1) * int(
            separated.far.sum()
        )
        runtime.check_memory(needed, f"searching on {layout.parts} processors by engine={NAME!r}")
        group = (options.group or -(-layout.parts // runtime.ranks())) if options.local_all_to_all else 0
        return Streams(separated, options.uniquify, group, (st.TO_BACKWARD, st.TO_FORWARD))

    return layout.keep(f"streams at {separated.threshold} {options}", make)


class _Levels:
    """One search, level by level."""

    def __init__(self, streams: Streams, source: int, fields: dict[str, Store]) -> None:
        self.streams, self.fields = streams, fields
        places = streams.separation.places
        j = int(np.searchsorted(places, source))
        is_delegate = j < len(places) and int(places[j]) == source
        self.source = Source(streams, source, j if is_delegate else -1)
        self.iterations: list[Iteration] = []

    def run(self, limit: int, progress: Progress | None) -> Run:
        """Search at most ``limit`` levels."""
        runtime.finish()
        began = time.perf_counter()
        if self.streams.separation.parts == runtime.ranks() == 1:
            states, converged = search_alone(self.source, limit, self.fields)
            self.iterations = [_iteration(state[None]) for state in states]
            if progress is not None and states:
                progress(len(states))
        else:
            key = runtime.share(self.source)
            self.streams.begin(key)
            converged = self._levels(limit, progress, key)
            self.streams.end(self.fields, key)
            runtime.finish()
            runtime.unshare(key)
        seconds = time.perf_counter() - began
        return Run(self.fields, len(self.iterations), converged, seconds, self.streams.separation.parts, self._all())

    def _levels(self, limit: int, progress: Progress | None, key: int) -> bool:
        streams, d = self.streams, self.streams.separation.n_delegates
        reads, folds, longest = d > 0, d > 0, 0
        for level in range(limit + 1):
            streams.visit_delegates(level, reads=reads, folds=folds and level < limit, longest=longest, key=key)
            if level == limit:
                break
            streams.visit_normal(level, key)
            state = streams.state()
            if _frontier(state) == 0:
                return True
            self.iterations.append(_iteration(state))
            if progress is not None:
                progress(level + 1)
            reads, longest = bool(state[:, st.DELEGATES_FOUND].any()), int(state[:, st.LONGEST].max())
            folds = int(state[0, st.KNOWN]) < d
            found = int((state[:, st.TAIL] - state[:, st.LAST]).sum())
            if not reads and found == 0 and not state[:, st.NAMED].any():
                return True
        return _frontier(streams.state()) == 0

    def _all(self) -> list[Iteration]:
        """The statistics; the last level's count the parents' bytes too."""
        if self.iterations:
            last = self.iterations[-1]
            sent = (last.exchanged or 0) + self.streams.bytes_of_parents
            self.iterations[-1] = Iteration(
                last.model, last.frontier, last.frontier_edges, last.seconds, why=last.why, exchanged=sent
            )
        return self.iterations


def _frontier(state: NDArray[np.int64]) -> int:
    return int((state[:, st.LAST] - state[:, st.FIRST]).sum() + state[0, st.FRESH])


def _iteration(state: NDArray[np.int64]) -> Iteration:
    edges = state[:, st.EDGES : st.EDGES + len(KINDS)]
    backward = state[:, st.DIRECTION : st.DIRECTION + len(KINDS)] == st.BACKWARD
    pulled = edges[backward].sum() > edges[~backward].sum()
    seconds = (1e-9 * state[:, st.NANOSECONDS]).astype(np.float64)
    received = int(state[:, st.RECEIVED].sum())
    counts = _frontier(state), int(state[:, st.FRONTIER_EDGES].sum())
    why = ", ".join(_did(kind, edges[:, kind], backward[:, kind]) for kind in (NN, ND, DN, DD))
    return Iteration("pull" if pulled else "push", *counts, seconds, why=why, exchanged=received)


def _did(kind: int, edges: NDArray[np.int64], backward: NDArray[np.bool_]) -> str:
    name, total, pulls = KINDS[kind], int(edges.sum()), int(backward.sum())
    if total == 0:
        return f"{name} idle"
    how = {0: "pushed", len(backward): "pulled"}.get(pulls, f"pulled by {pulls} of {len(backward)}")
    return f"{name} {how} ({total:,} edges)"
