# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of search kernels: numbers, and stores (`lux.algorithms.bfs.distributed.multi_gpu.launch`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.runtime import Store


class Arguments:
    """The arguments of a kernel, one struct, for each GPU.

    Parameters
    ----------
    parts : int
    members : mapping of str to int
        The struct's members in their order, all of eight bytes, and the length of each array; 0 for a number.

    Attributes
    ----------
    at : dict of str to int
        The first word of each.
    words : np.ndarray of shape (parts, n_words), int64

    Examples
    --------
    >>> arguments = Arguments(2, {"points": 3, "limit": 0, "part": 0})
    >>> arguments.set("limit", 7)
    >>> arguments.set("part", [0, 1])
    >>> arguments.at, arguments.words.tolist()
    ({'points': 0, 'limit': 3, 'part': 4}, [[0, 0, 0, 7, 0], [0, 0, 0, 7, 1]])
    """

    def __init__(self, parts: int, members: Mapping[str, int]) -> None:
        first = np.cumsum([0, *(max(length, 1) for length in members.values())])
        self.at: dict[str, int] = dict(zip(members, first[:-1].tolist(), strict=True))
        self.words = np.zeros((parts, int(first[-1])), np.int64)

    def set(self, name: str, value: Any) -> None:
        """Set an argument: a number, one for each GPU, or a row for each."""
        values = np.asarray(value)
        if values.dtype.kind == "f":
            values = values.astype(np.float64).view(np.int64)
        if values.ndim < 2:
            self.words[:, self.at[name]] = values
        else:
            self.words[:, self.at[name] : self.at[name] + values.shape[1]] = values


@dataclass
class InputStores:
    """The stores that kernels read, and the arguments by which kernels find them.

    Attributes
    ----------
    stores : dict of str to Store
    splits : dict of str to str or None
        The rectangles by which each store is split; None: every GPU sees all of it.
    cuts : dict of str to np.ndarray of shape (parts, 2), int64
        The rectangles: first element, and end.
    arguments : dict of str to str
        Arguments that are addresses, and their stores.
    before : dict of str to np.ndarray of shape (parts,), int64
        Bytes by which these addresses are moved back.
    """

    stores: dict[str, Store] = field(default_factory=dict)
    splits: dict[str, str | None] = field(default_factory=dict)
    cuts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    before: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    def add(self, name: str, store: Store, split: str | None, before: NDArray[np.int64] | None = None) -> None:
        """Add a store that is the argument of the same name."""
        self.stores[name], self.splits[name], self.arguments[name] = store, split, name
        if before is not None:
            self.before[name] = before
