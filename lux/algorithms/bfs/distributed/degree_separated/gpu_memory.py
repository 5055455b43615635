# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of ``degree-separated`` on each GPU besides the graph: lists of long rows, and scratch memory."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DD, DN, KINDS
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import words
from lux.algorithms.bfs.distributed.degree_separated.gpu_plan import control_bytes
from lux.algorithms.multi_gpu import id_order
from lux.algorithms.multi_gpu.launch import arrivals
from lux.launch.memory import Scratch
from lux.runtime import Launcher
from lux.runtime.exchange import summed

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import DegreeSeparatedGraph
    from lux.graph.graph import Graph

LONG_EDGES = 4096
"""``DEFER_EDGES`` of ``warps.cuh``."""
PIECE_EDGES = 512
"""Edges of a piece of a long row; ``levels_state.cuh`` has the same."""


@dataclass(frozen=True)
class Shape:
    """Sizes of a GPU's subgraphs that the kernel needs.

    Attributes
    ----------
    rows : np.ndarray of shape (4,), int64
        Rows that are not empty, by kind of edges.
    long : tuple of np.ndarray, uint64
        Segments of `LONG_EDGES` edges, but for the first, of long rows of dd and of dn: row, and from bit 32 on its
        number.
    longest : int
        Edges of a row of nn or nd, at most.
    far_edges : np.ndarray of shape (parts,), int64
        Edges of nn that lead to each other GPU.
    """

    rows: NDArray[np.int64]
    long: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    longest: int
    far_edges: NDArray[np.int64]


def shapes(separation: DegreeSeparatedGraph) -> list[Shape]:
    """Find the `Shape` of each processor's subgraphs, on every process. All processes must call this alike."""
    found: list[Shape | None] = [None] * separation.parts
    key = runtime.register((separation, found))
    _shaping()(separation.parts, graph=separation.store, graph_rows=separation.sections.rows, key=key)
    runtime.finish()
    runtime.unregister(key)
    return _shared(found)


def _shared(found: list[Shape | None]) -> list[Shape]:
    """Complete the list with what other processes have found."""
    here = [(part, shape) for part, shape in enumerate(found) if shape is not None]
    numbers = np.zeros((len(found), KINDS + 3 + len(found)), np.int64)
    for part, shape in here:
        numbers[part] = *shape.rows, *map(len, shape.long), shape.longest, *shape.far_edges
    numbers = summed(numbers.ravel()).reshape(numbers.shape)
    ends = np.cumsum(numbers[:, KINDS : KINDS + 2]).reshape(-1, 2)
    lists = np.zeros(max(int(ends[-1, 1]), runtime.ranks()), np.int64)
    for part, shape in here:
        for end, rows in zip(ends[part], shape.long, strict=True):
            lists[end - len(rows) : end] = rows.view(np.int64)
    every = summed(lists).view(np.uint64)
    shapes = []
    for row, (first, second) in zip(numbers, ends.tolist(), strict=True):
        n_dd, n_dn, longest = row[KINDS : KINDS + 3].tolist()
        long = every[first - n_dd : first], every[second - n_dn : second]
        shapes.append(Shape(row[:KINDS], long, longest, row[KINDS + 3 :]))
    return shapes


@functools.cache
def _shaping() -> Launcher:
    def measure_rows(point: int, given: Any, key: int) -> None:
        separation, found = runtime.context(key)
        graph = separation.subgraphs(point, given)
        lengths = [np.diff(offsets) for offsets in graph[:KINDS]]
        own, ends = len(lengths[0]), np.cumsum(separation.far[point])
        far = graph.nn[graph.nn >= own] - np.uint32(own)
        found[point] = Shape(
            np.array([np.count_nonzero(x) for x in lengths], np.int64),
            (segments(lengths[DD]), segments(lengths[DN])),
            max(int(x.max(initial=0)) for x in lengths[:2]),
            np.bincount(np.searchsorted(ends, far, side="right"), minlength=separation.parts).astype(np.int64),
        )

    return Launcher(measure_rows, inputs={"graph": "graph_rows"}, scalars={"key": int})


def segments(lengths: NDArray[Any]) -> NDArray[np.uint64]:
    """List the segments of long rows, without the first of each.

    >>> [(int(x) & 0xFFFFFFFF, int(x) >> 32) for x in segments(np.array([7, 8193, 4096, 4097]))]
    [(1, 1), (1, 2), (3, 1)]
    """
    rows = np.flatnonzero(lengths > LONG_EDGES)
    more = -(-lengths[rows].astype(np.int64) // LONG_EDGES) - 1
    number = np.arange(int(more.sum())) - np.repeat(np.cumsum(more) - more, more) + 1
    return np.repeat(rows, more).astype(np.uint64) | number.astype(np.uint64) << np.uint64(32)


def bins(separation: DegreeSeparatedGraph, shapes: list[Shape], *, unique: bool) -> NDArray[np.int64]:
    """Count the vertices that each GPU (row) names to each other (column) in a search, at most."""
    return separation.far if unique else np.stack([shape.far_edges for shape in shapes])


def scratch(graph: Graph, separation: DegreeSeparatedGraph, named: NDArray[np.int64]) -> Scratch:
    """Lay out a GPU's scratch memory, alike on all; ``named`` as from `bins`."""
    own, d = int(np.diff(separation.points).max()), separation.n_delegates
    mask, owned = 8 * separation.mask_words, 8 * words(own)
    dn, dd = separation.edges[:, DN].max(), separation.edges[:, DD].max()
    return Scratch(
        {"control": control_bytes(separation.parts)} | arrivals(separation.parts),
        {"known": mask, "fresh": mask, "found": 2 * mask, "delegate_parents": 4 * d}
        | {"next": owned, "seen": owned, "named": 8 * words(int(separation.far.sum(axis=1).max())), "queue": 4 * own}
        | {"dd_queue": 4 * d, "dn_queue": 4 * d}
        | {"dd_pieces": 8 * (int(dd) // (PIECE_EDGES // 2) + 1), "dn_pieces": 8 * (int(dn) // (PIECE_EDGES // 2) + 1)}
        | {"bins": 8 * int(named.sum(axis=1).max())}
        | id_order.scratch_for_order(graph, separation.parts, own),
    )


def memory_bytes(graph: Graph, separation: DegreeSeparatedGraph, shapes: list[Shape], *, unique: bool) -> int:
    """Return the bytes on the GPU that needs most: its subgraphs, lists, results and scratch memory."""
    work = scratch(graph, separation, bins(separation, shapes, unique=unique))
    edges = 4 * np.diff(separation.sections.at) + 4 * separation.far.sum(axis=1)
    lists = np.array([8 * (1 + sum(map(len, shape.long))) for shape in shapes])
    parts, own = separation.parts, np.diff(separation.points)
    results = 8 * np.maximum(own, -(-graph.n_vertices // parts))
    order = id_order.list_bytes(graph, parts, int(own.max()))
    return int((edges + lists + results).max()) + order + work.nbytes


def at_least(n_vertices: int, n_edges: int, parts: int) -> int:
    """Estimate the bytes that each of so many GPUs needs at least, before the edges have been distributed."""
    return (4 * n_edges + 16 * n_vertices) // parts
