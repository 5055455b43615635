# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Binary graph files: their common interface, and the checks they share.

Opening checks the header against the file's length and reads nothing else. Each point task then reads and checks
its own range of vertices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.construction.edge_list import EdgeSourceInfo
from lux.graph.core.ids import Identity, VertexIds
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.files.sidecar import Sidecar, checked_ids, read_sidecar

CHECKED_AT_ONCE = 1 << 16  # edges; they stay in a core's cache between reading and use


class BinaryGraph(EdgeSourceInfo, Protocol):
    """Binary graph: a file of in-edges grouped by destination, read by slices.

    Stored edges are counted: an undirected graph has both directions. The only property is ``weight``.
    """

    @property
    def path(self) -> Path:
        """Path of the file."""

    def offsets(self, lo: int, hi: int) -> NDArray[np.int64]:
        """Return the offsets of the in-edges of vertices lo to hi, shape (hi - lo + 1,)."""

    def sources(self, lo_edge: int, hi_edge: int) -> NDArray[np.uint32]:
        """Return the sources of in-edges lo_edge to hi_edge - 1."""

    def edge_property(self, name: str, lo_edge: int, hi_edge: int) -> NDArray[Any]:
        """Return one property of in-edges lo_edge to hi_edge - 1; KeyError if the file lacks it."""

    @property
    def outward(self) -> bool:
        """True if these are the out-edges of a file that has both; then ``sources`` are their destinations."""

    @property
    def opposite(self) -> BinaryGraph | None:
        """Return the file's out-edges; the file itself if it is undirected; None if it has no out-edges."""

    def check_slice(self, lo: int, hi: int) -> None:
        """Check vertices lo to hi - 1 and their in-edges; FormatError names the failed check and its place."""


class SlicedGraph:
    """Sliced graph: base of .lux and .sg files, with vertices 0 to n - 1 and weights of int32 or none.

    Attributes
    ----------
    path : Path
    n_vertices, n_edges : int
    directed : bool
    """

    path: Path
    n_vertices: int
    n_edges: int
    directed: bool
    _content: FileContent
    outward: bool = False
    _with_weights: bool
    """Read weights."""

    @cached_property
    def beside(self) -> Sidecar | None:
        """Data kept beside the file."""
        return read_sidecar(self.path, self._content)

    @property
    def ids(self) -> VertexIds:
        """Return the user's name of every dense id; FormatError if the sidecar has more or fewer."""
        return checked_ids(self.path, self.beside, self.n_vertices) or Identity(self.n_vertices)

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """Edge properties and their types."""
        return {"weight": np.dtype(np.int32)} if self._with_weights else {}


def check_slice(graph: BinaryGraph, lo: int, hi: int) -> None:
    """Check a slice of any format; see `BinaryGraph.check_slice`."""
    offsets = graph.offsets(lo, hi)
    check_offsets(graph, lo, hi, offsets)
    for first, last in pieces(int(offsets[0]), int(offsets[-1])):
        check_sources(graph, lo, offsets, first, graph.sources(first, last))


def pieces(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Split edges first to last - 1 into pieces that are read and checked at once."""
    for start in range(first, last, CHECKED_AT_ONCE):
        yield start, min(start + CHECKED_AT_ONCE, last)


def check_offsets(graph: BinaryGraph, lo: int, hi: int, offsets: NDArray[np.int64]) -> None:
    """Check the offsets of vertices lo to hi: FormatError unless they ascend from 0 to the number of edges."""
    n_edges, edges = graph.n_edges, "out-edges" if graph.outward else "in-edges"
    outside = np.flatnonzero((offsets < 0) | (offsets > n_edges))
    if len(outside):
        at = int(outside[0])
        raise FormatError(f"{graph.path}: the {edges} of {_boundary(lo + at)} at {offsets[at]} of {n_edges} edges")
    if lo == 0 and offsets[0] != 0:
        raise FormatError(f"{graph.path}: the {edges} of vertex 0 start at {offsets[0]}, not at 0")
    falling = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(falling):
        at = int(falling[0])
        raise FormatError(
            f"{graph.path}: offsets decrease: the {edges} of vertex {lo + at} start at {offsets[at]} "
            f"and end at {offsets[at + 1]}"
        )
    if hi == graph.n_vertices and offsets[-1] != n_edges:
        raise FormatError(f"{graph.path}: the last offset is {offsets[-1]}, but the header says {n_edges} edges")


def check_sources(
    graph: BinaryGraph, lo: int, offsets: NDArray[np.int64], first: int, sources: NDArray[np.uint32]
) -> None:
    """Check that the sources of the edges from ``first`` on are vertices; ``offsets`` are those of ``lo`` and on."""
    if int(sources.max(initial=0)) < graph.n_vertices:
        return
    edge = first + int(np.argmax(sources >= graph.n_vertices))
    vertex = lo + int(np.searchsorted(offsets, edge, side="right")) - 1
    way, end = ("out of", "destination") if graph.outward else ("into", "source")
    raise FormatError(
        f"{graph.path}: edge {edge} {way} vertex {vertex} has {end} {sources[edge - first]}, "
        f"but the file has {graph.n_vertices} vertices"
    )


def look_like(content: FileContent | bytes) -> str | None:
    """Recognise a file's first bytes: gzip, Zstandard, Parquet, a zip archive, Matrix Market or text; else None."""
    start = bytes(content[:4096])
    for magic, what in (
        (b"\x1f\x8b", "gzip-compressed"),
        (b"\x28\xb5\x2f\xfd", "zstd-compressed"),
        (b"PAR1", "Parquet"),
        (b"PK\x03\x04", "a zip archive, as .npz is"),
        (b"%%MatrixMarket", "Matrix Market"),
    ):
        if start.startswith(magic):
            return what
    if start and all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start):
        return "text"
    return None


def another_format(path: Pathname, seen: str | None, name: str) -> FormatError:
    """Describe the mistake in a file that plainly is not of the format ``name``."""
    from lux.io.formats.formats import names

    with suppress(OSError):
        if not Path(path).stat().st_size:
            return FormatError(f"{path} is empty: every {name} file begins with a header")
    return FormatError(f"{path} is {seen or 'something else'}, not {name}: pass its format, one of {names()}")


def refuse_other(path: Pathname, content: FileContent, name: str) -> None:
    """Raise FormatError if a file of the binary format ``name`` plainly is something else."""
    seen = look_like(content)
    if seen is not None:
        raise another_format(path, seen, name)


def _boundary(place: int) -> str:
    return f"vertex {place - 1} end" if place else "vertex 0 start"
