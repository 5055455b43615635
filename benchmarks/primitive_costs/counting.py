# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Counting of costs from a run's launches and statistics: vertex programs, sweeps, and linking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.primitive_costs.borders import border_sizes
from benchmarks.primitive_costs.costs import Costs, frontier_bytes, whole_bytes
from benchmarks.primitive_costs.observe import Observation
from lux.results.result import Result
from lux.runtime import Launch

SWEEP_ENTRY, SWEEP_VALUE = 4, 8
"""Bytes in `lux.runtime.number_exchanges`, at most: of an entry's position; of a number without an exponent."""


def of_program(primitive: str, result: Result, launches: Sequence[Launch], seen: Observation) -> Costs:
    """Count a vertex program."""
    graph, parts, active = result.graph, result.parts, seen.active.sum(axis=1)
    layout = graph.layout(parts)
    pulls = np.array([step.model == "pull" for step in seen.result.statistics])[:, None]
    stops = bool(seen.waiting.any())  # a pull ends at a vertex's first parent
    edges = np.where(pulls, seen.scanned if stops else np.diff(layout.edge_points), seen.pushed)
    every = active == graph.n_vertices
    # If every vertex is always active, the sent vertices are known before, and nothing is looked up.
    a_vertex = seen.value_bytes + (0 if every.all() else graph.id_dtype.itemsize)
    broadcast = active * (parts - 1)
    return Costs(
        primitive,
        computed=edges + np.where(pulls, np.diff(layout.points), seen.read.sum(axis=1)),
        handled=int(active[~every].sum()) * (parts + 1),
        sent=int(seen.sent.sum()),
        broadcast=int(broadcast.sum()),
        sent_bytes=int(seen.sent.sum()) * a_vertex,
        broadcast_bytes=int(broadcast.sum()) * a_vertex,
        whole_bytes=whole_bytes(launches, parts),
        launches=len(launches),
        result=result,
        inputs=np.where(pulls & stops, seen.waiting, seen.active),
        edges=np.where(pulls & stops, 0, edges),
        outputs=_next(seen.active),
        frontier_bytes=frontier_bytes(launches),
    )


def _next(active: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the frontier after each superstep."""
    return np.concatenate([active[1:], np.zeros_like(active[:1])])


def of_sweeps(result: Result, launches: Sequence[Launch], seen: Observation) -> Costs:
    """Count betweenness from one source: forward over the levels, and back from the last to the second.

    Vertices of the last level scan no edges on the way back, and no vertex reads the values of the first two levels.
    """
    parts, active, back = result.parts, seen.active.sum(axis=1), slice(None, 0, -1)
    leading = np.concatenate([seen.leading[:-1], np.zeros_like(seen.leading[-1:])])[back]
    read = np.concatenate([seen.sent, seen.sent[:1:-1]])
    broadcast = np.concatenate([active, active[:1:-1]]) * (parts - 1)
    a_vertex = np.full(len(read), SWEEP_VALUE)
    a_vertex[: len(active)] += SWEEP_ENTRY
    backward = np.concatenate([seen.active, seen.active[back]])
    return Costs(
        "BC",
        computed=np.concatenate([seen.pushed + seen.read.sum(axis=1), leading + seen.active[back]]),
        handled=int(active.sum()) * (parts + 1),
        sent=int(read.sum()),
        broadcast=int(broadcast.sum()),
        sent_bytes=int((read * a_vertex).sum()),
        broadcast_bytes=int((broadcast * a_vertex).sum()),
        whole_bytes=whole_bytes(launches, parts),
        launches=len(launches),
        result=result,
        inputs=backward,
        edges=np.concatenate([seen.pushed, leading]),
        outputs=np.concatenate([_next(seen.active), 0 * seen.active[back]]),
        frontier_bytes=frontier_bytes(launches),
    )


def of_linking(result: Result, launches: Sequence[Launch]) -> Costs:
    """Count components: one pass that links edges, and the labels of borders that owners of forests join.

    The edges that it looked at are known in all, and assumed to be evenly divided. Labels are counted as if every
    partition had a forest, and none were told as a bit.
    """
    graph, parts = result.graph, result.parts
    layout, seen = graph.layout(parts), result.statistics[0].frontier_edges
    own, border = np.diff(layout.points), int(border_sizes(layout).sum())
    broadcast, itemsize = (parts - 1) * graph.n_vertices, graph.id_dtype.itemsize
    edges = np.diff(seen * np.arange(parts + 1) // parts)[None]
    return Costs(
        "CC",
        computed=edges + own,
        handled=border,
        sent=border,
        broadcast=broadcast,
        sent_bytes=itemsize * border,
        broadcast_bytes=itemsize * broadcast,
        whole_bytes=whole_bytes(launches, parts),
        launches=len(launches),
        result=result,
        inputs=np.broadcast_to(own, edges.shape),
        edges=edges,
        outputs=np.zeros_like(edges),
        frontier_bytes=frontier_bytes(launches),
    )
