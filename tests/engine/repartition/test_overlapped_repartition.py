# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Split points that move while a program runs on GPUs, as far as it can be seen without one."""

import gc
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import lux
from lux.engine.cpu.repartition import MoveCost
from lux.engine.gpu import ins_rebuild, part_launches
from lux.engine.gpu.part_launches import MAX_STATISTICS_ROWS
from lux.engine.repartition import overlapped_repartition, repartition_loop, repartitionable_run
from lux.engine.repartition.epoch import Epoch, EpochState
from lux.engine.repartition.overlapped_repartition import HELD, SHORT, OverlappedRepartition
from lux.engine.repartition.repartition_loop import FIRST_LOOK
from lux.engine.repartition.repartitionable_run import RepartitionableRun
from lux.engine.run.statistics import GatherStatistics
from lux_cases.builtin import PageRank32, ShortestPathsFloat32, SmallestLabel
from lux_cases.launches import WARM_UP, frontier
from lux_cases.machine import live_bytes
from lux_cases.plans import stores_of, table

FITS = repartition_loop.fits
PROGRAMS = {
    PageRank32: {"alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    ShortestPathsFloat32: {"source": 1, "cutoff": 1e9},
}


def graph():
    return lux.generate("kronecker:8", seed=3, weights=(1, 255)).reordered("degree")


def resumed(program, placement, parts, iterations=1):
    """A run whose split points have moved."""
    before = RepartitionableRun(program, graph(), {}, PROGRAMS[program], "auto", 50, parts, placement=placement)
    before.iterations_per_launch = iterations
    points = before.layout.points.copy()
    points[1:-1] += 3
    after = before.moved(points)
    after.left = EpochState(before.layout, dict.fromkeys(after.control_stores))
    return before, after


@pytest.mark.parametrize("placement, iterations", [("peer", 1), ("peer", 32), ("device", 1), ("zero-copy", 1)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_the_first_launch_after_a_move_is_given(program, placement, iterations, monkeypatch):
    monkeypatch.setattr(repartitionable_run, "kernel_of", lambda *given: SimpleNamespace(handle=len(given)))
    before, after = resumed(program, placement, 3, iterations)
    work = part_launches.warp_work.on_cores(after.layout)
    splits = after.static()[1]
    splits = splits | {"work": "work_rows"} | ({"arrivals": None} if iterations > 1 else {})
    first, later = after.launchers(splits)
    fields = [n for n in first.split_of if n[0].isdigit() or n.startswith("own_")]
    assert {f"{n} before" for n in fields} <= {*first.arrays}  # they are read, too
    assert {"left", *(f"left_{n}" for n in after.control_stores)} <= {*first.arrays}
    scratch = after.scratch(max(work.n_items), int(after.layout.members.sizes.max()) if after.lists else 0)
    kept = np.zeros((3, len(first.arrays)), np.int64)
    begins, steps = after.plans(scratch, work, first, later, kept)

    def taken(plan):
        pairs, moved = stores_of(plan), table(plan, "before", 3, plan.struct.n_stores)
        members = list(after.writer.members)
        # Of the first half of the arguments.
        return {members[a]: (k, moved[:, i].tolist()) for i, (a, k) in enumerate(pairs.tolist()) if a < len(members)}

    found = taken(begins)
    at = first.arrays.index("left")
    assert (found["points"], found["word_at"]) == ((at, [0] * 3), (at, [-8 * 4] * 3))
    for n in after.control_stores:
        assert found[f"old_{n}"] == (first.arrays.index(f"left_{n}"), [0] * 3)
    # The values that are current lie in b, and are found from the new split points on.
    name = after.writer.state[0]
    where = f"0_{name}" if name in after.writer.swapped else f"own_{name}"
    size = after.bytes_of([name])
    assert found[f"b_{name}"] == (first.arrays.index(where), (after.layout.points[:-1] * size).tolist())
    later_found = taken(steps)
    assert later_found["points"] == (~first.arrays.index("work"), (-work.at["points"]).tolist())
    members = list(after.writer.members)
    limits = table(steps, "arguments", 3, 2, len(members))[:, :, members.index("limit")]
    assert set(limits.ravel().tolist()) == {iterations}
    shorter = [half * len(members) + members.index("limit") for half in (0, 1)] if iterations > 1 else []
    assert steps.struct.n_iteration_arguments == len(shorter)
    assert table(steps, "iteration_arguments", len(shorter)).tolist() == shorter
    assert before.left is None
    assert before.numbers(0, part_launches.warp_work.on_cores(before.layout))["hi"] + 3 == after.numbers(0, work)["hi"]


@pytest.mark.parametrize("done, last", [(4, 0), (7, 1)])
def test_copies_turn_where_the_number_of_iterations_is_odd(done, last):
    names = ("0_rank", "1_rank", "own_share")
    run = SimpleNamespace(layout="layout")
    epoch = Epoch.__new__(Epoch)
    epoch.run, epoch.begun = run, 2
    epoch.fields, epoch.control_stores = {n: n for n in names}, {"0_state": "0", "1_state": "1"}
    fields, left = epoch.left(2 + done)
    assert fields == {"own_share": "own_share", "0_rank": f"{last}_rank", "1_rank": f"{1 - last}_rank"}
    assert left == EpochState("layout", {"state": str(last)})


class Scripted:
    """A stretch of which each iteration of a vertex takes a microsecond, and the first ten take longer."""

    made: ClassVar[list] = []
    longer: ClassVar[float] = 10.0
    pace: ClassVar[int] = 1

    def __init__(self, run, fields, begun, memory=None):
        self.run, self.begun, self.scheduled, self.noted = run, begun, begun, begun
        self.fields = dict.fromkeys(f"{c}_{n}" for c in ("own", 0, 1) for n in run.writer.state)
        self.closed, self.launches, self.done = False, [], begun
        Scripted.made.append(self)

    def begin(self):
        pass

    check = load = issue_load = begin

    def loaded(self):
        return True

    def resume(self, fields, done):
        self.fields, self.begun, self.scheduled, self.noted, self.done = fields, done, done, done, done

    def close(self):
        self.closed = True

    def step(self, iterations):
        self.launches.append(iterations)
        self.scheduled += iterations
        assert self.scheduled <= self.noted + MAX_STATISTICS_ROWS  # what the kernels' reports have room for

    def outcome(self):
        """Of what is launched, one iteration more with every look."""
        self.done = min(self.done + self.pace, self.scheduled, self.run.limit)
        over = self.done == self.run.limit and self.scheduled > self.run.limit
        return self.done, frontier.STOPPED if over else frontier.RUNNING

    def rows(self, done):
        points, count = self.run.layout.points, max(done - self.noted, 0)
        cost = np.where(np.arange(points[-1]) < 10, self.longer, 1.0)
        rows = np.zeros((self.run.parts, count, frontier.STATISTICS_COLUMNS))
        rows[:, :, 0] = frontier.PULL
        rows[:, :, 1] = self.noted + np.arange(count)
        rows[:, :, 3] = 1e-6 * np.add.reduceat(cost, points[:-1])[:, None]
        self.noted = max(self.noted, done)
        return rows.reshape(self.run.parts, -1)

    def loads(self):
        return GatherStatistics(1, 8, 1e-6, 1e-6)

    def sampled(self):
        return None

    @property
    def first_seconds(self):
        points = self.run.layout.points
        return 1e-6 * np.add.reduceat(np.where(np.arange(points[-1]) < 10, self.longer, 1.0), points[:-1]).max()

    def left(self, done):
        return self.fields, EpochState(self.run.layout, {})


@pytest.fixture
def scripted(monkeypatch, on_finish, pretend_gpus):
    """``scripted(limit, iterations)``: the driver of a run of so many iterations, and the run."""
    pretend_gpus(2)
    monkeypatch.setattr(repartition_loop, "Epoch", Scripted)
    monkeypatch.setattr(repartition_loop, "fits", lambda runs, lasting: True)
    monkeypatch.setattr(MoveCost, "slower", {})
    monkeypatch.setattr(repartitionable_run, "kernel_of", lambda *given: None)
    monkeypatch.setattr(ins_rebuild, "kernels", dict)
    monkeypatch.setattr(RepartitionableRun, "relocate", lambda run, before, wait: wait(lambda: True))
    monkeypatch.setattr(RepartitionableRun, "preload_kernels", lambda run: True)
    monkeypatch.setattr(repartition_loop.RepartitionLoop, "preparing", {})
    made = SimpleNamespace(done=lambda: True, result=lambda: None)
    monkeypatch.setattr(RepartitionableRun, "start_background_build", lambda run: made)
    monkeypatch.setattr(RepartitionableRun, "count_edges", lambda run, before, wait: wait(lambda: True))
    monkeypatch.setattr(Scripted, "longer", 10.0)
    # What would be waited for is done at once.
    on_finish(lambda: [setattr(s, "pace", 10**6) for s in Scripted.made if not s.closed])
    Scripted.made = []

    def make(limit, iterations):
        g = lux.from_edges(np.arange(400), (np.arange(400) + 1) % 400, n_vertices=400)
        run = RepartitionableRun(PageRank32, g, {}, PROGRAMS[PageRank32], "auto", limit, 2, placement="peer")
        run.iterations_per_launch, run.ends_after = iterations, limit
        return OverlappedRepartition(run, "global", None), run

    return make


@pytest.mark.check
@pytest.mark.parametrize("iterations", [1, 32])
def test_points_move_once_and_nothing_is_lost(scripted, iterations):
    driver, _ = scripted(3000, iterations)
    result = driver.execute()
    assert (result.iterations, len(result.statistics)) == (3000, 3000)
    assert [step.frontier for step in result.statistics] == list(range(3000))  # in order, each once
    moved = [d for d in result.repartitions if d.phase != "none"]
    assert len(moved) == 1
    assert moved[0].iteration == FIRST_LOOK
    # 10 vertices of 10 microseconds and 190 of 1 are 290, beside 200: 490 in all.
    assert moved[0].before.tolist() == [0, 200, 400]
    assert moved[0].gain == pytest.approx(45e-6)
    assert moved[0].seconds == pytest.approx([290e-6, 200e-6])
    assert moved[0].preparing_seconds > 0
    first, second = Scripted.made
    assert first.closed
    assert second.closed
    assert second.begun == first.scheduled == moved[0].moved_after
    assert set(first.launches) == {min(iterations, SHORT)}
    assert set(second.launches) == {min(iterations, SHORT), iterations}
    assert result.loads == GatherStatistics(2, 16, 2e-6, 2e-6)


@pytest.mark.parametrize("iterations", [1, 32])
def test_iterations_go_on_while_a_move_is_prepared(scripted, iterations, monkeypatch):
    """A few are launched ahead, and rows of statistics are not overwritten."""
    driver, _ = scripted(3000, iterations)
    looked, ahead = [], []

    class Making:
        def done(self):
            looked.append(driver.done)
            ahead.append(Scripted.made[0].scheduled - driver.done)
            return len(looked) > 2 * MAX_STATISTICS_ROWS

    taken = []

    def relocate(run, before, wait):
        wait(Making().done)
        taken.append((before.points.tolist(), run.layout.points.tolist()))

    monkeypatch.setattr(RepartitionableRun, "relocate", relocate)
    result = driver.execute()
    assert [step.frontier for step in result.statistics] == list(range(3000))
    (moved,) = (d for d in result.repartitions if d.phase != "none")
    assert taken == [(moved.before.tolist(), moved.after.tolist())]
    assert looked[-1] >= looked[0] + 2 * MAX_STATISTICS_ROWS
    assert 0 < min(ahead[1:]) <= max(ahead) <= HELD


@pytest.mark.parametrize("iterations", [1, 32])
def test_slow_iterations_wait_for_a_move(scripted, iterations, monkeypatch):
    """Those that were launched ahead at first are the last on the partitions before."""
    monkeypatch.setattr(overlapped_repartition, "SLOW", 1e-5)
    driver, _ = scripted(300, iterations)
    result = driver.execute()
    assert [step.frontier for step in result.statistics] == list(range(300))
    moved = [d for d in result.repartitions if d.phase != "none"]
    assert (moved[0].iteration, moved[0].moved_after) == (2, overlapped_repartition.HELD)


@pytest.mark.parametrize("iterations", [1, 32])
def test_a_run_that_ends_while_a_move_is_prepared(scripted, iterations, monkeypatch):
    driver, _ = scripted(100, iterations)
    monkeypatch.setattr(MoveCost, "__call__", lambda *given: 0.0)
    making = SimpleNamespace(done=lambda: driver.finished != frontier.RUNNING, result=lambda: None)
    monkeypatch.setattr(RepartitionableRun, "start_background_build", lambda self: making)
    result = driver.execute()
    assert [step.frontier for step in result.statistics] == list(range(100))
    assert [(d.phase, d.why) for d in result.repartitions] == [("none", "the run is over")]


@pytest.mark.check
def test_what_a_move_is_predicted_to_cost():
    """Values of the largest partition, 24 bytes each: what is only read has been brought before."""
    run = RepartitionableRun(PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5, 2, placement="peer")
    cost, points = run.cost(), np.array([0, 56, 256])
    expected = 4e-3 + 200 * cost.vertex_bytes / 100e9
    assert cost.predict(run.layout.points, points, np.array([0])) == pytest.approx(expected)


def test_kernels_are_preloaded_once(monkeypatch, on_finish):
    """Before the first move of a program, GPUs load kernels and have reports, while no launch runs."""
    _, run = resumed(PageRank32, "peer", 3)
    handles = {"": 11, "lux_resume": 12, "lux_places": 13, "lux_set": 14, "lux_positions": 15}
    kernels = {name: SimpleNamespace(handle=k) for name, k in handles.items()}
    monkeypatch.setattr(repartitionable_run, "kernel_of", lambda program, writer, name: kernels[name])
    monkeypatch.setattr(ins_rebuild, "kernels", lambda: kernels)
    monkeypatch.setattr(repartitionable_run, "looking_up", lambda itemsize: SimpleNamespace(handle=16))
    monkeypatch.setattr(repartitionable_run.warp_work_gpu, "binning", lambda: SimpleNamespace(handle=17))
    done, looked = [], []

    class Plan:
        def __init__(self, kernel, words, report_bytes):
            self.kernel, self.nbytes = kernel.handle, report_bytes
            assert words.shape == (3, 1)

        def register(self, key):
            done.append(("share", self.kernel, self.nbytes))

        def report(self, key, nbytes):
            done.append(("report", self.kernel))

        def unregister(self, key):
            done.append(("forget", self.kernel))

    monkeypatch.setattr(repartitionable_run, "GpuPlan", Plan)
    on_finish(lambda: done.append("finish"))
    monkeypatch.setattr(
        repartitionable_run, "GpuLauncher", lambda *_, **__: lambda points, key, number: looked.append(number)
    )
    monkeypatch.setattr(RepartitionableRun, "primed", set())
    assert not run.preload_kernels()
    places = len(run.range_places)
    sizes = [(12, run.report_bytes), (11, run.report_bytes), (16, 8 * 5), (17, 8 * 4)]
    sizes += [(13, 0), (14, 8 * (2 + places)), (15, 0)]
    assert done[0] == "finish"
    assert [d[1:] for d in done if d[0] == "share"] == sizes
    assert looked == [WARM_UP] * 7
    assert [d[1] for d in done if d[0] == "forget"] == [size[0] for size in sizes]
    assert done.index(("share", 15, 0)) < len(done) - 1 - done[::-1].index("finish") < done.index(("report", 12))
    done.clear()
    assert run.preload_kernels()
    assert not done


@pytest.mark.parametrize("iterations", [1, 32])
def test_no_row_is_lost_while_looks_become_rarer(scripted, iterations):
    Scripted.longer = 1.0
    result = scripted(5000, iterations)[0].execute()
    assert [step.frontier for step in result.statistics] == list(range(5000))
    assert {d.phase for d in result.repartitions} == {"none"}
    assert 5 < len(result.repartitions) < 20
    assert len(Scripted.made) == 1


def test_short_runs_do_not_move(scripted):
    driver, run = scripted(20, 1)
    epoch = Scripted(run, None, 0)
    for _ in range(12):
        epoch.step(1)
    driver.done = FIRST_LOOK
    decision = driver.decide(epoch)
    assert (decision.phase, decision.remaining) == ("none", 8)
    assert decision.why == "a move costs more than it gains"  # 8 * 45 microseconds, against 4.5 ms
    driver.preparing["GPU local"] = 3 * 290e-6  # no iteration gains while a move is prepared
    epoch.noted, driver.smoothed, driver.repartitioner = 0, None, None
    assert driver.decide(epoch).remaining in (5, 6)


def test_a_balanced_run_makes_nothing(scripted, monkeypatch):
    driver, run = scripted(20, 1)
    monkeypatch.setattr(repartition_loop, "Repartitioner", None)
    epoch = Scripted(run, None, 0)
    epoch.rows = lambda done: np.tile([1.0, 400.0, 400.0, 1e-3], (2, done)).reshape(2, -1)
    driver.done = FIRST_LOOK
    assert driver.decide(epoch).why == "balanced"


def test_where_partitions_stay(monkeypatch):
    given = (PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5)
    monkeypatch.setattr(repartitionable_run.PartitionedGpuRun, "execute", lambda self, progress: "stays")
    run = RepartitionableRun(*given, 2, placement="device")
    with lux.using(repartition="off"):
        assert run.execute(None) == "stays"
    assert RepartitionableRun(*given, 1, placement="device").execute(None) == "stays"
    run.overflows = 1
    assert run.execute(None) == "stays"
    monkeypatch.setattr(
        overlapped_repartition,
        "OverlappedRepartition",
        lambda run, scope, progress: SimpleNamespace(execute=lambda: scope),
    )
    run.overflows = 0
    with lux.using(repartition="local"):
        assert run.execute(None) == "local"


def test_room_for_both(pretend_gpus):
    before, after = resumed(PageRank32, "peer", 2)
    assert after.relocating > 0
    need = before.memory_bytes()[0] + after.memory_bytes()[0] + after.relocating
    for lasting in (0, 1000):
        pretend_gpus(2, fbmem=(need + lasting) / repartition_loop.FILLED)
        assert repartition_loop.fits([before, after], lasting)
        assert not repartition_loop.fits([before, after], lasting + 1)


def test_room_on_the_host(pretend_gpus):
    before, after = resumed(PageRank32, "peer", 2)
    gc.collect()  # stores of other tests
    live = after.host_bytes() + live_bytes()
    pretend_gpus(2, sysmem=live)
    assert repartition_loop.fits([before, after], 0)
    pretend_gpus(2, sysmem=live - 1)
    assert not repartition_loop.fits([before, after], 0)


@pytest.mark.parametrize(
    "program, placement, each",
    [(PageRank32, "peer", 0), (PageRank32, "device", 4), (ShortestPathsFloat32, "peer", 4)],
)
def test_stores_of_the_graph_that_stay_on_gpus(program, placement, each, pretend_gpus):
    pretend_gpus(2)
    run = RepartitionableRun(program, graph(), {}, PROGRAMS[program], "auto", 5, 2, placement=placement)
    each_vertex = 8 + run.own_degrees * run.graph.degree_dtype.itemsize
    vertices, edges = (np.diff(points).max() for points in (run.layout.points, run.layout.edge_points))
    assert run.lasting == each * edges + each_vertex * vertices


def test_moves_end_where_what_they_leave_fills_gpus(scripted, pretend_gpus, monkeypatch):
    driver, run = scripted(3000, 1)
    monkeypatch.setattr(repartition_loop, "fits", FITS)
    pretend_gpus(2, fbmem=3 * run.memory_bytes()[0] + run.moved(run.layout.points).relocating)
    driver.lasting.append(run.memory_bytes()[0] + 10_000)  # more than the partitions differ by
    epoch = driver.open(run, None)
    points = run.layout.points + np.array([0, 1, 0])
    driver.decisions = [SimpleDecision(points)]
    assert driver.move(epoch, driver.decisions[0]) is epoch
    assert driver.decisions[-1].why == "memory for other partitions' edges is short"
    driver.lasting.clear()
    moved = driver.move(epoch, SimpleDecision(points))
    assert moved is not epoch
    assert driver.lasting == [moved.run.lasting]


def test_looks_become_rarer_where_memory_is_short(scripted, monkeypatch):
    driver, _ = scripted(3000, 1)
    monkeypatch.setattr(repartition_loop, "fits", lambda runs, lasting: False)
    result = driver.execute()
    assert len(Scripted.made) == 1
    assert {d.phase for d in result.repartitions} == {"none"}
    assert len(result.repartitions) < 12


def test_an_interrupted_move_forgets_both_stretches(scripted, monkeypatch):
    driver, _ = scripted(3000, 1)

    def begin(self):
        if len(Scripted.made) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Scripted, "begin", begin)
    with pytest.raises(KeyboardInterrupt):
        driver.execute()
    assert [epoch.closed for epoch in Scripted.made] == [True, True]


@dataclass(frozen=True)
class SimpleDecision:
    """What a move reads of a decision."""

    after: np.ndarray
    cost: float = 0.0
    phase: str = "global"
    why: str = ""
    moving_seconds: float = 0.0
    preparing_seconds: float = 0.0
    moved_after: int = 0
