# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sections of a saved graph, and the one in JSON, ``document``, which has names and what is no column.

| Section                              | Values                                                                       |
|--------------------------------------|------------------------------------------------------------------------------|
| ``document``                         | the JSON                                                                     |
| ``offsets``                          | int64, n + 1: the first in-edge of each vertex, and their number             |
| ``sources``                          | uint32 (uint64 above 2^32 vertices): the source of each edge, by destination |
| ``order-vertices``, ``order-places`` | `lux.graph.core.stored_graph.Order`, if there is one                         |
| ``property-0`` ...                   | a value for each edge; names are in the document                             |
| ``ids.values``                       | ids that are integers, unless they are consecutive                           |
| ``ids.text``, ``ids.offsets``        | ids that are names, in UTF-8, and where each begins                          |
| ``ids.left.values`` ...              | ids of the two sides of a bipartite graph                                    |
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.core.stored_graph import id_dtype
from lux.io.saved.header import CHECKSUMS, MOST, Columns, Header
from lux.partition.split_points import MAX_PARTITIONS

if TYPE_CHECKING:
    from lux.graph.graph import Graph

DOCUMENT, IDS = "document", "ids."
"""The section of the document, and the begin of the names of those with ids."""
ORDER = ("order-vertices", "order-places")
"""Sections of a graph whose vertices are not stored in the order of their ids."""


@dataclass(frozen=True)
class Document:
    """Document of a saved graph.

    Attributes
    ----------
    properties : list of str
        Names of edge properties; the k-th is the section ``property-k``.
    order : str or None
        Name of the `lux.graph.core.stored_graph.Order`, with its ``ranges`` and ``points``.
    ids : dict of str to str or int
        Numbers and words of `lux.graph.core.ids.VertexIds.to_arrays`; arrays are sections.
    summary : dict or None
        The graph's summary for the performance model, if it was counted.
    """

    properties: list[str]
    order: str | None = None
    ranges: int | None = None
    points: list[int] | None = None
    ids: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] | None = None

    @classmethod
    def of(cls, graph: Graph) -> Document:
        """Return the document of a graph to save."""
        order, ranges, points = None, None, None
        if graph.order is not None:
            order, ranges, points = graph.order.name, graph.order.ranges, graph.order.points
        listed = None if points is None else points.tolist()
        ids = {key: values.item() for key, values in graph.ids.to_arrays().items() if not values.ndim}
        summary = None if graph.summary is None else asdict(graph.summary)
        return cls(list(graph.property_types), order, ranges, listed, ids, summary)

    def text(self) -> str:
        """Return the document as JSON."""
        return json.dumps(vars(self))

    @classmethod
    def parse(cls, content: bytes, n_vertices: int) -> Document:
        """Parse the document from JSON.

        Raises
        ------
        FormatError
            The text is no JSON, or has something missing or wrong.
        """
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"it is no JSON ({error})") from None
        if not isinstance(found, dict):
            raise FormatError("it is no object with names")
        names, order, ids = found.get("properties"), found.get("order"), found.get("ids")
        right = isinstance(names, list) and all(isinstance(name, str) for name in names)
        _expect(right and len(set(names or ())) == len(names or ()), found, "properties", "different names")
        _expect(order is None or (isinstance(order, str) and bool(order)), found, "order", "null or a name")
        ranges = found.get("ranges")
        _expect(ranges is None or (type(ranges) is int and 0 <= ranges <= MOST), found, "ranges", "a whole number")
        _expect((ranges is None) == (order is None), found, "ranges", "a number where there is an order, else null")
        right = isinstance(ids, dict) and all(isinstance(value, str) or type(value) is int for value in ids.values())
        right = right and all(type(value) is str or -(2**63) <= value < 2**64 for value in (ids or {}).values())
        _expect(right, found, "ids", "words and numbers")
        summary = found.get("summary")
        _expect(summary is None or isinstance(summary, dict), found, "summary", "null or a summary")
        return cls(names or [], order, ranges, _points(found, n_vertices), ids or {}, summary)


def columns_of(graph: Graph, document: bytes, ids: Mapping[str, NDArray[Any]]) -> Columns:
    """Return the type and the length of each section of a graph to save."""
    own, n, m = graph.id_dtype, graph.n_vertices, graph.n_edges
    columns: dict[str, tuple[np.dtype[Any], int]] = {DOCUMENT: (np.dtype(np.uint8), len(document))}
    columns |= {"offsets": (np.dtype(np.int64), n + 1)}
    columns |= {"sources": (own, m)} | (dict.fromkeys(ORDER, (own, n)) if graph.order is not None else {})
    columns |= {f"property-{k}": (np.dtype(dtype), m) for k, dtype in enumerate(graph.property_types.values())}
    return columns | {name: (values.dtype, len(values)) for name, values in ids.items()}


def check_sections(header: Header, document: Document) -> None:
    """Raise FormatError unless a file has the sections of its graph, with their types and lengths."""
    n, m, sections = header.n_vertices, header.n_edges, header.sections
    own = id_dtype(n)
    asked = {"offsets": (np.dtype(np.int64), n + 1), "sources": (own, m)}
    asked |= dict.fromkeys(ORDER, (own, n)) if document.order is not None else {}
    for name, (dtype, length) in asked.items():
        found = sections.get(name)
        if found is None or (found.dtype, found.length) != (dtype, length):
            has = "is missing" if found is None else f"has {found.length} values of {found.dtype}"
            raise FormatError(f"section {name!r} {has}: it should have {length} of {dtype}")
    for k, name in enumerate(document.properties):
        if f"property-{k}" not in sections or sections[f"property-{k}"].length != m:
            raise FormatError(f"section 'property-{k}' ({name}) should have a value for each of {m} edges")
    known = {*asked, CHECKSUMS, DOCUMENT, *(f"property-{k}" for k in range(len(document.properties)))}
    others = [name for name in sections if name not in known and not name.startswith(IDS)]
    if others:
        raise FormatError(f"section {others[0]!r} is none of a graph")


def _points(found: dict[str, Any], n_vertices: int) -> list[int] | None:
    points = found.get("points")
    if points is None:
        return None
    right = isinstance(points, list) and 2 <= len(points) <= MAX_PARTITIONS + 1
    right = right and all(type(point) is int for point in points)
    right = right and points[0] == 0 and points[-1] == n_vertices and points == sorted(points)
    what = f"null or 2 to {MAX_PARTITIONS + 1} numbers that ascend from 0 to {n_vertices}"
    _expect(right and found.get("order") is not None, found, "points", what + ", with an order")
    return list(points)


def _expect(right: bool, found: dict[str, Any], key: str, what: str) -> None:
    if not right:
        has = f"is {_shown(found[key])}" if key in found else "is missing"
        raise FormatError(f"{key!r} {has}: it should be {what}")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
