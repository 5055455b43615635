# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A run on GPUs whose split points move where that pays (section 5 of the Lux paper).

Kernels report the seconds of each iteration; `lux.engine.balance` decides, as it does on CPU cores. The launches
between two moves are a stretch, which has a layout, addresses and kernels' arguments of its own. Fields are whole
stores: the first launch of a stretch takes them at the new split points, and Legion copies what other GPUs need from
now on. The state and the frontier are translated by the kernel of that launch (``resume.cuh``).

GPUs do not wait for the driver: while it looks, decides, and prepares the launches on new partitions, iterations go on
as they were, a few launched ahead. To prepare is to cut the rows into work, to make members of INS and local ids from
those there are, and to have Legion bring what a run only reads to where it will be read. Iterations stop when all that
is left to do is to bring them the values.
"""

from __future__ import annotations

import copy
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime, settings
from lux.engine.balance import BALANCED, EXPECTED_ITERATIONS, LEAST_GAIN, Balancer, Decision
from lux.engine.gpu import relocation
from lux.engine.gpu.part_launches import NOTED, REPORT_BYTES
from lux.engine.gpu.parts import AHEAD, Loads, PartRun
from lux.engine.gpu.program import kernel_of
from lux.engine.gpu.work import Laid
from lux.engine.moving import MoveCost
from lux.engine.weight_curve import WeightCurve
from lux.kernels import frontier as fr
from lux.runtime import GpuLauncher, GpuPlan, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lux.engine.gpu.memory import Scratch
    from lux.engine.gpu.work import Work
    from lux.engine.layout import Layout
    from lux.engine.loop import Progress, Run

FIRST_LOOK = 3
"""Iterations of a stretch after which it is looked at the seconds, of all but the last of them."""
SHORT = 2
"""Iterations of a launch until then and while a move is prepared, where launches have several: an even number, as two
copies swap roles. What GPUs do to prepare a move waits for the end of a launch."""
HELD = 4
"""Iterations that are launched ahead meanwhile, as those that follow may be on other partitions."""
LOOKS = 8
"""Iterations between later looks, at least; twice as many after each that moves nothing."""
MOST_FIELDS = 8
"""Fields of a program whose partitions may move: a launch says in 63 bits which of its stores lie where."""
FILLED = 0.95
"""Part of a GPU's memory that may be filled where partitions move: what is new is allocated while kernels use what
Legion believes idle, which it must have no reason to take back."""
LAYOUT_FACTS = ("_largest", "_needed", "overflowing", "_ranges")
"""Cached properties that depend on the split points."""


@dataclass(frozen=True)
class Left:
    """What partitions have left to those after them.

    Attributes
    ----------
    layout : Layout
        Where they were.
    told : dict of str to Store
        ``state`` and, where there is a frontier, ``words``, as written last.
    """

    layout: Layout
    told: dict[str, Store]


class MovingRun(PartRun):
    """A run as `PartRun`, whose partitions may move.

    Attributes
    ----------
    ends_after : int or None
        Iterations after which the run ends, where that is known.
    left : Left or None
        In a stretch after the first.
    """

    ends_after: int | None = None
    left: Left | None = None
    _primed: ClassVar[set[tuple[int, ...]]] = set()
    """Kernels that moves need, with the sizes of their launches and reports, for which GPUs are ready."""

    def execute(self, progress: Progress | None) -> Run:
        """Run to the end."""
        scope = settings.current().repartition
        stays = self.parts == 1 or runtime.ranks() > 1 or self._overflows or len(self.writer.state) > MOST_FIELDS
        if scope == "off" or stays:
            return super().execute(progress)
        return _Driver(self, scope, progress).execute()

    def moved(self, points: NDArray[np.int64]) -> MovingRun:
        """The same run at other split points."""
        other = copy.copy(self)
        for name in LAYOUT_FACTS:
            other.__dict__.pop(name, None)
        other.layout, other.left, other.relocation = self.layout.moved(points), None, relocation.Relocation()
        other.relocates = self.local and self.graph.n_edges > 0
        return other

    def making(self) -> tuple[Future[None], Future[Laid]]:
        """Have another thread compile what a move needs, and make what Legate has no part in."""
        layout, threads = self.layout, ThreadPoolExecutor(1)
        points, word_at, classes = layout.points, layout.word_at, layout.row_classes

        def compile_kernels() -> None:
            kernel_of(self.program, self.writer, "lux_resume")
            if self.relocates:
                relocation.kernels()

        made = threads.submit(compile_kernels), threads.submit(lambda: Laid(points, word_at, classes))
        threads.shutdown(wait=False)
        return made

    def take(self, laid: Laid) -> None:
        """What that has made, and what CPU cores make in tasks."""
        self.layout.take_gpu_work(laid)
        if self.pushes:
            self.layout.by_source(tuple(self.writer.edge), listed=self.local)

    def prime(self) -> bool:
        """See to it that GPUs have loaded the kernels of moves and that there are reports for them.

        Neither may be while GPUs wait for one another: the driver may then wait for a kernel's end before it launches
        the one for which that kernel waits. So the first move of a program waits here for what is under way. Returns
        whether that was so already.
        """
        resume, step = (kernel_of(self.program, self.writer, name) for name in ("lux_resume", ""))
        wanted = [(resume, REPORT_BYTES), (step, REPORT_BYTES)]
        if self.relocates:
            places, count, positions = (relocation.kernels()[name] for name in relocation.NAMES)
            wanted += [(places, 0), (count, relocation.report_bytes(len(self._range_places))), (positions, 0)]
        sizes = [size for kernel, nbytes in wanted for size in (kernel.handle, nbytes)]
        if (self.parts, *sizes) in self._primed:
            return True
        runtime.finish()
        plans = [GpuPlan(kernel, np.zeros((self.parts, 1), np.int64), report_bytes=nbytes) for kernel, nbytes in wanted]
        keys = [runtime.share(plan) for plan in plans]
        look = GpuLauncher("look", alone=self.parts == 1)
        for plan, key in zip(plans, keys, strict=True):
            plan.share(key)
            look(self.parts, key=key, number=runtime.LOOK)
        runtime.finish()
        for plan, key in zip(plans, keys, strict=True):
            plan.report(key, nbytes=0)
            plan.forget(key)  # its reports are there for the next plans that want as much
            runtime.unshare(key)
        self._primed.add((self.parts, *sizes))
        return False

    def relocate(self, before: Layout, wait: Callable[[Callable[[], bool]], None]) -> None:
        """Have GPUs make what they keep of the edges, from what they had; ``wait`` as of `relocation.Relocation`."""
        if self.relocates:
            made = self.relocation.make(before, self.layout, self._range_places, wait)
            self.layout.members, self._ranges = made

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
        left = [f"left_{n}" for n in self.left.told]
        zero_copy = [*how["zero_copy"], *left]
        given = {**splits, **dict.fromkeys(["left", *left])}
        return GpuLauncher("run_resumed", given, others, fields, **{**how, "zero_copy": zero_copy})

    def _first_arrays(self, first: GpuLauncher, work: Work) -> dict[str, int]:
        return {n: k for n, k in super()._first_arrays(first, work).items() if n.partition("_")[0] != "left"}

    def resuming_arrays(self, first: GpuLauncher, work: Work) -> dict[str, int]:
        """The same for the kernel that takes over from the partitions before."""
        assert self.left is not None
        found = self._first_arrays(first, work) | dict.fromkeys(("points", "word_at"), first.arrays.index("left"))
        return found | {f"old_{n}": first.arrays.index(f"left_{n}") for n in self.left.told}

    def _before(self, argument: str, work: Work, moving: list[str]) -> NDArray[np.int64]:
        if self.left is not None and self._planning_first and argument in ("points", "old_state", "old_words"):
            return np.zeros(self.parts, np.int64)
        if self.left is not None and self._planning_first and argument == "word_at":
            return np.full(self.parts, -8 * (self.parts + 1))
        return super()._before(argument, work, moving)

    _planning_first: bool = False
    relocation: relocation.Relocation
    """What has made members of INS and local ids; in a run whose partitions have moved."""

    def plans(
        self, scratch: Scratch, work: Work, first: GpuLauncher, later: GpuLauncher, kept: NDArray[np.int64]
    ) -> list[GpuPlan]:
        """Plans of the first launch, which may take over from the partitions before, and of later ones."""
        if self.left is None:
            return super().plans(scratch, work, first, later, kept)
        step, resume = (kernel_of(self.program, self.writer, name) for name in ("", "lux_resume"))
        begins, arrays = (
            self.resuming_arrays(first, work),
            [self._arrays(first, later, work, number) for number in (0, 1)],
        )
        self._planning_first = True
        found = self._plan(resume, scratch, work, first, kept, [begins] * 2, keeps=True)
        self._planning_first = False
        return [found, self._plan(step, scratch, work, first, kept, arrays)]

    @property
    def relocating(self) -> int:
        """Bytes on a GPU that `relocate` takes meanwhile."""
        return self._each * relocation.needed(self._largest[1], self.graph.n_vertices) if self.relocates else 0

    @property
    def form(self) -> str:
        """As `MoveCost` has it."""
        return "GPU by source" if self.pushes else "GPU local" if self.local else "GPU"

    def cost(self) -> MoveCost:
        """What a move costs while no iteration runs."""
        names = [*self.writer.state, *self.writer.swapped]
        properties = sum(self.graph.property_types[e].itemsize for e in self.writer.edge)
        return MoveCost(
            work=self.layout.work,
            nodes=np.zeros(self.parts, np.int64),
            processors=min(runtime.processors() if self.pushes else max(runtime.gpus(), 1), self.parts),
            form=self.form,
            vertex_bytes=self._bytes_of(names) + 8,
            edge_bytes=4 + properties,
        )


class Stretch:
    """Launches on one layout.

    Parameters
    ----------
    run : MovingRun
    fields : dict of str to Store, optional
        Those of the stretch before, of which those of the copy 0 were written last.
    begun : int
        Iterations that are done.

    Attributes
    ----------
    scheduled, noted : int
        Iterations that are launched, and those whose rows of statistics have been taken, counted from the run's first.
    """

    def __init__(self, run: MovingRun, fields: dict[str, Store] | None, begun: int) -> None:
        self.run, self.begun, self.scheduled, self.launched, self.noted = run, begun, begun, 0, begun
        self.made = run.set_up(fields)
        self.fields, self.told = self.made.fields, self.made.told

    def load(self) -> None:
        """Have GPUs load what launches need, and wait for it."""
        self.run.load(self.made)

    def issue_load(self) -> None:
        """The same without waiting."""
        self.run.issue_load(self.made)

    def loaded(self) -> bool:
        """Whether all GPUs have."""
        return self.run.loaded(self.made)

    def resume(self, fields: dict[str, Store], done: int) -> None:
        """Take over after so many iterations, with these fields, whose copies may have turned; no launch runs."""
        self.fields, self.made = fields, replace(self.made, fields=fields)
        self.begun = self.scheduled = self.noted = done

    def begin(self) -> None:
        """The launch that sets first values, or takes over."""
        run, given = self.run, {}
        if run.left is not None:
            layout = run.left.layout
            given = {f"left_{n}": store for n, store in run.left.told.items()}
            given["left"] = runtime.from_array(np.concatenate([layout.points, layout.word_at]).astype(np.int64))
        run.begin(self.made, **given)

    def step(self, turns: int) -> None:
        """One launch more, of so many iterations."""
        self.launched += 1
        self.run.step(self.made, self.launched, {}, turns)
        self.scheduled += turns

    def outcome(self) -> tuple[int, int]:
        """Iterations that are known to be done, and whether the run has finished."""
        return max((self.begun, fr.RUNNING), self.run.outcome(self.made, self.launched), key=lambda o: (o[1], o[0]))

    def rows(self, done: int) -> NDArray[np.float64]:
        """Rows of statistics of the iterations from the last call to ``done``, of shape (parts, numbers)."""
        before, self.noted = self.noted, max(done, self.noted)
        return self.run.rows(self.made, before, self.noted)

    def loads(self) -> Loads:
        """What was gathered."""
        return self.run.loads(self.made)

    def check(self) -> None:
        """Raise what has failed on any GPU."""
        self.run.check(self.made)

    def left(self, done: int) -> tuple[dict[str, Store], Left]:
        """Fields with the copy that was written last as copy 0, and what was told last, when no launch runs."""
        last = (done - self.begun) & 1
        fields = {f"{int(n[0]) ^ last}{n[1:]}" if n[0].isdigit() else n: store for n, store in self.fields.items()}
        told = {n[2:]: store for n, store in self.told.items() if n[0] == str(last)}
        return fields, Left(self.run.layout, told)

    def close(self) -> None:
        """Forget the plans; no launch runs."""
        self.made.forget()
        self.made = replace(self.made, plans=[], keys=[])


class _Driver:
    """One run: stretches, and the decisions between them."""

    _preparing: ClassVar[dict[str, float]] = {}
    """Seconds for which the last move of each form was prepared, in this process."""

    def __init__(self, run: MovingRun, scope: str, progress: Progress | None) -> None:
        self.run, self.scope, self.progress = run, scope, progress
        self.done, self.finished = 0, fr.RUNNING
        self.decisions: list[Decision] = []
        self.rows: list[NDArray[np.float64]] = []
        self.loads: list[Loads] = []
        self.usual: NDArray[np.float64] | None = None
        self.balancer: Balancer | None = None
        self.cost: MoveCost | None = None
        self.patience = 1
        # Of all moves of runs on these partitions.
        self.lasting: list[int] = run.layout.keep("lasting on GPUs", lambda _: [])

    def execute(self) -> Run:
        """Run to the end."""
        runtime.check_points(self.run.parts)
        _ = self.run.layout.work  # nothing may be read from stores, which waits for launches, while they go on
        stretch = Stretch(self.run, None, 0)
        stretch.load()
        began = time.perf_counter()
        try:
            stretch.begin()
            while self.finished == fr.RUNNING:
                self._wait(stretch)
                if self.finished != fr.RUNNING:
                    break
                before, decision = stretch, self._decide(stretch)
                if decision is not None and decision.phase != "none":
                    stretch = self._move(stretch, decision)
                self.patience = 2 * self.patience if stretch is before else 1
            seconds = time.perf_counter() - began
            self._note(stretch, self.done)
            self.loads.append(stretch.loads())
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            stretch.close()
        table = np.concatenate(self.rows, axis=1)
        how = (self.done, self.finished, seconds, added(self.loads), self.decisions)
        return stretch.run.ended(stretch.fields, table, *how)

    def _wait(self, stretch: Stretch) -> None:
        """Launch until there is something to decide, or the run is over."""
        first = stretch.noted == stretch.begun
        enough = stretch.begun + FIRST_LOOK if first else stretch.noted + LOOKS * self.patience
        while True:
            self._launch(stretch, held=first)
            self._look(stretch)
            if self.finished != fr.RUNNING:
                runtime.finish()
                stretch.check()
                return
            if self.done >= enough:
                return

    def _launch(self, stretch: Stretch, *, held: bool) -> None:
        """Launch as far ahead as may be: not far where those that follow may be on other partitions (``held``)."""
        most_turns = self.run.turns
        turns = min(SHORT if held else most_turns, most_turns)
        ahead = HELD if held else AHEAD if most_turns == 1 else NOTED // 2 + turns
        while stretch.scheduled <= self.run.limit and stretch.scheduled + turns - self.done <= ahead:
            if stretch.scheduled + turns > stretch.noted + NOTED:  # a report has room for so many rows
                return
            stretch.step(turns)

    def _look(self, stretch: Stretch) -> None:
        """See how far the run is."""
        before, (self.done, self.finished) = self.done, stretch.outcome()
        if self.done - stretch.noted > NOTED // 4:
            self._note(stretch, self.done - 1)  # the last row may be on its way
        if self.progress is not None and self.done > before:
            self.progress(self.done)

    def _note(self, stretch: Stretch, done: int) -> None:
        """Keep rows of statistics, and what an iteration usually takes."""
        found = stretch.rows(done)
        self.rows.append(found)
        for seconds in found.reshape(self.run.parts, -1, fr.STATISTICS_COLUMNS)[:, :, 3].T:
            self.usual = usual(self.usual, seconds)

    def _decide(self, stretch: Stretch) -> Decision | None:
        """What to do about the seconds since the last look; None where they say nothing."""
        self._note(stretch, self.done - 1)  # the last row may be on its way
        run, seconds = self.run, self.usual
        if seconds is None or not seconds.any():
            return None
        points = stretch.run.layout.points
        remaining = EXPECTED_ITERATIONS
        if run.ends_after is not None:  # a move gains nothing while it is prepared
            first = stretch.scheduled + int(self._preparing.get(run.form, 0.0) / max(float(seconds.max()), 1e-9))
            remaining = max(run.ends_after - first, 0)
        on_gpus = of_gpus(seconds, runtime.gpus())
        gain = float(on_gpus.max() - on_gpus.mean())
        if gain <= LEAST_GAIN * float(on_gpus.mean()) and (self.balancer is None or len(on_gpus) < len(seconds)):
            why = BALANCED if len(on_gpus) > 1 else "one GPU has all partitions"  # most runs: nothing is made for them
            return self._keep(Decision(self.done, seconds, "none", gain, 0.0, remaining, points, points, 0.0, why=why))
        if self.balancer is None:
            self.cost = run.cost()
            curve = WeightCurve.by_edges(run.layout.work)
            self.balancer = Balancer(curve, self.cost.nodes, self.scope, self.cost)
        return self._keep(self.balancer.decide(points, seconds, iteration=self.done, remaining=remaining))

    def _keep(self, decision: Decision) -> Decision:
        self.decisions.append(decision)
        return decision

    def _move(self, stretch: Stretch, decision: Decision) -> Stretch:
        """Begin a stretch at other split points, and see how long GPUs wait for it; the same where that cannot be."""
        run = stretch.run.moved(decision.after)
        first = [] if stretch.run is self.run else [self.run]  # the graph keeps its layout
        if not _fits([*first, stretch.run, run], sum(self.lasting)):
            self.decisions[-1] = replace(decision, phase="none", why="memory for other partitions' edges is short")
            return stretch
        began = time.perf_counter()
        after: list[Stretch] = []
        try:
            primed = self._prepare(stretch, run, after)
            runtime.finish()
            prepared = time.perf_counter()
            self.lasting.append(run.lasting)
            run.relocation.close()
            stretch.check()
            self.done, self.finished = stretch.outcome()
            self._note(stretch, self.done)
            if self.finished != fr.RUNNING:
                self.decisions[-1] = replace(decision, phase="none", why="the run is over")
                after[0].close()
                return stretch
            fields, run.left = stretch.left(self.done)
            self.loads.append(stretch.loads())
            after[0].resume(fields, self.done)
            after[0].begin()
            runtime.finish()
            after[0].check()
        except BaseException:
            runtime.finish()
            for each in after:
                each.close()
            run.relocation.close()
            raise
        stretch.close()
        moving = time.perf_counter() - prepared
        if self.cost is not None and decision.cost > 0:
            self.cost.learn(decision.cost, moving)
        if primed:  # else something was compiled and loaded, too
            self._preparing[run.form] = prepared - began
        self.decisions[-1] = replace(
            decision, moving_seconds=moving, preparing_seconds=prepared - began, moved_after=self.done
        )
        self.usual = None
        return after[0]

    def _prepare(self, stretch: Stretch, run: MovingRun, after: list[Stretch]) -> bool:
        """Make what a run at other split points needs, while this one goes on; adds its stretch to ``after``.

        Returns whether GPUs had the kernels of moves already.
        """
        compiled, laid = run.making()
        self._go_on(stretch, compiled.done)
        compiled.result()
        primed = run.prime()
        self._go_on(stretch)
        run.relocate(stretch.run.layout, lambda ready: self._go_on(stretch, ready))
        self._go_on(stretch, laid.done)
        run.take(laid.result())
        self._go_on(stretch)
        fields, run.left = stretch.left(self.done)
        after.append(Stretch(run, fields, self.done))
        self._go_on(stretch)
        after[0].issue_load()
        self._go_on(stretch, after[0].loaded)
        return primed

    def _go_on(self, stretch: Stretch, ready: Callable[[], bool] = lambda: True) -> None:
        """Have iterations go on until something is ready, and at least look once."""
        while True:
            self._launch(stretch, held=True)
            self._look(stretch)
            if ready():
                return


def of_gpus(seconds: NDArray[np.float64], gpus: int) -> NDArray[np.float64]:
    """What each GPU takes, where partitions that share one run one after the other there.

    >>> of_gpus(np.array([3.0, 1.0, 2.0, 2.0]), 2).tolist(), of_gpus(np.array([3.0, 1.0]), 4).tolist()
    ([4.0, 4.0], [3.0, 1.0])
    """
    parts = len(seconds)
    return np.asarray(np.bincount(np.arange(parts) * gpus // parts, seconds)) if 0 < gpus < parts else seconds


def usual(before: NDArray[np.float64] | None, took: NDArray[np.float64]) -> NDArray[np.float64]:
    """What an iteration of each partition usually takes, after one more.

    As `lux.kernels.frontier.usual`: it falls at once, and rises by a quarter at most.

    >>> usual(np.array([1.0, 1.0, 1.0]), np.array([0.5, 1.1, 9.0])).tolist()
    [0.5, 1.1, 1.25]
    """
    return took.copy() if before is None else np.minimum(took, 1.25 * before)


def added(loads: list[Loads]) -> Loads:
    """What all stretches have gathered."""
    seconds, work = (sum(getattr(x, n) for x in loads) for n in ("seconds", "work_seconds"))
    return Loads(sum(x.vertices for x in loads), sum(x.nbytes for x in loads), seconds, work)


def _fits(runs: list[MovingRun], lasting: int) -> bool:
    """Whether there is room for what these runs hold at once, and on GPUs for what moves before have left there."""
    given, needed = legate_config.settings(), [run.needed() for run in runs]
    on_gpu, beside = sum(n for n, _ in needed) + runs[-1].relocating, max(n for _, n in needed)
    there = on_gpu + lasting <= FILLED * given.fbmem_bytes and beside + 2**20 <= given.zcmem_bytes
    return there and runs[-1].fits_host()
