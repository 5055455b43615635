# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies of all vertices on some sources, by sweeps forward and back over a graph: the query, and what runs it.

`lux.algorithms.betweenness.strategies` has who sweeps, and in which order they are preferred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.algorithms.strategy import AUTO, Query, needs_device, needs_partitions, select
from lux.engine.run.run import Run
from lux.engine.to_user_ids import to_user_ids
from lux.errors import LuxError
from lux.runtime import Store

if TYPE_CHECKING:
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


class PathsOverflowError(LuxError):
    """Numbers of shortest paths are too large for float64 on GPUs."""


def needs_distribution(query: Query) -> str:
    """Say why the threads of one task cannot sweep; empty where they can."""
    return needs_device(query) or needs_partitions(query)


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


@runtime.task(updates={"scores": "vertices"}, scalars={"key": int})
def _scale_scores(point: int, scores: NDArray[np.float64], key: int) -> None:
    points, factor, chosen, source_factor = runtime.context(key)
    lo, hi = points[point : point + 2]
    own = chosen[np.searchsorted(chosen, lo) : np.searchsorted(chosen, hi)] - lo
    of_sources = scores[own] * source_factor
    scores *= factor
    scores[own] = of_sources
