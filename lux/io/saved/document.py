# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Document of a saved graph, ``graph.json``, and its checks."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lux.errors import FormatError
from lux.graph.core.stored_graph import id_dtype
from lux.partition.split_points import MAX_PARTITIONS

if TYPE_CHECKING:
    from lux.graph.graph import Graph

VERSION = 2
NAME = "graph.json"
ORDER = ("order-vertices", "order-places")
"""Columns of a graph whose vertices are not stored in the order of their ids."""
MOST = 2**62
"""Maximum number of vertices or edges, whose offsets are int64."""


@dataclass(frozen=True)
class Document:
    """Document of the sizes and types of a saved graph.

    Attributes
    ----------
    n_vertices, n_edges : int
    directed : bool
    order : str or None
        Name of the `lux.graph.core.stored_graph.Order`, with its ``ranges`` and ``points``.
    properties : dict of name to np.dtype
        Edge properties; the k-th is in ``property-k.npy``.
    number : int
        Random number of the save, which tells two saves apart.
    """

    n_vertices: int
    n_edges: int
    directed: bool
    order: str | None
    ranges: int | None
    points: list[int] | None
    properties: dict[str, np.dtype[Any]]
    number: int = field(default_factory=lambda: secrets.randbits(52))

    @classmethod
    def of(cls, graph: Graph) -> Document:
        """Return the document of a graph to save."""
        order, ranges, points = None, None, None
        if graph.order is not None:
            order, ranges, points = graph.order.name, graph.order.ranges, graph.order.points
        listed = None if points is None else points.tolist()
        sizes = graph.n_vertices, graph.n_edges, graph.directed
        return cls(*sizes, order, ranges, listed, dict(graph.property_types))

    @property
    def columns(self) -> dict[str, tuple[np.dtype[Any], int]]:
        """Type and length of every column, by the name of its file without ``.npy``."""
        ids, n, m = id_dtype(self.n_vertices), self.n_vertices, self.n_edges
        columns = {"offsets": (np.dtype(np.int64), n + 1), "sources": (ids, m)}
        columns |= dict.fromkeys(ORDER, (ids, n)) if self.order is not None else {}
        return columns | {f"property-{k}": (dtype, m) for k, dtype in enumerate(self.properties.values())}

    def text(self) -> str:
        """Return the document as JSON."""
        types = {name: dtype.str for name, dtype in self.properties.items()}
        return json.dumps({"version": VERSION} | asdict(self) | {"properties": types}, indent=1)

    @classmethod
    def parse(cls, content: bytes) -> Document:
        """Parse the document from JSON.

        Raises
        ------
        FormatError
            The text is no JSON, of another version, or has something missing or wrong.
        """
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"it is no JSON ({error})") from None
        if not isinstance(found, dict) or "version" not in found:
            raise FormatError("it does not say its version")
        if found["version"] != VERSION or isinstance(found["version"], bool):
            raise FormatError(
                f"it was saved in version {_shown(found['version'])} of the format; this Lux reads version {VERSION}"
            )
        n, m = _count(found, "n_vertices", 1), _count(found, "n_edges", 0)
        _expect(isinstance(found.get("directed"), bool), found, "directed", "true or false")
        order = found.get("order")
        _expect(order is None or (isinstance(order, str) and bool(order)), found, "order", "null or a name")
        ranges = None if found.get("ranges") is None else _count(found, "ranges", 0)
        _expect(ranges is None or order is not None, found, "ranges", "null where there is no order")
        number = _count(found, "number", 0) if "number" in found else 0
        return cls(n, m, found["directed"], order, ranges, _points(found, n), _properties(found), number)


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


def _properties(found: dict[str, Any]) -> dict[str, np.dtype[Any]]:
    properties = found.get("properties")
    _expect(isinstance(properties, dict), found, "properties", "names with types")
    assert isinstance(properties, dict)
    types = {np.dtype(kind).str: np.dtype(kind) for kind in "?bBhHiIlLefd"}
    for kind in properties.values():
        _expect(
            isinstance(kind, str) and kind in types, found, "properties", f"names with types, of {', '.join(types)}"
        )
    return {name: types[kind] for name, kind in properties.items()}


def _count(found: dict[str, Any], key: str, least: int) -> int:
    value = found.get(key)
    _expect(type(value) is int and least <= value <= MOST, found, key, f"a whole number from {least}")
    assert isinstance(value, int)
    return value


def _expect(right: bool, found: dict[str, Any], key: str, what: str) -> None:
    if not right:
        has = f"is {_shown(found[key])}" if key in found else "is missing"
        raise FormatError(f"{key!r} {has}: it should be {what}")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
