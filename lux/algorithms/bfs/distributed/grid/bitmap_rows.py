# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each processor's edges as bitmap-based CSR (`bitmap_row_kernels`), and the bytes of other forms.

On a large grid most rows of a processor's block are empty, and a CSR's offsets take more memory than its edges.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017,
section 4.1, tables 2 and 3.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.edge_distribution import Rows
from lux.algorithms.bfs.distributed.grid import bitmap_row_kernels as kernels
from lux.algorithms.bfs.distributed.grid import grid_kernels
from lux.graph.core.partitions import cut, rectangles
from lux.partition.split_points import starts
from lux.runtime import Launcher, Store

INDEX = 8
"""Bytes of an index, or of a word of a bitmap."""


class Index(NamedTuple):
    """A bin's rows, as in `lux.algorithms.bfs.distributed.grid.bitmap_row_kernels`.

    Attributes
    ----------
    bits : np.ndarray of shape (rows / 64,), uint64
    before : np.ndarray of shape (rows / 64 + 1,), int64
    starts : np.ndarray of shape (rows with edges + 1,), int64
    names : np.ndarray of shape (rows with edges,), uint32
        The place of each row, the paper's SRC(Orig); empty where there are none.
    """

    bits: NDArray[np.uint64]
    before: NDArray[np.int64]
    starts: NDArray[np.int64]
    names: NDArray[np.uint32]


def index_words(words: int, occupied: NDArray[np.int64], *, named: bool) -> NDArray[np.int64]:
    """Count the words of eight bytes of an index with so many words of ``bits``, and rows with edges."""
    return np.asarray(2 * words + 1 + occupied + 1 + (-(-occupied // 2) if named else 0))


def open_index(array: NDArray[np.int64], words: int, occupied: int | None = None) -> Index:
    """Return the arrays of an index, which share its memory; ``before`` counts the rows with edges, once it is made."""
    n = int(array[2 * words]) if occupied is None else occupied
    ends = np.cumsum([words, words + 1, n + 1])
    return Index(
        array[: ends[0]].view(np.uint64),
        array[ends[0] : ends[1]],
        array[ends[1] : ends[2]],
        array[ends[2] :].view(np.uint32)[:n],
    )


@dataclass(frozen=True)
class BitmapRows:
    """The edges of each bin, by row.

    Attributes
    ----------
    index : Store, int64
        An `Index` of each bin, one after the other.
    columns : Store of shape (n_edges,), uint32
    words : int
        Words of the bitmap of each bin.
    occupied : np.ndarray of shape (bins,), int64
        Rows of each bin that have edges.
    cuts : dict of str to np.ndarray of shape (bins, 2), int64
        Part of ``index`` and ``columns`` that is each bin's.
    """

    index: Store
    columns: Store
    words: int
    occupied: NDArray[np.int64]
    cuts: dict[str, NDArray[np.int64]]

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)

    def sizes(self) -> Sizes:
        """Count the bytes of these edges, and of the same edges in other forms; names are not counted."""
        rows, occupied = self.words * 64, self.occupied
        edges = 4 * np.diff(self.cuts["columns"], axis=1).ravel()
        chunk = -(-rows // np.maximum(occupied, 1))
        return Sizes(
            csr=INDEX * (rows + 1) + edges,
            bitmap=INDEX * (self.words + self.words + 1 + occupied + 1) + edges,
            dcsr=INDEX * (-(-rows // chunk) + 1 + occupied + occupied + 1) + edges,
        )


@dataclass(frozen=True)
class Sizes:
    """Bytes of each processor's edges in three forms, with indices of eight bytes.

    Attributes
    ----------
    csr, bitmap, dcsr : np.ndarray of shape (parts,), int64
    """

    csr: NDArray[np.int64]
    bitmap: NDArray[np.int64]
    dcsr: NDArray[np.int64]


def dcsr(offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the arrays AUX, JC and row starts of a CSR in doubly compressed form (Buluc and Gilbert, 2008).

    JC has the rows with edges, and AUX the first entry in JC of each of about as many equal ranges of rows.

    >>> [part.tolist() for part in dcsr(np.array([0, 2, 2, 2, 2, 2, 2, 3, 4]))]  # table 2 of the paper
    [[0, 1, 1, 3], [0, 6, 7], [0, 2, 3, 4]]
    """
    occupied = np.flatnonzero(np.diff(offsets))
    rows = len(offsets) - 1
    chunk = -(-rows // max(len(occupied), 1))
    borders = np.minimum(np.arange(-(-rows // chunk) + 1) * chunk, rows)
    aux = np.searchsorted(occupied, borders)
    return aux, occupied, np.append(offsets[occupied], offsets[-1])


def transposed(edges: Rows, n_columns: int) -> Rows:
    """Sort the edges of each bin by column; rows then ascend within each of the ``n_columns`` columns."""
    bins = len(edges.cuts["columns"])
    at = np.arange(bins + 1, dtype=np.int64) * (n_columns + 1)
    cuts = {"offsets": cut(at), "columns": edges.cuts["columns"]}
    out = Rows(
        runtime.new_store(np.int64, int(at[-1])), runtime.new_store(np.uint32, int(cuts["columns"][-1, 1])), cuts
    )
    splits = {"rows_before": edges.splits["offsets"], "rows_after": out.splits["offsets"]}
    splits["edges"] = edges.splits["columns"]
    stores = {"offsets": edges.offsets, "columns": edges.columns, "transposed_offsets": out.offsets}
    _transpose(bins, **stores, transposed_columns=out.columns, **splits)
    return out


def compressed(edges: Rows, names: dict[str, Store] | None = None) -> BitmapRows:
    """Make the bitmap-based form of each bin's edges; every bin has the same number of rows, a multiple of 64.

    Each bin's rectangle ``name_rows`` of ``names`` has the places of its rows.
    """
    bins = len(edges.cuts["offsets"])
    words = int(edges.cuts["offsets"][0, 1] - edges.cuts["offsets"][0, 0]) // 64
    counts_store = runtime.new_store(np.int64, bins)
    given = {"offsets": edges.offsets, "offset_rows": edges.splits["offsets"]}
    _count_rows(bins, **given, counts=counts_store, bins=runtime.ranges(np.arange(bins + 1, dtype=np.int64)))
    occupied = runtime.to_array(counts_store)[:bins]
    at = starts(index_words(words, occupied, named=names is not None))
    cuts = {"index": cut(at), "columns": edges.cuts["columns"]}
    made = BitmapRows(runtime.new_store(np.int64, int(at[-1])), edges.columns, words, occupied, cuts)
    with runtime.registered((words, occupied.tolist())) as key:
        out = {"index": made.index, "index_rows": made.splits["index"]}
        _compressor(names is not None)(bins, **given, **(names or {}), **out, key=key)
    return made


@runtime.task(
    inputs={"offsets": "rows_before", "columns": "edges"},
    outputs={"transposed_offsets": "rows_after", "transposed_columns": "edges"},
)
def _transpose(_point: int, offsets: Any, columns: Any, transposed_offsets: Any, transposed_columns: Any) -> None:
    grid_kernels.transpose(offsets, columns, transposed_offsets, transposed_columns)


@runtime.task(inputs={"offsets": "offset_rows"}, outputs={"counts": "bins"})
def _count_rows(_point: int, offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    counts[0] = kernels.occupied(offsets)


@functools.cache
def _compressor(named: bool) -> Launcher:
    def compress_rows(point: int, offsets: NDArray[np.int64], *rest: Any) -> None:
        index, key = rest[-2:]
        words, occupied = runtime.context(key)
        out = open_index(index, words, occupied[point])
        kernels.compress(offsets, out.bits, out.before, out.starts)
        if named:
            kernels.name_rows(out.bits, rest[0], out.names)

    names: dict[str, str | None] = {"names": "name_rows"} if named else {}
    return Launcher(
        compress_rows,
        inputs={"offsets": "offset_rows"} | names,
        outputs={"index": "index_rows"},
        scalars={"key": int},
    )
