# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each processor's edges as bitmap-based CSR (`lux.kernels.bitmap_rows`), and what other forms would take.

On a large grid most rows of a processor's block are empty, and a CSR's offsets take more memory than its edges.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017,
section 4.1, tables 2 and 3.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.deal import Rows, starts
from lux.engine.layout import cut, rectangles
from lux.kernels import bitmap_rows as kernels
from lux.kernels import grid as turning
from lux.runtime import Launcher, Store

INDEX = 8
"""Bytes of an index, or of a word of a bitmap."""


@dataclass(frozen=True)
class BitmapRows:
    """The edges of each bin, by row.

    Attributes
    ----------
    bits : Store, uint64
    before : Store, int64
    starts : Store, int64
    columns : Store of shape (n_edges,), uint32
        As in `lux.kernels.bitmap_rows`; one bin after the other.
    cuts : dict of str to np.ndarray of shape (bins, 2), int64
        Which part of each is each bin's, and ``rows``: the entries without their end.
    """

    bits: Store
    before: Store
    starts: Store
    columns: Store
    cuts: dict[str, NDArray[np.int64]]

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)

    def arguments(self) -> dict[str, Store]:
        """The stores and their splits, for a launch that has `INPUTS`."""
        stores = {name: getattr(self, name) for name in INPUTS}
        return stores | {split: self.splits[name] for name, split in INPUTS.items()}

    def sizes(self) -> Sizes:
        """What these edges take, and what they would take in other forms."""
        length = {name: np.diff(rows, axis=1).ravel() for name, rows in self.cuts.items()}
        rows, occupied, edges = length["bits"] * 64, length["rows"], 4 * length["columns"]
        here = INDEX * (length["bits"] + length["before"] + length["starts"]) + edges
        chunk = -(-rows // np.maximum(occupied, 1))
        return Sizes(
            csr=INDEX * (rows + 1) + edges,
            bitmap=here,
            dcsr=INDEX * (-(-rows // chunk) + 1 + occupied + occupied + 1) + edges,
        )


INPUTS = {"bits": "bit_rows", "before": "before_rows", "starts": "start_rows", "columns": "column_rows"}
"""How launches name the stores' splits."""


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
    """The arrays AUX, JC and row starts of a CSR in doubly compressed form (Buluc and Gilbert, 2008).

    JC has the rows with edges, and AUX where the rows of each of about as many equal ranges begin in it.

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
    """The edges of each bin by column; rows then ascend within each of the ``n_columns`` columns."""
    bins = len(edges.cuts["columns"])
    at = np.arange(bins + 1, dtype=np.int64) * (n_columns + 1)
    cuts = {"offsets": cut(at), "columns": edges.cuts["columns"]}
    turned = Rows(
        runtime.new_store(np.int64, int(at[-1])), runtime.new_store(np.uint32, int(cuts["columns"][-1, 1])), cuts
    )
    splits = {"rows_before": edges.splits["offsets"], "rows_after": turned.splits["offsets"]}
    splits["edges"] = edges.splits["columns"]
    stores = {"offsets": edges.offsets, "columns": edges.columns, "turned_offsets": turned.offsets}
    _turner()(bins, **stores, turned_columns=turned.columns, **splits)
    return turned


def compressed(edges: Rows) -> BitmapRows:
    """The edges of each bin in bitmap-based form; every bin has the same number of rows, a multiple of 64."""
    bins = len(edges.cuts["offsets"])
    words = int(edges.cuts["offsets"][0, 1] - edges.cuts["offsets"][0, 0]) // 64
    each = np.arange(bins + 1, dtype=np.int64)
    counts_store = runtime.new_store(np.int64, bins)
    given = {"offsets": edges.offsets, "offset_rows": edges.splits["offsets"]}
    _counter()(bins, **given, counts=counts_store, bins=runtime.ranges(each))
    occupied = runtime.to_array(counts_store)[:bins]
    start_at = starts(occupied + 1)
    cuts = {"bits": cut(each * words), "before": cut(each * (words + 1)), "starts": cut(start_at)}
    cuts |= {"columns": edges.cuts["columns"], "rows": cut(starts(occupied))}
    made = BitmapRows(
        runtime.new_store(np.uint64, bins * words),
        runtime.new_store(np.int64, bins * (words + 1)),
        runtime.new_store(np.int64, int(start_at[-1])),
        edges.columns,
        cuts,
    )
    out = made.arguments()
    del out["columns"], out["column_rows"]
    _compressor()(bins, **given, **out)
    return made


@functools.cache
def _turner() -> Launcher:
    def turn(_point: int, offsets: Any, columns: Any, turned_offsets: Any, turned_columns: Any) -> None:
        turning.transpose(offsets, columns, turned_offsets, turned_columns)

    return Launcher(
        turn,
        inputs={"offsets": "rows_before", "columns": "edges"},
        outputs={"turned_offsets": "rows_after", "turned_columns": "edges"},
    )


@functools.cache
def _counter() -> Launcher:
    def count_rows(_point: int, offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        counts[0] = kernels.occupied(offsets)

    return Launcher(count_rows, inputs={"offsets": "offset_rows"}, outputs={"counts": "bins"})


@functools.cache
def _compressor() -> Launcher:
    def compress_rows(_point: int, offsets: Any, bits: Any, before: Any, starts: Any) -> None:
        kernels.compress(offsets, bits, before, starts)

    outputs: dict[str, str | None] = {name: split for name, split in INPUTS.items() if name != "columns"}
    return Launcher(compress_rows, inputs={"offsets": "offset_rows"}, outputs=outputs)
