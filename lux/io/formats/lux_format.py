# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The .lux format of the 2017 system: in-edges grouped by destination, little endian.

| offset        | bytes  | content                                                    |
|---------------|--------|------------------------------------------------------------|
| 0             | 4      | uint32 nv                                                  |
| 4             | 8      | uint64 ne                                                  |
| 12            | 8 * nv | uint64 end of each vertex's in-edges                       |
| 12 + 8nv      | 4 * ne | uint32 source of each edge                                 |
| 12 + 8nv + 4ne| 4 * ne | int32 weight of each edge, or 4 * nv uint32 out-degrees    |

There is no magic number: the length tells plain, weighted and out-degree files apart, unless nv == ne. Lux reads these
files and writes version 2 (`lux.io.saved`). Earlier ones wrote them, with a sidecar that records an undirected graph,
whose edges are stored in both directions; see `lux.io.files.sidecar`.
"""

from __future__ import annotations

import struct
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError, GraphError
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.formats.binary import SlicedGraph, check_slice, refuse_other

HEADER = struct.Struct("<IQ")


class LuxFile(SlicedGraph):
    """Lux file (.lux), read by slices; a `lux.io.formats.binary.BinaryGraph`.

    Parameters
    ----------
    weighted : bool, optional
        The file has weights, if its length is ambiguous; False leaves weights unread.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    FormatError
        The length contradicts the header, or is ambiguous.
    GraphError
        ``weighted=True`` and the file has no weights.
    """

    def __init__(self, path: Pathname, *, weighted: bool | None = None) -> None:
        self.path = Path(path)
        self._asked = weighted
        self._content = content = FileContent(path)
        refuse_other(path, content, ".lux")
        if len(content) < HEADER.size:
            raise FormatError(f"{path} has {len(content)} bytes: a .lux file starts with a header of {HEADER.size}")
        self.n_vertices, self.n_edges = HEADER.unpack(content[: HEADER.size])
        plain = HEADER.size + 8 * self.n_vertices + 4 * self.n_edges
        lengths = {
            "unweighted": plain,
            "weighted": plain + 4 * self.n_edges,
            "with out-degrees": plain + 4 * self.n_vertices,
        }
        kinds = [kind for kind, length in lengths.items() if length == len(content)]
        if not kinds:
            expected = ", ".join(f"{length} {kind}" for kind, length in lengths.items())
            raise FormatError(
                f"{path} has {len(content)} bytes, but its header says {self.n_vertices} vertices and "
                f"{self.n_edges} edges, which takes {expected}: it is truncated, too long or no .lux file"
            )
        if kinds == ["weighted", "with out-degrees"] and weighted is None:
            raise FormatError(
                f"{path} has as many vertices as edges, so its length does not tell whether it holds weights or "
                "out-degrees: pass weighted=True or weighted=False"
            )
        if weighted and "weighted" not in kinds:
            raise GraphError(f"{path} has no weights (its length is that of a file {kinds[0]})")
        self.directed = self.beside is None or not self.beside.undirected
        self._with_weights = kinds == ["weighted"] if weighted is None else weighted

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(LuxFile, self.path, weighted=self._asked), ()

    @property
    def opposite(self) -> LuxFile | None:
        """Return the file itself if it is undirected, else None: .lux files have no out-edges."""
        return None if self.directed else self

    def offsets(self, lo: int, hi: int) -> NDArray[np.int64]:
        """Return the offsets of the in-edges of vertices lo to hi, shape (hi - lo + 1,)."""
        result = np.zeros(hi - lo + 1, np.int64)
        skipped = 1 if lo == 0 else 0
        first = HEADER.size + 8 * (lo + skipped - 1)
        result[skipped:] = self._content.values("<i8", len(result) - skipped, first)
        return result

    def sources(self, lo_edge: int, hi_edge: int) -> NDArray[np.uint32]:
        """Return the sources of in-edges lo_edge to hi_edge - 1 of the file."""
        first = HEADER.size + 8 * self.n_vertices + 4 * lo_edge
        return self._content.values("<u4", hi_edge - lo_edge, first)

    def edge_property(self, name: str, lo_edge: int, hi_edge: int) -> NDArray[Any]:
        """Return the weights, int32, of in-edges lo_edge to hi_edge - 1 of the file."""
        if name not in self.property_types:
            raise KeyError(name)
        first = HEADER.size + 8 * self.n_vertices + 4 * self.n_edges + 4 * lo_edge
        return self._content.values("<i4", hi_edge - lo_edge, first)

    def check_slice(self, lo: int, hi: int) -> None:
        """Check vertices lo to hi - 1 and their in-edges; FormatError names the failed check and its place."""
        check_slice(self, lo, hi)
