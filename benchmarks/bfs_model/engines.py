# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Work and messages of published breadth-first searches over p processors, counted as in their papers.

Every engine's function returns a `Work` of one search (`benchmarks.bfs_model.kronecker.Search`), which `seconds` turns
into time on a `Cluster`. Processors are taken to be equal; load imbalance and overlapping steps are not modelled.

Sources, by the short names used below:

- 2D: Bisson, Bernaschi and Mastrostefano, "Parallel distributed breadth first search on the Kepler architecture", 2014;
- K: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017;
- separated: Pan, Pearce and Owens, "Scalable breadth-first search on a GPU cluster", 2018;
- framework: Pan et al., "Multi-GPU graph analytics", 2017.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.bfs_model import kronecker
from benchmarks.bfs_model.kronecker import Floats, Search

ID = 4
"""Bytes of a vertex in a message."""
MASKED_LEVELS = 0.5
"""Share of the levels after which masks of delegates are reduced ("S' is about half of S", separated, section V-B)."""
THRESHOLD_SCALE, THRESHOLD = 30, 64
"""The threshold of separation (separated, section VI-B); it grows by sqrt(2) for each scale (their Fig. 7)."""


@dataclass(frozen=True)
class Work:
    """Work of one search.

    Attributes
    ----------
    edges, vertices : float
        Edges that one processor scans, and vertices that it handles: its own once, and the ones in messages.
    sent : Mapping of str to float
        Bytes that all processors send together, by step; data that stays on a processor is not counted.
    along : Mapping of str to float
        Bytes of tree reductions that one processor sends one after the other; bytes in ``sent`` are spread evenly.
    levels : int
    messages : float
        Messages that one processor sends.
    """

    edges: float
    vertices: float
    sent: Mapping[str, float]
    along: Mapping[str, float]
    levels: int
    messages: float

    @property
    def items(self) -> float:
        """Edges and vertices of one processor."""
        return self.edges + self.vertices

    @property
    def volume(self) -> float:
        """Total bytes sent."""
        return sum(self.sent.values())


@dataclass(frozen=True)
class Cluster:
    """Cluster of equal processors, and its network.

    Attributes
    ----------
    edge_seconds, vertex_seconds : float
        Time of one processor for an edge and for a vertex.
    near, far : float
        Bytes per second of a processor to processors of its own node, and of other nodes.
    per_node : int
        Processors of a node.
    message_seconds, level_seconds : float
        Latency of each message that a processor sends, and of each level.
    """

    edge_seconds: float
    vertex_seconds: float
    near: float
    far: float
    per_node: int
    message_seconds: float = 0.0
    level_seconds: float = 0.0


def transfer(work: Work, parts: int, cluster: Cluster) -> float:
    """Return the seconds of communication; a processor's partners are spread evenly over all nodes.

    >>> work = Work(0, 0, {"fold": 8e9}, {}, 1, 0)
    >>> transfer(work, 4, Cluster(0, 0, near=1e9, far=1e8, per_node=4))  # 2 GB each
    2.0
    """
    if parts == 1:
        return 0.0
    far = max(0, parts - cluster.per_node) / (parts - 1)
    each = sum(size for step, size in work.sent.items() if step not in work.along) / parts
    slowest = cluster.far if parts > cluster.per_node else cluster.near
    return each * (far / cluster.far + (1 - far) / cluster.near) + sum(work.along.values()) / slowest


def computation(work: Work, cluster: Cluster) -> float:
    """Return the seconds in which a processor scans edges and handles vertices."""
    return cluster.edge_seconds * work.edges + cluster.vertex_seconds * work.vertices


def seconds(work: Work, parts: int, cluster: Cluster) -> float:
    """Return computation + volume / bandwidth + latency: W + H g + S l of the framework's section V.

    >>> work = Work(edges=9e8, vertices=1e8, sent={"fold": 8e9}, along={}, levels=5, messages=100)
    >>> round(seconds(work, 4, Cluster(1e-9, 1e-9, 1e9, 1e8, 4, message_seconds=1e-3, level_seconds=0.1)), 3)
    3.6
    """
    latency = cluster.level_seconds * work.levels + (cluster.message_seconds * work.messages if parts > 1 else 0.0)
    return computation(work, cluster) + transfer(work, parts, cluster) + latency


def square(parts: int) -> tuple[int, int]:
    """Return R and C of the most square grid, R <= C (2D, table 1).

    >>> square(4096), square(8), square(7)
    ((64, 64), (2, 4), (1, 7))
    """
    rows = next(r for r in range(math.isqrt(parts), 0, -1) if parts % r == 0)
    return rows, parts // rows


def every_edge(search: Search, parts: int) -> Work:
    """Count a 1D search that sends an id for every cut edge: the baseline, which no source uses.

    >>> found = kronecker.search(20)
    >>> round(every_edge(found, 2).volume / found.n_edges, 1)  # half of the edges, 4 bytes
    2.0
    """
    edges = float(search.frontier_edges.sum())
    named = edges * (parts - 1) / parts
    return Work(
        edges / parts,
        (search.n_vertices + named) / parts,
        {"push": ID * named},
        {},
        search.levels,
        search.levels * (parts - 1.0),
    )


def one_dimensional(search: Search, parts: int) -> Work:
    """Count a 1D search that sends each remote vertex once (2D's older code, section 2.1; framework, table I: H = |B|).

    >>> found = kronecker.search(20)
    >>> one_dimensional(found, 4).volume < every_edge(found, 4).volume
    True
    """
    named = float(search.first_reached(parts).sum())
    edges, vertices = float(search.frontier_edges.sum()) / parts, (search.n_vertices + named) / parts
    return Work(edges, vertices, {"push": ID * named}, {}, search.levels, search.levels * (parts - 1.0))


def two_dimensional(search: Search, rows: int, columns: int, *, bitmaps: bool = True) -> Work:
    """Count a 2D search: expand along grid columns, fold along grid rows (2D, sections 2.2 and 3.2).

    Expand: each of R - 1 others is sent the frontier. Fold: a processor names a vertex to its owner when its own edges
    first reach it. Lists have 4 bytes a vertex; with ``bitmaps`` a message has N / (8 R C) bytes at most (section 5).
    Parents: the owner asks once for the parents that others found (section 1), 4 bytes each besides the question.

    >>> found = kronecker.search(20)
    >>> work = two_dimensional(found, 2, 2, bitmaps=False)
    >>> round(work.sent["expand"] / float(found.frontiers.sum()))  # R - 1 = 1 message
    4
    >>> two_dimensional(found, 2, 2).volume < work.volume
    True
    """
    gathered, found = search.frontiers * (rows - 1), search.first_reached(columns)
    most = search.n_vertices / 8 if bitmaps else math.inf
    remote = float(search.found_elsewhere(columns).sum())
    sent = {
        "expand": _messages(gathered, rows, most),
        "fold": _messages(found, columns, most),
        "parents": ID * remote + _messages(np.array([remote]), columns, most),
    }
    parts = rows * columns
    edges = float(search.frontier_edges.sum()) / parts
    vertices = (search.n_vertices + float(gathered.sum()) + float(found.sum()) + remote) / parts
    return Work(edges, vertices, sent, {}, search.levels, search.levels * (rows + columns - 2.0))


def _messages(named: Floats, partners: int, most: float) -> float:
    """Return the bytes of vertex lists in each level, or of bitmaps of ``most`` bytes to each other partner."""
    return float(np.minimum(ID * named, most * (partners - 1)).sum()) if partners > 1 else 0.0


def hybrid(search: Search, rows: int, columns: int, *, parent_bytes: float = 16) -> Work:
    """Count a hybrid search: top-down levels as `two_dimensional`, bottom-up levels by table 5 of K.

    Of s_b bottom-up levels: frontier gather s_b V (R - 1) / 8 bytes, rotation s_b V (C - 1) / 8 (the paper has R and C
    for R - 1 and C - 1: what a processor sends itself), and parents: two words of 8 bytes for each vertex that another
    processor than its owner found. V has only vertices with edges (section 4.2). A word of 64 bits counts as a vertex.

    Parameters
    ----------
    parent_bytes : float
        Bytes of a vertex id and its parent's.

    Examples
    --------
    >>> found = kronecker.search(20)
    >>> work = hybrid(found, 4, 4)
    >>> round(work.sent["gather"] / (found.connected * 3 / 8))  # s_b
    2
    """
    up = search.bottom_up()
    gathered, found = search.frontiers * (rows - 1), search.first_reached(columns)
    most, n_up = search.connected / 8, int(up.sum())
    next_up = np.append(search.frontiers, 0.0)[1:][up]
    remote = float(next_up.sum()) * (columns - 1) / columns + float(search.found_elsewhere(columns)[~up].sum())
    sent = {
        "expand": _messages(gathered[~up], rows, most),
        "fold": _messages(found[~up], columns, most),
        "gather": n_up * most * (rows - 1),
        "rotate": n_up * most * (columns - 1),
        "parents": parent_bytes * remote,
    }
    words = (sent["gather"] + sent["rotate"]) / 8
    parts = rows * columns
    edges = float(search.looked_at(both_directions=True).sum()) / parts
    vertices = (search.n_vertices + float(gathered[~up].sum() + found[~up].sum()) + remote + words) / parts
    messages = (search.levels - n_up) * (rows + columns - 2.0) + n_up * (rows - 1.0 + 2 * (columns - 1))
    return Work(edges, vertices, sent, {}, search.levels, messages)


def threshold(scale: int) -> int:
    """Return the out-degree above which a vertex of a Kronecker graph of this scale is a delegate.

    >>> threshold(30), threshold(33)
    (64, 181)
    """
    return max(1, round(THRESHOLD * 2 ** ((scale - THRESHOLD_SCALE) / 2)))


def degree_separated(
    search: Search,
    parts: int,
    per_rank: int,
    *,
    n_delegates: float | None = None,
    normal: float | None = None,
    tree: bool = False,
) -> Work:
    """Count a degree-separated search: delegate masks are reduced, normal vertices sent (separated, section V).

    A mask has d / 8 bytes and is reduced in a tree of log2(p_rank) steps, each there and back, in S' levels; 4 bytes
    name the end of each nn edge (|nn| of them, of which (p - 1) / p are cut). Every processor that has edges of a
    delegate looks for its parent (section IV-B), so each such pair is a vertex that it handles.

    Parameters
    ----------
    per_rank : int
        Processors of a rank, which reduce among themselves first.
    n_delegates, normal : float, optional
        d, and |nn| as a share of the edges; by default those of the graph at `threshold`.
    tree : bool
        Also collect parents, not only distances. The paper has none; Lux has every processor's parents of
        delegates, 4 d (p - 1) bytes, and one for each vertex that nn edges named.

    Examples
    --------
    >>> work = degree_separated(kronecker.search(20), 4, 1, n_delegates=8000, normal=0.05)
    >>> round(work.along["masks"]), round(work.sent["normal"] / (0.05 * 2**25 * 0.75))  # 1,000 bytes, 3 levels, 2 x 2
    (12000, 4)
    """
    at = threshold(search.scale)
    share = kronecker.delegates(search.scale, search.edge_factor, at)
    d = search.n_vertices * share if n_delegates is None else n_delegates
    nn = search.n_edges * (kronecker.normal_edges(search.scale, search.edge_factor, at) if normal is None else normal)
    ranks = -(-parts // per_rank)
    steps = math.log2(ranks) if ranks > 1 else math.log2(parts)
    masked = max(1, round(MASKED_LEVELS * search.levels))
    named = nn * (parts - 1) / parts
    along = {"masks": 2 * d / 8 * masked * steps}
    sent = {"masks": 2 * d / 8 * masked * (parts - 1), "normal": ID * named}
    if tree:
        sent["parents"] = ID * (d * (parts - 1) + named)
    over = search.sizes * (1 - kronecker.at_most(search.degrees, at))
    pairs = float(over @ -np.expm1(-search.degrees / parts)) * (d / max(float(over.sum()), 1e-9)) if parts > 1 else 0.0
    looked = float(search.looked_at(both_directions=True).sum())
    messages = masked * 2 * steps + search.levels * (parts - 1.0)
    vertices = (search.n_vertices + named) / parts + pairs
    return Work(looked / parts, vertices, sent, along, search.levels, messages)


def framework(search: Search, parts: int) -> Work:
    """Count the framework's direction-optimising search (table I, algorithm 2): every GPU is sent all vertices.

    W = |L_i| = V / n, H = (n - 1) V vertices in all, and C = the (n - 1) V / n that a GPU receives: together V,
    however many GPUs, which is why its performance "mostly stays flat" (section VII-B).

    >>> found = kronecker.search(20)
    >>> framework(found, 4).volume / 2**20, framework(found, 4).vertices / 2**20
    (12.0, 1.0)
    """
    sent = {"broadcast": ID * (parts - 1) * search.n_vertices}
    return Work(0.0, search.n_vertices, sent, {}, search.levels, search.levels * (parts - 1.0))
