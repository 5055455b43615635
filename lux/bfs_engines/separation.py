# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph whose vertices of many edges are delegates, dealt to processors as four subgraphs each.

Every processor has a copy of all delegates, and owns a range of places. The edge distributor (section III-B of Pan,
Pearce and Owens, "Scalable breadth-first search on a GPU cluster", 2018) gives the edges of normal vertices to their
owners, those from delegates to normal vertices to the owners of the latter, and those between delegates to the owner of
the one with fewer edges. So only nn edges lead to another processor.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.deal import Rows, by_row, deal
from lux.bfs_engines.mail import Mail
from lux.bfs_engines.sections import Sections
from lux.kernels import grouping
from lux.kernels import separated_dealing as kernels
from lux.kernels.separated_dealing import KINDS
from lux.kernels.separated_state import Subgraphs
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.layout import Layout


@dataclass(frozen=True)
class StorageBytes:
    """Bytes of a separated graph, over all processors, beside those of other representations.

    Attributes
    ----------
    subgraphs : int
        Row offsets and columns of nn, nd, dn and dd, as measured.
    masks : int
        The bits of rows that are not empty.
    delegates : int
        The delegates' places, of which each processor has a copy.
    far : int
        Lists of the vertices of others that nn edges lead to.
    paper : int
        8n + 8dp + 4m + 4|nn| (Table I), for ``subgraphs``. Its columns of nn edges have 64 bits; here they have 32,
        and ``far`` says which vertices they stand for.
    csr : int
        8n + 8m.
    edge_list : int
        16m.
    """

    subgraphs: int
    masks: int
    delegates: int
    far: int
    paper: int
    csr: int
    edge_list: int

    @property
    def measured(self) -> int:
        """All of the separated graph."""
        return self.subgraphs + self.masks + self.delegates + self.far


@dataclass(frozen=True)
class Separation:
    """The four subgraphs of every processor.

    Attributes
    ----------
    points : np.ndarray of shape (parts + 1,), int64
        Split points of the places.
    vertices : Store
        The rectangle of each processor's places.
    n_edges : int
    threshold : int
        Delegates have more out-edges.
    places : np.ndarray of shape (n_delegates,), uint32
        The delegates' places, in rising order; a delegate's number is its position.
    edges : np.ndarray of shape (parts, 4), int64
        Edges of each processor by kind: nn, nd, dn, dd.
    far : np.ndarray of shape (parts, parts), int64
        Number of nn destinations of each processor (row) that each other one (column) owns. A message from p to q names
        vertices by their numbers among ``far[p, q]``.
    far_places : Mail
        Their places, in rising order.
    sections : Sections
        The arrays of `lux.kernels.separated_state.Subgraphs`. (The paper has a list of the rows of nd that are not
        empty: on CPU cores a mask, of which 64 vertices are skipped at a time, is shorter and as quick.)
    store : Store
        What ``sections`` describes.
    """

    points: NDArray[np.int64]
    vertices: Store
    n_edges: int
    threshold: int
    places: NDArray[np.uint32]
    edges: NDArray[np.int64]
    far: NDArray[np.int64]
    far_places: Mail
    sections: Sections
    store: Store

    @property
    def parts(self) -> int:
        """Number of processors."""
        return len(self.points) - 1

    @property
    def n_delegates(self) -> int:
        """Number of delegates."""
        return len(self.places)

    @property
    def mask_words(self) -> int:
        """Words of a mask of all delegates."""
        return -(-self.n_delegates // 64)

    @cached_property
    def own_delegates(self) -> NDArray[np.int64]:
        """Number of the first delegate of each processor, and of all."""
        return np.searchsorted(self.places, self.points).astype(np.int64)

    def subgraphs(self, point: int, given: NDArray[np.uint32]) -> Subgraphs:
        """A processor's subgraphs, from what it sees of ``store``."""
        return Subgraphs(*self.sections.views(point, given))

    @property
    def bytes(self) -> StorageBytes:
        """What it takes, and what other representations would."""
        measured = self.sections.nbytes_of
        n, m, d, nn = int(self.points[-1]), self.n_edges, self.n_delegates, int(self.edges[:, kernels.NN].sum())
        return StorageBytes(
            subgraphs=measured(*OFFSETS, *COLUMNS),
            masks=measured("nd_rows", "dn_rows", "dd_rows"),
            delegates=measured("delegates"),
            far=4 * int(self.far.sum()),
            paper=8 * n + 8 * d * self.parts + 4 * m + 4 * nn,
            csr=8 * n + 8 * m,
            edge_list=16 * m,
        )


OFFSETS = ("nn_offsets", "nd_offsets", "dn_offsets", "dd_offsets")
COLUMNS = ("nn", "nd", "dn", "dd")


def words(bits: Any) -> Any:
    """Words of 64 bits for so many."""
    return -(-bits // 64)


def bytes_to_deal(layout: Layout) -> int:
    """Bytes of the stores that `separate` makes, at most (with a delegate for every four vertices)."""
    graph = layout.graph
    return 20 * graph.n_edges + (8 + 4 * layout.parts) * graph.n_vertices


def separate(layout: Layout, threshold: int) -> Separation:
    """Deal the edges of an undirected graph by degrees; every rank holds the degrees meanwhile."""
    graph, parts, points = layout.graph, layout.parts, layout.points
    degrees = np.diff(runtime.to_array(graph.offsets)[: graph.n_vertices + 1])
    places = np.flatnonzero(degrees > threshold).astype(np.uint32)
    members = np.empty(2 * words(graph.n_vertices), np.uint64)
    kernels.mark_members(places, members)
    own_degrees = degrees[places]

    def rule(sources: Any, destinations: Any) -> tuple[Any, Any, Any]:
        bins, rows, columns = (np.empty(len(sources), t) for t in (np.int32, np.uint32, np.uint32))
        kernels.distribute(sources, destinations, points, members, own_degrees, bins, rows, columns)
        return bins, rows, columns

    dealt = deal(graph, KINDS * parts, rule)
    own, d = np.diff(points), len(places)
    n_rows = np.column_stack([own, own, np.full((parts, 2), d)])
    offsets = np.uint32 if np.diff(dealt.at).max() < 2**32 else np.int64
    rows = by_row(dealt, n_rows.ravel(), offsets)
    edges = np.diff(dealt.at).reshape(parts, KINDS)
    del dealt
    far, far_places = _far(layout, rows)
    sections = Sections(
        {name: (offsets, n_rows[:, kind] + 1) for kind, name in enumerate(OFFSETS)}
        | {name: (np.uint32, edges[:, kind]) for kind, name in enumerate(COLUMNS)}
        | {name: (np.uint64, words(n_rows[:, kind])) for kind, name in enumerate(("nd_rows", "dn_rows", "dd_rows"), 1)}
        | {"delegates": (np.uint32, np.full(parts, d))}
    )
    given = points, layout.splits["vertices"], graph.n_edges
    made = Separation(*given, threshold, places, edges, far, far_places, sections, sections.new_store())
    _pack(made, rows)
    return made


def _whole(cuts: NDArray[np.int64]) -> Store:
    """The rectangle of each processor's bins."""
    return runtime.rectangles(cuts[::KINDS, 0], cuts[KINDS - 1 :: KINDS, 1] - 1)


def _far(layout: Layout, rows: Rows) -> tuple[NDArray[np.int64], Mail]:
    """How many far destinations the nn edges of each processor have, by owner, and their places."""
    parts = layout.parts
    cuts = rows.cuts["columns"][kernels.NN :: KINDS]
    given = {"columns": rows.columns, "nn": runtime.rectangles(cuts[:, 0], cuts[:, 1] - 1)}
    counts, key = runtime.new_store(np.int64, parts * parts), runtime.share(layout.points)
    _far_counter()(parts, **given, counts=counts, table=layout.rows(parts), key=key)
    far = runtime.to_array(counts)[: parts * parts].reshape(parts, parts)
    places = Mail(far)
    _far_lister()(parts, **given, far_places=places.store, outbox=places.outbox, key=key)
    runtime.finish()
    runtime.unshare(key)
    return far, places


def _pack(made: Separation, rows: Rows) -> None:
    """Put the rows into the sections, with 32-bit local ids."""
    key = runtime.share((made, rows.cuts))
    _packer()(
        made.parts,
        given_offsets=rows.offsets,
        given_columns=rows.columns,
        places=runtime.from_array(made.places),
        packed=made.store,
        offsets=_whole(rows.cuts["offsets"]),
        columns=_whole(rows.cuts["columns"]),
        rows=made.sections.rows,
        key=key,
    )
    runtime.finish()
    runtime.unshare(key)


def _far_of(point: int, columns: NDArray[np.uint32], points: NDArray[np.int64]) -> tuple[int, int, Any]:
    low, high = points[point : point + 2].tolist()
    members = np.empty(2 * words(int(points[-1])), np.uint64)
    kernels.mark_far(columns, low, high, members)
    return low, high, members


@functools.cache
def _far_counter() -> Launcher:
    def count_far(point: int, columns: Any, counts: Any, key: int) -> None:
        points = runtime.shared(key)
        _, _, members = _far_of(point, columns, points)
        kernels.count_by_owner(members, points, counts)

    inputs: dict[str, str | None] = {"columns": "nn"}
    return Launcher(count_far, inputs=inputs, outputs={"counts": "table"}, scalars={"key": int})


@functools.cache
def _far_lister() -> Launcher:
    def list_far(point: int, columns: Any, far_places: Any, key: int) -> None:
        _, _, members = _far_of(point, columns, runtime.shared(key))
        grouping.list_members(members, far_places)

    inputs: dict[str, str | None] = {"columns": "nn"}
    return Launcher(list_far, inputs=inputs, outputs={"far_places": "outbox"}, scalars={"key": int})


@functools.cache
def _packer() -> Launcher:
    def pack(point: int, offsets: Any, columns: Any, places: Any, packed: Any, key: int) -> None:
        made, cuts = runtime.shared(key)
        graph = made.subgraphs(point, packed)
        for given, name in ((offsets, "offsets"), (columns, "columns")):
            bins = cuts[name][KINDS * point : KINDS * (point + 1)]
            outs = graph[:KINDS] if name == "offsets" else graph[KINDS : 2 * KINDS]
            for (first, end), out in zip((bins - bins[0, 0]).tolist(), outs, strict=True):
                out[:] = given[first:end]
        low, high, members = _far_of(point, graph.nn, made.points)
        kernels.number_columns(graph.nn, low, high, members)
        for row_offsets, mask in zip(graph[1:KINDS], (graph.nd_rows, graph.dn_rows, graph.dd_rows), strict=True):
            kernels.mark_rows(row_offsets, mask)
        graph.delegates[:] = places[: made.n_delegates]

    return Launcher(
        pack,
        inputs={
            "given_offsets": "offsets",
            "given_columns": "columns",
            "places": None,
        },
        outputs={"packed": "rows"},
        scalars={"key": int},
    )
