# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Table of graph formats, and detection of a file's format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lux.errors import FormatError
from lux.io.files.atomic import Pathname


@dataclass(frozen=True)
class Format:
    """Format of graph files.

    Attributes
    ----------
    extensions : tuple of str
        Extensions without ``.gz`` or ``.zst``, which every text format may add.
    module : str
        Module of this package that reads the format.
    binary : bool
        Read by slices, each by its own task.
    table : bool
        Read by shares, each process its own, and also of several files; formats that are neither are read whole.
    text : bool
        May be compressed with gzip or Zstandard.
    writable : bool
        Lux also writes the format.
    """

    name: str
    extensions: tuple[str, ...]
    module: str
    description: str
    binary: bool = False
    table: bool = False
    text: bool = False
    writable: bool = False


COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
"""Extensions of compressed text, and how it is compressed."""

FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            "lux",
            (".lux",),
            "lux_format",
            "whole graphs; also in-edges by destination, as the 2017 Lux system",
            binary=True,
            writable=True,
        ),
        Format("sg", (".sg",), "gap", "GAP Benchmark Suite, unweighted", binary=True, writable=True),
        Format("wsg", (".wsg",), "gap", "GAP Benchmark Suite, int32 weights", binary=True, writable=True),
        Format("el", (".el",), "edge_text", "lines 'u v'", table=True, text=True, writable=True),
        Format("wel", (".wel",), "edge_text", "lines 'u v w'", table=True, text=True, writable=True),
        Format(
            "txt",
            (".txt", ".edgelist"),
            "edge_text",
            "SNAP, NetworkX: # comments, 'u v [w]' between blanks",
            table=True,
            text=True,
            writable=True,
        ),
        Format("gr", (".gr",), "dimacs", "DIMACS shortest paths: 'a u v w', vertices from 1", text=True),
        Format("metis", (".graph", ".metis"), "metis", "METIS: a line of neighbours per vertex", text=True),
        Format("mtx", (".mtx",), "matrix_market", "Matrix Market", text=True, writable=True),
        Format(
            "csv", (".csv",), "delimited", "columns between , ; tab | or blanks", table=True, text=True, writable=True
        ),
        Format("tsv", (".tsv",), "delimited", "columns between tabs", table=True, text=True, writable=True),
        Format("parquet", (".parquet", ".pq"), "parquet", "Parquet edge list", table=True, writable=True),
        Format("npz", (".npz",), "npz", "SciPy sparse matrix"),
    )
}


def names(*, writable: bool = False) -> str:
    """List the formats that can be read, or written, for messages."""
    return ", ".join(entry.name for entry in FORMATS.values() if entry.writable or not writable)


def format_to_write(path: Pathname, format: str | None = None) -> Format:  # noqa: A002
    """Return the format of a file to write; `FormatError` for read-only formats and compressed files."""
    able, suffix = names(writable=True), Path(path).suffix.lower()
    if suffix in COMPRESSED:
        raise FormatError(f"{path}: Lux writes no compressed files: leave out {suffix}")
    if format is None and not any(suffix in entry.extensions for entry in FORMATS.values()):
        raise FormatError(f"the name of {path} does not say its format: end it in one of {able}")
    found = format_of(path, format)
    if not found.writable:
        raise FormatError(f"{path}: Lux does not write {found.name}: choose one of {able}")
    return found


def format_of(path: Pathname, format: str | None = None) -> Format:  # noqa: A002  # the option's name everywhere
    """Return the format that is passed, or the one of the file's extension.

    Raises
    ------
    FormatError
        The format is unknown, or the file is compressed and the format is not text.

    Examples
    --------
    >>> format_of("roads.gr.gz").name
    'gr'
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compressed = bool(suffixes) and suffixes[-1] in COMPRESSED
    extension = (suffixes[:-1] if compressed else suffixes)[-1:]
    if format is not None:
        found = FORMATS.get(str(format).lower().removeprefix("."))
        if found is None:
            raise FormatError(f"format={format!r} is unknown: pass one of {names()}")
    else:
        found = next((entry for entry in FORMATS.values() if extension and extension[0] in entry.extensions), None)
        if found is None:
            raise FormatError(f"the name of {path} does not say its format: pass one of {names()} as format")
    if compressed and not found.text:
        raise FormatError(f"{path} is compressed, and {found.name} is read as it is: decompress it first")
    return found
