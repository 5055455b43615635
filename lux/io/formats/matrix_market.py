# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix Market .mtx: entry (i, j) is the edge from vertex i to vertex j; vertices 1 to n."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.matrix_entries import of_entries
from lux.graph.core.ids import Bipartite
from lux.io.files.atomic import Pathname, atomic_output
from lux.io.files.sidecar import Sidecar, commit_with, ids_path, read_sidecar_ids
from lux.io.formats.options import Options, settle_weight, undirected_by_definition
from lux.io.formats.text import Dialect, Table, smallest
from lux.io.formats.text_file import TextFile

DIALECT = Dialect(comments=b"%")
FIELDS = {"pattern": [], "integer": ["integer"], "real": ["real"], "double": ["real"]}
NOTE = "% The names of the vertices are beside this file"
"""Comment in files that Lux wrote."""
SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def read(path: Pathname, _name: str, options: Options) -> EdgeList:
    """Read the entries of a .mtx file: symmetric ones undirected, general ones directed unless ``directed=False``.

    A rectangular matrix needs ``bipartite=True``: rows are the left vertices, columns the right ones. Ids beside the
    file belong to rows and columns. Entries at one place are summed, as SciPy does (the format does not define it). A
    symmetric matrix has one triangle in the file; entries in both are an error.
    """
    options.only("Matrix Market", "bipartite")
    text = TextFile(path, "Matrix Market", allowed="Matrix Market")
    field, symmetry, start = _banner(text)
    rows, columns, values, shape = _entries(text, start, field)
    known = read_sidecar_ids(path, shape[0]) if shape[0] == shape[1] else None
    if known is None:
        _refuse_without_names(text, start)
    bipartite = options.bipartite and not isinstance(known, Bipartite)
    if symmetry != "general":
        _check_one_triangle(path, rows, columns, shape, skew=symmetry != "symmetric")
    once = symmetry == "symmetric" and not bipartite
    if once:
        undirected_by_definition(path, "a symmetric matrix", options)
        rows, columns = np.maximum(rows, columns), np.minimum(rows, columns)
    elif symmetry != "general":
        rows, columns, values = _both_triangles(path, rows, columns, values, skew=symmetry != "symmetric")
    directed = False if once else options.directed
    entries = rows, columns, values
    edges = of_entries(entries, shape, str(path), directed=directed, bipartite=bipartite, base=1, listed_once=once)
    ids = edges.ids if known is None else Bipartite(known, known) if bipartite else known
    properties = {name: smallest(of) if of.dtype.kind == "i" else of for name, of in edges.properties.items()}
    kept = settle_weight(path, properties, weighted=options.weighted)
    return EdgeList(edges.sources, edges.destinations, edges.n_vertices, edges.directed, ids, kept)


def _banner(text: TextFile) -> tuple[str, str, int]:
    """Parse the first line: kinds of values and of symmetry, and the start of the second line."""
    position, end, line = next(text.lines(text.start), (0, 0, ""))
    words = line.lower().split()
    if not words or words[0] != "%%matrixmarket":
        raise FormatError(f"{text.path} does not start with %%MatrixMarket, so it is no .mtx file")
    if "complex" in words:
        raise FormatError(f"{text.path} has complex values: Lux takes pattern, integer and real matrices")
    if words[1:3] == ["matrix", "array"]:
        raise FormatError(
            f"{text.path} is a dense matrix ('array'): Lux reads sparse ones ('coordinate'), which "
            "scipy.io.mmwrite writes of a scipy.sparse.coo_array"
        )
    right = len(words) == 5 and words[1:3] == ["matrix", "coordinate"]
    if not (right and words[3] in FIELDS and words[4] in SYMMETRIES) or words[3:] == ["pattern", "skew-symmetric"]:
        raise text.error(
            position,
            "a .mtx file starts with '%%MatrixMarket matrix coordinate FIELD SYMMETRY', where FIELD is pattern, "
            f"integer or real and SYMMETRY is {', '.join(SYMMETRIES[:2])} or {SYMMETRIES[2]} (of integers or reals)",
        )
    return words[3], words[4], end


def _refuse_without_names(text: TextFile, start: int) -> None:
    """Raise FormatError if a comment announces names beside the file."""
    _, _, line = next(text.lines(start), (0, 0, ""))
    if line.startswith(NOTE):
        raise FormatError(
            f"{text.path} says that the names of its vertices are beside it, and there is no {ids_path(text.path)}: "
            "put it there, or remove the comment in the second line to read vertices 1 to n"
        )


def _entries(text: TextFile, start: int, kind: str) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Return rows and columns from 0 on, values or None, and the matrix's shape."""
    position, end, line = next(text.lines(start, b"%"), (start, start, ""))
    fields = line.split()
    if not fields:
        raise FormatError(f"{text.path} is no valid Matrix Market file: it has no line 'ROWS COLUMNS ENTRIES'")
    why = "after its comments a .mtx file has a line 'ROWS COLUMNS ENTRIES'"
    if len(fields) != 3:
        raise text.error(position, why)
    n_rows, n_columns, n_entries = text.counts(position, fields, why)
    table = Table(text, end, DIALECT, ["integer", "integer", *FIELDS[kind]])
    rows, columns, *values = table.columns
    for indices, n, what in ((rows, n_rows, "row"), (columns, n_columns, "column")):
        wrong = (indices < 1) | (indices > n)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise table.error_in_row(at, f"{what} {indices[at]} is not in 1 to {n}")
    if len(rows) != n_entries:
        raise FormatError(
            f"{text.path} is no valid Matrix Market file: it has {len(rows)} entries, and its line 'ROWS COLUMNS "
            f"ENTRIES' says {n_entries}: it is truncated or too long"
        )
    return rows - 1, columns - 1, values[0] if values else None, (n_rows, n_columns)


def _check_one_triangle(path: Pathname, rows: Any, columns: Any, shape: tuple[int, int], *, skew: bool) -> None:
    """Raise FormatError if a symmetric matrix is not square, or has an entry in both triangles."""
    if shape[0] != shape[1]:
        raise FormatError(f"{path} says that a matrix of {shape[0]} x {shape[1]} is symmetric: only square ones are")
    upper = rows < columns
    diagonal = rows == columns
    if skew and diagonal.any():
        at = int(rows[np.argmax(diagonal)]) + 1
        raise FormatError(f"{path} is skew-symmetric and has an entry at ({at}, {at}): such matrices have none there")
    if not upper.any() or upper.all():
        return
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    order = np.lexsort((upper, low, high))
    low, high, upper = low[order], high[order], upper[order] & ~diagonal[order]
    twice = np.flatnonzero((low[1:] == low[:-1]) & (high[1:] == high[:-1]) & (upper[1:] != upper[:-1]))
    if len(twice):
        i, j = int(high[twice[0]]) + 1, int(low[twice[0]]) + 1
        raise FormatError(
            f"{path} has entries at ({i}, {j}) and ({j}, {i}), and its first line says {'skew-' * skew}symmetric, so "
            "that one stands for both: leave one out, or write 'general' there"
        )


def _both_triangles(path: Pathname, rows: Any, columns: Any, values: Any, *, skew: bool) -> tuple[Any, Any, Any]:
    """Return the entries of a matrix from one triangle of it."""
    other = rows != columns
    u, v = np.concatenate([rows, columns[other]]), np.concatenate([columns, rows[other]])
    if values is None:
        return u, v, None
    if skew and values.dtype.kind == "i" and values.min(initial=0) == -(2**63):
        raise FormatError(f"{path} is skew-symmetric, and the negative of its entry -2^63 does not fit 64 bits")
    return u, v, np.concatenate([values, -values[other] if skew else values[other]])


def write_mtx(
    path: Pathname,
    chunks: Iterable[tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]],
    *,
    n_vertices: int,
    n_edges: int,
    symmetric: bool = False,
    weight: Any = None,
    kept: Sidecar | None = None,
) -> None:
    """Write edges as Matrix Market; the file appears whole or not at all.

    Parameters
    ----------
    chunks : iterable of (sources, destinations, weights)
        Dense ids from 0 on, shape (edges,); vertex i is written as i + 1. ``weights`` is None for a pattern.
    n_vertices, n_edges : int
    symmetric : bool
        Undirected graph: each edge is in the chunks once, and is written in the lower triangle.
    weight : np.dtype, optional
        The weights' type; None: the matrix is a pattern.
    kept : Sidecar, optional
        Data kept beside the file, announced by a comment.

    Raises
    ------
    FileError
        The target cannot be written.
    FormatError
        The weights are neither integers nor reals, or the chunks do not have ``n_edges`` edges.
    """
    kind = "pattern" if weight is None else {"i": "integer", "u": "integer", "f": "real"}.get(np.dtype(weight).kind)
    if kind is None:
        raise FormatError(f"{path}: .mtx holds integers and reals, not {np.dtype(weight)}")
    import pyarrow as pa
    from pyarrow import csv

    look = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    written = 0
    with atomic_output(path, lambda target: commit_with(target, kept)) as part, part.open("wb") as file:
        shape = "symmetric" if symmetric else "general"
        note = "" if kept is None else f"{NOTE}, in {ids_path(path).name}\n"
        file.write(f"%%MatrixMarket matrix coordinate {kind} {shape}\n{note}".encode())
        file.write(f"{n_vertices} {n_vertices} {n_edges}\n".encode())
        for sources, destinations, weights in chunks:
            rows, columns = np.asarray(sources).astype(np.int64) + 1, np.asarray(destinations).astype(np.int64) + 1
            if symmetric:
                rows, columns = np.maximum(rows, columns), np.minimum(rows, columns)
            values = {} if weight is None else {"w": np.asarray(weights)}
            csv.write_csv(pa.table({"i": rows, "j": columns, **values}), file, look)
            written += len(rows)
        if written != n_edges:
            raise FormatError(f"{path}: {n_edges} edges were announced and {written} came")
