# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""DIMACS shortest-path graphs, .gr: ``p sp n m``, then m lines ``a u v w`` with vertices 1 to n."""

from __future__ import annotations

import numpy as np

from lux.errors import FormatError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.ids import Offset
from lux.graph.core.stored_graph import id_dtype
from lux.io.files.atomic import Pathname
from lux.io.formats.options import Options, settle_weight
from lux.io.formats.text import Dialect, Table
from lux.io.formats.text_file import TextFile

DIALECT = Dialect(comments=b"c")


def read(path: Pathname, _name: str, options: Options) -> EdgeList:
    """Read the arcs of a .gr file: directed, unless ``directed=False``; all n vertices, isolated ones too."""
    options.only("DIMACS .gr")
    text = TextFile(path, "DIMACS .gr")
    position, end, line = next(text.lines(text.start, DIALECT.comments), (0, 0, ""))
    fields = line.split()
    if not fields:
        raise FormatError(f"{path} has no line 'p sp VERTICES ARCS', so it is no DIMACS .gr file")
    why = "a DIMACS .gr file starts with 'p sp VERTICES ARCS'"
    if len(fields) != 4 or fields[0] != "p":
        raise text.error(position, why)
    n, m = text.counts(position, fields[2:], why)
    table = Table(text, end, DIALECT, ["a", "integer", "integer", "number"])
    sources, destinations, weights = table.columns
    for ids in (sources, destinations):
        wrong = np.flatnonzero((ids < 1) | (ids > n))
        if len(wrong):
            raise table.error_in_row(int(wrong[0]), f"vertex {ids[wrong[0]]} is not in 1 to {n}")
    if len(sources) != m:
        raise FormatError(f"{path} has {len(sources)} arcs, but its line 'p' says {m}: it is truncated or too long")
    dtype = id_dtype(n)
    kept = settle_weight(path, {"weight": weights}, weighted=options.weighted)
    directed = options.directed is not False
    return EdgeList((sources - 1).astype(dtype), (destinations - 1).astype(dtype), n, directed, Offset(n, 1), kept)
