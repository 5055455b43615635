# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Check that a binary file's in-edges and out-edges (undirected: both directions) are the same edges.

Point tasks add a number for each in-edge that they read, and subtract one for each out-edge. Of undirected edges they
add the number of those to a higher vertex, and subtract that of those to a lower one, as if these led the other way.
The total is 0 modulo 2^64 if both are the same edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.io.formats.binary import BinaryGraph, check_offsets, check_sources, pieces

NO_WEIGHTS = np.empty(0, np.int32)
MODULUS = 1 << 64


def difference(
    file: BinaryGraph, lo: int, offsets: NDArray[np.int64], first: int, sources: NDArray[Any], weights: NDArray[Any]
) -> int:
    """Return the sum's change by in-edges from number ``first`` on; ``offsets`` start at vertex ``lo``."""
    if file.opposite is None:
        return 0
    from lux.io.formats.opposite_kernels import edge_balance, edge_sum

    if file.opposite is file:
        return int(edge_balance(lo, offsets, first, sources, weights))
    return int(edge_sum(lo, offsets, first, sources, weights, False))


def difference_of_out_edges(file: BinaryGraph, lo: int, hi: int) -> int:
    """Check the out-edges of vertices lo to hi - 1 like in-edges; returns their change of the sum."""
    other = file.opposite
    if other is None or other is file:
        return 0
    from lux.io.formats.opposite_kernels import edge_sum

    offsets, total = other.offsets(lo, hi), 0
    check_offsets(other, lo, hi, offsets)
    for first, last in pieces(int(offsets[0]), int(offsets[-1])):
        ends = other.sources(first, last)
        check_sources(other, lo, offsets, first, ends)
        weights = other.edge_property("weight", first, last) if other.property_types else NO_WEIGHTS
        total -= int(edge_sum(lo, offsets, first, ends, weights, True))
    return total % MODULUS


def check_difference(file: BinaryGraph, differences: NDArray[np.uint64]) -> None:
    """Raise FormatError unless the sum over all edges is 0."""
    if sum(differences.tolist()) % MODULUS:
        what = "edges" if not file.property_types else "edges or their weights"
        raise FormatError(
            f"{file.path} is undirected, but its {what} are not the same in both directions: write it again"
            if file.opposite is file
            else f"{file.path} has a list of out-edges and one of in-edges, but their {what} differ: write it again"
        )
