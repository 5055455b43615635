# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies of all vertices on some sources, by sweeps forward and back over a graph.

Where one process has the whole graph, its threads share it (`lux.engine.team_sweeps`). Partitions work on one level
of a batch of sources after the other (`lux.engine.batched_sweeps`); where edges have lengths there are no such levels,
and point tasks share out the sources (`lux.engine.shared_sources`). GPUs do so in either case
(`lux.engine.gpu.dependencies`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.edge_checks import without_parallel_edges
from lux.engine.loop import MODELS, Run, runs_as_team
from lux.errors import ParameterError
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.loop import Progress
    from lux.graph import Graph


@dataclass(frozen=True)
class Sweeps:
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


def dependencies(asked: Sweeps, *, parts: int | None, model: str, progress: Progress | None) -> Run:
    """The sum over the sources of every vertex's dependency: the run's field ``score``, float64.

    Its iterations are the sources, and its statistics have an entry for each batch of them.
    """
    from lux.engine import batched_sweeps, shared_sources, team_sweeps
    from lux.engine.gpu import dependencies as on_gpu

    if model not in MODELS:
        raise ParameterError(f"model={model!r} was passed; allowed are {', '.join(MODELS)}")
    gpus = on_gpu.gpus(asked, parts, model)
    if gpus:
        run = on_gpu.run(asked, gpus, progress)
        if run is not None:
            return run
    if runs_as_team(parts):
        return team_sweeps.run(asked, MODELS[model], progress)
    layout = asked.graph.layout(parts)
    if asked.weight is not None:
        return shared_sources.run(asked, layout, progress)
    return batched_sweeps.run(asked, layout, MODELS[model], progress)


def prepare(graph: Graph, weight: str | None, *, parts: int | None, model: str) -> None:
    """Make what a run needs besides its own stores: graphs and partitions keep it."""
    from lux.engine.gpu import place, weighted_dependencies
    from lux.engine.own_sweeps import rows_of

    if weight is not None and place.wanted(graph):
        weighted_dependencies.prepare(graph, weight)
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
    key = runtime.share((layout.points, factor, np.sort(chosen), source_factor))
    _scale_launcher()(layout.parts, scores=scores, vertices=layout.splits["vertices"], key=key)
    runtime.finish()
    runtime.unshare(key)


@functools.cache
def _scale_launcher() -> Launcher:
    def scale_scores(point: int, scores: NDArray[np.float64], key: int) -> None:
        points, factor, chosen, source_factor = runtime.shared(key)
        lo, hi = points[point : point + 2]
        own = chosen[np.searchsorted(chosen, lo) : np.searchsorted(chosen, hi)] - lo
        of_sources = scores[own] * source_factor
        scores *= factor
        scores[own] = of_sources

    return Launcher(scale_scores, updates={"scores": "vertices"}, scalars={"key": int})
