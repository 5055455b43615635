# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Bitmap-based CSR: rows of edges of which most may be empty.

Only rows with edges have an entry in ``starts``. Word w of ``bits`` (uint64) has a bit for each of the rows 64 w to
64 w + 63 that has edges, and ``before[w]`` counts the rows with edges before them, so that row v is entry
``before[w] + popcount(bits[w] & (bit of v - 1))``.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017,
section 4.1.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import popcount
from lux.kernels.inlined import inlined


@njit(nogil=True, cache=True)
def occupied(offsets):
    """Count the rows of a CSR that have edges."""
    n = 0
    for row in range(len(offsets) - 1):
        n += np.int64(offsets[row + 1] > offsets[row])
    return n


@njit(nogil=True, cache=True)
def compress(offsets, bits, before, starts):
    """Make the bitmap form of a CSR's ``offsets``; ``starts`` has an entry for each row with edges, and the end."""
    bits[:] = 0
    k = 0
    for row in range(len(offsets) - 1):
        if row & 63 == 0:
            before[row >> 6] = k
        if offsets[row + 1] > offsets[row]:
            bits[row >> 6] |= np.uint64(1) << np.uint64(row & 63)
            starts[k] = offsets[row]
            k += 1
    before[(len(offsets) + 62) >> 6] = k
    starts[k] = offsets[-1]


@inlined
def entry(bits, before, v):
    """Find the entry of row ``v`` (uint64) in ``starts``, or -1 where it has no edges."""
    word, bit = v >> np.uint64(6), np.uint64(1) << (v & np.uint64(63))
    if bits[word] & bit == np.uint64(0):
        return np.int64(-1)
    return before[word] + np.int64(popcount(bits[word] & (bit - np.uint64(1))))


@njit(nogil=True, cache=True)
def find(bits, before, starts, v):
    """Find the first edge and the end of row ``v``."""
    k = entry(bits, before, np.uint64(v))
    return (np.int64(0), np.int64(0)) if k < 0 else (starts[k], starts[k + 1])


@njit(nogil=True, cache=True)
def name_rows(bits, names, out):
    """Write the names of the rows with edges, in their order."""
    k = 0
    for w in range(len(bits)):
        word = bits[w]
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            out[k] = names[(w << 6) + np.int64(popcount(low - np.uint64(1)))]
            k += 1
            word ^= low


@njit(nogil=True, cache=True)
def name_columns(columns, names, out):
    """Write the names of the edges' columns."""
    for e in range(len(columns)):
        out[e] = names[np.int64(columns[e])]
