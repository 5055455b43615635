# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists in Parquet, with columns as in CSV; see `lux.io.formats.delimited`.

Files that Lux wrote also have the direction and the vertices of the graph in their schema's metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.checks import integer
from lux.errors import FileError, FormatError, LuxError
from lux.graph.core.ids import Offset, VertexIds, offset
from lux.io.files.atomic import Pathname, atomic_output
from lux.io.files.content import FileContent
from lux.io.files.sidecar import Sidecar, commit_with, ids_path, read_sidecar_ids
from lux.io.formats.binary import another_format, look_like
from lux.io.formats.columns import Columns, Share
from lux.io.formats.endpoint_columns import endpoint_columns
from lux.io.formats.options import MOST, Options, chosen_properties, undirected_by_definition
from lux.io.formats.text import smallest
from lux.runtime import process_memory

DIRECTED, VERTICES, FIRST, BESIDE = b"lux.directed", b"lux.n_vertices", b"lux.first_id", b"lux.ids_beside"
"""Keys of the schema's metadata."""

Chunk = tuple[NDArray[Any], NDArray[Any], Mapping[str, NDArray[Any]]]


def read(path: Pathname, _name: str, options: Options, share: Share) -> Columns:
    """Read the row groups that begin in a share of a Parquet file; only the columns that are used are read."""
    from pyarrow import parquet

    options.only("Parquet", "bipartite", "ids", "properties")
    seen = look_like(FileContent(path))
    if seen != "Parquet":
        raise another_format(path, seen, "Parquet")
    try:
        file = parquet.ParquetFile(path)
        names = list(file.schema_arrow.names)
        if len(names) < 2:
            raise FormatError(f"{path} has the columns {names}: an edge list needs two")
        if len(set(names)) < len(names):
            raise FormatError(f"{path} has two columns of the same name: {names}")
        ends = endpoint_columns(names)
        kept = chosen_properties(path, names, ends, options)
        first, groups = _groups(file.metadata, share)
        _check_room(path, sum(file.metadata.row_group(k).num_rows for k in groups), len(kept))
        table = file.read_row_groups(groups, [names[i] for i in (*ends, *kept)])
    except LuxError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {error}") from error
    except Exception as error:  # PyArrow raises several kinds for damaged bytes
        raise FormatError(f"{path} is damaged: {str(error)[:200] or type(error).__name__}") from error
    sources, destinations = (_ids(path, names[i], table[names[i]], options, first) for i in ends)
    numbers = {names[i]: _numbers(path, names[i], table, first) for i in kept}
    metadata = file.schema_arrow.metadata or {}
    stored, known = _as_written(path, metadata, options)
    counted = VERTICES in metadata and known is None and options.ids == "auto" and not options.bipartite
    least = _said(path, metadata, VERTICES, 0, MOST) if counted else 0
    return Columns(path, (names[ends[0]], names[ends[1]]), sources, destinations, numbers, stored, known, least)


def _check_room(path: Pathname, rows: int, n_properties: int) -> None:
    """Refuse rows that do not fit the memory that is left: of equal ones, thousands take a byte of a file."""
    needed, there = 8 * (2 + n_properties) * rows, process_memory.available_bytes()
    if needed > there:
        raise FileError(
            f"{path} says that it has {rows} rows, whose columns take {needed} bytes, and there are {there} of memory: "
            "read it on a larger machine, or in several processes"
        )


def _groups(metadata: Any, share: Share) -> tuple[int, list[int]]:
    """Return the first row of a share, and its row groups."""
    rows = np.array([metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)], np.int64)
    starts = np.cumsum(rows) - rows
    low, high = share.within(int(rows.sum()))
    groups = np.flatnonzero((starts >= low) & ((starts < high) | (share.high == share.of)))
    return (int(starts[groups[0]]) if len(groups) else 0), groups.tolist()


def _as_written(path: Pathname, metadata: Mapping[bytes, bytes], options: Options) -> tuple[Options, VertexIds | None]:
    """Return the options and the vertices of a file that `write_parquet` wrote."""
    if metadata.get(DIRECTED) == b"false":
        undirected_by_definition(path, "the graph it was written from", options)
        options = replace(options, directed=False)
    if VERTICES not in metadata or options.ids != "auto":
        return options, None
    n, known = _said(path, metadata, VERTICES, 0, MOST), None
    if FIRST not in metadata:
        known = read_sidecar_ids(path, n)
        if known is None and BESIDE in metadata:
            raise FormatError(
                f"{path} is of a graph with {n} vertices: {ids_path(path)}, which names them, is missing; put it "
                "beside the file, or pass ids='strings' or 'as-is' to read what vertices the edges name"
            )
    elif not options.bipartite:
        known = offset(n, _said(path, metadata, FIRST, -(2**63), 2**64 - 1 - n))
    return (options if known is None else replace(options, bipartite=False)), known


def _said(path: Pathname, metadata: Mapping[bytes, bytes], key: bytes, low: int, high: int) -> int:
    """Parse a whole number of the metadata."""
    found = integer(metadata[key].decode("utf-8", "replace"), low, high)
    if found is None:
        raise FormatError(f"{path} is damaged: its {key.decode()} is not a whole number from {low} to {high}")
    return found


def _ids(path: Pathname, name: str, column: Any, options: Options, first: int) -> Any:
    import pyarrow as pa

    _refuse_nulls(path, name, column, first)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not text and not pa.types.is_integer(column.type):
        raise FormatError(f"{path}: column {name!r} holds {column.type}: vertex ids are integers or strings")
    if text or options.ids == "strings":
        return pa.concat_arrays(column.cast(pa.large_string()).chunks or [pa.array([], pa.large_string())])
    return column.to_numpy()


def _numbers(path: Pathname, name: str, table: Any, first: int) -> NDArray[Any]:
    import pyarrow as pa

    column = table[name]
    _refuse_nulls(path, name, column, first)
    if not any(is_kind(column.type) for is_kind in (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)):
        raise FormatError(
            f"{path}: column {name!r} holds {column.type}, and edge properties are numbers: pass properties=[...] "
            "with the columns to read"
        )
    values: NDArray[Any] = column.to_numpy()
    return smallest(values) if values.dtype == np.int64 else values


def _refuse_nulls(path: Pathname, name: str, column: Any, first: int) -> None:
    if column.null_count:
        row = first + int(np.argmax(column.is_null().to_numpy()))
        raise FormatError(f"{path}: column {name!r} is empty in row {row} (of {column.null_count} such rows)")


def write_parquet(
    path: Pathname,
    chunks: Iterable[Chunk],
    *,
    directed: bool = True,
    ids: VertexIds | None = None,
    kept: Sidecar | None = None,
) -> None:
    """Write edges as Parquet, with columns ``source`` and ``destination``; the file appears whole or not at all.

    The schema's metadata have the direction and, with ``ids``, the vertices: their number, and the first if they are
    consecutive integers.

    Parameters
    ----------
    chunks : iterable of (sources, destinations, properties)
        The user's ids of the ends, shape (edges,), and arrays of the same length by property name; all chunks alike.
    directed : bool
        False: each edge is listed once and stands for both directions.
    ids : VertexIds, optional
        All vertices of the graph.
    kept : Sidecar, optional
        Data kept beside the file, announced in the metadata.

    Raises
    ------
    FileError
        The target cannot be written.
    """
    import pyarrow as pa
    from pyarrow import parquet

    metadata = {DIRECTED: b"true" if directed else b"false"}
    metadata |= {VERTICES: b"%d" % len(ids)} if ids is not None else {}
    metadata |= {FIRST: b"%d" % ids.base} if isinstance(ids, Offset) else {}
    metadata |= {BESIDE: b"true"} if kept is not None else {}
    writer = None
    with atomic_output(path, lambda target: commit_with(target, kept)) as part:
        try:
            for sources, destinations, properties in chunks:
                columns = {"source": _arrow(sources), "destination": _arrow(destinations)}
                columns |= {name: pa.array(values) for name, values in properties.items()}
                table = pa.table(columns).replace_schema_metadata(metadata)
                writer = writer or parquet.ParquetWriter(part, table.schema)
                writer.write_table(table)
            if writer is None:
                none = {name: pa.array([], pa.int64()) for name in ("source", "destination")}
                parquet.write_table(pa.table(none).replace_schema_metadata(metadata), part)
        finally:
            if writer is not None:
                writer.close()


def _arrow(labels: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.array(labels.tolist(), pa.large_string()) if labels.dtype.kind in "TUO" else pa.array(labels)
