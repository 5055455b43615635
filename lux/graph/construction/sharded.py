# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges of which every process has its own share: numbered by all processes together.

The edges of a graph are those of the first process, then those of the second, and so on. Every process has the ids of
all vertices in the end, as of any graph, and never the edges of another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import GraphError, LuxError, ParameterError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.compact_ids import PIECE, compact, widest_span
from lux.graph.core.ids import Bipartite, Integers, Strings, VertexIds, offset
from lux.graph.core.stored_graph import id_dtype
from lux.partition.split_points import nodes_of
from lux.runtime.exchange import exchange_words, gathered

Found = TypeVar("Found")


def on_all_ranks(action: Callable[[], Found]) -> Found:
    """Call an action of each process's own, and raise the error of any on all of them."""
    found, error = None, None
    try:
        found = action()
    except LuxError as raised:
        error = raised
    runtime.raise_on_all_ranks(error)
    return found  # type: ignore[return-value]  # an error was raised otherwise


def all_facts(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the facts that each process passes, on all of them; values are those of JSON."""
    coded = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    return [json.loads(found.tobytes()) for found in gathered(coded)]


def numbered(
    sources: Any, destinations: Any, *, bipartite: bool, isolated: Any = (), in_place: bool = False
) -> tuple[NDArray[Any], NDArray[Any], VertexIds]:
    """Number the vertices of all processes' edges; see `lux.graph.core.compact_ids.compact`.

    With ``in_place`` the arrays may be overwritten, and returned.

    Returns
    -------
    sources, destinations : np.ndarray, uint32 or uint64
        Dense ids of this process's edges.
    ids : VertexIds
        All vertices, the same on every process.

    Raises
    ------
    GraphError
        No process has an edge.
    ParameterError
        Ids that are neither integers nor strings, or integers here and strings there.
    """
    if not len(sources):
        sources = destinations = np.empty(0, np.int64)
    u, v, own = on_all_ranks(
        lambda: compact(sources, destinations, bipartite=bipartite, isolated=isolated, in_place=in_place)
    )
    sides = (own.left, own.right) if isinstance(own, Bipartite) else (own,)
    found = [_union(side) for side in sides]
    if not bipartite:
        ids, places = found[0]
        return _entries(places, u), _entries(places, v), ids
    (left, left_places), (right, right_places) = found
    ids = Bipartite(left, right)
    dtype = id_dtype(len(ids))
    u, v = left_places[u], right_places[v - v.dtype.type(len(sides[0]))]
    return u.astype(dtype, copy=False), v.astype(dtype) + dtype.type(len(left)), ids


def _entries(table: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """Return a table's entries at some places, which they overwrite where their types are the same."""
    if table.dtype != places.dtype:
        return np.asarray(table[places])
    from lux.graph.core import number_kernels as kernels

    cuts = [slice(lo, lo + PIECE) for lo in range(0, len(places), PIECE)]
    runtime.run_pool(len(cuts), lambda k: kernels.places(places[cuts[k]], np.uint64(0), table, places[cuts[k]]))
    return places


@dataclass(frozen=True)
class ShardedEdges:
    """Edges of all processes, of which this one holds its own; an `EdgeSource` of several processes.

    Attributes
    ----------
    sources, destinations : np.ndarray of shape (edges of this process,)
        Dense ids.
    properties : mapping of name to np.ndarray
    counts : np.ndarray of shape (processes,), int64
        Edges of each process.
    """

    sources: NDArray[Any]
    destinations: NDArray[Any]
    properties: Mapping[str, NDArray[Any]]
    counts: NDArray[np.int64]
    ids: VertexIds
    directed: bool
    property_types: Mapping[str, np.dtype[Any]]

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.ids)

    @property
    def n_edges(self) -> int:
        """Number of edges of all processes."""
        return int(self.counts.sum())

    def cuts(self, slices: int) -> NDArray[np.int64]:
        """Return the first edge of each point of a launch, so that every point has edges of its own process.

        >>> ends = np.zeros(4, np.uint32)
        >>> ShardedEdges(ends, ends, {}, np.array([4, 3]), offset(1, 0), True, {}).cuts(3)
        array([0, 2, 4, 7])
        """
        cuts, nodes = [0], nodes_of(slices, len(self.counts))
        for rank, count in enumerate(self.counts.tolist()):
            first, points = cuts[-1], int(np.count_nonzero(nodes == rank))
            cuts += [first + count * (k + 1) // points for k in range(points)]
        return np.array(cuts, np.int64)

    def fill(
        self,
        lo: int,
        hi: int,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        properties: Mapping[str, NDArray[Any]],
    ) -> None:
        """Copy edges lo to hi - 1, which are some of this process's, into arrays."""
        first = int(self.counts[: runtime.rank()].sum())
        if lo < hi and not first <= lo < hi <= first + len(self.sources):
            raise LuxError(f"Legate asks process {runtime.rank()} for edges of another: {lo} to {hi}")
        here = slice(lo - first, hi - first) if lo < hi else slice(0)
        sources[:], destinations[:] = self.sources[here], self.destinations[here]
        for name, out in properties.items() if lo < hi else ():
            out[:] = self.properties[name][here]


def joined(
    sources: NDArray[Any],
    destinations: NDArray[Any],
    ids: VertexIds,
    properties: Mapping[str, NDArray[Any]],
    *,
    directed: bool,
) -> ShardedEdges | EdgeList:
    """Join the edges of all processes, in the order of the processes.

    Parameters
    ----------
    sources, destinations : np.ndarray of shape (edges of this process,)
        Dense ids.
    properties : mapping of name to np.ndarray
        Of the same names where a process has edges.

    Returns
    -------
    ShardedEdges or EdgeList
        A list where there are fewer vertices than processes, and so launches of fewer points.

    Raises
    ------
    ParameterError
        Processes have properties of other names, or of types that no one type holds.
    """
    types = {name: values.dtype.str for name, values in properties.items()}
    facts = all_facts({"edges": len(sources), "types": types})
    agreed = _types(facts)
    counts = np.array([each["edges"] for each in facts], np.int64)
    if len(ids) >= runtime.ranks():
        return ShardedEdges(sources, destinations, properties, counts, ids, directed, agreed)
    dtype, none = id_dtype(len(ids)), np.empty(0, np.bool_)
    u, v = (np.concatenate(gathered(column.astype(dtype))) for column in (sources, destinations))
    of_edges = properties if len(sources) else {}
    columns = {name: gathered(of_edges.get(name, none).astype(kind)) for name, kind in agreed.items()}
    return EdgeList(u, v, len(ids), directed, ids, {name: np.concatenate(found) for name, found in columns.items()})


def _types(facts: list[dict[str, Any]]) -> dict[str, np.dtype[Any]]:
    """Return the types of properties that hold those of all processes with edges."""
    having = [(rank, each["types"]) for rank, each in enumerate(facts) if each["edges"]]
    first, types = having[0] if having else (0, facts[0]["types"])
    for rank, others in having:
        if others.keys() != types.keys():
            raise ParameterError(
                f"the edges of process {first} have the properties {list(types)}, and those of process {rank} "
                f"{list(others)}: pass the same on all"
            )
    agreed = {}
    for name in types:
        found = {np.dtype(others[name]) for _, others in having} or {np.dtype(types[name])}
        agreed[name] = np.result_type(*found)
        if agreed[name].kind not in {kind.kind for kind in found}:
            kinds = " and ".join(sorted(map(str, found)))
            raise ParameterError(f"{name} is {kinds} in other processes: pass arrays of one type")
    return agreed


def _union(own: VertexIds) -> tuple[VertexIds, NDArray[Any]]:
    """Return the ids of all processes in ascending order, and the dense id there of each of this process's ids."""
    kind = "none" if not len(own) else "strings" if isinstance(own, Strings) else "integers"
    facts: dict[str, Any] = {"kind": kind, "n": len(own)}
    if kind == "integers":
        facts |= {"low": int(own.labels(0, 1)[0]), "high": int(own.labels(len(own) - 1, len(own))[0])}
    found = [each for each in all_facts(facts) if each["kind"] != "none"]
    kinds = {each["kind"] for each in found}
    if not kinds:
        raise GraphError("there are no edges, so there are no vertices")
    if len(kinds) > 1:
        raise ParameterError("vertex ids are integers in some processes and strings in others: pass one kind of id")
    if kinds == {"strings"}:
        return _union_of_strings(own)
    low, high = min(each["low"] for each in found), max(each["high"] for each in found)
    if low < 0 and high >= 2**63:
        raise ParameterError("some ids are negative and some above 2^63 - 1: no one integer type holds both")
    wide = np.dtype(np.int64 if high < 2**63 else np.uint64)
    labels = own.labels(0, len(own)).astype(wide, copy=False)
    if high - low + 1 <= widest_span(sum(each["n"] for each in found)):
        return _union_in_range(labels, low, high - low + 1)
    return _union_of_integers(labels)


def _union_in_range(labels: NDArray[Any], low: int, span: int) -> tuple[VertexIds, NDArray[Any]]:
    """Join integers of a narrow range, by a bit for each number in it."""
    mine = np.zeros(span, np.bool_)
    inside = (labels - labels.dtype.type(low)).astype(np.int64)
    mine[inside] = True
    bits = np.packbits(mine)
    for others in gathered(bits):
        bits |= others
    present = np.unpackbits(bits, count=span).view(np.bool_)
    n = int(np.count_nonzero(present))
    dtype = id_dtype(n)
    if n == span:
        return offset(n, low), inside.astype(dtype)
    table = np.cumsum(present, dtype=dtype) - dtype.type(1)
    return Integers(np.flatnonzero(present).astype(labels.dtype) + labels.dtype.type(low)), table[inside]


def _union_of_integers(labels: NDArray[Any]) -> tuple[VertexIds, NDArray[Any]]:
    """Join any integers: each process makes those unique that it is sent by their hash."""
    words, ranks = labels.view(np.uint64), runtime.ranks()
    owners = ((words * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) % np.uint64(ranks)
    parts = [words[owners == rank] for rank in range(ranks)]
    facts = all_facts({"sent": [len(part) for part in parts]})
    arrived = exchange_words(parts, [each["sent"][runtime.rank()] for each in facts])
    values = np.sort(np.concatenate(gathered(np.unique(np.concatenate(arrived)).view(labels.dtype))))
    return Integers(values), np.searchsorted(values, labels).astype(id_dtype(len(values)))


def _union_of_strings(own: VertexIds) -> tuple[VertexIds, NDArray[Any]]:
    import pyarrow as pa

    names = own if isinstance(own, Strings) else Strings.of([])
    texts, offsets = gathered(names.text), gathered(names.offsets)
    arrays = [
        pa.LargeStringArray.from_buffers(len(cuts) - 1, pa.py_buffer(cuts), pa.py_buffer(text))
        for text, cuts in zip(texts, offsets, strict=True)
    ]
    everything = pa.concat_arrays(arrays)
    mine = arrays[runtime.rank()]
    places, _, ids = compact(mine if len(mine) else everything, everything)
    return ids, places[: len(mine)]
