# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies of all vertices on some sources, by sweeps forward and back over a graph.

Where one process has the whole graph, its threads share it (`lux.algorithms.betweenness.threads`). Partitions work on
one level of a batch of sources after the other (`lux.algorithms.betweenness.multi_source_levels`); where edges have
lengths there are no such levels, and point tasks share out the sources
(`lux.algorithms.betweenness.source_parallel_tasks`). GPUs do so in either case (`lux.algorithms.betweenness.gpu`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.cpu_run import MODELS
from lux.engine.executor import runs_as_team
from lux.engine.run import Run
from lux.errors import ParameterError
from lux.graph.edge_checks import without_parallel_edges
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.run import Progress
    from lux.graph.graph import Graph


@dataclass(frozen=True)
class BrandesQuery:
    """What is asked for.

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
    """

    graph: Graph
    chosen: NDArray[np.int64]
    weight: str | None
    one: float


def dependencies(asked: BrandesQuery, *, parts: int | None, model: str, progress: Progress | None) -> Run:
    """The sum over the sources of every vertex's dependency: the run's field ``score``, float64.

    Its iterations are the sources, and its statistics have an entry for each batch of them.
    """
    from lux.algorithms.betweenness import gpu as on_gpu
    from lux.algorithms.betweenness import multi_source_levels, source_parallel_tasks, threads

    if model not in MODELS:
        raise ParameterError(f"model={model!r} was passed; allowed are {', '.join(MODELS)}")
    gpus = on_gpu.gpus(asked, parts, model)
    if gpus:
        run = on_gpu.run(asked, gpus, progress)
        if run is not None:
            return run
    if runs_as_team(parts):
        return threads.run(asked, MODELS[model], progress)
    layout = asked.graph.layout(parts)
    if asked.weight is not None:
        return source_parallel_tasks.run(asked, layout, progress)
    return multi_source_levels.run(asked, layout, MODELS[model], progress)


def prepare(graph: Graph, weight: str | None, *, parts: int | None, model: str) -> None:
    """Make what a run needs besides its own stores: graphs and partitions keep it."""
    from lux.algorithms.betweenness import gpu_weighted
    from lux.algorithms.betweenness.source_parallel import rows_of
    from lux.engine.gpu.placement import device_selection

    if weight is not None and device_selection.wanted(graph):
        gpu_weighted.prepare(graph, weight)
    if weight is not None or runs_as_team(parts):
        rows_of(graph if weight is not None else without_parallel_edges(graph), weight)
        return
    graph = without_parallel_edges(graph)
    graph.reverse()
    if model != "pull":
        graph.layout(parts).by_source(())


def places_of(graph: Graph, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where vertices, given by their dense ids, are stored."""
    if graph.order is None:
        return vertices
    return runtime.to_array(graph.order.places)[vertices].astype(np.int64)


def scale(graph: Graph, scores: Store, factor: float, chosen: NDArray[np.int64], source_factor: float) -> None:
    """Multiply scores, in the order of dense ids, by ``factor``, and those of the sources by ``source_factor``."""
    layout = graph.whole_layout()
    key = runtime.register((layout.points, factor, np.sort(chosen), source_factor))
    _scale_launcher()(layout.parts, scores=scores, vertices=layout.splits["vertices"], key=key)
    runtime.finish()
    runtime.unregister(key)


@functools.cache
def _scale_launcher() -> Launcher:
    def scale_scores(point: int, scores: NDArray[np.float64], key: int) -> None:
        points, factor, chosen, source_factor = runtime.context(key)
        lo, hi = points[point : point + 2]
        own = chosen[np.searchsorted(chosen, lo) : np.searchsorted(chosen, hi)] - lo
        of_sources = scores[own] * source_factor
        scores *= factor
        scores[own] = of_sources

    return Launcher(scale_scores, updates={"scores": "vertices"}, scalars={"key": int})
