# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the model needs of a graph: a few numbers, counted once and kept beside it (end of section 6.2 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

from perfmodel import json_files
from perfmodel.errors import ModelError
from perfmodel.ins_curve import Curve
from perfmodel.locality import Reads, reads_of

VERSION, BEFORE = 2, 1
"""Version 1 has no `Reads`; it is read, and what needs them counts again."""
KIND = "Lux graph summary"
EXACT = 64
"""Partitions up to which sizes are counted; beyond, they are estimated."""
DOUBLINGS = (1, 2, 4, 8, 16, 32, 64)
"""Partitions that every summary has, as estimates are fitted to them."""
WINDOW = 16
"""The values that a sixteenth of all edges read are what a cache should hold: few on road networks, which gather near
by, and nearly all where edges end anywhere."""
REMEDY = "lux autotune GRAPH --save-summary FILE writes one"


@dataclass(frozen=True)
class Sizes:
    """Sizes of P partitions of balanced in-edges, in vertices and edges (equations 7 to 9 of the paper).

    Attributes
    ----------
    ins_total, ins_most : int
        |INS|, summed over the partitions, and the largest.
    uds_total, uds_most : int
        The same of |UDS|, each partition on a node of its own. With y partitions on each of x nodes, a node's |UDS| is
        that of one of x partitions: balanced split points of x y partitions are among them those of x.
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
    """How a program's frontier went in a run on this graph.

    Attributes
    ----------
    vertices, edges : tuple of float
        Share of the vertices that were active in each iteration, and of the edges that left them.
    strategy_seconds : float or None
        What the same run took with ``model="auto"``, where that is a strategy of its own.
    workers : int
        Cores or GPUs that it had.
    """

    vertices: tuple[float, ...]
    edges: tuple[float, ...]
    strategy_seconds: float | None = None
    workers: int = 1


@dataclass(frozen=True)
class GraphSummary:
    """Numbers of one graph.

    Attributes
    ----------
    n_vertices, n_edges : int
        Edges as they are stored: an undirected one counts twice.
    directed : bool
    symmetrized : bool
        Whether each edge of a directed graph was taken in both directions, as `components` does.
    irregular : float
        Share of the vertices with more or fewer in-edges than the one before, which cores do not foresee.
    most_in_edges : int
        The largest in-degree; a vertex is never divided among partitions.
    degrees : tuple of (count, mean out-degree)
        A histogram, see `perfmodel.ins_curve.degree_bins`.
    sizes : mapping of int to Sizes
        By number of partitions.
    frontiers : mapping of str to Frontier
        By program.
    scale : float
        1, or how many times larger than the counted graph this one is thought to be: then all sizes are estimates.
    source : mapping of str to values
        The file's size and time and how it was read, where it was a file's graph that was counted.
    reads : Reads or None
        How edges read their sources, as the graph is stored; None where that was not counted.
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
    reads: Reads | None = None

    def counted(self, parts: int) -> bool:
        """Whether the sizes of so many partitions are exact."""
        return parts in self.sizes and self.scale == 1.0

    def of(self, parts: int) -> Sizes:
        """Sizes of ``parts`` partitions: counted up to 64, estimated beyond.

        Raises
        ------
        ModelError
            They should have been counted, and were not.
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

    def nearest(self, parts: float) -> int:
        """The most partitions, up to so many, of which sizes are known: all beyond 64, and of fewer those counted.

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
        """Vertices whose values a sixteenth of the edges, or a worker's where those are fewer, read: a mean |INS|."""
        parts = max(workers, max((p for p in self.sizes if p <= WINDOW), default=WINDOW))
        return self.of(parts).ins_total / parts

    def loaded(self, workers: int, group: int) -> tuple[float, float]:
        """Vertices whose values cross a link in a gather of INS, in all and for one worker: those of whole lines.

        Parameters
        ----------
        group : int
            Vertices of a line. Where reads were not counted, these are |INS| and the largest.
        """
        sizes = self.of(workers)
        if self.reads is None or not self.reads.footprints:
            return sizes.ins_total, sizes.ins_most
        each = min(group * self.reads.touched(group, 1 / workers) * self.scale, float(self.n_vertices))
        return max(workers * each, sizes.ins_total), max(each, sizes.ins_most)

    def crowd(self, vertices: int) -> float:
        """Edges into the line of so many vertices that most edges enter; 0 where reads were not counted.

        Out-degrees tell of vertices that lie together, by in-degrees that are the same in undirected graphs.
        """
        if self.reads is None:
            return 0.0
        return max(float(self.most_in_edges), self.reads.crowded(vertices) * self.n_edges)

    @cached_property
    def _ins(self) -> Curve:
        return Curve(self.degrees, {p: s.ins_total for p, s in self.sizes.items()}, owned=True)

    @cached_property
    def _uds(self) -> Curve:
        return Curve(self.degrees, {p: s.uds_total for p, s in self.sizes.items()}, owned=False)

    def estimate_error(self) -> float:
        """Relative error of |INS| four times beyond the counted partitions, had counting ended that much earlier."""
        last = max(self.sizes, default=0)
        known = {p: s.ins_total for p, s in self.sizes.items() if p <= last // 4}
        if len(known) < 2:
            return 1.0
        return abs(Curve(self.degrees, known, owned=True).at(last) / self.sizes[last].ins_total - 1)

    def scaled(self, n_edges: float) -> GraphSummary:
        """A graph like this one with about ``n_edges`` edges: as many per vertex, and as spread."""
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
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write the summary as JSON."""
        json_files.write(path, KIND, VERSION, asdict(self))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> GraphSummary:
        """Read what `write` wrote; raises `ModelError` for anything else."""
        found = json_files.read(path, KIND, VERSION, REMEDY, BEFORE)
        return json_files.made(path, "is a summary", REMEDY, lambda: cls.of_json(found))

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> GraphSummary:
        """The summary of which JSON has this."""
        found["sizes"] = {int(parts): Sizes(**sizes) for parts, sizes in found["sizes"].items()}
        found["degrees"] = tuple((float(n), float(d)) for n, d in found["degrees"])
        frontiers = found["frontiers"].items()
        found["frontiers"] = {
            name: Frontier(tuple(f["vertices"]), tuple(f["edges"]), f["strategy_seconds"], int(f["workers"]))
            for name, f in frontiers
        }
        found["reads"] = None if found.get("reads") is None else reads_of(found["reads"])
        made = cls(**found)
        if made.n_vertices < 1 or not made.scale > 0 or min(made.sizes, default=1) < 1:
            raise ValueError(f"{made.n_vertices} vertices, scale {made.scale}, or sizes of less than 1 partition")
        return made
