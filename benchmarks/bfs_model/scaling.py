# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Weak-scaling predictions of `benchmarks.bfs_model.engines` for more GPUs than were ever measured.

Predictions, not measurements. `ASSUMPTIONS` lists what they assume.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from benchmarks.bfs_model import engines, kronecker
from benchmarks.bfs_model.engines import Cluster, Work
from benchmarks.bfs_model.kronecker import Search
from perfmodel.errors import ModelError

RATE, RATE_SCALE = 152e9, 24
"""TEPS of `lux.bfs` on one H200 and the scale (edge factor 16): docs/explanation/gpus.md."""
EDGE_SECONDS = 3.4e-3 / 521e6
"""An iteration of PageRank on the same graph, for each stored edge: docs/explanation/gpus.md."""
H200 = Cluster(EDGE_SECONDS, 0.0, near=394e9, far=50e9, per_node=8, message_seconds=2e-6, level_seconds=2 * 0.28e-3)
LAUNCH_ALONE = 0.05e-3
"""Seconds of a launch on one GPU."""
EACH = 26
"""Scale of the graph of one GPU: separated, section VI-C."""
ASSUMPTIONS = (
    "an H200 looks at an edge, in either direction, in the time of a gather of PageRank (measured: 521 M in 3.4 ms)",
    "the rest of what lux.bfs takes at scale 24 (measured: 152 GTEPS) goes by vertices; one in a message costs as much",
    "394 GB/s between GPUs of a node (measured: a copy between two H200s), for all of a node's eight at a time",
    "50 GB/s for each GPU to other nodes (assumed: a link of 400 Gbit/s each), whatever the traffic",
    "2 microseconds for each message (assumed)",
    "two launches a level, 0.28 ms each (measured: two H200s of one process; 0.05 ms on one), on any number of GPUs",
    "nothing overlaps, all processors are alike, and everything fits their memory",
    "degree-separated: a rank is a node of eight GPUs, which reduce masks in a tree",
)
"""Assumptions of the predictions, for the tables."""

ENGINES: dict[str, Callable[[Search, int], Work]] = {
    "one-dimensional": engines.one_dimensional,
    "two-dimensional": lambda search, parts: engines.two_dimensional(search, *engines.square(parts)),
    "hybrid": lambda search, parts: engines.hybrid(search, *engines.square(parts), parent_bytes=8),
    "degree-separated": lambda search, parts: engines.degree_separated(search, parts, H200.per_node),
    "framework": engines.framework,
}
"""Work of a search on so many GPUs, by engine. Ids have 32 bits inside blocks, so a parent takes 8 bytes."""


@dataclass(frozen=True)
class Prediction:
    """Predicted time of one search; nobody has run it.

    Attributes
    ----------
    engine : str
    parts, scale : int
    seconds, gteps : float
    computation, transfer, latency : float
        Seconds of each part.
    bytes_each : float
        Bytes that one GPU sends.
    """

    engine: str
    parts: int
    scale: int
    seconds: float
    gteps: float
    computation: float
    transfer: float
    latency: float
    bytes_each: float


def cluster_of(parts: int, base: Cluster = H200) -> Cluster:
    """Return a cluster of so many H200s, with one H200's measured pace and the latency of their number.

    >>> f"{cluster_of(2).vertex_seconds:.2e}"
    '9.55e-11'
    """
    search = _search(RATE_SCALE)
    edges = base.edge_seconds * float(search.looked_at(both_directions=True).sum())
    vertex = (16 * 2**RATE_SCALE / RATE - LAUNCH_ALONE - edges) / search.n_vertices
    level = min(base.level_seconds, 2 * LAUNCH_ALONE) if parts == 1 else base.level_seconds
    return replace(base, vertex_seconds=vertex, level_seconds=level)


def predict(engine: str, parts: int, *, each: int = EACH, base: Cluster = H200) -> Prediction:
    """Predict a search on ``parts`` GPUs, a power of two, with 2^each vertices of a Kronecker graph on each.

    Parameters
    ----------
    engine : str
        One of `ENGINES`.
    parts, each : int
    base : Cluster
        Bandwidths and latencies; its ``vertex_seconds`` are ignored.

    Raises
    ------
    ModelError
        There is no such engine, or ``parts`` is not a power of two.

    Examples
    --------
    >>> found = predict("two-dimensional", 1024)
    >>> found.scale, 0 < found.transfer < found.seconds
    (36, True)
    """
    if engine not in ENGINES:
        raise ModelError(f"engine={engine!r} was passed; allowed are {', '.join(ENGINES)}")
    if parts < 1 or parts & (parts - 1):
        raise ModelError(f"parts={parts} was passed; allowed are powers of two, so that the graph's scale is whole")
    scale = each + parts.bit_length() - 1
    work, cluster = ENGINES[engine](_search(scale), parts), cluster_of(parts, base)
    seconds, transfer = engines.seconds(work, parts, cluster), engines.transfer(work, parts, cluster)
    computation = engines.computation(work, cluster)
    gteps = 16 * 2**scale / seconds / 1e9
    latency = seconds - computation - transfer
    return Prediction(engine, parts, scale, seconds, gteps, computation, transfer, latency, work.volume / parts)


def weak_scaling(parts: Sequence[int], *, each: int = EACH, base: Cluster = H200) -> list[Prediction]:
    """Predict every engine on every number of GPUs."""
    return [predict(engine, p, each=each, base=base) for p in parts for engine in ENGINES]


@cache
def _search(scale: int) -> Search:
    return kronecker.search(scale)
