# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
r"""Results as files: one row for every vertex, in ascending order of the user's ids.

==========  ===========================================================================================
``.npy``    The values without ids: one column as an array of shape (n_vertices,), several as a
            structured array with their names. Vertices as values are the user's ids; strings are ``<U``.
``.tsv``    A header line ``vertex<TAB>rank``, then lines of id and values. Numbers round-trip.
``.parquet``  Columns ``vertex`` and the values; row groups are partitions.
==========  ===========================================================================================

A distance of a vertex that was not reached is -1. ``.npy`` and ``.tsv`` are written by point tasks, each its own
partition at its own place in the file; a Parquet file has one writer, which holds one partition at a time. Files
appear whole or not at all.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import FileError, FormatError, LuxError
from lux.io.atomic import Pathname, check_writable, commit, discard, part_path
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.result import Result

ROWS = 1 << 17
"""Rows that are turned into text or Parquet at once."""
UNWRITABLE_TEXT = -1
"""Instead of a number of bytes: an id holds a tab, a line break or a quote at a place where text cannot."""


def write_result(result: Result, path: Pathname) -> None:
    """Write a result's values; see the head of `lux.output` for the formats.

    Every process calls it alike. Memory beyond the result's own: one partition's rows.

    Parameters
    ----------
    result : Result
    path : str or path
        Ends in ``.npy``, ``.tsv`` or ``.parquet``.

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
    rows = _Rows.of(result)
    {".npy": _write_npy, ".tsv": _write_tsv, ".parquet": _write_parquet}[target.suffix.lower()](rows, target)


def check_output(path: Pathname) -> Path:
    """The path, if a file can be made there; the same answer on every process.

    Raises
    ------
    FormatError, FileError
        As `write_result`.
    """
    target = Path(path)
    if target.suffix.lower() not in (".npy", ".tsv", ".parquet"):
        raise FormatError(f"the name of {target} does not say its format: end it in .npy, .tsv or .parquet")

    def try_it() -> None:
        check_writable(target)
        with _file_errors(target), part_path(target).open("wb"):
            pass
        discard(target)

    _on_one_rank(try_it)
    return target


@contextmanager
def _file_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from error


def _on_one_rank(body: Callable[[], None]) -> None:
    """Run ``body`` on rank 0; its error becomes every rank's."""
    error: LuxError | None = None
    if runtime.rank() == 0:
        try:
            body()
        except LuxError as raised:
            error = raised
    if runtime.ranks() > 1:
        runtime.agree(error)
    elif error is not None:
        raise error


@dataclass(frozen=True)
class _Rows:
    """The rows of a result, by ranges of dense ids; ``names`` has one name for each of ``stores``."""

    names: tuple[str, ...]
    stores: tuple[Any, ...]
    vertices: tuple[bool, ...]
    points: NDArray[np.int64]
    result: Result

    @classmethod
    def of(cls, result: Result) -> _Rows:
        columns = result.columns
        return cls(
            tuple(columns),
            tuple(c.store for c in columns.values()),
            tuple(c.vertices for c in columns.values()),
            result.graph.layout(result.parts).points,
            result,
        )

    @property
    def parts(self) -> int:
        return len(self.points) - 1

    @functools.cached_property
    def labels(self) -> NDArray[Any] | None:
        """The user's ids of all vertices, where values are vertices that need them."""
        ids = self.result.graph.ids
        return None if ids.is_identity or not any(self.vertices) else ids.labels(0, self.result.graph.n_vertices)

    def user(self, column: int, values: NDArray[Any]) -> NDArray[Any]:
        """Stored values of a column as the user sees them; "none" is -1 or an empty string."""
        if not self.vertices[column]:
            return values
        if self.labels is None:
            return values.astype(np.int64)
        none = values < 0 if values.dtype.kind == "i" else np.zeros(len(values), np.bool_)
        named = self.labels[np.where(none, 0, values)]
        named[none] = "" if named.dtype.kind == "T" else named.dtype.type(-1)
        return named

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the ``.npy`` file."""
        types = []
        for store, is_vertex in zip(self.stores, self.vertices, strict=True):
            kind = runtime.dtype_of(store)
            if is_vertex:
                kind = np.dtype(np.int64) if self.labels is None else self.labels.dtype
            if kind.kind == "T":
                assert self.labels is not None
                kind = np.dtype(f"<U{max(1, max(map(len, self.labels.tolist()), default=1))}")
            types.append(kind)
        return types[0] if len(types) == 1 else np.dtype(list(zip(self.names, types, strict=True)))

    def records(self, arrays: tuple[NDArray[Any], ...]) -> NDArray[Any]:
        """Values of a range as elements of the ``.npy`` file."""
        if len(arrays) == 1:
            return self.user(0, arrays[0]).astype(self.dtype)
        out = np.empty(len(arrays[0]), self.dtype)
        for column, (name, values) in enumerate(zip(self.names, arrays, strict=True)):
            out[name] = self.user(column, values)
        return out

    def table(self, lo: int, arrays: tuple[NDArray[Any], ...]) -> Any:
        """A pyarrow Table of the rows from ``lo`` on."""
        import pyarrow as pa

        shown = [self.result.graph.ids.labels(lo, lo + len(arrays[0]))]
        shown += [self.user(column, values) for column, values in enumerate(arrays)]
        columns = [pa.array(c.tolist(), pa.string()) if c.dtype.kind == "T" else pa.array(c) for c in shown]
        return pa.table(columns, names=["vertex", *self.names])

    def pieces(self, part: int, arrays: tuple[NDArray[Any], ...]) -> Iterator[tuple[int, tuple[NDArray[Any], ...]]]:
        """A partition's rows in pieces: (number of the first row within it, values)."""
        for at in range(0, int(self.points[part + 1] - self.points[part]), ROWS):
            yield at, tuple(array[at : at + ROWS] for array in arrays)

    def text(self, part: int, arrays: tuple[NDArray[Any], ...]) -> Iterator[bytes]:
        """A partition's lines of the ``.tsv`` file."""
        import pyarrow as pa
        from pyarrow import csv

        options = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
        for at, values in self.pieces(part, arrays):
            sink = pa.BufferOutputStream()
            csv.write_csv(self.table(int(self.points[part]) + at, values), sink, options)
            yield sink.getvalue().to_pybytes()


def _write_npy(rows: _Rows, target: Path) -> None:
    header = _npy_header(rows.dtype, rows.result.graph.n_vertices)
    size = rows.dtype.itemsize
    starts = len(header) + rows.points[:-1] * size

    def write(part: int, arrays: tuple[NDArray[Any], ...], handle: int) -> None:
        for at, values in rows.pieces(part, arrays):
            _write_at(handle, rows.records(values).tobytes(), int(starts[part]) + at * size)

    _write_slices(rows, target, header, len(header) + int(rows.points[-1]) * size, write)


def _npy_header(dtype: np.dtype[Any], length: int) -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    description = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(buffer, description)
    return buffer.getvalue()


def _write_tsv(rows: _Rows, target: Path) -> None:
    import pyarrow as pa

    def measure(part: int, arrays: tuple[NDArray[Any], ...]) -> int:
        try:
            return sum(map(len, rows.text(part, arrays)))
        except pa.ArrowInvalid:
            return UNWRITABLE_TEXT

    lengths = _each_part(rows, measure)
    if (lengths == UNWRITABLE_TEXT).any():
        raise FormatError(f"cannot write {target}: an id holds a tab, a quote or a line break; write a .parquet file")
    header = ("\t".join(["vertex", *rows.names]) + "\n").encode()
    starts = len(header) + np.concatenate([[0], np.cumsum(lengths)])

    def write(part: int, arrays: tuple[NDArray[Any], ...], handle: int) -> None:
        at = int(starts[part])
        for text in rows.text(part, arrays):
            _write_at(handle, text, at)
            at += len(text)

    _write_slices(rows, target, header, int(starts[-1]), write)


def _write_parquet(rows: _Rows, target: Path) -> None:
    """One process writes; the others issue the same reads, of one partition at a time."""
    import pyarrow.parquet as pq

    writer: Any = None
    failed: LuxError | None = None
    for part, (lo, hi) in enumerate(zip(rows.points[:-1].tolist(), rows.points[1:].tolist(), strict=True)):
        arrays = tuple(runtime.to_array(store.slice(0, slice(lo, hi))) for store in rows.stores) if hi > lo else ()
        if runtime.rank() or failed or hi == lo:
            continue
        try:
            with _file_errors(target):
                for at, values in rows.pieces(part, arrays):
                    table = rows.table(lo + at, values)
                    writer = writer or pq.ParquetWriter(part_path(target), table.schema)
                    writer.write_table(table)
        except LuxError as error:
            failed = error

    def end() -> None:
        with _discarded_on_error(target), _file_errors(target):
            if writer is not None:
                writer.close()
            if failed is not None:
                raise failed
            commit(target)

    _on_one_rank(end)


def _write_slices(
    rows: _Rows,
    target: Path,
    header: bytes,
    length: int,
    write: Callable[[int, tuple[NDArray[Any], ...], int], None],
) -> None:
    """A file of known length, of which every partition's task writes its own part."""
    part_file = part_path(target)

    def create() -> None:
        check_writable(target, length)
        with _discarded_on_error(target), _file_errors(target), part_file.open("wb") as file:
            file.write(header)
            file.truncate(length)

    def fill(part: int, arrays: tuple[NDArray[Any], ...]) -> int:
        try:
            handle = os.open(part_file, os.O_WRONLY)
            try:
                write(part, arrays, handle)
            finally:
                os.close(handle)
        except OSError as error:
            return error.errno or errno.EIO
        return 0

    _on_one_rank(create)
    codes = _each_part(rows, fill)

    def end() -> None:
        with _discarded_on_error(target), _file_errors(target):
            if codes.any():
                code = int(codes[codes != 0][0])
                raise OSError(code, os.strerror(code))
            commit(target)

    _on_one_rank(end)


@contextmanager
def _discarded_on_error(target: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        discard(target)
        raise


def _write_at(handle: int, content: bytes, position: int) -> None:
    done = 0
    view = memoryview(content)
    while done < len(content):
        done += os.pwrite(handle, view[done:], position + done)


def _each_part(rows: _Rows, body: Callable[[int, tuple[NDArray[Any], ...]], int]) -> NDArray[np.int64]:
    """What ``body`` says for every partition, run by point tasks; the same on every process."""
    parts = rows.parts
    answers = runtime.new_store(np.int64, parts)
    key = runtime.share(body)
    columns = {f"column_{i}": store for i, store in enumerate(rows.stores)}
    one = runtime.ranges(np.arange(parts + 1, dtype=np.int64))
    _launcher(len(columns))(parts, **columns, answers=answers, vertices=runtime.ranges(rows.points), one=one, key=key)
    found = runtime.to_array(answers)[:parts]
    runtime.unshare(key)
    return found


@functools.cache
def _launcher(columns: int) -> Launcher:
    def each(point: int, *rest: Any) -> None:
        *arrays, answers, key = rest
        try:
            answers[0] = runtime.shared(key)(point, tuple(arrays))
        except Exception:  # noqa: BLE001  # a task must not raise
            answers[0] = errno.EIO

    return Launcher(
        each,
        inputs={f"column_{i}": "vertices" for i in range(columns)},
        outputs={"answers": "one"},
        scalars={"key": int},
    )
