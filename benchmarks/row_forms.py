# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Forms of a processor's rows of edges, of which most may be empty: their bytes, and the time to read some rows.

Table 3 and figures 13 to 16 of Ueno et al., "Efficient breadth-first search on massively parallel and
distributed-memory machines", 2017: CSR; DCSR (Buluc and Gilbert, 2008); coarse index and skip list (Checconi and
Petrini, 2014); and bitmap-based CSR, which `lux.bfs` with ``strategy="hybrid"`` searches. Each form is built as arrays,
and read by a kernel of its own. Indices have eight bytes, columns four.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from lux.algorithms.bfs.distributed.grid import bitmap_row_kernels
from lux.algorithms.bfs.distributed.grid.bitmap_rows import dcsr

Arrays = tuple[NDArray[Any], ...]
BATCH = 64
"""Rows of a skip list."""


def csr_form(offsets: NDArray[np.int64], columns: NDArray[np.uint32]) -> Arrays:
    """Return a CSR's arrays as they are."""
    return offsets, columns


def bitmap_form(offsets: NDArray[np.int64], columns: NDArray[np.uint32]) -> Arrays:
    """Return the arrays of bitmap-based CSR: bits, rows with edges before each word, row starts and columns."""
    words = -(-(len(offsets) - 1) // BATCH)
    bits, before = np.zeros(words, np.uint64), np.zeros(words + 1, np.int64)
    starts = np.zeros(bitmap_row_kernels.occupied(offsets) + 1, np.int64)
    bitmap_row_kernels.compress(offsets, bits, before, starts)
    return bits, before, starts, columns


def dcsr_form(offsets: NDArray[np.int64], columns: NDArray[np.uint32]) -> Arrays:
    """Return the arrays of DCSR: AUX, JC, row starts and columns."""
    return *dcsr(offsets), columns


def skip_list_form(offsets: NDArray[np.int64], columns: NDArray[np.uint32]) -> Arrays:
    """Return the first entry of each 64 rows, and the entries: for each row with edges its head, and its columns.

    A head has the row within its 64 in six bits, and the number of its edges in the others.

    >>> offsets, columns = np.array([0, 2, 2, 3]), np.array([7, 8, 9], np.uint32)
    >>> [part.tolist() for part in skip_list_form(offsets, columns)]  # 2 edges of row 0, and 1 of row 2
    [[0, 5], [128, 7, 8, 66, 9]]
    """
    degrees = np.diff(offsets)
    rows = np.flatnonzero(degrees)
    heads = offsets[rows] + np.arange(len(rows))
    entries = np.empty(len(columns) + len(rows), np.uint32)
    entries[heads] = (degrees[rows] << 6) | (rows % BATCH)
    mask = np.ones(len(entries), np.bool_)
    mask[heads] = False
    entries[mask] = columns
    batches = np.append(np.arange(0, len(degrees), BATCH), len(degrees))
    return offsets[batches] + np.searchsorted(rows, batches), entries


@njit(nogil=True)
def read_csr(rows: Any, offsets: Any, columns: Any) -> Any:
    """Add up the columns of some rows."""
    total = np.int64(0)
    for v in rows:
        for e in range(offsets[v], offsets[v + 1]):
            total += np.int64(columns[e])
    return total


@njit(nogil=True)
def read_bitmap(rows: Any, bits: Any, before: Any, starts: Any, columns: Any) -> Any:
    """Add up the columns of some rows."""
    total = np.int64(0)
    for v in rows:
        k = bitmap_row_kernels.entry(bits, before, np.uint64(v))
        if k >= 0:
            for e in range(starts[k], starts[k + 1]):
                total += np.int64(columns[e])
    return total


@njit(nogil=True)
def read_dcsr(rows: Any, aux: Any, jc: Any, starts: Any, columns: Any, n_rows: int) -> Any:
    """Add up the columns of some rows."""
    total, chunk = np.int64(0), -(-n_rows // max(len(jc), 1))
    for v in rows:
        for k in range(aux[v // chunk], aux[v // chunk + 1]):
            if jc[k] == v:
                for e in range(starts[k], starts[k + 1]):
                    total += np.int64(columns[e])
                break
    return total


@njit(nogil=True)
def read_skip_list(rows: Any, batches: Any, entries: Any) -> Any:
    """Add up the columns of some rows."""
    total = np.int64(0)
    for v in rows:
        at, end = batches[v >> 6], batches[(v >> 6) + 1]
        while at < end:
            head = np.int64(entries[at])
            after = at + 1 + (head >> 6)
            if head & 63 == v & 63:
                for e in range(at + 1, after):
                    total += np.int64(entries[e])
                break
            at = after
    return total


FORMS: dict[str, tuple[Callable[..., Arrays], Callable[..., Any]]] = {
    "CSR": (csr_form, read_csr),
    "bitmap-based CSR": (bitmap_form, read_bitmap),
    "DCSR": (dcsr_form, read_dcsr),
    "coarse index and skip list": (skip_list_form, read_skip_list),
}


def compare(blocks: Sequence[Arrays], trials: int, seed: int = 1, share: int = 16) -> list[dict[str, Any]]:
    """Build all forms of processors' edges, and read a part of the rows, in rising order as in a frontier.

    Parameters
    ----------
    blocks : sequence of (offsets, columns)
        Of each processor.
    trials : int
        Times that rows are read; the median counts.
    share : int
        One of so many rows is read, at random.

    Returns
    -------
    list of dict
        For each form its name, the bytes of all processors, those of them besides columns, and the nanoseconds a row.

    Raises
    ------
    AssertionError
        Forms differ in what is read.
    """
    rng = np.random.default_rng(seed)
    asked = [np.sort(rng.choice(len(of) - 1, -(-(len(of) - 1) // share), replace=False)) for of, _ in blocks]
    found, totals = [], set()
    for name, (build, read) in FORMS.items():
        built = [build(*block) for block in blocks]
        more = [(len(of) - 1,) if name == "DCSR" else () for of, _ in blocks]
        seconds = []
        for _ in range(trials + 1):  # the first compiles
            began = time.perf_counter()
            total = sum(read(rows, *arrays, *n) for rows, arrays, n in zip(asked, built, more, strict=True))
            seconds.append(time.perf_counter() - began)
            totals.add(int(total))
        nbytes = sum(array.nbytes for arrays in built for array in arrays)
        index = nbytes - sum(columns.nbytes for _, columns in blocks)
        of_row = 1e9 * float(np.median(seconds[1:])) / sum(map(len, asked))
        found.append({"form": name, "bytes": nbytes, "index_bytes": index, "ns_a_row": of_row})
    assert len(totals) == 1, "forms differ in what is read"
    return found
