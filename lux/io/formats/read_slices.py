# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Parallel reading of binary files: each point task reads, checks and sorts its vertices' in-edges."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import FormatError, GraphError, LuxError
from lux.graph.construction import first_kernel
from lux.graph.core.ids import VertexIds
from lux.graph.core.stored_graph import graph_bytes, id_dtype
from lux.graph.graph import Graph
from lux.io.formats.binary import BinaryGraph, check_offsets, check_sources, pieces
from lux.io.formats.opposite import MODULUS, NO_WEIGHTS, check_difference, difference, difference_of_out_edges
from lux.partition.split_points import MAX_PARTITIONS
from lux.runtime import CheckedLauncher

BYTES_PER_ROUND = 1 << 28
"""Bytes of a binary file, per processor, between two calls of ``progress``."""

Progress = Callable[[int, int], None]


def load_slices(file: BinaryGraph, ids: VertexIds, progress: Progress | None) -> Graph:
    """Read a binary file; calls ``progress`` with the bytes read so far and in all."""
    n, m = file.n_vertices, file.n_edges
    if n == 0:
        runtime.raise_on_all_ranks(GraphError(f"{file.path} is empty: it has no vertices"))
    types = dict(file.property_types)
    needed = graph_bytes(n, m, types)
    runtime.check_memory(needed, f"{file.path}, with {n:,} vertices and {m:,} edges,")
    first_kernel.load()
    workers = min(runtime.processors(), n, MAX_PARTITIONS)
    rounds = max(1, min(64, -(-needed // (BYTES_PER_ROUND * workers)), n // workers))
    points, ends, out_points = _agreed_cuts(file, workers * rounds)
    offsets = runtime.new_store(np.int64, n + 1, of_graph=True)
    sources = runtime.new_store(id_dtype(n), m, of_graph=True)
    properties = {name: runtime.new_store(t, m, of_graph=True) for name, t in types.items()}
    differences = runtime.new_store(np.uint64, workers * rounds)
    for k in range(rounds):
        cut = slice(k * workers, (k + 1) * workers + 1)
        mine = points[cut]
        vertices = mine.copy()
        vertices[-1] += k == rounds - 1  # the last point also writes the final offset
        given = file, mine.tolist(), ends[cut].tolist(), out_points[cut].tolist()
        with runtime.registered(given) as key:
            _load_launcher(tuple(types))(
                workers,
                offsets=offsets,
                out_sources=sources,
                **{f"out_edge_{name}": p for name, p in properties.items()},
                vertices=runtime.ranges(vertices),
                edges=runtime.ranges(ends[cut]),
                differences=differences,
                slots=runtime.ranges(np.arange(k * workers, (k + 1) * workers + 1)),
                key=key,
            )
        if progress is not None:
            progress(needed * (k + 1) // rounds, needed)
    if file.opposite is not None:
        check_difference(file, runtime.to_array(differences))
    return Graph(n, m, file.directed, ids, offsets, sources, properties, types)


def _agreed_cuts(file: BinaryGraph, parts: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Agree on vertex ranges, their in-edges' bounds, and vertex ranges for the out-edges."""
    found, error = None, None
    try:
        points = _file_points(file, parts)
        ends = np.clip(np.array([file.offsets(int(p), int(p))[0] for p in points], np.int64), 0, file.n_edges)
        out_points = points if file.opposite in (None, file) else _file_points(file.opposite, parts)
        found = points, np.maximum.accumulate(ends), out_points
    except LuxError as raised:  # the file was truncated since it was opened
        error = raised
    runtime.raise_on_all_ranks(error)
    assert found is not None  # agree has raised otherwise
    return found


def _file_points(file: BinaryGraph, parts: int) -> NDArray[np.int64]:
    """Find vertex ranges with about equally many in-edges by bisection, which reads few pages of the file."""
    n, m = file.n_vertices, file.n_edges
    points = np.zeros(parts + 1, np.int64)
    points[-1] = n
    for k in range(1, parts):
        lo, hi = int(points[k - 1]), n
        while lo < hi:
            middle = (lo + hi) // 2
            if int(file.offsets(middle, middle)[0]) + middle < (m + n) * k // parts:
                lo = middle + 1
            else:
                hi = middle
        points[k] = lo
    return points


@functools.cache
def _load_launcher(names: tuple[str, ...]) -> CheckedLauncher:
    from lux.graph.construction import sort_kernels

    def load_slice(point: int, offsets: NDArray[np.int64], sources: NDArray[Any], *rest: Any) -> None:
        *values, differences, key = rest
        file, points, ends, out_points = runtime.context(key)
        lo, hi, first, last = points[point], points[point + 1], ends[point], ends[point + 1]
        wanted = file.offsets(lo, hi)
        check_offsets(file, lo, hi, wanted)
        if (wanted[0], wanted[-1]) != (first, last):
            raise FormatError(f"{file.path} changed while it was read: read it again")
        offsets[:], total = wanted[: len(offsets)], 0
        for start, end in pieces(first, last):  # checks the kept copy, whatever happens to the file
            read = file.sources(start, end)
            check_sources(file, lo, wanted, start, read)
            here = slice(start - first, end - first)
            sources[here] = read
            for name, out in zip(names, values, strict=True):
                out[here] = file.edge_property(name, start, end)
            weights = values[0][here] if names else NO_WEIGHTS
            total += difference(file, lo, wanted, start, read, weights)
        differences[0] = (total + difference_of_out_edges(file, *out_points[point : point + 2])) % MODULUS
        if not sort_kernels.rows_sorted(wanted, sources):
            order = sort_kernels.sort_rows(wanted, sources)
            for out in (sources, *values):
                out[:] = out[order]

    return CheckedLauncher(
        load_slice,
        outputs={"offsets": "vertices", "out_sources": "edges"}
        | {f"out_edge_{n}": "edges" for n in names}
        | {"differences": "slots"},
        scalars={"key": int},
    )
