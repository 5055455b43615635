# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of search kernels: numbers, and stores (`lux.algorithms.multi_gpu.launch`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.codegen.cuda_struct import first_words, n_words
from lux.runtime import Store


def common_members(most: int, number: str = "i64") -> dict[str, str]:
    """Return the members that launches (`launch`) and the order of ids (`id_order`) need in every search's struct.

    Parameters
    ----------
    most : int
        GPUs, at most.
    number : {"i64", "u64"}
        The C++ type of numbers.
    """
    found = dict.fromkeys(("number", "part", "source", "limit", "noted"), number)
    found["exchanges"] = number  # the number of exchanges, or barriers, of searches before
    found |= dict.fromkeys(("own_ids", "first_id"), number)  # results are of these ids
    found["send_at"] = f"{number}[{most + 1}]"  # where in `sends` the places begin that each GPU has the ids of
    found["inbox_at"] = f"{number}[{most}]"  # where in each GPU's inbox the results begin that this one sends
    found["base"] = "char*"  # of the scratch memory
    found["by_place"] = "u64*"  # of own vertices, if the graph is stored in an order of its own (`id_order.cuh`)
    found["inbox"] = "u64*"  # results that GPUs send in the end
    found["vertices"] = "const u32*"  # the id at each place, of all
    found["sends"] = "const u32*"  # own places that have edges, in the order of ids
    found["slots"] = "const u32*"  # of own ids, where in the inbox; NONE: it has no edges
    found |= dict.fromkeys(("distance", "parent"), "i32*")  # of own vertices, or of own ids
    found |= dict.fromkeys(("outcome", "notes"), "i64*")  # in the host's memory
    return found | {"peer": f"char*[{most}]"}


class Arguments:
    """The arguments of a kernel, one struct, for each GPU.

    Parameters
    ----------
    parts : int
    members : mapping of str to str
        The struct, as in `lux.codegen.cuda_struct`.

    Attributes
    ----------
    at : dict of str to int
        The first word of each.
    words : np.ndarray of shape (parts, n_words), int64

    Examples
    --------
    >>> arguments = Arguments(2, {"points": "i64[3]", "limit": "i64", "part": "i64"})
    >>> arguments.set(limit=7, part=[0, 1])
    >>> arguments.at, arguments.words.tolist()
    ({'points': 0, 'limit': 3, 'part': 4}, [[0, 0, 0, 7, 0], [0, 0, 0, 7, 1]])
    """

    def __init__(self, parts: int, members: Mapping[str, str]) -> None:
        self.at = first_words(members)
        self.words = np.zeros((parts, n_words(members)), np.int64)

    def set(self, **arguments: Any) -> None:
        """Set arguments, each to a number, to one for each GPU, or to a row for each."""
        for name, value in arguments.items():
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
    own : set of str
        Stores that nothing but these kernels reads: they stay where the first launch has placed them.
    """

    stores: dict[str, Store] = field(default_factory=dict)
    splits: dict[str, str | None] = field(default_factory=dict)
    cuts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    before: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)

    def add(
        self, name: str, store: Store, split: str | None, before: NDArray[np.int64] | None = None, *, own: bool = False
    ) -> None:
        """Add a store that is the argument of the same name."""
        self.stores[name], self.splits[name], self.arguments[name] = store, split, name
        if before is not None:
            self.before[name] = before
        if own:
            self.own.add(name)
