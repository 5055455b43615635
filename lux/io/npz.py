# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""SciPy's sparse matrices, .npz: entry (i, j) is the edge from vertex i to vertex j; vertices 0 to n - 1."""

from __future__ import annotations

import zipfile

from lux.convert import of_matrix
from lux.edges import EdgeList
from lux.errors import FormatError
from lux.io.assemble import Options, settle_weight
from lux.io.atomic import Pathname
from lux.io.binary import another_format, look_like
from lux.io.content import FileContent


def read(path: Pathname, _name: str, options: Options) -> EdgeList:
    """The stored entries of a sparse matrix; values become ``weight``, but for booleans."""
    from scipy import sparse

    options.only(".npz", "bipartite")
    seen = look_like(FileContent(path))
    if seen is None or "npz" not in seen:
        raise another_format(path, seen, ".npz")
    try:
        matrix = sparse.load_npz(path)
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"{path} is no sparse matrix that scipy.sparse.save_npz wrote: {error}") from error
    edges = of_matrix(matrix, str(path), directed=options.directed, bipartite=options.bipartite)
    kept = settle_weight(path, dict(edges.properties), weighted=options.weighted)
    return EdgeList(edges.sources, edges.destinations, edges.n_vertices, edges.directed, edges.ids, kept)
