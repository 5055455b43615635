# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""METIS graphs: ``n m [fmt [ncon]]``, then one line of neighbours (1 to n) for each vertex; undirected.

The digits of ``fmt`` announce a vertex size and ``ncon`` vertex weights at the start of each line, and a weight after
each neighbour. Lux skips vertex sizes and weights. Lines that start with ``%`` are comments.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError, ParseError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.ids import Offset
from lux.graph.core.stored_graph import id_dtype
from lux.io.files.atomic import Pathname
from lux.io.formats.options import Options, settle_weight, undirected_by_definition
from lux.io.formats.text import smallest
from lux.io.formats.text_file import TextFile


def read(path: Pathname, _name: str, options: Options) -> EdgeList:
    """Read the edges of a METIS file, each once; checks the edge count and the symmetry."""
    options.only("METIS .graph")
    undirected_by_definition(path, "METIS .graph", options)
    text = TextFile(path, "METIS .graph")
    position, end, line = next(text.lines(text.start, b"%"), (0, 0, ""))
    fields = line.split()
    if not fields:
        raise FormatError(f"{path} has no line 'VERTICES EDGES [FMT [NCON]]', so it is no METIS file")
    flags = (fields[2] if len(fields) > 2 else "0").zfill(3)
    why = "a METIS file starts with 'VERTICES EDGES [FMT [NCON]]'"
    if not (2 <= len(fields) <= 4 and len(flags) == 3 and set(flags) <= set("01")):
        raise text.error(position, why)
    n, m, n_weights = text.counts(position, [*fields[:2], *(fields[3:] or "1")], why)
    skipped = int(flags[0]) + int(flags[1]) * n_weights
    sources, destinations, weights = _entries(text, end, n, m, skipped, weighted=flags[2] == "1")
    once = sources <= destinations
    n_loops = int(np.count_nonzero(sources == destinations))
    if len(sources) - n_loops != 2 * (m - n_loops):
        raise FormatError(
            f"{path} lists {len(sources)} neighbours, but its first line says {m} edges, which takes {2 * m}"
        )
    _check_symmetry(path, sources, destinations, weights)
    dtype = id_dtype(n)
    properties = {"weight": smallest(weights[once])} if len(weights) or flags[2] == "1" else {}
    kept = settle_weight(path, properties, weighted=options.weighted)
    u, v = sources[once].astype(dtype), destinations[once].astype(dtype)
    return EdgeList(u, v, n, directed=False, ids=Offset(n, 1), properties=kept)


def _entries(
    text: TextFile, start: int, n: int, m: int, skipped: int, *, weighted: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    from lux.io.formats import parse_kernels

    vertex, parts = 0, [np.empty((2 + weighted, 0), np.int64)]
    for position, block in text.blocks(start):
        entries = np.empty((3, len(block) // 2 + 1), np.int64)
        found, vertex, status, stopped = parse_kernels.adjacency(block, n, vertex, skipped, weighted, entries)
        if status != parse_kernels.DONE:
            raise _error(text, status, position + stopped, n)
        parts.append(entries[: 2 + weighted, :found].copy())
    if vertex < n and not (vertex == n - 1 and skipped == 0):
        raise FormatError(f"{text.path} has fewer lines than its {n} vertices: it is truncated")
    columns = np.concatenate(parts, axis=1)
    if columns.shape[1] > 2 * m:
        raise FormatError(
            f"{text.path} lists {columns.shape[1]} neighbours, but its first line says {m} edges, which takes {2 * m}"
        )
    return columns[0], columns[1], columns[2] if weighted else np.empty(0, np.int64)


def _error(text: TextFile, status: int, position: int, n: int) -> ParseError:
    from lux.io.formats import parse_kernels

    why = {
        parse_kernels.NOT_INTEGER: "a field is not an integer",
        parse_kernels.TOO_LARGE: f"a neighbour is not in 1 to {n}",
        parse_kernels.TOO_FEW: "a weight is missing",
        parse_kernels.TOO_MANY: f"there are more lines than the {n} vertices",
    }[status]
    return text.error(position, why)


def _check_symmetry(path: Pathname, sources: NDArray[Any], destinations: NDArray[Any], weights: NDArray[Any]) -> None:
    """Check that every edge is listed at both ends, with the same weight."""
    sides = []
    for chosen, low, high in (
        (sources < destinations, sources, destinations),
        (sources > destinations, destinations, sources),
    ):
        keys = [weights[chosen]] if len(weights) else []
        order = np.lexsort([*keys, high[chosen], low[chosen]])
        sides.append([column[chosen][order] for column in (low, high, *([weights] if len(weights) else []))])
    forward, backward = sides
    if len(forward[0]) != len(backward[0]):
        longer, shorter = (forward, backward) if len(forward[0]) > len(backward[0]) else (backward, forward)
        known = set(zip(*(column.tolist() for column in shorter[:2]), strict=True))
        u, v = next(
            (pair for pair in zip(*(c.tolist() for c in longer[:2]), strict=True) if pair not in known),
            (int(longer[0][0]), int(longer[1][0])),
        )
        raise FormatError(f"{path} is not symmetric: the edge between {u + 1} and {v + 1} stands at one end only")
    for a, b in zip(forward, backward, strict=True):
        wrong = np.flatnonzero(a != b)
        if len(wrong):
            u, v = int(forward[0][wrong[0]]) + 1, int(forward[1][wrong[0]]) + 1
            raise FormatError(f"{path} is not symmetric: the edge between {u} and {v} is not the same at both ends")
