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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.deal import Rows, by_row, deal, starts
from lux.bfs_engines.mail import Mail
from lux.engine.layout import cut
from lux.kernels import separated_dealing as kernels
from lux.kernels.separated_dealing import KINDS
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
        The delegates' places.
    far : int
        The list of each processor's nn destinations that others own.
    paper : int
        8n + 8dp + 4m + 4|nn| (Table I; its columns of nn edges have 64 bits. Here those have 32 bits too, and ``far``
        says which vertices they stand for).
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


class Slices(NamedTuple):
    """Which parts of what a processor sees are its subgraphs' offsets and columns, by kind, and its masks.

    Attributes
    ----------
    offsets, columns : tuple of slice
        Of nn, nd, dn, dd.
    nd_rows, dn_rows, dd_rows : slice
        Of the masks.
    """

    offsets: tuple[slice, ...]
    columns: tuple[slice, ...]
    nd_rows: slice
    dn_rows: slice
    dd_rows: slice


@dataclass(frozen=True)
class Separation:
    """The four subgraphs of every processor.

    Attributes
    ----------
    layout : Layout
    threshold : int
        Delegates have more out-edges.
    places : np.ndarray of shape (n_delegates,), uint32
        The delegates' places, in rising order; a delegate's number is its position.
    delegates : Store
        The same.
    rows : Rows
        Bins 4p to 4p + 3 are the nn, nd, dn and dd edges of processor p. Rows are its vertices (nn, nd) or delegates.
        Columns are its vertices (dn) or delegates (nd, dd), and for nn edges its vertices and after them the far
        destinations, as they ascend: all 32-bit local ids.
    masks : Store, uint64
        For each processor the bits of rows of nd, dn, and dd that are not empty. (The paper has a list for nd: on
        CPU cores a mask of which 64 vertices are skipped at a time is shorter and as quick.)
    far : np.ndarray of shape (parts, parts), int64
        Number of nn destinations of each processor (row) that each other one (column) owns.
    far_places : Mail
        Their places. A message from p to q names them by their numbers among ``far[p, q]``.
    """

    layout: Layout
    threshold: int
    places: NDArray[np.uint32]
    delegates: Store
    rows: Rows
    masks: Store
    far: NDArray[np.int64]
    far_places: Mail

    @property
    def parts(self) -> int:
        """Number of processors."""
        return self.layout.parts

    @property
    def n_delegates(self) -> int:
        """Number of delegates."""
        return len(self.places)

    @property
    def mask_words(self) -> int:
        """Words of a mask of all delegates."""
        return words(self.n_delegates)

    @cached_property
    def vertex_words(self) -> NDArray[np.int64]:
        """Words of a mask of each processor's vertices."""
        return np.array([words(int(n)) for n in np.diff(self.layout.points)], np.int64)

    @cached_property
    def own_delegates(self) -> NDArray[np.int64]:
        """Number of the first delegate of each processor, and of all."""
        return np.searchsorted(self.places, self.layout.points).astype(np.int64)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Edges of each processor (row) by kind: nn, nd, dn, dd."""
        return np.diff(self.rows.cuts["columns"]).reshape(self.parts, KINDS)

    @cached_property
    def splits(self) -> dict[str, Store]:
        """Which part of offsets, columns and masks each processor sees."""
        cuts = {name: rows.reshape(self.parts, -1)[:, [0, -1]] for name, rows in self.rows.cuts.items()}
        made = {f"{name}_rows": runtime.rectangles(rows[:, 0], rows[:, 1] - 1) for name, rows in cuts.items()}
        return made | {"mask_rows": runtime.ranges(mask_at(self.vertex_words, self.mask_words))}

    @cached_property
    def slices(self) -> list[Slices]:
        """What each processor finds where."""
        found, words = [], self.mask_words
        for part, n in enumerate(self.vertex_words.tolist()):
            offsets, columns = (
                tuple(slice(int(a - rows[KINDS * part, 0]), int(b - rows[KINDS * part, 0])) for a, b in rows[bins])
                for bins in [slice(KINDS * part, KINDS * (part + 1))]
                for rows in (self.rows.cuts["offsets"], self.rows.cuts["columns"])
            )
            masks = slice(0, n), slice(n, n + words), slice(n + words, n + 2 * words)
            found.append(Slices(offsets, columns, *masks))
        return found

    @property
    def bytes(self) -> StorageBytes:
        """What it takes, and what other representations would."""
        graph = self.layout.graph
        n, m, d, nn = graph.n_vertices, graph.n_edges, self.n_delegates, int(self.edges[:, kernels.NN].sum())
        return StorageBytes(
            subgraphs=self.rows.nbytes,
            masks=self.masks.nbytes,
            delegates=4 * d,
            far=4 * int(self.far.sum()),
            paper=8 * n + 8 * d * self.parts + 4 * m + 4 * nn,
            csr=8 * n + 8 * m,
            edge_list=16 * m,
        )


def words(bits: int) -> int:
    """Words of 64 bits for so many."""
    return -(-bits // 64)


def mask_at(vertex_words: NDArray[np.int64], mask_words: int) -> NDArray[np.int64]:
    """Where the masks of each processor begin, and the last's end."""
    return starts(vertex_words + 2 * mask_words)


def bytes_to_deal(layout: Layout) -> int:
    """Bytes of the stores that `separate` makes, at most (with a delegate for every four vertices)."""
    graph = layout.graph
    return 24 * graph.n_edges + (8 + 2 * layout.parts) * graph.n_vertices


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
    n_rows = np.full((parts, KINDS), len(places), np.int64)
    n_rows[:, [kernels.NN, kernels.ND]] = np.diff(points)[:, None]
    offsets = np.uint32 if np.diff(dealt.at).max() < 2**32 else np.int64
    rows = by_row(dealt, n_rows.ravel(), offsets)
    far, far_places = _number_far(layout, rows)
    made = Separation(
        layout, threshold, places, runtime.from_array(places), rows, _mark_rows(rows, len(places)), far, far_places
    )
    runtime.finish()
    return made


def _number_far(layout: Layout, rows: Rows) -> tuple[NDArray[np.int64], Mail]:
    """List the far destinations of nn edges, and make local ids of the columns of these."""
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


def _mark_rows(rows: Rows, n_delegates: int) -> Store:
    cuts = rows.cuts["offsets"].reshape(-1, KINDS, 2)
    sizes = np.array([words(int(b - a) - 1) for a, b in cuts[:, kernels.ND]], np.int64)
    at = mask_at(sizes, words(n_delegates))
    masks, key = runtime.new_store(np.uint64, int(at[-1])), runtime.share(cuts - cuts[:, :1, :1])
    _row_marker()(
        len(cuts),
        in_offsets=rows.offsets,
        masks=masks,
        offsets=runtime.rectangles(cuts[:, 0, 0], cuts[:, -1, 1] - 1),
        mask_rows=runtime.ranges(at),
        key=key,
    )
    runtime.finish()
    runtime.unshare(key)
    return masks


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
    from lux.kernels import grouping

    def list_far(point: int, far_places: Any, columns: Any, key: int) -> None:
        low, high, members = _far_of(point, columns, runtime.shared(key))
        grouping.list_members(members, far_places)
        kernels.number_columns(columns, low, high, members)

    return Launcher(list_far, outputs={"far_places": "outbox"}, updates={"columns": "nn"}, scalars={"key": int})


@functools.cache
def _row_marker() -> Launcher:
    def mark_rows(point: int, offsets: Any, masks: Any, key: int) -> None:
        at = 0
        for low, high in runtime.shared(key)[point, kernels.ND :].tolist():
            kernels.mark_rows(offsets[low:high], masks[at:])
            at += words(high - low - 1)

    inputs: dict[str, str | None] = {"in_offsets": "offsets"}
    return Launcher(mark_rows, inputs=inputs, outputs={"masks": "mask_rows"}, scalars={"key": int})
