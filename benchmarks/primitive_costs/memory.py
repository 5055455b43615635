# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bytes of frontiers under the paper's schemes of allocation (section VI-B and Figure 3), from a run's own sizes.

An advance that is not fused with its filter writes every edge that it visits (a neighbour's id each); the filter then
keeps new vertices. Each partition has three buffers: vertices in, edges between, vertices out. Lux's kernels filter
while they advance, and have no edges between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.primitive_costs.borders import Borders
from benchmarks.primitive_costs.costs import Costs

FIRST = 0.1
"""Initial size of a growing buffer, as part of the largest size."""
GROWTH = 1.5
"""Minimum growth factor of a buffer that is too small."""
SAFETY = 1.1
"""Factor on a run's need for the allocation of the next run."""
SCRATCH = {"BFS": 8.125, "DOBFS": 8.125, "SSSP": 8.125, "BC": 8.0, "CC": 0.0, "PageRank": 0.0}
"""Scratch bytes a vertex of Lux's kernels: lists of touched and of active vertices, and a bit (programs whose
untouched vertices stay as they are); the vertices by level (betweenness)."""


@dataclass(frozen=True)
class Allocated:
    """Allocated memory of a scheme.

    Attributes
    ----------
    nbytes : int
        Bytes at the end, over all partitions.
    peak : int
        Bytes including the old copy of the largest buffer while it was copied.
    reallocations : int
    """

    nbytes: int
    peak: int
    reallocations: int


def grown(first: float, needs: NDArray[np.int64], most: int) -> tuple[int, int, int]:
    """Return a buffer's final size, the largest size that was copied, and the number of copies.

    The buffer grows to the needed size and by `GROWTH` at least, but not above ``most``, the largest need.

    >>> grown(4, np.array([3, 5, 20, 7]), 100), grown(4, np.array([5]), 5)
    ((20, 6, 2), (5, 4, 1))
    """
    size, copied, times = min(math.ceil(first), most), 0, 0
    for need in needs.tolist():
        if need > size:
            size, copied, times = max(need, min(math.ceil(GROWTH * size), most)), size, times + 1
    return size, copied, times


def schemes(costs: Costs, borders: Borders, id_bytes: int, before: Costs) -> dict[str, Allocated]:
    """Return the memory of frontiers under each scheme.

    Parameters
    ----------
    costs : Costs
    borders : Borders
        Borders of the same partitions.
    id_bytes : int
        Bytes of a vertex's id.
    before : Costs
        Costs of a run from another source, whose sizes become the fixed ones.

    Returns
    -------
    dict of str to Allocated
        ``maximum``: room for all vertices, twice, and all edges. ``fixed``: the need of the run before, plus a tenth; a
        buffer that is too small even so grows. ``just enough``: buffers begin at a tenth of the maximum and grow.
        ``fused``: as ``fixed``, without edges between. ``Lux``: the run's own stores and its kernels' scratch.
    """
    most = {"inputs": borders.own, "edges": borders.edges, "outputs": borders.own}

    def allocated(first: dict[str, NDArray[Any]]) -> Allocated:
        found = [
            grown(size, needs, limit)
            for name, sizes in first.items()
            for size, needs, limit in zip(sizes, getattr(costs, name).T, most[name].tolist(), strict=True)
        ]
        sizes, copied, times = zip(*found, strict=True)
        return Allocated(id_bytes * sum(sizes), id_bytes * (sum(sizes) + max(copied)), sum(times))

    needed = {name: SAFETY * getattr(before, name).max(axis=0, initial=0) for name in most}
    whole = id_bytes * sum(int(size.sum()) for size in most.values())
    own = costs.frontier_bytes + int(SCRATCH[costs.primitive] * int(borders.own.sum()))
    return {
        "maximum": Allocated(whole, whole, 0),
        "fixed": allocated(needed),
        "just enough": allocated({name: FIRST * size for name, size in most.items()}),
        "fused": allocated({name: needed[name] for name in ("inputs", "outputs")}),
        "Lux": Allocated(own, own, 0),
    }
