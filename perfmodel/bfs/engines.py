# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What published breadth-first searches do and send, over p processors, as their papers count it.

Every engine's function returns a `Work` of one search (`perfmodel.bfs.kronecker.Search`), which `seconds` turns into
time on a `Cluster`. Processors are alike: what differs between them is not modelled, nor are steps that overlap.

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

from perfmodel.bfs import kronecker
from perfmodel.bfs.kronecker import Floats, Search

ID = 4
"""Bytes of a vertex in a message."""
MASKED_LEVELS = 0.5
"""Share of the levels after which masks of delegates are reduced ("S' is about half of S", separated, section V-B)."""
THRESHOLD_SCALE, THRESHOLD = 30, 64
"""The threshold of separation (separated, section VI-B); it grows by sqrt(2) for each scale (their Fig. 7)."""


@dataclass(frozen=True)
class Work:
    """One search.

    Attributes
    ----------
    edges, vertices : float
        Edges that one processor looks at, and vertices that it handles: its own once, and those in messages.
    sent : Mapping of str to float
        Bytes that all processors send together, by step. What a processor keeps for itself is not counted.
    along : Mapping of str to float
        Of reductions in a tree, bytes one after the other on the way of one processor; others are ``sent`` evenly.
    levels : int
    messages : float
        That one processor sends.
    """

    edges: float
    vertices: float
    sent: Mapping[str, float]
    along: Mapping[str, float]
    levels: int
    messages: float

    @property
    def items(self) -> float:
        """Edges and vertices."""
        return self.edges + self.vertices

    @property
    def volume(self) -> float:
        """Bytes that are sent in all."""
        return sum(self.sent.values())


@dataclass(frozen=True)
class Cluster:
    """Processors and what joins them.

    Attributes
    ----------
    edge_seconds, vertex_seconds : float
        For an edge and for a vertex, on one processor.
    near, far : float
        Bytes per second of a processor to others of its node, and of other nodes.
    per_node : int
        Processors of a node.
    message_seconds, level_seconds : float
        For each message that a processor sends, and each level.
    """

    edge_seconds: float
    vertex_seconds: float
    near: float
    far: float
    per_node: int
    message_seconds: float = 0.0
    level_seconds: float = 0.0


def transfer(work: Work, parts: int, cluster: Cluster) -> float:
    """Seconds in which bytes are under way: the partners of a processor lie anywhere.

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
    """Seconds in which a processor looks at edges and handles vertices."""
    return cluster.edge_seconds * work.edges + cluster.vertex_seconds * work.vertices


def seconds(work: Work, parts: int, cluster: Cluster) -> float:
    """Computation + volume / bandwidth + latency: the W + H g + S l of the framework's section V.

    >>> work = Work(edges=9e8, vertices=1e8, sent={"fold": 8e9}, along={}, levels=5, messages=100)
    >>> round(seconds(work, 4, Cluster(1e-9, 1e-9, 1e9, 1e8, 4, message_seconds=1e-3, level_seconds=0.1)), 3)
    3.6
    """
    latency = cluster.level_seconds * work.levels + (cluster.message_seconds * work.messages if parts > 1 else 0.0)
    return computation(work, cluster) + transfer(work, parts, cluster) + latency


def square(parts: int) -> tuple[int, int]:
    """R and C of the most square grid, R <= C (2D, table 1).

    >>> square(4096), square(8), square(7)
    ((64, 64), (2, 4), (1, 7))
    """
    rows = next(r for r in range(math.isqrt(parts), 0, -1) if parts % r == 0)
    return rows, parts // rows


def every_edge(search: Search, parts: int) -> Work:
    """1D, an id for every edge that leads to another processor; no source has this, it is what others save.

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
    """1D, where a processor names a vertex once (2D's previous code, section 2.1; framework, table I: H = |B|).

    >>> found = kronecker.search(20)
    >>> one_dimensional(found, 4).volume < every_edge(found, 4).volume
    True
    """
    named = float(search.first_reached(parts).sum())
    edges, vertices = float(search.frontier_edges.sum()) / parts, (search.n_vertices + named) / parts
    return Work(edges, vertices, {"push": ID * named}, {}, search.levels, search.levels * (parts - 1.0))


def two_dimensional(search: Search, rows: int, columns: int, *, bitmaps: bool = True) -> Work:
    """Expand along grid columns and fold along grid rows (2D, sections 2.2 and 3.2).

    Expand: each of R - 1 others is sent the frontier. Fold: a processor names a vertex to its owner when its own edges
    first reach it. Lists have 4 bytes a vertex; with ``bitmaps`` a message has N / (8 R C) bytes at most (section 5).
    Parents: the owner asks once for those that others found (section 1), 4 bytes each besides the question.

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
    """Bytes of lists of so many vertices in each level, or of bitmaps of ``most`` bytes to each other partner."""
    return float(np.minimum(ID * named, most * (partners - 1)).sum()) if partners > 1 else 0.0


def hybrid(search: Search, rows: int, columns: int, *, parent_bytes: float = 16) -> Work:
    """Top-down levels as `two_dimensional`, and bottom-up levels as table 5 of K counts them.

    Of s_b bottom-up levels: frontier gather s_b V (R - 1) / 8 bytes, rotation s_b V (C - 1) / 8 (the paper has R and C
    for R - 1 and C - 1: what a processor sends itself), and parents: two words of 8 bytes for each vertex that another
    processor than its owner found. V has only vertices with edges (section 4.2). A word of 64 bits counts as a vertex.

    Parameters
    ----------
    parent_bytes : float
        What names a vertex and its parent.

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
    """The degree above which a vertex is a delegate, of a Kronecker graph of that scale.

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
    """Masks of delegates are reduced, and normal vertices named point to point (separated, section V).

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
        Whether parents are asked for besides distances. The paper has none; Lux has every processor's parents of
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
    """Direction-optimising search of the framework (table I and algorithm 2): every GPU is sent all vertices.

    W = |L_i| = V / n, H = (n - 1) V vertices in all, and C = the (n - 1) V / n that a GPU receives: together V,
    however many GPUs, which is why its performance "mostly stays flat" (section VII-B).

    >>> found = kronecker.search(20)
    >>> framework(found, 4).volume / 2**20, framework(found, 4).vertices / 2**20
    (12.0, 1.0)
    """
    sent = {"broadcast": ID * (parts - 1) * search.n_vertices}
    return Work(0.0, search.n_vertices, sent, {}, search.levels, search.levels * (parts - 1.0))
