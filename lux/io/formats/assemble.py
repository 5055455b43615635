# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Assembly of an `EdgeList` from a file's columns: the caller's options, and rules that all formats share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.checks import checked_flag, warn
from lux.errors import FormatError, GraphError, ParameterError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.compact_ids import compact, placed
from lux.graph.core.ids import Bipartite, Identity, VertexIds
from lux.graph.core.stored_graph import id_dtype
from lux.io.files.atomic import Pathname
from lux.io.formats.endpoint_columns import two_kinds

MOST = 1 << 62  # vertices: leaves headroom in int64


@dataclass(frozen=True)
class Options:
    """Options of the caller of `lux.read_graph`; None means as in the file."""

    directed: bool | None = None
    weighted: bool | None = None
    header: bool | None = None
    bipartite: bool = False
    ids: str = "auto"
    properties: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name in ("directed", "weighted", "header", "bipartite"):
            checked_flag(name, getattr(self, name), optional=name != "bipartite")
        if self.ids not in ("auto", "as-is", "strings"):
            raise ParameterError(f"ids={self.ids!r}: pass 'auto', 'as-is' or 'strings'")

    def only(self, name: str, *allowed: str) -> None:
        """Raise ParameterError for options that the format ``name`` does not have."""
        default = Options()
        for option in ("header", "bipartite", "ids", "properties"):
            if option not in allowed and getattr(self, option) != getattr(default, option):
                raise ParameterError(f"{option}={getattr(self, option)!r} has no meaning for {name}: leave it out")


def undirected_by_definition(path: Pathname, name: str, options: Options) -> None:
    """Raise ParameterError if a directed graph is asked of an undirected file."""
    if options.directed:
        raise ParameterError(f"directed=True contradicts {path}: {name} is undirected; leave it out")


def column_names(n_columns: int) -> list[str]:
    """Return names for unnamed columns: the third is the weight."""
    return ["source", "destination", "weight", *(f"column{i + 1}" for i in range(3, n_columns))][:n_columns]


def chosen_properties(path: Pathname, names: Sequence[str], endpoints: tuple[int, int], options: Options) -> list[int]:
    """Return the columns to read as edge properties."""
    others = [i for i in range(len(names)) if i not in endpoints]
    if options.properties is None:
        return others
    missing = sorted(set(options.properties) - {names[i] for i in others})
    if missing:
        raise GraphError(f"{path} has no column {missing[0]!r}; its properties are {[names[i] for i in others]}")
    return [i for i in others if names[i] in options.properties]


def warn_of_two_kinds(
    path: Pathname, names: Sequence[str], ends: tuple[int, int], columns: tuple[Any, Any], options: Options
) -> None:
    """Warn if equal ids of what seem two kinds of vertices become one vertex."""
    first, second = (names[i] for i in ends)
    if options.bipartite or not two_kinds(first, second):
        return
    numbers = [column for column in columns if isinstance(column, np.ndarray) and len(column)]
    if len(numbers) < 2 or max(c.min() for c in numbers) > min(c.max() for c in numbers):
        return
    warn(
        f"{path}: equal ids in the columns {first!r} and {second!r} are read as one vertex. If these are two kinds of "
        "vertices, pass bipartite=True; if not, name the columns 'source' and 'target'"
    )


def settle_weight(
    path: Pathname, properties: dict[str, NDArray[Any]], *, weighted: bool | None
) -> dict[str, NDArray[Any]]:
    """Return the properties with a ``weight`` if one is asked for (else the first property serves), or without."""
    if weighted is False:
        return {name: values for name, values in properties.items() if name != "weight"}
    if weighted and "weight" not in properties:
        if not properties:
            raise GraphError(f"{path} has no weights: leave out weighted=True")
        first = next(iter(properties))
        return {"weight" if name == first else name: values for name, values in properties.items()}
    return properties


def assemble(
    path: Pathname,
    sources: Any,
    destinations: Any,
    properties: dict[str, NDArray[Any]],
    options: Options,
    known: VertexIds | None = None,
) -> EdgeList:
    """Build the `EdgeList` of a file; vertices are the ids that occur (or 0 to the largest, ``ids="as-is"``).

    ``known`` are the vertices of a file that lists them.
    """
    if not len(sources) and known is None:
        raise GraphError(f"{path} has no edges, so it has no vertices")
    ids: VertexIds
    if known is not None:
        (sources, destinations), ids = placed(sources, destinations, known), known
    elif options.ids == "as-is":
        sources, destinations, ids = _as_is(path, sources, destinations, bipartite=options.bipartite)
    else:
        sources, destinations, ids = compact(sources, destinations, bipartite=options.bipartite, in_place=True)
    directed = options.directed if options.directed is not None else not options.bipartite
    kept = settle_weight(path, properties, weighted=options.weighted)
    return EdgeList(sources, destinations, len(ids), directed, ids, kept)


def _as_is(path: Pathname, sources: Any, destinations: Any, *, bipartite: bool) -> tuple[Any, Any, VertexIds]:
    for ids in (sources, destinations):
        if not isinstance(ids, np.ndarray) or ids.dtype.kind not in "iu":
            raise FormatError(f"{path}: ids='as-is' needs integer ids, and these are strings: leave it out")
        if ids.min() < 0:
            raise FormatError(f"{path}: ids='as-is' needs ids from 0 on, and one is {ids.min()}: leave it out")
    ends = [int(sources.max()) + 1, int(destinations.max()) + 1]
    n = sum(ends) if bipartite else max(ends)
    if n > MOST:
        raise FormatError(f"{path}: ids='as-is' makes vertices of all ids up to {max(ends) - 1}: leave it out")
    dtype = id_dtype(n)
    dense = destinations.astype(dtype) + dtype.type(ends[0] if bipartite else 0)
    names: VertexIds = Bipartite(Identity(ends[0]), Identity(ends[1])) if bipartite else Identity(n)
    return sources.astype(dtype), dense, names
