# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a graph has and its file has no room for, kept beside the file: ``FILE.ids.npz``.

The user's ids of the vertices (binary files have dense ids only, matrices 1 to n, Parquet files only those of edges),
and whether a .lux file is of an undirected graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lux.errors import FormatError
from lux.ids import VertexIds
from lux.io.archive import read_arrays
from lux.io.atomic import Pathname, atomic_output
from lux.stored_ids import from_arrays


def ids_path(path: Pathname) -> Path:
    """Where the file beside another is."""
    return Path(f"{path}.ids.npz")


def write_beside(path: Pathname, ids: VertexIds, *, undirected: bool = False) -> None:
    """Keep ids, and that the graph is undirected, beside a file."""
    with atomic_output(ids_path(path)) as part, part.open("wb") as file:
        np.savez(file, undirected=np.array(undirected), **ids.to_arrays())  # type: ignore[arg-type]  # the stubs forget keyword arrays


def remove_beside(path: Pathname) -> None:
    """Remove what was left from another graph."""
    ids_path(path).unlink(missing_ok=True)


def read_ids(place: Path, n_vertices: int | None = None) -> VertexIds:
    """Read and check the ids in a file that `write_beside` or `lux.saved` has written.

    Parameters
    ----------
    n_vertices : int, optional
        How many there must be.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    FormatError
        It does not hold ids, or not those of so many vertices; `lux.stored_ids.from_arrays` says what is checked.
    """
    try:
        ids = from_arrays(read_arrays(place))
    except FormatError as error:
        raise FormatError(f"{place} does not hold the ids of a graph's vertices: {error}") from None
    if n_vertices is not None and len(ids) != n_vertices:
        raise FormatError(f"{place} names {len(ids)} vertices, and the graph has {n_vertices}")
    return ids


def ids_beside(path: Pathname, n_vertices: int) -> VertexIds | None:
    """The ids beside a file, None where there are none; FormatError unless they are as many as its vertices."""
    place = ids_path(path)
    if not place.exists():
        return None
    ids = read_ids(place)
    if len(ids) != n_vertices:
        raise FormatError(
            f"{place} names {len(ids)} vertices and {path} has {n_vertices}: it belongs to another graph; remove it"
        )
    return ids


def undirected_beside(path: Pathname) -> bool:
    """Whether the file beside another says that the graph is undirected."""
    place = ids_path(path)
    if not place.exists():
        return False
    found = read_arrays(place, "undirected").get("undirected", np.array(False))
    if found.dtype != np.bool_ or found.ndim:
        raise FormatError(
            f"{place} does not say whether the graph of {path} is undirected: {found.dtype} is no boolean"
        )
    return bool(found)
