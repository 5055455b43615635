# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
r"""Results as files: one row for every vertex, in ascending order of the user's ids.

==========  ===========================================================================================
``.npy``    The values without ids: one column as an array of shape (n_vertices,), several as a
            structured array with their names. Vertices as values are the user's ids; strings are ``<U``.
``.tsv``    A header line ``vertex<TAB>rank``, then lines of id and values. Numbers round-trip.
``.parquet``  Columns ``vertex`` and the values; no row group spans two partitions.
==========  ===========================================================================================

A distance of a vertex that was not reached is -1. ``.npy`` and ``.tsv`` are written by point tasks, each its own
partition at its own place in the file; a Parquet file has one writer, which holds one partition at a time. Files
appear whole or not at all.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import FileError, FormatError, LuxError
from lux.export import on_first_rank
from lux.io.atomic import Pathname, SliceWriter, atomic_output, check_writable, discard, part_path
from lux.runtime import CheckedLauncher, Launcher

if TYPE_CHECKING:
    from lux.result import Result

FORMATS = (".npy", ".tsv", ".parquet")
Part = tuple[NDArray[Any], ...]
"""A partition's values of each column."""
ROWS = 1 << 17
"""Rows that are turned into text or Parquet at once."""


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
    if target.suffix.lower() not in FORMATS:
        raise FormatError(f"the name of {target} does not say its format: end it in {', '.join(FORMATS)}")
    check_target(target)
    return target


def check_target(target: Path) -> None:
    """`FileError`, on every process, unless a file can be made there."""
    on_first_rank(functools.partial(_try_to_create, target))


def _try_to_create(target: Path) -> None:
    check_writable(target)
    try:
        part_path(target).touch()
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from error
    discard(target)


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
        named: NDArray[Any] = self.labels[np.where(none, 0, values)]
        named[none] = "" if named.dtype.kind == "T" else np.array(-1).astype(named.dtype)
        return named

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the ``.npy`` file."""
        types = []
        for store, is_vertex in zip(self.stores, self.vertices, strict=True):
            kind = store.dtype
            if is_vertex:
                kind = np.dtype(np.int64) if self.labels is None else self.labels.dtype
            if kind.kind == "T":
                assert self.labels is not None
                kind = np.dtype(f"<U{max(1, max(map(len, self.labels.tolist()), default=1))}")
            types.append(kind)
        return types[0] if len(types) == 1 else np.dtype(list(zip(self.names, types, strict=True)))

    def records(self, arrays: Part) -> NDArray[Any]:
        """Values of a range as elements of the ``.npy`` file."""
        if len(arrays) == 1:
            return self.user(0, arrays[0]).astype(self.dtype)
        out = np.empty(len(arrays[0]), self.dtype)
        for column, (name, values) in enumerate(zip(self.names, arrays, strict=True)):
            out[name] = self.user(column, values)
        return out

    def table(self, lo: int, arrays: Part) -> Any:
        """A pyarrow Table of the rows from ``lo`` on."""
        import pyarrow as pa

        shown = [self.result.graph.ids.labels(lo, lo + len(arrays[0]))]
        shown += [self.user(column, values) for column, values in enumerate(arrays)]
        columns = [pa.array(c.tolist(), pa.string()) if c.dtype.kind == "T" else pa.array(c) for c in shown]
        return pa.table(columns, names=["vertex", *self.names])

    @functools.cached_property
    def schema(self) -> Any:
        """The pyarrow schema of `table`."""
        return self.table(0, tuple(np.empty(0, store.dtype) for store in self.stores)).schema

    def pieces(self, part: int, arrays: Part) -> Iterator[tuple[int, Part]]:
        """A partition's rows in pieces: (number of the first row within it, values)."""
        for at in range(0, int(self.points[part + 1] - self.points[part]), ROWS):
            yield at, tuple(array[at : at + ROWS] for array in arrays)

    def text(self, part: int, arrays: Part) -> Iterator[bytes]:
        """A partition's lines of the ``.tsv`` file."""
        import pyarrow as pa
        from pyarrow import csv

        options = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
        for at, values in self.pieces(part, arrays):
            sink = pa.BufferOutputStream()
            try:
                csv.write_csv(self.table(int(self.points[part]) + at, values), sink, options)
            except pa.ArrowInvalid:
                raise FormatError(
                    "text cannot hold an id with a tab, a quote or a line break: write a .parquet file"
                ) from None
            yield sink.getvalue().to_pybytes()


class _Writer(SliceWriter):
    """The file of known length that the partitions fill."""

    def __init__(self, path: Path, length: int, head: bytes) -> None:
        super().__init__(path, length)
        self.head = head

    def header(self) -> list[tuple[int, bytes]]:
        """(position, bytes) that `create` writes."""
        return [(0, self.head)]


def _write_npy(rows: _Rows, target: Path) -> None:
    head, size = _npy_header(rows.dtype, rows.result.graph.n_vertices), rows.dtype.itemsize

    def pieces(part: int, arrays: Part) -> Iterator[NDArray[Any]]:
        for _, values in rows.pieces(part, arrays):
            yield rows.records(values)

    _fill(rows, target, head, len(head) + rows.points * size, pieces)


def _npy_header(dtype: np.dtype[Any], length: int) -> bytes:
    buffer = BytesIO()
    description = {"descr": dtype.descr if dtype.names else dtype.str, "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(buffer, description)  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def _write_tsv(rows: _Rows, target: Path) -> None:
    """Text is made twice: to know its lengths, and to write it."""
    head = ("\t".join(["vertex", *rows.names]) + "\n").encode()

    def measure(part: int, arrays: Part) -> int:
        return sum(map(len, rows.text(part, arrays)))

    def pieces(part: int, arrays: Part) -> Iterator[NDArray[Any]]:
        for text in rows.text(part, arrays):
            yield np.frombuffer(text, np.uint8)

    lengths = _each_part(rows, measure)
    _fill(rows, target, head, len(head) + np.concatenate([[0], np.cumsum(lengths)]), pieces)


def _fill(
    rows: _Rows,
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

    on_first_rank(writer.create)
    try:
        _each_part(rows, write)
    except LuxError:
        on_first_rank(writer.discard)
        raise
    on_first_rank(writer.commit)


def _write_parquet(rows: _Rows, target: Path) -> None:
    """One process writes; all issue the same reads, of one partition at a time."""
    import pyarrow.parquet as pq

    def values(part: int) -> Part:
        lo, hi = int(rows.points[part]), int(rows.points[part + 1])
        return tuple(_range(store, lo, hi) for store in rows.stores) if hi > lo else ()

    read = set()

    def write() -> None:
        with atomic_output(target) as part_file, pq.ParquetWriter(part_file, rows.schema) as writer:
            for part in range(rows.parts):
                read.add(part)
                for at, piece in rows.pieces(part, values(part)):
                    writer.write_table(rows.table(int(rows.points[part]) + at, piece))

    error: LuxError | None = None
    try:
        if runtime.rank() == 0:
            write()
    except LuxError as raised:
        error = raised
    for part in sorted(set(range(rows.parts)) - read):
        values(part)
    runtime.agree(error)


def _range(store: runtime.Store, lo: int, hi: int) -> NDArray[Any]:
    """Elements lo to hi - 1 of a store, on every process."""
    copy = runtime.new_store(store.dtype, hi - lo)
    # The second point has nothing: a launch of one point would see the whole store.
    piece, rows = (runtime.ranges(np.array(points, np.int64)) for points in ([lo, hi, hi], [0, hi - lo, hi - lo]))
    _copier()(2, column=store, copy=copy, piece=piece, rows=rows)
    return runtime.to_array(copy)


@functools.cache
def _copier() -> Launcher:
    def copy_range(_point: int, column: NDArray[Any], copy: NDArray[Any]) -> None:
        copy[:] = column

    return Launcher(copy_range, inputs={"column": "piece"}, outputs={"copy": "rows"})


def _each_part(rows: _Rows, body: Callable[[int, Part], int]) -> NDArray[np.int64]:
    """What ``body`` says for every partition, run by point tasks; the same on every process."""
    answers = runtime.new_store(np.int64, rows.parts)
    key = runtime.share(body)
    columns = {f"column_{i}": store for i, store in enumerate(rows.stores)}
    one = runtime.ranges(np.arange(rows.parts + 1, dtype=np.int64))
    splits = {"vertices": runtime.ranges(rows.points), "one": one}
    _launcher(len(columns))(rows.parts, **columns, **splits, answers=answers, key=key)
    runtime.unshare(key)
    return runtime.to_array(answers)[: rows.parts]


@functools.cache
def _launcher(columns: int) -> CheckedLauncher:
    def each_part(point: int, *values: Any) -> None:
        *arrays, answers, key = values
        answers[0] = runtime.shared(key)(point, tuple(arrays))

    return CheckedLauncher(
        each_part,
        inputs={f"column_{i}": "vertices" for i in range(columns)},
        outputs={"answers": "one"},
        scalars={"key": int},
    )
