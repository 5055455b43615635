# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix Market .mtx, read by SciPy: entry (i, j) is the edge from vertex i to vertex j; vertices 1 to n."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.convert import of_matrix
from lux.edges import EdgeList
from lux.errors import FormatError
from lux.ids import Bipartite
from lux.io.assemble import Options, settle_weight, undirected_by_definition
from lux.io.atomic import Pathname, atomic_output
from lux.io.beside import ids_beside
from lux.io.text import TextFile


def read(path: Pathname, _name: str, options: Options) -> EdgeList:
    """The entries of a .mtx file: symmetric ones undirected, general ones directed unless ``directed=False``.

    A rectangular matrix needs ``bipartite=True``: rows are the left vertices, columns the right ones. Ids beside the
    file are those of rows and columns.
    """
    options.only("Matrix Market", "bipartite")
    text = TextFile(path, "Matrix Market", allowed="Matrix Market")
    banner = text.content[:14].tobytes()
    if banner != b"%%MatrixMarket":
        raise FormatError(f"{path} does not start with %%MatrixMarket, so it is no .mtx file")
    fields = text.content[:200].tobytes().split(b"\n")[0].decode("utf-8", "replace").lower().split()
    if "complex" in fields:
        raise FormatError(f"{path} has complex values: Lux takes pattern, integer and real matrices")
    matrix = _matrix(text)
    known = ids_beside(path, matrix.shape[0]) if matrix.shape[0] == matrix.shape[1] else None
    bipartite = options.bipartite and not isinstance(known, Bipartite)
    symmetric = fields[-1] == "symmetric"
    if symmetric and not bipartite:
        undirected_by_definition(path, "a symmetric matrix", options)
        lower = matrix.row >= matrix.col
        matrix = type(matrix)((matrix.data[lower], (matrix.row[lower], matrix.col[lower])), shape=matrix.shape)
    directed = False if symmetric and not bipartite else options.directed
    edges = of_matrix(matrix, str(path), directed=directed, bipartite=bipartite, base=1, listed_once=symmetric)
    ids = edges.ids if known is None else Bipartite(known, known) if bipartite else known
    properties = {} if "pattern" in fields else dict(edges.properties)
    kept = settle_weight(path, properties, weighted=options.weighted)
    return EdgeList(edges.sources, edges.destinations, edges.n_vertices, edges.directed, ids, kept)


def _matrix(text: TextFile) -> Any:
    import io

    from scipy import io as scipy_io
    from scipy import sparse

    try:
        return sparse.coo_array(scipy_io.mmread(io.BytesIO(text.content.data), spmatrix=False))
    except (ValueError, OverflowError, EOFError) as error:
        line = re.match(r"Line (\d+): (.*)", str(error))
        if line is None:
            raise FormatError(f"{text.path} is no valid Matrix Market file: {error}") from error
        ends = np.flatnonzero(text.content == 10)
        number = int(line[1])
        raise text.error(int(ends[number - 2]) + 1 if number > 1 else 0, line[2]) from error


def write_mtx(
    path: Pathname,
    chunks: Iterable[tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]],
    *,
    n_vertices: int,
    n_edges: int,
    symmetric: bool = False,
    weight: Any = None,
) -> None:
    """Write edges as Matrix Market; the file appears whole or not at all.

    Parameters
    ----------
    chunks : iterable of (sources, destinations, weights)
        Dense ids from 0 on, shape (edges,); vertex i is written as i + 1. ``weights`` is None for a pattern.
    n_vertices, n_edges : int
    symmetric : bool
        An undirected graph: each edge is in the chunks once, and is written in the lower triangle.
    weight : np.dtype, optional
        The weights' type; None: the matrix is a pattern.

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
    with atomic_output(path) as part, part.open("wb") as file:
        shape = "symmetric" if symmetric else "general"
        file.write(f"%%MatrixMarket matrix coordinate {kind} {shape}\n{n_vertices} {n_vertices} {n_edges}\n".encode())
        for sources, destinations, weights in chunks:
            rows, columns = np.asarray(sources).astype(np.int64) + 1, np.asarray(destinations).astype(np.int64) + 1
            if symmetric:
                rows, columns = np.maximum(rows, columns), np.minimum(rows, columns)
            values = {} if weight is None else {"w": np.asarray(weights)}
            csv.write_csv(pa.table({"i": rows, "j": columns, **values}), file, look)
            written += len(rows)
        if written != n_edges:
            raise FormatError(f"{path}: {n_edges} edges were announced and {written} came")
