# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Published runs of breadth-first search, compared with the model of `benchmarks.bfs_model.engines`.

Each series has one constant that is fitted, the seconds of an edge or a vertex on a processor, on its smallest run.
Bandwidths and latencies are the papers' own; a latency that a paper does not give is zero. Only values from the papers'
tables and text are used, none read off a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from benchmarks.bfs_model import engines, kronecker
from benchmarks.bfs_model.engines import Cluster, Work
from benchmarks.bfs_model.kronecker import Search


@dataclass(frozen=True)
class Run:
    """Run as published.

    Attributes
    ----------
    parts : int
    scale, edge_factor : int, float
        Scale of the graph, or of a Kronecker graph of its size.
    gteps : float
        As published.
    where : str
        Place in the paper.
    work : callable ``work(search)``
    edges : float or None
        Edges that TEPS count; None for ``edge_factor`` 2^scale.
    level_seconds : float
        Latency of a level with so many processors.
    """

    parts: int
    scale: int
    edge_factor: float
    gteps: float
    where: str
    work: Callable[[Search], Work]
    edges: float | None = None
    level_seconds: float = 0.0

    @property
    def seconds(self) -> float:
        """Published seconds of a search."""
        edges = self.edge_factor * 2**self.scale if self.edges is None else self.edges
        return edges / self.gteps / 1e9

    def done(self) -> Work:
        """Return the modelled work of the search."""
        return self.work(_search(self.scale, self.edge_factor))


@cache
def _search(scale: int, edge_factor: float) -> Search:
    return kronecker.search(scale, edge_factor)


@dataclass(frozen=True)
class Series:
    """Series of runs of one program on one kind of machine; the first run is fitted."""

    name: str
    processor: str
    cluster: Cluster
    runs: tuple[Run, ...]

    def cluster_of(self, run: Run) -> Cluster:
        """Return the cluster with the fitted constant and the run's latency."""
        item = fit(self)
        return replace(self.cluster, edge_seconds=item, vertex_seconds=item, level_seconds=run.level_seconds)


@dataclass(frozen=True)
class Compared:
    """Compared run: published, and as modelled.

    Attributes
    ----------
    gteps : float
        Modelled.
    error : float
        Relative error of ``gteps`` against the published value.
    transfer : float
        Modelled seconds of communication.
    link_share : float or None
        Share of the links' bandwidth that would explain the published time, given the modelled computation; None if
        computation alone takes longer.
    """

    run: Run
    gteps: float
    error: float
    transfer: float
    link_share: float | None


def fit(series: Series) -> float:
    """Fit the seconds of an edge or a vertex to the first run's time.

    >>> f"{fit(SERIES[0]):.2e}"  # 2^25 edges at 1.13 GTEPS, each looked at from both ends
    '4.31e-10'
    """
    first = series.runs[0]
    free = replace(series.cluster, level_seconds=first.level_seconds)
    work = first.done()
    return (first.seconds - engines.seconds(work, first.parts, free)) / work.items


def compare(series: Series) -> list[Compared]:
    """Return all runs of a series beside the model; the first one's error is zero."""
    found = []
    for run in series.runs:
        work, cluster = run.done(), series.cluster_of(run)
        seconds, transfer = engines.seconds(work, run.parts, cluster), engines.transfer(work, run.parts, cluster)
        left = run.seconds - (seconds - transfer)
        gteps = run.gteps * run.seconds / seconds
        share = transfer / left if left > 0 and transfer > 0 else None
        found.append(Compared(run, gteps, gteps / run.gteps - 1, transfer, share))
    return found


def _grid(parts: int, *, bitmaps: bool = True) -> Callable[[Search], Work]:
    return lambda search: engines.two_dimensional(search, *engines.square(parts), bitmaps=bitmaps)


def _line(parts: int) -> Callable[[Search], Work]:
    return lambda search: engines.one_dimensional(search, parts)


def _separated(parts: int, per_rank: int, **given: Any) -> Callable[[Search], Work]:
    return lambda search: engines.degree_separated(search, parts, per_rank, **given)


def _framework(parts: int) -> Callable[[Search], Work]:
    return lambda search: engines.framework(search, parts)


REAL_GRAPHS = (  # table 3 of 2D: name, GPUs, scale, edge factor, GTEPS of the 2D code and of the 1D code
    ("com-LiveJournal", 2, 22, 34_681_189 / 2**22, 0.77, 0.43),
    ("soc-LiveJournal1", 2, 22, 68_993_773 / 2**22, 1.25, 0.47),
    ("com-Orkut", 4, 22, 117_185_083 / 2**22, 2.67, 1.43),
    ("com-Friendster", 64, 26, 1_806_067_135 / 2**26, 15.68, 5.55),
)
LATENCY = {1: 66.8e-6, 2: 124e-6, 4: 188e-6, 6: 252e-6}
"""The framework's l (section V-B); the value for 6 GPUs extrapolates the ones for 3 and 4."""
ARIES, PCIE, NVLINK, EDR = 12.5e9, 20e9, 40e9, 12.5e9
"""Bytes per second: separated, table II ("100 Gbps"); framework, section V-A; separated, section VI-A1, twice."""
TOFU = 4 * 5e9
"""K, section 5.2: four of six links of 5 GB/s at a time."""
DELEGATES, NORMAL = 0.0175, 0.063
"""Shares of vertices and edges at scale 33 (separated, section VI-B)."""

SERIES: tuple[Series, ...] = (
    Series(
        "two-dimensional",
        "K20X",
        Cluster(0.0, 0.0, ARIES, ARIES, 1),
        (
            Run(1, 21, 16, 1.13, "2D, table 2", _grid(1)),
            *(Run(p, s, ef, g, f"2D, table 3, {name}", _grid(p)) for name, p, s, ef, g, _ in REAL_GRAPHS),
            Run(4096, 33, 16, 400, "2D, section 4 (about; lists)", _grid(4096, bitmaps=False)),
            Run(4096, 33, 16, 830, "2D, section 7 (bitmaps)", _grid(4096)),
        ),
    ),
    Series(
        "one-dimensional",
        "K20X",
        Cluster(0.0, 0.0, ARIES, ARIES, 1),
        tuple(Run(p, s, ef, g, f"2D, table 3 in brackets, {name}", _line(p)) for name, p, s, ef, _, g in REAL_GRAPHS),
    ),
    Series(
        "hybrid",
        "SPARC64 VIIIfx",
        Cluster(0.0, 0.0, TOFU, TOFU, 1),
        (Run(82_944, 40, 16, 38_621.4, "K, section 6.2", lambda search: engines.hybrid(search, 288, 288)),),
    ),
    Series(
        "degree-separated",
        "P100",
        Cluster(0.0, 0.0, NVLINK, EDR / 2, 4),
        (
            Run(1, 24, 16, 22.9, "separated, table II", _separated(1, 1)),
            Run(2, 25, 16, 32.5, "separated, table II", _separated(2, 2)),
            Run(4, 26, 16, 39.8, "separated, table II", _separated(4, 4)),
            Run(8, 29, 16, 53.13, "separated, table II", _separated(8, 4)),
            Run(
                124,
                33,
                16,
                259.8,
                "separated, section VI-C",
                _separated(124, 2, n_delegates=DELEGATES * 2**33, normal=NORMAL),
            ),
        ),
    ),
    Series(
        "framework",
        "K40",
        Cluster(0.0, 0.0, PCIE, PCIE, 6),
        (
            Run(2, 24, 32, 77.7, "framework, table III", _framework(2), 2**30, LATENCY[2]),
            Run(4, 24, 32, 67.7, "framework, table III", _framework(4), 2**30, LATENCY[4]),
            Run(4, 23, 16, 30.8, "framework, table III", _framework(4), 2**28, LATENCY[4]),
            Run(6, 25, 16, 31.0, "framework, table III", _framework(6), 2**30, LATENCY[6]),
        ),
    ),
    Series(
        "framework",
        "P100",
        Cluster(0.0, 0.0, PCIE, PCIE, 6),
        (
            Run(1, 24, 16, 31.6, "separated, table II, Pan [5]", _framework(1), level_seconds=LATENCY[1]),
            Run(2, 25, 16, 42.9, "separated, table II, Pan [5]", _framework(2), level_seconds=LATENCY[2]),
            Run(4, 26, 16, 46.1, "separated, table II, Pan [5]", _framework(4), level_seconds=LATENCY[4]),
        ),
    ),
)


@dataclass(frozen=True)
class Count:
    """Count or ratio from a paper, beside the model's value."""

    what: str
    where: str
    published: float
    modelled: float


def counts() -> Sequence[Count]:
    """Return published counts of graphs, memory and transfers (nothing fitted), and two ratios of times (c fitted).

    >>> [round(count.modelled / count.published, 2) for count in counts()[:3]]
    [1.0, 1.0, 1.0]
    """
    mb, rows = 2**20, 2**34 / 64
    starts = kronecker.occupied(34, 16, 32) * rows * 8 / mb
    edges, bits = 2 * 16 * 2**34 / 2048 * 4 / mb, 2 * rows / 8 / mb
    (lists, all_of_lists), (bitmaps, _) = _grid_of_gpus(bitmaps=False), _grid_of_gpus(bitmaps=True)
    table, at = "K, table 3: scale 34, 64 x 32 nodes", engines.threshold(33)
    return (
        Count("row starts of bitmap-based CSR, MB a node", table, 190, starts),
        Count("bitmap-based CSR, MB a node", table, 1274, bits + starts + edges),
        Count("CSR, MB a node", table, 3068, rows * 8 / mb + edges),
        Count("DCSR, MB a node", table, 1590, 3 * starts + edges),
        Count("delegates at scale 33", "separated, section VI-B", DELEGATES, kronecker.delegates(33, 16, at)),
        Count("nn edges at scale 33", "separated, section VI-B", NORMAL, kronecker.normal_edges(33, 16, at)),
        Count("seconds of transfers, 4,096 GPUs, lists", "2D, section 5 (about)", 0.2, lists),
        Count("seconds of transfers, 4,096 GPUs, bitmaps", "2D, section 5 (about)", 0.04, bitmaps),
        Count("transfers' share of a search, 4,096 GPUs, lists", "2D, section 4 (almost)", 0.6, lists / all_of_lists),
        Count("GTEPS at scale 30, 24 GPUs over 12", "separated, section VI-C", 1.29, _times(12) / _times(24)),
    )


def _grid_of_gpus(*, bitmaps: bool) -> tuple[float, float]:
    """Return the seconds of transfers, and in all, on 4,096 GPUs."""
    run = SERIES[0].runs[-1 if bitmaps else -2]
    cluster, work = SERIES[0].cluster_of(run), run.done()
    return engines.transfer(work, 4096, cluster), engines.seconds(work, 4096, cluster)


def _times(parts: int) -> float:
    """Return the seconds of the separated search at scale 30."""
    series = next(series for series in SERIES if series.name == "degree-separated")
    work = engines.degree_separated(_search(30, 16), parts, 2)
    return engines.seconds(work, parts, series.cluster_of(series.runs[0]))
