# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""GAP Benchmark Suite's serialised graphs, .sg and .wsg, little endian.

| bytes             | content                                                           |
|-------------------|-------------------------------------------------------------------|
| 1                 | bool directed                                                     |
| 8                 | int64 number of stored edges m                                    |
| 8                 | int64 number of vertices n                                        |
| 8 * (n + 1)       | int64 out-offsets                                                 |
| 4 * m             | int32 neighbours; .wsg has 8 * m: pairs of neighbour and weight   |
| the same again    | directed files only: the in-edges                                 |

An undirected file stores both directions and has no second part.
"""

from __future__ import annotations

import struct
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError, GraphError, ParameterError
from lux.io.files.atomic import Pathname, SliceWriter
from lux.io.files.content import FileContent
from lux.io.formats.binary import SlicedGraph, check_slice, refuse_other

HEADER = struct.Struct("<Bqq")


class SgFile(SlicedGraph):
    """Sg file (.sg or .wsg), read by slices; a `lux.io.formats.binary.BinaryGraph` of its in-edges (or out-edges).

    Parameters
    ----------
    weighted : bool
        The file is a .wsg.
    want_weights : bool, optional
        True: there must be weights; False: leave them unread.
    outward : bool
        Read a directed file's out-edges instead, with destinations in place of sources.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    FormatError
        The header is impossible, or the file's length is not that of its header.
    GraphError
        ``want_weights=True`` and the file is a .sg.
    """

    def __init__(
        self, path: Pathname, *, weighted: bool = False, want_weights: bool | None = None, outward: bool = False
    ) -> None:
        if want_weights and not weighted:
            raise GraphError(f"{path} has no weights: .sg files never have (for a .wsg: format='wsg')")
        self.path, self.weighted = Path(path), weighted
        self._with_weights = weighted and want_weights is not False
        name = ".wsg" if weighted else ".sg"
        self._content = content = FileContent(path)
        refuse_other(path, content, name)
        if len(content) < HEADER.size:
            raise FormatError(f"{path} has {len(content)} bytes: a {name} file starts with a header of {HEADER.size}")
        directed, self.n_edges, self.n_vertices = HEADER.unpack(content[: HEADER.size])
        if directed > 1 or self.n_edges < 0 or self.n_vertices < 0:
            raise FormatError(
                f"{path} is no {name} file: its header says directed = {directed}, {self.n_edges} edges, "
                f"{self.n_vertices} vertices"
            )
        self.directed = bool(directed)
        self._unit = 8 if weighted else 4
        part = 8 * (self.n_vertices + 1) + self._unit * self.n_edges
        length = HEADER.size + part * (1 + directed)
        if length != len(content):
            raise FormatError(
                f"{path} has {len(content)} bytes, but its header says {self.n_vertices} vertices and {self.n_edges} "
                f"edges, which takes {length} as {name}: it is truncated, too long, or .sg and .wsg were mixed up"
            )
        self.outward = outward
        self._start = HEADER.size + part * (directed and not outward)
        self._out_edges: SgFile | None = None
        if self.directed and not outward:
            self._out_edges = SgFile(path, weighted=weighted, want_weights=want_weights, outward=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(
            SgFile, self.path, weighted=self.weighted, want_weights=self._with_weights, outward=self.outward
        ), ()

    @property
    def opposite(self) -> SgFile | None:
        """Return the out-edges of a directed file; an undirected file itself."""
        return self._out_edges if self.directed or self.outward else self

    def offsets(self, lo: int, hi: int) -> NDArray[np.int64]:
        """Return the offsets of the in-edges of vertices lo to hi, shape (hi - lo + 1,)."""
        return self._content.values("<i8", hi - lo + 1, self._start + 8 * lo).astype(np.int64, copy=False)

    def sources(self, lo_edge: int, hi_edge: int) -> NDArray[np.uint32]:
        """Return the sources of in-edges lo_edge to hi_edge - 1: a copy, as the file is not aligned."""
        return np.ascontiguousarray(self._units(lo_edge, hi_edge)[:, 0]).view(np.uint32)

    def edge_property(self, name: str, lo_edge: int, hi_edge: int) -> NDArray[Any]:
        """Return the weights, int32, of in-edges lo_edge to hi_edge - 1."""
        if name not in self.property_types:
            raise KeyError(name)
        return self._units(lo_edge, hi_edge)[:, 1].astype(np.int32)

    def check_slice(self, lo: int, hi: int) -> None:
        """Check vertices lo to hi - 1 and their in-edges; FormatError names the failed check and its place."""
        check_slice(self, lo, hi)

    def _units(self, lo_edge: int, hi_edge: int) -> NDArray[Any]:
        words = self._unit // 4
        first = self._start + 8 * (self.n_vertices + 1) + self._unit * lo_edge
        return self._content.values("<i4", words * (hi_edge - lo_edge), first).reshape(-1, words)


class SgWriter(SliceWriter):
    """Sg writer: writes a .sg or .wsg file by slices; one process creates and commits it, any may write.

    Parameters
    ----------
    directed : bool
        True: write both the ``"out"`` and the ``"in"`` part. False: only one part, with both directions.
    weight : np.dtype, optional
        The weights' type, for .wsg; it must fit int32.

    Raises
    ------
    FileError
        The target cannot be written.
    FormatError
        More than 2^31 - 1 vertices, or weights that are not int32.
    """

    def __init__(self, path: Pathname, n_vertices: int, n_edges: int, *, directed: bool, weight: Any = None) -> None:
        name = ".sg" if weight is None else ".wsg"
        if n_vertices > 2**31 - 1:
            raise FormatError(f"{path}: {name} holds at most {2**31 - 1} vertices, not {n_vertices}")
        if weight is not None and not np.can_cast(np.dtype(weight), np.int32):
            raise FormatError(
                f"{path}: .wsg holds int32 weights, not {np.dtype(weight)}: write .parquet, or convert them, or leave "
                "them out (read a graph with weighted=False) and write .sg"
            )
        self.n_vertices, self.n_edges = n_vertices, n_edges
        self.directed, self.weighted = directed, weight is not None
        self._words = 2 if self.weighted else 1
        self._part = 8 * (n_vertices + 1) + 4 * self._words * n_edges
        super().__init__(path, HEADER.size + self._part * (1 + directed))

    def header(self) -> list[tuple[int, bytes]]:
        """Return the header that `create` writes, as (position, bytes)."""
        return [(0, HEADER.pack(self.directed, self.n_edges, self.n_vertices))]

    def write(
        self,
        vertex_lo: int,
        ends: NDArray[Any],
        edge_lo: int,
        neighbours: NDArray[Any],
        weights: NDArray[Any] | None = None,
        part: str = "out",
    ) -> None:
        """Write consecutive vertices and their edges into the ``"out"`` or ``"in"`` part.

        Parameters
        ----------
        vertex_lo, edge_lo : int
            The first vertex and the first edge of this slice.
        ends : np.ndarray of shape (vertices,)
            End of each vertex's edges, counted over the whole part.
        neighbours, weights : np.ndarray of shape (edges,)

        Raises
        ------
        ParameterError
            The file has no such part, or weights are missing or not part of the format.
        """
        if self.weighted != (weights is not None) or part not in (("out", "in") if self.directed else ("out",)):
            parts = "part='out' or part='in'" if self.directed else "part='out'"
            raise ParameterError(f"{self.path}: pass {parts}, and weights exactly where the file is a .wsg")
        start = HEADER.size + self._part * (self.directed and part == "in")
        units = np.empty((len(neighbours), self._words), "<i4")
        units[:, 0] = neighbours
        if weights is not None:
            units[:, 1] = weights
        first = start + 8 * (self.n_vertices + 1) + 4 * self._words * edge_lo
        self.write_at((start + 8 * (vertex_lo + 1), np.asarray(ends).astype("<i8", copy=False)), (first, units))
