# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sidecar ``FILE.ids.npz``: a graph's data that its file's format has no room for.

A sidecar holds the user's ids of the vertices (binary files have dense ids only, matrices 1 to n, Parquet files only
the edges' ids), and marks a .lux file of an undirected graph that an earlier Lux wrote.

The sidecar has a fingerprint of its file's content, so that it is never used with another file. Both are written before
either gets its name. A process killed between the two renames leaves the new file, and its sidecar under the temporary
name: readers use that one, and the next write to the file renames it.
"""

from __future__ import annotations

import functools
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.checks import warn
from lux.errors import FormatError, LuxError
from lux.graph.core.ids import VertexIds
from lux.io.files.archive import archive_of, read_arrays
from lux.io.files.atomic import Pathname, begin, check_writable, commit, discard, part_path, sync
from lux.io.files.content import FileContent
from lux.io.files.room import cannot_write, reserve
from lux.io.files.stored_ids import from_arrays
from lux.io.files.temporary import release, remove

NUMBER, NOTHING = "number", "nothing"
"""Arrays of the sidecar: the fingerprint of its file, and a mark that there are no ids."""
SAMPLES, SAMPLE = 64, 1 << 13
"""Pieces of a file in its fingerprint, and their bytes. Smaller files are taken whole."""


@dataclass(frozen=True)
class Sidecar:
    """Sidecar of a graph file.

    Attributes
    ----------
    ids : VertexIds
    undirected : bool
    """

    ids: VertexIds
    undirected: bool = False


def ids_path(path: Pathname) -> Path:
    """Return the path of a file's sidecar: for a symbolic link, beside its target."""
    place = Path(path)
    return Path(f"{place.resolve() if place.is_symlink() else place}.ids.npz")


def fingerprint(content: FileContent) -> NDArray[np.uint64]:
    """Return the fingerprint of a file: its length, and a hash of its beginning, its end and samples.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "x")
    >>> _ = path.write_bytes(b"abc")
    >>> fingerprint(FileContent(path))[0]
    np.uint64(3)
    """
    length, digest = len(content), hashlib.blake2b(digest_size=8)
    whole = length <= SAMPLES * SAMPLE
    starts = range(0, length, SAMPLE) if whole else np.linspace(0, length - SAMPLE, SAMPLES).astype(np.int64).tolist()
    for start in starts:
        digest.update(content[start : start + SAMPLE])
    return np.array([length, int.from_bytes(digest.digest())], np.uint64)


def commit_with(path: Pathname, kept: Sidecar | None) -> None:
    """Give a graph's temporary file its name, with its sidecar; None: with no sidecar.

    Raises
    ------
    FileError
        The old file and its sidecar are kept.
    """
    place = ids_path(path)
    pending = part_path(place)
    if kept is None and not os.path.lexists(place) and not os.path.lexists(pending):
        commit(path)
        return
    try:
        check_writable(place)
        begin(place, functools.partial(_finish_earlier, path, place, pending))
        _write_pending(path, place, pending, kept)
        commit(path)
    except BaseException:
        discard(path)
        _finish_earlier(path, place, pending)  # if the file already had its name
        discard(place)
        raise
    try:  # the file is the new one from here on, and the pending sidecar belongs to it
        _settle(place, pending, nothing=kept is None)
    except OSError as error:
        raise cannot_write(place, error) from error
    finally:
        release(pending)


def _write_pending(path: Pathname, place: Path, pending: Path, kept: Sidecar | None) -> None:
    number = {NUMBER: fingerprint(FileContent(part_path(path)))}
    if kept is None:
        content = archive_of(number | {NOTHING: np.array(True)})
    else:
        content = archive_of(number | {"undirected": np.array(kept.undirected)} | kept.ids.to_arrays())
    try:
        with pending.open("wb") as file:
            reserve(file.fileno(), content.nbytes)
            file.write(content)
        sync(pending)
        sync(pending.parent)
    except OSError as error:
        raise cannot_write(place, error, content.nbytes) from error


def _settle(place: Path, pending: Path, *, nothing: bool) -> None:
    if nothing:
        place.unlink(missing_ok=True)
        pending.unlink(missing_ok=True)
    else:
        pending.replace(place)
    sync(place.parent)


def _finish_earlier(path: Pathname, place: Path, pending: Path) -> None:
    """Finish the pending sidecar of a process that was killed after its file had its name."""
    with suppress(LuxError):
        arrays = read_arrays(pending)
        if np.array_equal(arrays.get(NUMBER, ()), fingerprint(FileContent(path))):
            _settle(place, pending, nothing=NOTHING in arrays)


def abandon(path: Pathname) -> None:
    """Remove the temporary graph file, and the sidecar unless the file has its name already."""
    with suppress(OSError):
        part_path(path).unlink()
        remove(part_path(ids_path(path)))


def read_sidecar(path: Pathname, content: FileContent | None = None) -> Sidecar | None:
    """Read a file's sidecar; None if there is none.

    Parameters
    ----------
    path : str or path
    content : FileContent, optional
        The file, open.

    Raises
    ------
    FileError
        The sidecar cannot be read.
    FormatError
        The sidecar belongs to another file, or is damaged.

    Warns
    -----
    LuxWarning
        The sidecar has no fingerprint, as earlier versions of Lux wrote it.
    """
    place = ids_path(path)
    places = place, part_path(place)
    for _ in range(3):  # another process may give a file its name between two looks
        found = {at: _arrays_at(at) for at in places if at.exists()}
        if place not in found and len(found) == 0:
            return None
        number = fingerprint(FileContent(path) if content is None else content)
        for at, arrays in found.items():
            if not isinstance(arrays, LuxError) and np.array_equal(arrays.get(NUMBER, ()), number):
                return None if NOTHING in arrays else _of_arrays(at, arrays)
        if place not in found and not place.exists():
            return None
    arrays = found.get(place, {NUMBER: number})
    if isinstance(arrays, LuxError):
        raise arrays
    if NUMBER in arrays:
        raise FormatError(
            f"{place} was not written with {path} as it is now, and would name other vertices than it has: it belongs "
            "to another file. Remove it, or write both again"
        )
    warn(
        f"{place} does not say to which file it belongs, as an earlier Lux wrote it: the names of vertices are wrong "
        f"if {path} was replaced since. Write the graph again to be sure"
    )
    return _of_arrays(place, arrays)


def read_sidecar_ids(path: Pathname, n_vertices: int) -> VertexIds | None:
    """Read the ids in a file's sidecar, None if there are none; errors as `read_sidecar`, also for other counts."""
    return checked_ids(path, read_sidecar(path), n_vertices)


def checked_ids(path: Pathname, found: Sidecar | None, n_vertices: int) -> VertexIds | None:
    """Return a sidecar's ids; FormatError unless they are as many as the file's vertices."""
    if found is not None and len(found.ids) != n_vertices:
        raise FormatError(
            f"{ids_path(path)} names {len(found.ids)} vertices and {path} has {n_vertices}: it belongs to another "
            "graph; remove it"
        )
    return None if found is None else found.ids


def _arrays_at(place: Path) -> dict[str, NDArray[Any]] | LuxError:
    try:
        return read_arrays(place)
    except FormatError as error:
        return FormatError(f"{place} does not hold the ids of a graph's vertices: {error}")
    except LuxError as error:
        return error


def _of_arrays(place: Path, arrays: dict[str, NDArray[Any]]) -> Sidecar:
    undirected = arrays.get("undirected", np.array(False))
    if undirected.dtype != np.bool_ or undirected.ndim:
        raise FormatError(f"{place} does not say whether its graph is undirected: {undirected.dtype} is no boolean")
    try:
        return Sidecar(from_arrays(arrays), bool(undirected))
    except FormatError as error:
        raise FormatError(f"{place} does not hold the ids of a graph's vertices: {error}") from None
