# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""SciPy's sparse matrices, .npz: entry (i, j) is the edge from vertex i to vertex j; vertices 0 to n - 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.matrix_entries import check_indices, of_matrix
from lux.io.files.archive import read_arrays
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.formats.binary import another_format, look_like
from lux.io.formats.options import Options, settle_weight

INDICES = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
"""Arrays of indices beside ``data``, by the name of the matrix's form."""


def read(path: Pathname, _name: str, options: Options) -> EdgeList:
    """Read the stored entries of a sparse matrix; values become ``weight``, except booleans."""
    options.only(".npz", "bipartite")
    seen = look_like(FileContent(path))
    if seen is None or "npz" not in seen:
        raise another_format(path, seen, ".npz")
    try:
        matrix = _matrix(read_arrays(path))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise FormatError(f"{path} is no sparse matrix that scipy.sparse.save_npz wrote: {error}") from error
    edges = of_matrix(matrix, str(path), directed=options.directed, bipartite=options.bipartite)
    kept = settle_weight(path, dict(edges.properties), weighted=options.weighted)
    return EdgeList(edges.sources, edges.destinations, edges.n_vertices, edges.directed, edges.ids, kept)


def _matrix(arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Build the matrix and check all its indices; ValueError and the like if something is wrong."""
    from scipy import sparse

    form = arrays["format"].item()
    form = form.decode("ascii") if isinstance(form, bytes) else form
    if form not in INDICES:
        raise ValueError(f"{form!r} is no form of matrix among {', '.join(INDICES)}")
    shape = _whole(arrays, "shape")
    if shape.shape != (2,) or shape.min() < 0:
        raise ValueError(f"its shape is {shape.tolist()}")
    rows, columns = shape.tolist()
    data = arrays["data"]
    if form == "coo" and "coords" in arrays:
        row, column = _whole(arrays, "coords")
    else:
        row, column = (_whole(arrays, name) for name in (*INDICES[form], INDICES[form][0])[:2])
    if form == "coo":  # SciPy narrows indices before it compares them with the shape
        for indices, n in ((row, rows), (column, columns)):
            if indices.shape != data.shape or (len(indices) and not 0 <= indices.min() <= indices.max() < n):
                raise ValueError("its indices are not inside of its shape")
        return sparse.coo_array((data, (row, column)), (rows, columns))
    if form == "dia":
        if row.ndim != 1 or len(row) != len(data) or data.ndim != 2:
            raise ValueError("it has not one offset for each diagonal")
        diagonal, column = np.nonzero(data)  # SciPy would allocate as many rows as the shape says
        row = column - row[diagonal]
        inside = (row >= 0) & (row < rows) & (column < columns)
        return sparse.coo_array((data[diagonal, column][inside], (row[inside], column[inside])), (rows, columns))
    if form == "bsr" and (data.ndim != 3 or 0 in data.shape[1:]):
        raise ValueError(f"its blocks have shape {data.shape[1:]}")
    matrix = getattr(sparse, f"{form}_array")((data, row, column), (rows, columns))
    check_indices(matrix)
    return matrix


def _whole(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.int64]:
    found = arrays[name]
    if found.dtype.kind not in "iu" or (found.dtype.kind == "u" and found.max(initial=0) >= 2**63):
        raise ValueError(f"{name!r} has type {found.dtype}, or numbers above 2^63 - 1")
    return found.astype(np.int64, copy=False)
