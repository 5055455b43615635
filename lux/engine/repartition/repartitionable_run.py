# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A run on GPUs that can move to other split points: its launches after a move, and the cost of a move."""

from __future__ import annotations

import copy
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.engine.cpu.repartition import MoveCost
from lux.engine.gpu import ins_rebuild
from lux.engine.gpu.part_launches import WARP_WORK
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.gpu.single import kernel_of
from lux.graph.core.lookup import looked_up, looking_up, report_bytes
from lux.graph.indexes import warp_work_gpu
from lux.partition import split_points
from lux.runtime import GpuLauncher, GpuPlan, link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lux.engine.repartition.epoch import EpochState
    from lux.engine.run.run import Progress, Run
    from lux.graph.indexes.warp_work import WarpWork
    from lux.graph.layout import PartitionedGraph
    from lux.launch.memory import Scratch
    from lux.launch.part_calls import Wait

MOST_FIELDS = 8
"""Fields of a program whose partitions may move: a launch encodes in 63 bits which of its stores overflow."""
OFFSET_BYTES = 8
"""Bytes of one of a graph's offsets."""
LAYOUT_FACTS = ("_largest", "partition_bytes", "overflowing", "_ranges")
"""Cached properties that depend on the split points."""


class RepartitionableRun(PartitionedGpuRun):
    """A `PartitionedGpuRun` whose partitions may move.

    Attributes
    ----------
    ends_after : int or None
        Iterations after which the run ends, if the number is known.
    left : EpochState or None
        State of the epoch before, in every epoch after the first.
    """

    ends_after: int | None = None
    left: EpochState | None = None

    def execute(self, progress: Progress | None) -> Run:
        """Run to the end."""
        from lux.engine.repartition.blocking_repartition import BlockingRepartition
        from lux.engine.repartition.overlapped_repartition import OverlappedRepartition

        scope = "off" if self.keeps_points else settings.current().repartition
        if scope == "off" and self.checkpoint is None:
            return super().execute(progress)
        return (BlockingRepartition if self.is_blocking else OverlappedRepartition)(self, scope, progress).execute()

    @property
    def keeps_points(self) -> bool:
        """True if partitions stay where they are."""
        return self.parts == 1 or bool(self.overflows) or len(self.writer.state) > MOST_FIELDS

    @property
    def why_no_checkpoint(self) -> str:  # type: ignore[override]  # it depends on the program
        """Say why the run keeps no checkpoint; empty if it can."""
        return f"it has more than {MOST_FIELDS} fields" if len(self.writer.state) > MOST_FIELDS else ""

    @property
    def is_blocking(self) -> bool:
        """True if no iteration runs while a move is decided and made."""
        return self.mixed or self.packed or runtime.ranks() > 1

    def moved(self, points: NDArray[np.int64]) -> RepartitionableRun:
        """Return the same run at other split points."""
        other = copy.copy(self)
        for name in LAYOUT_FACTS:
            other.__dict__.pop(name, None)
        other.layout, other.left, other.relocation = self.layout.moved(points), None, ins_rebuild.Relocation()
        other.relocates = self.local and self.graph.n_edges > 0 and not self.is_blocking
        return other

    def start_background_build(self) -> Future[None]:
        """Have another thread compile the kernels of a move, without Legate."""
        threads = ThreadPoolExecutor(1, initializer=runtime.works_for_driver)

        def compile_kernels() -> None:
            kernel_of(self.program, self.writer, "lux_resume")
            warp_work_gpu.binning()
            looking_up(OFFSET_BYTES)
            if self.relocates:
                ins_rebuild.kernels()

        made = threads.submit(compile_kernels)
        threads.shutdown(wait=False)
        return made

    def preload_kernels(self) -> bool:
        """Load the repartitioning kernels and allocate their report buffers on every GPU.

        Neither is possible while GPUs wait for one another: the driver may then wait for a kernel's end before it
        launches the one for which that kernel waits. So the first move of a program waits here for all launches.
        Returns True if everything was loaded before.
        """
        resume, step = (kernel_of(self.program, self.writer, name) for name in ("lux_resume", ""))
        wanted = [(resume, self.report_bytes), (step, self.report_bytes)]
        wanted.append((looking_up(OFFSET_BYTES), report_bytes(self.parts + 1)))
        wanted.append((warp_work_gpu.binning(), 8 * warp_work_gpu.NUMBERS))
        if self.relocates:
            places, count, positions = (ins_rebuild.kernels()[name] for name in ins_rebuild.NAMES)
            wanted += [(places, 0), (count, ins_rebuild.report_bytes(len(self.range_places))), (positions, 0)]
        sizes = [size for kernel, nbytes in wanted for size in (kernel.handle, nbytes)]
        if (self.parts, *sizes) in self.primed:
            return True
        runtime.finish()
        plans = [GpuPlan(kernel, np.zeros((self.parts, 1), np.int64), report_bytes=nbytes) for kernel, nbytes in wanted]
        keys = [runtime.register(plan) for plan in plans]
        look = GpuLauncher("look", single_point=self.parts == 1)
        for plan, key in zip(plans, keys, strict=True):
            plan.register(key)
            look(self.parts, key=key, number=runtime.WARM_UP)
        runtime.finish()
        for plan, key in zip(plans, keys, strict=True):
            plan.report(key, nbytes=0)
            plan.unregister(key)  # its reports are there for later plans of the same size
            runtime.unregister(key)
        self.primed.add((self.parts, *sizes))
        return False

    def count_edges(self, before: PartitionedGraph, wait: Wait) -> None:
        """Have the GPUs that have the offsets tell where the new partitions' edges begin, unless it is known."""
        if "edge_points" in vars(self.layout):
            return
        points, rows = self.layout.points, runtime.ranges(before.points, 1)  # as launches take the offsets
        self.layout.edge_points = looked_up(self.relocation, self.graph.offsets, rows, points, wait)

    def relocate(self, before: PartitionedGraph, wait: Wait) -> None:
        """Make on the GPUs what kernels read of the partitions: work, INS lists and local ids from the previous ones.

        CPU cores' tasks group edges by source.
        """
        self.layout.cached(WARP_WORK, lambda layout: warp_work_gpu.issued(self.relocation, layout, wait))
        if self.relocates:
            made = self.relocation.make(before, self.layout, self.range_places, wait)
            self.layout.members, self._ranges = made
        if self.pushes:
            self.layout.by_source(tuple(self.writer.edge), listed=self.local)

    @property
    def on_gpus_at(self) -> tuple[int, ...]:
        """Split points of the partitions on GPUs."""
        return tuple(self.layout.points[: self.on_gpus + 1].tolist())

    @property
    def edges_bytes(self) -> int:
        """Bytes of edges on the GPU that has most."""
        return (self._each - self.overflows) * self.partition_bytes.edges

    @property
    def lasting(self) -> int:
        """Bytes of the graph's own stores on the GPU that has most: Legion keeps them there after a move."""
        properties = sum(self.graph.property_types[e].itemsize for e in self.writer.edge)
        offsets = 8 + self.graph.degree_dtype.itemsize * self.own_degrees
        vertices, edges = self._largest
        return self._each * (edges * (properties + (0 if self.local else 4)) + vertices * offsets)

    def _first_launcher(
        self,
        splits: Mapping[str, str | None],
        fields: Mapping[str, str | None],
        others: Mapping[str, str | None],
        how: Mapping[str, Any],
    ) -> GpuLauncher:
        if self.left is None:
            return super()._first_launcher(splits, fields, others, how)
        left = [f"left_{n}" for n in self.left.control_stores]
        zero_copy = [*how["zero_copy"], *left]
        given = {**splits, **dict.fromkeys(["left", *left])}
        return GpuLauncher("run_resumed", given, others, fields, **{**how, "zero_copy": zero_copy})

    def first_arrays(self, first: GpuLauncher, work: WarpWork) -> dict[str, int]:
        """Map arguments to stores, but for those that only a resumed launch takes."""
        return {n: k for n, k in super().first_arrays(first, work).items() if n.partition("_")[0] != "left"}

    def resuming_arrays(self, first: GpuLauncher, work: WarpWork) -> dict[str, int]:
        """Map each argument of the kernel that takes over from the previous partitions to its store."""
        assert self.left is not None
        found = self.first_arrays(first, work) | dict.fromkeys(("points", "word_at"), first.arrays.index("left"))
        return found | {f"old_{n}": first.arrays.index(f"left_{n}") for n in self.left.control_stores}

    def bytes_before(self, argument: str, work: WarpWork, moving: list[str]) -> NDArray[np.int64]:
        """Count the bytes as in other runs, and for stores of the partitions that were before."""
        if self.left is not None and self._planning_first and argument in ("points", "old_state", "old_words"):
            return np.zeros(self.parts, np.int64)
        if self.left is not None and self._planning_first and argument == "word_at":
            return np.full(self.parts, -8 * (self.parts + 1))
        return super().bytes_before(argument, work, moving)

    @property
    def starts_by_exchange(self) -> bool:
        """True if the launch of iterations sets first values, too; else a launch takes over from other partitions."""
        return self.packed and self.left is None

    _planning_first: bool = False
    relocation: ins_rebuild.Relocation
    """The rebuild of members of INS and local ids, in a run whose partitions have moved."""

    def plans(
        self, scratch: Scratch, work: WarpWork, first: GpuLauncher, later: GpuLauncher, kept: NDArray[np.int64]
    ) -> list[GpuPlan]:
        """Make plans of the first launch, which may take over from the previous partitions, and of later ones."""
        if self.left is None:
            return super().plans(scratch, work, first, later, kept)
        step, resume = (kernel_of(self.program, self.writer, name) for name in ("", "lux_resume"))
        begins, arrays = (
            self.resuming_arrays(first, work),
            [self.arrays(first, later, work, number) for number in (0, 1)],
        )
        self._planning_first = True
        found = self.gpu_plan(resume, scratch, work, first, kept, [begins] * 2, keeps=True)
        self._planning_first = False
        return [found, self.gpu_plan(step, scratch, work, first, kept, arrays)]

    @property
    def relocating(self) -> int:
        """Bytes on a GPU that `relocate` takes meanwhile."""
        vertices, edges = self._largest
        lists = ins_rebuild.memory_bytes(edges, self.graph.n_vertices) if self.relocates else 0
        return self._each * (lists + warp_work_gpu.scratch_bytes(vertices))

    @property
    def form(self) -> str:
        """The form of `MoveCost`."""
        form = "GPU by source" if self.pushes else "GPU local" if self.local else "GPU"
        return f"{form}, stopped" if self.is_blocking else form

    kinds: NDArray[np.int64] | None = None
    """The kinds of `lux.partition.repartitioner.Repartitioner`."""

    def cost(self) -> MoveCost:
        """Return the cost function of moves while no iteration runs."""
        names = [*self.writer.state, *self.writer.swapped]
        properties = sum(self.graph.property_types[e].itemsize for e in self.writer.edge)
        return MoveCost(
            work=self.layout.work,
            nodes=split_points.nodes_of(self.parts, runtime.ranks()),
            processors=min(max(runtime.processors() // runtime.ranks(), 1), self.parts),
            form=self.form,
            vertex_bytes=self.bytes_of(names) + 8,
            edge_bytes=4 + properties,
            network=link.measured().byte if runtime.ranks() > 1 else 0.0,
        )
