# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A vertex program on GPUs and CPU cores in the same iteration, for graphs that do not fit the GPUs.

Such runs are the CPU tasks of section 4.3 of the Lux paper (VLDB 2017): each GPU has one of the first partitions, and
each of the others runs on a CPU core, with the same results. The fields that neighbours read, the state and the words
of the frontier have one instance, in the process's zero-copy memory, which both kinds of processors read and write. An
iteration is two index launches over disjoint partitions. Both read the state that all partitions wrote before and write
their own rows of the next one, by which Legion orders them, and both come to the same decisions from it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime, settings
from lux.engine.cpu.beside_gpus import CpuPartitions
from lux.engine.gpu.placement.allocation_ledger import describe_holders
from lux.engine.repartition.repartitionable_run import RepartitionableRun
from lux.engine.run.program_launches import vectors
from lux.graph.core.partitions import cut, rectangles_of
from lux.launch.memory import FILLED
from lux.partition import split_points
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.engine.cpu.repartition import MoveCost
    from lux.graph.graph import Graph
    from lux.graph.indexes.warp_work import WarpWork
    from lux.graph.layout import PartitionedGraph
    from lux.launch.memory import Scratch

CORES_OF_A_GPU = 128
"""CPU cores that are as fast as a GPU until seconds are measured: an H200 gathers over 100 to 180 billion edges a
second, and a core over about one billion.
"""
STEPS = 64
"""Shares that are tried for one with which the rest fits the GPUs."""


class MixedRun(RepartitionableRun):
    """A run on GPUs and CPU cores; the parameters are those of `PartitionedGpuRun`, with zero-copy placement.

    Partitions move between iterations (`lux.engine.repartition.blocking_repartition`), unless the share of CPU cores
    was set.

    Parameters
    ----------
    parts : int
        All partitions: one for each GPU, and at least one more.
    share : float
        Fraction of the edges, from 0 to 1, in the partitions on CPU cores.
    """

    device = "gpu+cpu"

    def __init__(self, *arguments: Any, parts: int, share: float) -> None:
        given = (*arguments, parts)
        super().__init__(*given, placement="zero-copy")
        self.on_gpus = min(max(runtime.gpus(), 1), parts - 1)
        self.layout = _layout(self.graph, self.on_gpus, parts, share)
        self.first_share = self.share
        self.kinds = np.repeat([0, 1], [self.on_gpus, parts - self.on_gpus])

    @classmethod
    def shared_out(cls, *arguments: Any, parts: int) -> MixedRun:
        """Make a run with the share of CPU cores that is set or, by default, one with which the rest fits the GPUs.

        Raises
        ------
        MemoryNeededError
            It does not fit GPUs, zero-copy memory or the memory of CPU cores.
        """
        run = cls.with_share(*arguments, parts=parts)
        run.check_memory()
        return run

    @classmethod
    def with_share(cls, *arguments: Any, parts: int) -> MixedRun:
        """Make a run with the share of CPU cores that is set, whether it fits or not."""
        make = functools.partial(cls, *arguments, parts=parts)
        share = settings.current().cpu_share
        return make(share=float(share)) if share is not None else cls._fitting(make, parts)

    @staticmethod
    def _fitting(make: Callable[..., MixedRun], parts: int) -> MixedRun:
        """Find the least share of CPU cores, at least their work in the GPUs' time, with which the rest fits."""
        gpus, given = max(runtime.gpus(), 1), FILLED * legate_config.settings().fbmem_bytes
        shares = np.linspace(fast_share(gpus, parts - gpus), 1.0, STEPS + 1)
        if given == 0:  # no GPU can hold the rest
            return make(share=float(shares[0]))
        given -= make(share=float(shares[0])).held.on_gpu
        fits, too_many = STEPS, -1
        while fits - too_many > 1:
            middle = (fits + too_many) // 2
            if make(share=float(shares[middle])).memory_bytes()[0] <= given:
                fits = middle
            else:
                too_many = middle
        return make(share=float(shares[fits]))

    @property
    def share(self) -> float:
        """Fraction of the edges that are in the partitions on CPU cores."""
        ends = self.layout.edge_points
        return 1.0 - float(ends[self.on_gpus]) / max(float(ends[-1]), 1.0)

    @property
    def keeps_points(self) -> bool:
        """True if partitions stay where they are."""
        return super().keeps_points or settings.current().cpu_share is not None

    def moved(self, points: NDArray[np.int64]) -> MixedRun:
        """Return the same run at other split points; GPUs whose points stay keep their edges."""
        other = super().moved(points)
        assert isinstance(other, MixedRun)
        if other.on_gpus_at == self.on_gpus_at and "members" in vars(self.layout):
            other.layout.members = self.layout.members.of_layout(other.layout)
        return other

    def cost(self) -> MoveCost:
        """Return the cost function of moves; no copy of edges is made for CPU cores alone, unless they push."""
        return replace(super().cost(), keeping=0 if self.pushes else self.on_gpus)

    def check_memory(self) -> None:
        """Raise an error if the run does not fit."""
        from lux.engine.executor import store_bytes  # which starts such runs

        (on_gpu, shared), held, by = (
            self.memory_bytes(),
            self.held,
            functools.partial(describe_holders, self.graph, self.parts),
        )
        what = f"{self.program.__name__} with {self.share:.1%} of the edges on CPU cores"
        larger = "or pass a larger cpu_share (--cpu-share), or leave it out"
        runtime.check_gpu_memory(on_gpu, what, held.on_gpu, by, larger)
        runtime.check_zero_copy_memory(shared, what, "use device='cpu'", held.zero_copy, by)
        listed = 0 if "members" in vars(self.layout) else 4 * self.graph.n_edges
        runtime.check_memory(store_bytes(self.spec, self.layout, push=self.pushes) + listed, what)

    def split_stores(self, scratch: Scratch, work: WarpWork) -> dict[str, Store]:
        """Make rectangles of every split, of the partitions on GPUs alone."""
        layout, each = self.layout, np.arange(self.on_gpus + 1, dtype=np.int64)
        cuts = {n: layout.cuts[n] for n in ("vertices", "offsets", "edges", "words", "rows")}
        cuts |= {vectors(k): cut(layout.points * k) for k in self.spec.lengths.values()}
        cuts["member_rows"] = cut(split_points.starts(layout.members.sizes))
        if self.pushes:
            cuts["by_offsets"] = layout.by_source(tuple(self.writer.edge), listed=True).cuts["by_offsets"]
        cuts |= {"scratch_rows": cut(each * scratch.nbytes), "work_rows": cut(work.starts)}
        return rectangles_of(cuts, slice(self.on_gpus))

    def cpu_partitions(self, fields: Mapping[str, Store], control_stores: Mapping[str, Store]) -> CpuPartitions:
        """Return the launches of the partitions on CPU cores."""
        writer = self.writer
        owned = {n: fields[f"own_{n}"] for n in writer.state if n not in writer.swapped}
        a, b = (
            {n: fields[f"{c}_{n}"] for n in writer.swapped}
            | {n: control_stores[f"{c}_{n}"] for n in self.control_stores}
            for c in (0, 1)
        )
        there = [*writer.crossing, *(n for n in self.control_stores if n == "words")]
        shared = {f"{c}_{n}": s[n] for c, s in (("a", a), ("b", b)) for n in there}
        return CpuPartitions(
            self.program,
            self.layout,
            self.given,
            self.values,
            self.model,
            self.limit,
            some=range(self.on_gpus, self.parts),
            stores=(owned, a, b),
            arrays=runtime.zero_copy_arrays(shared, alone=self.left is not None and self.checkpoint is not None),
            zero_copy=True,
            goes_on=self.left is not None,
        )

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        of_cores = f"CPU cores have {self.first_share:.1%} of the edges"
        of_cores += f", and {self.share:.1%} in the end" if self.share != self.first_share else ""
        return f"{super()._why(model, frontier, edges, before)}; {of_cores}"


def fast_share(gpus: int, cores: int) -> float:
    """Compute the fraction of the edges with which CPU cores take as long as GPUs.

    >>> fast_share(1, 8)
    0.058823529411764705
    """
    return cores / (cores + CORES_OF_A_GPU * gpus)


def shares(gpus: int, cores: int, share: float) -> NDArray[np.float64]:
    """Return the fraction of the work that each partition has: GPUs first, then cores.

    >>> shares(2, 3, 0.3)
    array([0.35, 0.35, 0.1 , 0.1 , 0.1 ])
    """
    return np.repeat([(1.0 - share) / gpus, share / cores], [gpus, cores])


def _layout(graph: Graph, gpus: int, parts: int, share: float) -> PartitionedGraph:
    """Cut the graph by shares; the last such layout is cached."""
    base = graph.layout(parts)
    points = split_points.shared_points(base.work, shares(gpus, parts - gpus, share))
    kept: dict[tuple[int, ...], PartitionedGraph] = base.cached("shared out", lambda _: {})
    key = tuple(points.tolist())
    if key not in kept:
        made = base.moved(points)
        kept.clear()
        kept[key] = made
    return kept[key]
