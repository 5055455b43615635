# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Columns of a saved graph, written and read by point tasks, each its own slice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import FormatError
from lux.io.files.atomic import part_path, write_pieces
from lux.io.files.room import cannot_write
from lux.io.formats.npy import Column, npy_header
from lux.io.saved.document import ORDER
from lux.partition.split_points import MAX_PARTITIONS
from lux.runtime import Store, Task

AT_ONCE = 1 << 17
"""Values that are read and checked at once; they stay in a core's cache."""


def save_column(store: Store, column: tuple[np.dtype[Any], int], target: Path, name: str) -> None:
    """Write a store into its file of the temporary folder; FileError on failure."""
    dtype, length = column
    _move(_to_file, length, (target, name, len(npy_header(dtype, length))), column=store)


def load_column(store: Store, file: Column, most: int | None, *, rising: bool) -> None:
    """Read a file into a store.

    Parameters
    ----------
    most : int or None
        Values are 0 to ``most``; None: any.
    rising : bool
        Values ascend from 0 to ``most``.

    Raises
    ------
    FormatError
        The values are out of range or order, or the file was truncated since it was opened.
    """
    _move(_from_file, file.length, (file, most, rising), column=store)


def check_inverse(vertices: Store, places: Store, length: int, folder: Path) -> None:
    """Raise FormatError unless two columns of internal ids are each other's inverse."""
    _move(_compare, length, (folder,), places=places, vertices=vertices)


def _move(launcher: Task, length: int, what: tuple[Any, ...], **stores: Store) -> None:
    """Have every point task process its slice of a column."""
    if not length:
        return
    points = min(runtime.processors(), length, MAX_PARTITIONS)
    cuts = np.linspace(0, length, points + 1).astype(np.int64)
    with runtime.registered((cuts.tolist(), *what)) as key:
        launcher(points, **stores, slices=runtime.ranges(cuts), key=key)


@runtime.task(runtime.CheckedLauncher, inputs={"column": "slices"}, scalars={"key": int})
def _to_file(point: int, column: NDArray[Any], key: int) -> None:
    cuts, target, name, start = runtime.context(key)
    at = start + cuts[point] * column.itemsize
    try:
        write_pieces(part_path(target) / f"{name}.npy", (at, column))
    except OSError as error:
        raise cannot_write(target, error) from error


@runtime.task(runtime.CheckedLauncher, outputs={"column": "slices"}, scalars={"key": int})
def _from_file(point: int, column: NDArray[Any], key: int) -> None:
    cuts, file, most, rising = runtime.context(key)
    lo, hi = cuts[point], cuts[point + 1]
    before = file.values(lo - 1, lo)[0] if rising and lo else 0
    for first in range(lo, hi, AT_ONCE):
        values = column[first - lo : min(first + AT_ONCE, hi) - lo]
        file.read_into(values, first)
        right = most is None or bool(values.min() >= 0 and values.max() <= most)
        if rising:
            right = right and bool(values[0] >= before and np.all(values[1:] >= values[:-1]))
            before = values[-1]
        if not right:
            raise _damaged(file.content.path)
    if rising and ((lo == 0 and column[0] != 0) or (hi == file.length and column[-1] != most)):
        raise _damaged(file.content.path)


@runtime.task(runtime.CheckedLauncher, inputs={"places": "slices", "vertices": None}, scalars={"key": int})
def _compare(point: int, places: NDArray[Any], vertices: NDArray[Any], key: int) -> None:
    cuts, folder = runtime.context(key)
    lo = cuts[point]
    for first in range(0, len(places), AT_ONCE):
        values = places[first : first + AT_ONCE]
        if not np.array_equal(vertices[values], np.arange(lo + first, lo + first + len(values))):
            one, other = (f"{name}.npy" for name in ORDER)
            raise FormatError(f"{folder} is damaged: {one} and {other} contradict each other; save the graph again")


def _damaged(path: object) -> FormatError:
    return FormatError(f"{path} is damaged: it names edges or vertices that are not there; save the graph again")
