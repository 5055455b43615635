# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
r"""Results as files: one row for every vertex, in ascending order of the user's ids.

==========  ===========================================================================================
``.npy``    The values without ids: one column as an array of shape (n_vertices,), several as a
            structured array with their names. Vertices as values are the user's ids; strings are ``<U``.
            Vectors of length K have shape (n_vertices, K).
``.tsv``    A header line ``vertex<TAB>rank``, then lines of id and values. Numbers round-trip. Vectors, here and in
            Parquet files, are K columns ``factor_0``, ``factor_1``, ...
``.csv``    The same between commas, with strings in quotes.
``.parquet``  Columns ``vertex`` and the values; no row group spans two partitions.
==========  ===========================================================================================

A vertex that a search did not reach has no parent (-1, or an empty string where ids are strings), and `lux.bfs` gives
it the distance -1. `lux.sssp` gives it -1 where weights are integers and none is negative, the largest int64 where some
are, and infinity (``inf``) where they are real numbers. Text and ``.npy`` are written by point tasks, each its own
partition at its own place in the file; a Parquet file has one writer, which holds one partition at a time. Files
appear whole or not at all.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.checks import checked_path
from lux.errors import FormatError
from lux.io.files.atomic import Pathname, SliceWriter, atomic_output, begin, check_writable, discard
from lux.io.formats.npy import npy_header
from lux.io.formats.text_writer import DELIMITERS
from lux.results.table_rows import Part, Rows
from lux.runtime import CheckedLauncher

if TYPE_CHECKING:
    from lux.results.table import Table

FORMATS = (".npy", ".tsv", ".csv", ".parquet")


@runtime.on_driver
def write_result(result: Table, path: Pathname) -> None:
    """Write a result's values; see the head of `lux.results.write` for the formats.

    Every process calls this function alike. Memory beyond the result's own: one partition's rows.

    Parameters
    ----------
    result : Table
    path : str or path
        A name that ends in one of `FORMATS`.

    Raises
    ------
    FormatError
        The name ends in something else, or an id of a vertex cannot stand in a text file.
    FileError
        The file cannot be written.

    Examples
    --------
    >>> import lux, tempfile
    >>> file = Path(tempfile.mkdtemp(), "ranks.tsv")
    >>> write_result(lux.bfs(lux.toy.path(3), source=1), file)
    >>> print(file.read_text().expandtabs(9))
    vertex   distance parent
    0        -1       -1
    1        0        1
    2        1        1
    """
    target = check_output(path)
    write = {".npy": _write_npy, ".parquet": _write_parquet}.get(target.suffix.lower(), _write_text)
    write(Rows.of(result), target)


def check_output(path: Pathname) -> Path:
    """Return the path, if a file can be made there; the same answer on every process.

    Raises
    ------
    FormatError, FileError
        Raised as by `write_result`.
    """
    target = Path(checked_path("path", path))
    if target.suffix.lower() not in FORMATS:
        raise FormatError(f"the name of {target} does not say its format: end it in {', '.join(FORMATS)}")
    check_target(target)
    return target


def check_target(target: Path) -> None:
    """Raise `FileError`, on every process, unless a file can be made there."""
    runtime.on_first_rank(functools.partial(_try_to_create, target))


def _try_to_create(target: Path) -> None:
    check_writable(target)
    begin(target)
    discard(target)


class _Writer(SliceWriter):
    """The file of known length that the partitions fill."""

    def __init__(self, path: Path, length: int, head: bytes) -> None:
        super().__init__(path, length)
        self.head = head

    def header(self) -> list[tuple[int, bytes]]:
        """Return the (position, bytes) pairs that `create` writes."""
        return [(0, self.head)]


def _write_npy(rows: Rows, target: Path) -> None:
    head, size = npy_header(rows.dtype, rows.result.graph.n_vertices), rows.dtype.itemsize

    def pieces(part: int, arrays: Part) -> Iterator[NDArray[Any]]:
        for _, values in rows.pieces(part, arrays):
            yield rows.records(values)

    _fill(rows, target, head, len(head) + rows.points * size, pieces)


def _write_text(rows: Rows, target: Path) -> None:
    """Write text; it is made twice: to know its lengths, and to write it."""
    delimiter = DELIMITERS[target.suffix.lower()[1:]]
    head = (delimiter.join(rows.schema.names) + "\n").encode()

    def measure(part: int, arrays: Part) -> int:
        return sum(map(len, rows.text(part, arrays, delimiter)))

    def pieces(part: int, arrays: Part) -> Iterator[NDArray[Any]]:
        for text in rows.text(part, arrays, delimiter):
            yield np.frombuffer(text, np.uint8)

    lengths = _each_part(rows, measure)
    _fill(rows, target, head, len(head) + np.concatenate([[0], np.cumsum(lengths)]), pieces)


def _fill(
    rows: Rows,
    target: Path,
    head: bytes,
    starts: NDArray[np.int64],
    pieces: Callable[[int, Part], Iterator[NDArray[Any]]],
) -> None:
    """Write a file of which every partition's task fills its own slice, from ``starts[part]`` on."""
    writer = _Writer(target, int(starts[-1]), head)

    def write(part: int, arrays: Part) -> int:
        at = int(starts[part])
        for piece in pieces(part, arrays):
            writer.write_at((at, piece))
            at += piece.nbytes
        return at

    runtime.on_first_rank(writer.create)
    try:
        _each_part(rows, write)
        runtime.on_first_rank(writer.commit)
    except BaseException:  # also after an interrupt
        if runtime.rank() == 0:
            writer.discard()
        raise


def _write_parquet(rows: Rows, target: Path) -> None:
    """Write Parquet by one process; all issue the same reads, of one partition at a time."""
    import pyarrow.parquet as pq

    def values(part: int) -> Part:
        lo, hi = int(rows.points[part]), int(rows.points[part + 1])
        if hi <= lo:
            return ()
        pairs = zip(rows.stores, rows.lengths, strict=True)
        return rows.shaped(tuple(runtime.slice_to_array(s, lo * (k or 1), hi * (k or 1)) for s, k in pairs))

    def write(read: Iterator[tuple[int, Part]]) -> None:
        with atomic_output(target) as part_file, pq.ParquetWriter(part_file, rows.schema) as writer:
            for part, arrays in read:
                for at, piece in rows.pieces(part, arrays):
                    writer.write_table(rows.table(int(rows.points[part]) + at, piece))

    runtime.first_rank_takes(((part, values(part)) for part in range(rows.parts)), write)


def _each_part(rows: Rows, body: Callable[[int, Part], int]) -> NDArray[np.int64]:
    """Return what ``body`` returns for every partition, run by point tasks; the same on every process."""
    answers = runtime.new_store(np.int64, rows.parts)
    columns = {f"column_{i}": store for i, store in enumerate(rows.stores)}
    splits = {_split(k): runtime.ranges(rows.points * (k or 1)) for k in set(rows.lengths)}
    splits["one"] = runtime.ranges(np.arange(rows.parts + 1, dtype=np.int64))
    with runtime.registered((rows, body)) as key:
        _launcher(rows.lengths)(rows.parts, **columns, **splits, answers=answers, key=key)
    return runtime.to_array(answers)[: rows.parts]


def _split(length: int | None) -> str:
    return "vertices" if length is None else f"vectors_of_{length}"


@functools.cache
def _launcher(lengths: tuple[int | None, ...]) -> CheckedLauncher:
    def each_part(point: int, *values: Any) -> None:
        *arrays, answers, key = values
        rows, body = runtime.context(key)
        answers[0] = body(point, rows.shaped(tuple(arrays)))

    return CheckedLauncher(
        each_part,
        inputs={f"column_{i}": _split(length) for i, length in enumerate(lengths)},
        outputs={"answers": "one"},
        scalars={"key": int},
    )
