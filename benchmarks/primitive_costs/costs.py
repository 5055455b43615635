# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""W, C, H and S of the paper, as counted in a run.

Everything is summed over the partitions. W and C count edges and vertices, H vertices and bytes. What is counted as
which is in ``docs/explanation/partitions.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lux.results.result import Result
from lux.runtime import Launch

READ_WHOLE = ("a_", "forests", "labels")
"""Beginnings of the names of stores that one launch writes and the next reads whole."""
FRONTIERS = ("words", "queue")
"""Ends of the names of stores that hold frontiers."""


@dataclass(frozen=True)
class Costs:
    """What one run cost; arrays are int64.

    Attributes
    ----------
    primitive : str
        One of `PRIMITIVES`.
    computed : np.ndarray of shape (supersteps, parts)
        W: edges and vertices that each partition looked at.
    handled : int
        C: vertices looked up in an INS, published in a frontier, or combined.
    sent, broadcast : int
        H in vertices: active ones once for each partition that reads them, or once for each other partition.
    sent_bytes, broadcast_bytes : int
        H in bytes: ids, where these are not the same in every superstep, and the values that are read.
    whole_bytes : int
        What launches read of other partitions' parts of fields, all of which every partition may read.
    launches : int
    result : Result
        Of the fastest run that was not observed.
    inputs, edges, outputs : np.ndarray of shape (supersteps, parts)
        What a frontier-based advance and filter take and give: vertices, edges out of them, new vertices.
    frontier_bytes : int
        Stores of the run that hold frontiers.
    """

    primitive: str
    computed: NDArray[np.int64]
    handled: int
    sent: int
    broadcast: int
    sent_bytes: int
    broadcast_bytes: int
    whole_bytes: int
    launches: int
    result: Result
    inputs: NDArray[np.int64]
    edges: NDArray[np.int64]
    outputs: NDArray[np.int64]
    frontier_bytes: int

    @property
    def supersteps(self) -> int:
        """S."""
        return len(self.computed)

    def work(self, processors: int) -> int:
        """W of the slowest processor, over all supersteps: partitions share out ``processors`` as well as they can."""
        most, mean = self.computed.max(axis=1, initial=0), -(-self.computed.sum(axis=1) // processors)
        return int(np.maximum(most, mean).sum())


def whole_bytes(launches: Sequence[Launch], parts: int) -> int:
    """Bytes of fields that points of launches may read of what others wrote.

    A point that may read a whole field reads the shares of all others, and all of what one point wrote for all; one
    that joins what ``parts`` points wrote reads all shares but one. In each case that is so much:

    >>> read = Launch("lux_run", 4, (("reads", "a_rank", None, 100), ("reads", "sources", "edges", 900)))
    >>> whole_bytes([read], parts=4)
    300
    """
    return sum(
        launch.points * nbytes * (parts - 1) // parts
        for launch in launches
        for kind, name, split, nbytes in launch.stores
        if kind == "reads" and split is None and name.startswith(READ_WHOLE)
    )


def frontier_bytes(launches: Sequence[Launch]) -> int:
    """Bytes of all stores that hold frontiers, of which each has a name of its own."""
    found = {name: nbytes for launch in launches for _, name, _, nbytes in launch.stores if name.endswith(FRONTIERS)}
    return sum(nbytes for name, nbytes in found.items() if name.startswith(("a_", "b_")))
