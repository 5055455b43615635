# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""From a file, a generator or arrays to a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import build, convert, io, runtime
from lux.edges import EdgeList, EdgeSource, id_dtype
from lux.errors import GraphError, LuxError
from lux.generators import parse_spec
from lux.graph import Graph, graph_bytes
from lux.ids import VertexIds
from lux.io.beside import ids_beside
from lux.partition import MAX_PARTITIONS
from lux.runtime import CheckedLauncher

if TYPE_CHECKING:
    from lux.io import BinaryGraph

BYTES_PER_ROUND = 1 << 28
"""Of a binary file, per processor, between two calls of ``progress``."""

Progress = Callable[[int, int], None]


def read_graph(
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    header: bool | None = None,
    bipartite: bool = False,
    ids: str = "auto",
    drop_loops: bool = False,
    drop_repeats: bool = False,
    progress: Progress | None = None,
) -> Graph:
    r"""Read a graph file of any format in `lux.io.FORMATS`.

    Binary files are read by slices, in parallel, and never whole by one process of several. Text, Parquet and
    SciPy files are read whole by every process: convert large ones to a binary file once.

    Parameters
    ----------
    path, format, directed, weighted, header, bipartite, ids
        As in `lux.io.read_edges`.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Of edges with the same endpoints keep the first in the file's order.
    progress : callable, optional
        Called with the bytes read so far and in all, for binary files.

    Returns
    -------
    Graph

    Raises
    ------
    FileError, FormatError, ParseError, GraphError, ParameterError
        As `lux.io.read_edges`; on several ranks all raise what one of them found.
    MemoryNeededError
        The graph needs more memory than Legate was given.

    Examples
    --------
    >>> import lux, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "g.el"
    >>> _ = path.write_text("10 20\n20 30\n")
    >>> lux.read_graph(path).ids.labels(0, 3)
    array([10, 20, 30])
    """
    opened: BinaryGraph | EdgeList | None = None
    error = None
    try:
        opened = io.open_graph_file(
            path, format, directed=directed, weighted=weighted, header=header, bipartite=bipartite, ids=ids
        )
        user_ids = _ids_of(path, opened)
    except LuxError as raised:
        error = raised
    runtime.agree(error)
    assert opened is not None  # agree has raised otherwise
    if isinstance(opened, EdgeList):
        return build.build(opened, drop_loops=drop_loops, drop_repeats=drop_repeats)
    graph = _load(opened, user_ids, progress)
    if drop_loops or drop_repeats:
        return build.build(build.GraphEdges(graph), drop_loops=drop_loops, drop_repeats=drop_repeats)
    return graph


def generate(
    what: str | EdgeSource,
    *,
    seed: int = 1,
    weights: tuple[int, int] | None = None,
    drop_loops: bool = True,
    drop_repeats: bool = True,
) -> Graph:
    """Generate a graph, in parallel and the same for the same seed whatever the number of processes.

    Parameters
    ----------
    what : str or EdgeSource
        ``kronecker:SCALE[,EDGE_FACTOR]``, ``rmat:...``, ``uniform:...``, ``grid:ROWSxCOLUMNS``, or an object of a
        class in `lux.generators`.
    seed : int
    weights : (int, int), optional
        Smallest and largest weight; weights are uniform integers between them.

    Examples
    --------
    >>> import lux
    >>> g = lux.generate("grid:3x4")
    >>> g.n_vertices, g.n_edges
    (12, 34)
    """
    source = parse_spec(what, seed=seed, weights=weights) if isinstance(what, str) else what
    return build.build(source, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _made_by(function: Callable[..., EdgeList]) -> Callable[..., Graph]:
    """The same function, with a graph as its result."""

    @functools.wraps(function)
    def make(*arguments: Any, drop_loops: bool = False, drop_repeats: bool = False, **named: Any) -> Graph:
        return build.build(function(*arguments, **named), drop_loops=drop_loops, drop_repeats=drop_repeats)

    make.__doc__ = (
        f"A `Graph` from what `lux.convert.{function.__name__}` takes.\n\n"
        "    ``drop_loops`` and ``drop_repeats`` are those of `lux.read_graph`.\n    "
    )
    return make


from_edges = _made_by(convert.from_edges)
from_scipy = _made_by(convert.from_scipy)
from_networkx = _made_by(convert.from_networkx)
from_pandas = _made_by(convert.from_pandas)


def _ids_of(path: str | PathLike[str], opened: BinaryGraph | EdgeList) -> VertexIds:
    """The user's ids kept beside a binary file, if there are any."""
    if isinstance(opened, EdgeList):
        return opened.ids
    return ids_beside(path, opened.n_vertices) or opened.ids


def _load(file: BinaryGraph, ids: VertexIds, progress: Progress | None) -> Graph:
    """Read a binary file: every point task reads, checks and sorts the in-edges of its range of vertices."""
    n, m = file.n_vertices, file.n_edges
    if n == 0:
        runtime.agree(GraphError(f"{file.path} is empty: it has no vertices"))
    types = dict(file.property_types)
    needed = graph_bytes(n, m, types)
    runtime.check_memory(needed, f"{file.path}, with {n:,} vertices and {m:,} edges,")
    workers = min(runtime.processors(), n, MAX_PARTITIONS)
    rounds = max(1, min(64, -(-needed // (BYTES_PER_ROUND * workers)), n // workers))
    points = _file_points(file, workers * rounds)
    offsets = runtime.new_store(np.int64, n + 1)
    sources = runtime.new_store(id_dtype(n), m)
    properties = {name: runtime.new_store(t, m) for name, t in types.items()}
    ends = np.clip(np.array([file.offsets(int(p), int(p))[0] for p in points], np.int64), 0, m)
    ends = np.maximum.accumulate(ends)
    for k in range(rounds):
        cut = slice(k * workers, (k + 1) * workers + 1)
        mine = points[cut]
        vertices = mine.copy()
        vertices[-1] += k == rounds - 1  # the last point also writes the end of the last vertex's edges
        key = runtime.share((file, mine.tolist(), ends[cut].tolist()))
        _load_launcher(tuple(types))(
            workers,
            offsets=offsets,
            out_sources=sources,
            **{f"out_edge_{name}": p for name, p in properties.items()},
            vertices=runtime.ranges(vertices),
            edges=runtime.ranges(ends[cut]),
            key=key,
        )
        runtime.unshare(key)
        if progress is not None:
            progress(needed * (k + 1) // rounds, needed)
    return Graph(n, m, file.directed, ids, offsets, sources, properties, types)


def _file_points(file: BinaryGraph, parts: int) -> NDArray[np.int64]:
    """Vertex ranges with about equally many in-edges, found by bisection: few pages of the file are read."""
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
    from lux.kernels import grouping

    def load_slice(point: int, offsets: NDArray[np.int64], sources: NDArray[Any], *rest: Any) -> None:
        file, points, ends = runtime.shared(rest[-1])
        lo, hi, first, last = points[point], points[point + 1], ends[point], ends[point + 1]
        file.check_slice(lo, hi)
        wanted = file.offsets(lo, hi)
        offsets[:] = wanted[: len(offsets)]
        stored = file.sources(first, last)
        values = [file.edge_property(name, first, last) for name in names]
        if grouping.rows_sorted(wanted, stored):
            sources[:] = stored
            for out, value in zip(rest[:-1], values, strict=True):
                out[:] = value
            return
        order = grouping.sort_rows(wanted, stored)
        np.take(stored, order, out=sources)
        for out, value in zip(rest[:-1], values, strict=True):
            out[:] = value[order]

    return CheckedLauncher(
        load_slice,
        outputs={"offsets": "vertices", "out_sources": "edges"} | {f"out_edge_{n}": "edges" for n in names},
        scalars={"key": int},
    )
