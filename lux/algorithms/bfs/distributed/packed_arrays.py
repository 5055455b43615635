# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Several arrays of each processor in one store, because the cost of a launch grows with its stores."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition.split_points import starts
from lux.runtime import Store

EVEN = 2
"""Words of 32 bits to whose multiples arrays are aligned, so that arrays of 64 bits are aligned."""


class Sections:
    """The layout of each processor's arrays in a store of 32-bit words: processor by processor, array by array.

    Parameters
    ----------
    arrays : mapping of name to (dtype, lengths)
        The type of each array, and its length for each processor.

    Examples
    --------
    >>> sections = Sections({"ids": (np.uint32, [3, 1]), "bits": (np.uint64, [1, 1])})
    >>> sections.first["bits"].tolist(), sections.at.tolist()
    ([4, 8], [0, 6, 10])
    """

    def __init__(self, arrays: Mapping[str, tuple[Any, Any]]) -> None:
        self.types = {name: np.dtype(dtype) for name, (dtype, _) in arrays.items()}
        self.lengths = {name: np.asarray(lengths, np.int64) for name, (_, lengths) in arrays.items()}
        words = [-(-n * self.types[name].itemsize // 4) for name, n in self.lengths.items()]
        table = np.column_stack([-(-n // EVEN) * EVEN for n in words])
        ends = np.cumsum(table.ravel()).reshape(table.shape)
        self.at = starts(table.sum(axis=1))
        """First word of each processor's arrays, and the last's end."""
        self.first = dict(zip(self.types, (ends - table).T, strict=True))
        """First word of each array in the store, for each processor."""
        self._slices = [
            [
                (int(first[part] - self.at[part]), int(first[part] - self.at[part] + n[part]), self.types[name])
                for (name, first), n in zip(self.first.items(), words, strict=True)
            ]
            for part in range(len(table))
        ]

    @cached_property
    def rows(self) -> Store:
        """The rectangle of each processor's arrays."""
        return runtime.ranges(self.at)

    @property
    def nbytes(self) -> int:
        """Bytes of the store."""
        return 4 * int(self.at[-1])

    def nbytes_of(self, *names: str) -> int:
        """Count the bytes of some arrays, over all processors."""
        return sum(int(self.lengths[name].sum()) * self.types[name].itemsize for name in names)

    def new_store(self) -> Store:
        """Make a store for the arrays."""
        return runtime.new_store(np.uint32, int(self.at[-1]))

    def views(self, point: int, words: NDArray[np.uint32]) -> list[NDArray[Any]]:
        """Return a processor's arrays, from its part ``words`` of the store."""
        return [words[first:end].view(dtype) for first, end, dtype in self._slices[point]]
