# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies of all vertices on some sources, by sweeps forward and back over a graph: the query, and what runs it.

`lux.algorithms.betweenness.strategies` has who sweeps, and in which order they are preferred.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.algorithms.strategy import AUTO, Query, needs_device, needs_partitions, select
from lux.engine.run import checkpoint
from lux.engine.run.fingerprint import store_fingerprint
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.engine.to_user_ids import to_user_ids
from lux.errors import LuxError
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.engine.run.checkpoint import Checkpoint
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph


@dataclass(frozen=True, eq=False, kw_only=True)
class BrandesQuery(Query):
    """Sources, and what counts.

    Attributes
    ----------
    graph : Graph
        Without parallel edges, unless there is ``weight``.
    chosen : np.ndarray of shape (n_sources,), int64
        The places of the sources.
    weight : str or None
        The edge property that adds up to a path's length; positive and finite.
    one : float
        What a path counts for its ends: 1.0 or 0.0.
    factor, source_factor : float
        What scores, and those of the sources, are multiplied by in the end: a strategy does, if its run is
        ``finished``, or else `finished`.
    """

    algorithm: str = "betweenness"
    chosen: NDArray[np.int64]
    weight: str | None = None
    one: float = 0.0
    factor: float = 1.0
    source_factor: float = 1.0


FIRST = 16
"""Sources of the first slice, at least: later ones take about as long as the time between two checkpoints."""


class PathsOverflowError(LuxError):
    """Numbers of shortest paths are too large for float64 on GPUs."""


def needs_distribution(query: Query) -> str:
    """Say why the threads of one task cannot sweep; empty where they can."""
    return needs_device(query) or needs_partitions(query)


def needs_hops(query: BrandesQuery) -> str:
    """Say why sweeps by levels cannot answer: paths have weights; empty where they can."""
    if query.weight is None:
        return ""
    return f"weight={query.weight!r} is asked for, and levels are of edges of length 1"


def needs_weights(query: BrandesQuery) -> str:
    """Say why sweeps by distance are not taken: paths have no weights; empty where they are."""
    return "no weight= is asked for" if query.weight is None else ""


def dependencies(query: BrandesQuery, progress: Progress | None) -> Run:
    """Add up every vertex's dependencies on the sources: the run's field ``score``, float64.

    Its iterations are the sources, and its statistics have an entry for each batch of them. CPU cores take over where
    GPUs cannot count the paths.
    """
    from lux.algorithms.betweenness.strategies import STRATEGIES

    chosen = select(STRATEGIES, query)
    try:
        return chosen.run(query, progress)
    except PathsOverflowError as error:
        with settings.using(device="cpu"):
            run = select(STRATEGIES, replace(query, strategy=AUTO)).run(query, progress)
        return replace(run, refusals={**run.refusals, chosen.strategy.name: str(error)})


def checkpoint_of(query: BrandesQuery) -> Checkpoint | None:
    """Return the checkpoint of a query, if one is asked for (`lux.using`)."""

    def facts() -> Iterable[Any]:
        yield query.weight, query.one, len(query.chosen), zlib.crc32(query.chosen.astype(np.int64).tobytes())
        yield None if query.weight is None else store_fingerprint(query.graph.properties[query.weight])

    return checkpoint.opened("betweenness", query.graph, facts)


def in_slices(
    graph: Graph, query: BrandesQuery, chosen: NDArray[np.int64], kept: Checkpoint, progress: Progress | None
) -> Run:
    """Add up dependencies slice by slice of the sources, and save the sum now and then.

    Parameters
    ----------
    graph : Graph
        The user's graph.
    query : BrandesQuery
    chosen : np.ndarray of shape (n_sources,), int64
        Dense ids of the query's sources.
    kept : Checkpoint
    progress : callable, optional

    Returns
    -------
    Run
        A finished one, of which ``score`` has been multiplied.
    """
    n, count = graph.n_vertices, len(chosen)
    total, done = np.zeros(n), 0
    if kept.found is not None:
        total, done = kept.found.values("dependency", np.float64, n), kept.found.facts.get("sources", 0)
    first, many = done, max(FIRST, runtime.processors())
    run, seconds, statistics = None, 0.0, list[Iteration]()
    while done < count:
        some = slice(done, min(done + many, count))
        began = time.monotonic()
        with settings.using(checkpoint=None):
            part = replace(query, chosen=query.chosen[some], factor=1.0, source_factor=1.0)
            run = dependencies(part, _shifted(progress, done))
            scores = runtime.to_array(finished(graph, run, 1.0, chosen[some], 1.0))[:n]
        total += scores
        done = some.stop
        seconds += run.seconds
        statistics += run.statistics
        took = float(runtime.allreduce_max(np.array([time.monotonic() - began]))[0])
        many = int(min(max(kept.every / max(took, 1e-6), 0.25), 4.0) * (some.stop - some.start)) + 1
        if done < count and kept.due():
            kept.save({"sources": done}, {}, {"dependency": total})
    assert run is not None  # a checkpoint never has all sources
    total[chosen] *= query.source_factor
    others = np.ones(n, np.bool_)
    others[chosen] = False
    total[others] *= query.factor
    how: dict[str, Any] = {"seconds": seconds, "statistics": statistics, "iterations": count, "resumed": first}
    return replace(run, fields={"score": runtime.from_array(total)}, finished=True, **how)


def _shifted(progress: Progress | None, before: int) -> Progress | None:
    """Count from the sources that are done."""
    return None if progress is None else lambda done: progress(before + done)


def places_of(graph: Graph, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the places of vertices that are given by their dense ids."""
    if graph.order is None:
        return vertices
    return graph.order.places_array[vertices].astype(np.int64)


def finished(graph: Graph, run: Run, factor: float, chosen: NDArray[np.int64], source_factor: float) -> Store:
    """Return a run's scores by dense id, multiplied by ``factor``, and those of the sources by ``source_factor``."""
    if run.finished:
        return run.fields["score"]
    if run.device == "gpu":
        from lux.algorithms.betweenness import gpu

        if (made := gpu.finished_scores(graph, run, factor, chosen, source_factor)) is not None:
            return made
    scores = to_user_ids(graph, run.fields["score"], run=run)
    layout = graph.whole_layout()
    with runtime.registered((layout.points, factor, np.sort(chosen), source_factor)) as key:
        _scale_scores(layout.parts, scores=scores, vertices=layout.splits["vertices"], key=key)
    return scores


@runtime.task(updates={"scores": "vertices"}, scalars={"key": int}, results=("scores",))
def _scale_scores(point: int, scores: NDArray[np.float64], key: int) -> None:
    points, factor, chosen, source_factor = runtime.context(key)
    lo, hi = points[point : point + 2]
    own = chosen[np.searchsorted(chosen, lo) : np.searchsorted(chosen, hi)] - lo
    of_sources = scores[own] * source_factor
    scores *= factor
    scores[own] = of_sources
