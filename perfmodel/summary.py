# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Summary of a graph for the model: numbers counted once and kept beside it (end of section 6.2 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

from perfmodel import json_files
from perfmodel.errors import ModelError
from perfmodel.ins_curve import InsCurve
from perfmodel.locality import SourceLocality, locality_of_json

VERSION, BEFORE = 2, 1
"""Version 1 has no `SourceLocality`; summaries of it are read, and locality is counted again when needed."""
KIND = "Lux graph summary"
EXACT = 64
"""Partitions up to which sizes are counted; beyond, they are estimated."""
DOUBLINGS = (1, 2, 4, 8, 16, 32, 64)
"""Partition counts that every summary has, as estimates are fitted to them."""
WINDOW = 16
"""A cache should hold the values that 1/16 of all edges read: few on road networks, whose reads are local, and nearly
all if sources are random."""
SWEPT_K = 20
"""Length of the factors for which rows of least squares are counted; the split points hardly depend on it."""
REMEDY = "lux autotune GRAPH --save-summary FILE writes one"


@dataclass(frozen=True)
class Sizes:
    """Sizes of P partitions of balanced in-edges, in vertices and edges (equations 7 to 9 of the paper).

    Attributes
    ----------
    ins_total, ins_most : int
        |INS|, summed over the partitions, and the largest.
    uds_total, uds_most : int
        Likewise |UDS|, each partition on a node of its own. With y partitions on each of x nodes, a node's |UDS| is the
        one of a partition among x: the split points of x partitions are among those of x y.
    edges_most : int
        In-edges of the largest partition.
    """

    ins_total: int
    ins_most: int
    uds_total: int
    uds_most: int
    edges_most: int


@dataclass(frozen=True)
class Frontier:
    """Frontier sizes of a program's run on this graph.

    Attributes
    ----------
    vertices, edges : tuple of float
        Share of the vertices that were active in each iteration, and of the edges that left them.
    strategy_seconds : float or None
        Seconds of the same run with ``model="auto"``, if that is a strategy of its own.
    workers : int
        Cores or GPUs of the run.
    """

    vertices: tuple[float, ...]
    edges: tuple[float, ...]
    strategy_seconds: float | None = None
    workers: int = 1


@dataclass(frozen=True)
class GraphSummary:
    """Graph summary: the numbers that the model needs.

    Attributes
    ----------
    n_vertices, n_edges : int
        Stored edges: an undirected edge counts twice.
    directed : bool
    symmetrized : bool
        Each edge of a directed graph was taken in both directions, as `components` does.
    irregular : float
        Share of the vertices with more or fewer in-edges than the one before, on which cores mispredict branches.
    most_in_edges : int
        The largest in-degree; a vertex is never divided among partitions.
    degrees : tuple of (count, mean out-degree)
        A histogram, see `perfmodel.ins_curve.degree_bins`.
    sizes : mapping of int to Sizes
        By number of partitions.
    frontiers : mapping of str to Frontier
        By program.
    scale : float
        Factor by which this graph is larger than the counted one; unless 1, all sizes are estimates.
    source : mapping of str to values
        Size, time and reading options of the graph's file, if it came from one.
    reads : SourceLocality or None
        Locality of sources in the stored order; None if not counted.
    swept : mapping of int to int
        By number of partitions, the rows that a partition reads of others' in an iteration of least squares with
        `SWEPT_K` unknowns, at most: each of its two sweeps has split points of its own. Empty unless counted.
    """

    n_vertices: int
    n_edges: int
    directed: bool
    symmetrized: bool
    irregular: float
    most_in_edges: int
    degrees: tuple[tuple[float, float], ...]
    sizes: Mapping[int, Sizes]
    frontiers: Mapping[str, Frontier] = field(default_factory=dict)
    scale: float = 1.0
    source: Mapping[str, Any] = field(default_factory=dict)
    reads: SourceLocality | None = None
    swept: Mapping[int, int] = field(default_factory=dict)

    def counted(self, parts: int) -> bool:
        """Return True if the sizes of so many partitions are exact."""
        return parts in self.sizes and self.scale == 1.0

    def of(self, parts: int) -> Sizes:
        """Return the sizes of ``parts`` partitions: counted up to 64, estimated beyond.

        Raises
        ------
        ModelError
            Sizes of so few partitions must be counted, and were not.
        """
        if parts in self.sizes:
            return self.sizes[parts]
        if parts <= EXACT:
            has = ", ".join(map(str, sorted(self.sizes))) or "none"
            raise ModelError(
                f"the graph's summary has no sizes of {parts} partitions (it has those of: {has}): count them with "
                "lux autotune GRAPH --nodes X --gpus Y, with X and Y at least as large as in this question"
            )
        largest = self.sizes.get(max(self.sizes, default=0))
        if largest is None:
            raise ModelError(f"the graph's summary has no sizes of partitions: {REMEDY}")
        ins, uds = self._ins.at(parts), self._uds.at(parts)
        before, hub = max(self.sizes), min(self.most_in_edges, self.n_vertices)
        return Sizes(
            ins_total=math.ceil(ins),
            ins_most=max(hub, math.ceil(ins / parts * largest.ins_most / (largest.ins_total / before))),
            uds_total=math.ceil(min(uds, ins)),
            uds_most=max(hub, math.ceil(uds / parts * (largest.uds_most * before / max(largest.uds_total, 1)))),
            edges_most=max(hub, math.ceil(self.n_edges / parts)),
        )

    def read_rows(self, parts: int, method: str) -> float:
        """Return the vertices of others whose factors a partition reads in an iteration, at most.

        Where least squares were not counted, those of gradient descent, which are more: its partitions balance both
        sides at once, and so most have a side's vertices alone.
        """
        return float(self.swept.get(parts, self.of(parts).uds_most) if method == "als" else self.of(parts).uds_most)

    def nearest(self, parts: float) -> int:
        """Return the largest partition count up to ``parts`` with known sizes: any beyond 64, else a counted one.

        Examples
        --------
        >>> sizes = dict.fromkeys((1, 2, 4), Sizes(0, 0, 0, 0, 0))
        >>> [GraphSummary(1, 1, True, False, 0, 1, (), sizes).nearest(p) for p in (0.5, 3.9, 4, 70)]
        [1, 2, 4, 70]
        """
        whole = max(int(parts), 1)
        if whole in self.sizes or whole > EXACT:
            return whole
        return max((p for p in self.sizes if p <= whole), default=whole)

    def gathered(self, workers: int) -> float:
        """Return a mean |INS|: vertices read by a sixteenth of the edges, or by a worker's edges if fewer."""
        parts = max(workers, max((p for p in self.sizes if p <= WINDOW), default=WINDOW))
        return self.of(parts).ins_total / parts

    def loaded(self, workers: int, group: int) -> tuple[float, float]:
        """Return the vertices that cross a link in a gather of INS, in whole lines: in all, and for one worker.

        Parameters
        ----------
        group : int
            Vertices of a line. If locality was not counted, the results are |INS| in all and the largest.
        """
        sizes = self.of(workers)
        if self.reads is None or not self.reads.footprints:
            return sizes.ins_total, sizes.ins_most
        each = min(group * self.reads.touched(group, 1 / workers) * self.scale, float(self.n_vertices))
        return max(workers * each, sizes.ins_total), max(each, sizes.ins_most)

    def crowd(self, vertices: int) -> float:
        """Return the edges into the most-referenced line (of so many vertices); 0 if locality was not counted.

        The estimate uses out-degrees, which equal in-degrees in undirected graphs.
        """
        if self.reads is None:
            return 0.0
        return max(float(self.most_in_edges), self.reads.crowded(vertices) * self.n_edges)

    @cached_property
    def _ins(self) -> InsCurve:
        return InsCurve(self.degrees, {p: s.ins_total for p, s in self.sizes.items()}, owned=True)

    @cached_property
    def _uds(self) -> InsCurve:
        return InsCurve(self.degrees, {p: s.uds_total for p, s in self.sizes.items()}, owned=False)

    def estimate_error(self) -> float:
        """Return the relative error of |INS| four times beyond the counted partitions, had counting ended earlier."""
        last = max(self.sizes, default=0)
        known = {p: s.ins_total for p, s in self.sizes.items() if p <= last // 4}
        if len(known) < 2:
            return 1.0
        return abs(InsCurve(self.degrees, known, owned=True).at(last) / self.sizes[last].ins_total - 1)

    def scaled(self, n_edges: float) -> GraphSummary:
        """Return the summary of a graph like this one with about ``n_edges`` edges: same degrees, same locality."""
        factor = n_edges / self.n_edges
        if not (n_edges >= 1 and math.isfinite(factor)):
            raise ModelError(f"{n_edges:g} edges were asked for: pass a number from 1")

        def more(count: float) -> int:
            return round(count * factor)

        return replace(
            self,
            n_vertices=more(self.n_vertices),
            n_edges=more(self.n_edges),
            most_in_edges=more(self.most_in_edges),
            degrees=tuple((n * factor, d) for n, d in self.degrees),
            sizes={p: Sizes(**{name: more(n) for name, n in asdict(s).items()}) for p, s in self.sizes.items()},
            scale=self.scale * factor,
            swept={p: more(n) for p, n in self.swept.items()},
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write the summary as JSON."""
        json_files.write(path, KIND, VERSION, asdict(self))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> GraphSummary:
        """Read what `write` wrote; raises `ModelError` for anything else."""
        found = json_files.read(path, KIND, VERSION, REMEDY, BEFORE)
        return json_files.build_dataclass(path, "is a summary", REMEDY, lambda: cls.of_json(found))

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> GraphSummary:
        """Build a summary from its JSON."""
        found["sizes"] = {int(parts): Sizes(**sizes) for parts, sizes in found["sizes"].items()}
        found["degrees"] = tuple((float(n), float(d)) for n, d in found["degrees"])
        frontiers = found["frontiers"].items()
        found["frontiers"] = {
            name: Frontier(tuple(f["vertices"]), tuple(f["edges"]), f["strategy_seconds"], int(f["workers"]))
            for name, f in frontiers
        }
        found["swept"] = {int(parts): int(rows) for parts, rows in found.get("swept", {}).items()}
        found["reads"] = None if found.get("reads") is None else locality_of_json(found["reads"])
        made = cls(**found)
        if made.n_vertices < 1 or not made.scale > 0 or min(made.sizes, default=1) < 1:
            raise ValueError(f"{made.n_vertices} vertices, scale {made.scale}, or sizes of less than 1 partition")
        return made
