# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Costs W, C, H and S of the paper, as counted in a run.

Everything is summed over the partitions. W and C count edges and vertices, H vertices and bytes. The definitions are in
``docs/explanation/partitions.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lux.results.result import Result
from lux.runtime import Launch

READ_WHOLE = "a_"
"""Beginning of the names of stores that one launch writes and the next reads whole."""
FRONTIERS = ("words", "queue")
"""Ends of the names of stores that hold frontiers."""


@dataclass(frozen=True)
class Costs:
    """Costs of one run; arrays are int64.

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
        Bytes of other partitions' parts of fields that launches may read, as every partition may read all.
    launches : int
    result : Result
        Result of the fastest run that was not observed.
    inputs, edges, outputs : np.ndarray of shape (supersteps, parts)
        Inputs and outputs of a frontier-based advance and filter: vertices, edges out of them, new vertices.
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
        """Return S."""
        return len(self.computed)

    def work(self, processors: int) -> int:
        """Return W of the slowest processor over all supersteps, with partitions divided evenly over ``processors``."""
        most, mean = self.computed.max(axis=1, initial=0), -(-self.computed.sum(axis=1) // processors)
        return int(np.maximum(most, mean).sum())


def whole_bytes(launches: Sequence[Launch], parts: int) -> int:
    """Return the bytes of fields that points of launches may read of other points' results.

    A point that may read a whole field reads the shares of all others, or everything that one point wrote for all. A
    point that joins the results of ``parts`` points reads all shares but one. Each case counts as follows:

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
    """Return the bytes of all stores that hold frontiers, each with a name of its own."""
    found = {name: nbytes for launch in launches for _, name, _, nbytes in launch.stores if name.endswith(FRONTIERS)}
    return sum(nbytes for name, nbytes in found.items() if name.startswith(("a_", "b_")))
