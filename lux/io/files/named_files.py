# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files that one name stands for: a file, all files in a folder, or those that a pattern fits."""

from __future__ import annotations

import glob
from pathlib import Path

from lux.checks import checked_path
from lux.errors import FileError
from lux.io.files.atomic import Pathname


def named_files(path: Pathname) -> list[Path]:
    """Return the files that a name stands for, in the order of their names.

    In folders, and folders in them, files are left out whose name begins with a dot or ``_`` (``_SUCCESS``), those of
    no bytes, and those that Lux keeps beside a graph.

    Raises
    ------
    FileError
        There is no such file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.csv", "a.csv", "_SUCCESS"):
    ...     _ = (folder / name).write_text("1,2")
    >>> [path.name for path in named_files(folder)], [path.name for path in named_files(folder / "b*")]
    (['a.csv', 'b.csv'], ['b.csv'])
    """
    place = Path(checked_path("path", path))
    if (place / "graph.json").exists():
        raise FileError(
            f"{path} is a folder that Lux 0.1 saved, and graphs are saved as one file now: load it with that Lux, "
            "write a .sg or .parquet file of it, and convert that (lux convert GRAPH.parquet GRAPH.lux)"
        )
    if place.is_dir():
        found = _files(place)
        if not found:
            raise FileError(f"{path} is a folder without files of edges: pass the name of a graph file, or of another")
        return found
    if place.exists():
        return [place]
    if glob.has_magic(str(path)):
        matched = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))]  # noqa: PTH207  # Path.glob takes no absolute patterns
        found = [file for name in matched for file in (_files(name) if name.is_dir() else [name])]
        if found:
            return found
        raise FileError(f"no file fits the pattern {path}: check it")
    raise FileError(f"there is no file {path}: check the name")


def _files(folder: Path) -> list[Path]:
    return [
        place
        for place in sorted(folder.rglob("*"))
        if place.is_file()
        and not any(part.startswith((".", "_")) for part in place.relative_to(folder).parts)
        and not place.name.endswith((".ids.npz", ".summary.json", ".summary-both.json"))
        and place.stat().st_size
    ]
