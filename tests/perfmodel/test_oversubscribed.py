# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs that do not fit the GPUs: edges in zero-copy memory, CPU cores in the same iteration, by hand."""

import json
from dataclasses import replace

import pytest

from legate_config import Layout, command
from perfmodel import Configuration, Frontier, Machine, ModelError, Profile, Rate, choose, predict
from perfmodel.memory import memory_need, on_gpu, room
from perfmodel.oversubscribed import OVERFLOW_PARTS, overflowing, shared_out
from perfmodel.predict_program import sides
from perfmodel.profile import MIXED, OVERFLOW, RunOverheads
from perfmodel.programs import program

SLOW = Rate(1e-8, 1e-8, 1e-8, 1e-8)


@pytest.fixture
def machine(gpu):
    """One GPU with a link of 10 GB/s, and four cores of which each takes ten times as long."""
    beside = Machine("cpu", "Test CPU", 4, 1, 1 << 34, 0)
    rates = {name: {"pull": SLOW, "push": SLOW} for name in gpu.rates}
    cores = Profile(beside, rates, 1 << 20, 1e-4, 0.0, launch_seconds=3e-5)
    starts = {p: RunOverheads(run=1e-3, iteration=1e-4, load=2e-6) for p in ("device", "zero-copy")}
    one = replace(gpu.machine, gpus=1, gpu_bytes=1 << 34, memory_bytes=1 << 40)
    return replace(gpu, machine=one, starts=starts, beside=cores)


def small(machine, share):
    """The machine with so small a GPU that a share of the edges of `large` fits it."""
    return replace(machine, machine=replace(machine.machine, gpu_bytes=int((4 * share * 16e6 + 8e7) / 0.8)))


@pytest.fixture
def large(summary):
    """A million vertices and 16 million edges."""
    return summary.scaled(16e6)


def test_overflow_by_hand(summary, machine):
    # 16,000 edges at 1 ns and 1,000 vertices at half; half of the edges, 4 bytes each, come at 0.1 ns a byte.
    one = Configuration("pagerank", "pull", "device", 1, 1, 8, overflow=0.5)
    p = predict(summary, machine, one)
    assert p.overflow == pytest.approx(0.5 * 16_000 * 4 * 1e-10)
    assert p.compute == pytest.approx(16_000 * 1e-9 + p.overflow)
    assert p.iteration == pytest.approx(16e-6 + 3.2e-6 + 0.5e-6 + 1e-4)
    faster = predict(summary, replace(machine, overflow=2.5e-11), one)
    assert faster.overflow == pytest.approx(p.overflow / 4)
    with pytest.raises(ModelError, match="pass --rate zero-copy=GB/S"):
        predict(summary, replace(machine, zero_copy=None), one)


def test_overflow_of_several_gpus(summary, gpu):
    one = Configuration("pagerank", "pull", "device", 1, 2, 16, overflow=0.25)
    shared, own = (predict(summary, replace(gpu, zero_copy_shared=b), one).overflow for b in (1.0, 0.0))
    assert shared == pytest.approx(0.25 * 16_000 * 4 * 1e-10)
    assert own == pytest.approx(shared / 2)


def test_the_partitions_of_a_gpu_gather_and_meet_one_after_the_other(summary, machine):
    rate = replace(machine.rates["pagerank"]["pull"], parted={"zero-copy": (1e-5, 1.0)})
    slow = replace(machine, rates={"pagerank": {"pull": rate}})
    p = predict(summary, slow, Configuration("pagerank", "pull", "zero-copy", 1, 1, 8, overflow=0.5))
    assert p.fixed == pytest.approx(8e-5)
    assert p.load == pytest.approx(8 * (2e-6 + 1000 * 8 * 1e-10))  # every vertex is in each INS


def test_partitions_of_overflowing_runs_and_what_is_in_no_kernel_by_hand(summary, machine):
    # Eight partitions of 25 us each, and 0.6 ms of launches for all of them.
    rate = replace(machine.rates["pagerank"]["pull"], parted={"device": (1e-5, 1.0), OVERFLOW: (2.5e-5, 1.0)})
    starts = machine.starts | {OVERFLOW: RunOverheads(run=2e-3, iteration=6e-4)}
    many = replace(machine, rates={"pagerank": {"pull": rate}}, starts=starts)
    p = predict(summary, many, Configuration("pagerank", "pull", "device", 1, 1, 8, overflow=0.5))
    assert p.fixed == pytest.approx(2e-4)
    assert (p.launch, p.run) == (6e-4, 2e-3)
    one = predict(summary, many, Configuration("pagerank", "pull", "device", 1, 2, 2))
    assert (one.fixed, one.launch, one.run) == (1e-5, 1e-4, 1e-3)


def test_what_mixed_runs_take_besides_is_measured_or_added_up(summary, machine):
    # 1 ms a run and 0.1 ms an iteration on the GPU; on cores 0.1 and 0.03, or, on several, 0.5 and 0.2.
    one = Configuration("pagerank", "pull", "zero-copy", 1, 1, 5, cpus=4, cpu_share=0.25)
    cores = replace(machine.cores, run_vertex_seconds=1e-6)  # of values that are not made twice
    several = replace(cores, starts={"host": RunOverheads(run=5e-4, iteration=2e-4)})
    for beside, run, launch in ((cores, 1.1e-3, 1.3e-4), (several, 1.5e-3, 3e-4)):
        p = predict(summary, replace(machine, beside=beside), one)
        assert (p.run, p.launch) == pytest.approx((run, launch))
    starts = machine.starts | {MIXED: RunOverheads(run=3e-3, iteration=4e-4)}
    p = predict(summary, replace(machine, starts=starts), one)
    assert (p.run, p.launch) == (3e-3, 4e-4)


def test_mixed_by_hand(summary, machine):
    # A quarter on four cores: 4,000 edges and 250 vertices at 10 ns on four; 12,000 and 750 on the GPU, and its gather.
    one = Configuration("pagerank", "pull", "zero-copy", 1, 1, 5, cpus=4, cpu_share=0.25)
    gpus, cores = sides(summary, machine, one)
    assert gpus.kernels == pytest.approx(12e-6 + 0.375e-6 + 2e-6 + 8e-7)
    assert cores.kernels == pytest.approx((40e-6 + 2.5e-6) / 4)
    p = predict(summary, machine, one)
    assert (p.kernels, p.beside) == (gpus.kernels, cores.kernels)
    assert p.iteration == pytest.approx(gpus.kernels + 1e-4 + 3e-5)
    more = predict(summary, machine, replace(one, cpu_share=0.5))
    assert more.iteration == pytest.approx((80e-6 + 5e-6) / 4 + 1e-4 + 3e-5)
    assert p.configuration == one


def test_mixed_runs_take_the_slower_side_of_each_iteration(summary, machine):
    known = replace(summary, frontiers={"components": Frontier((1.0, 0.1), (1.0, 0.001))})
    one = Configuration("components", "push", "zero-copy", 1, 1, 5, cpus=4, cpu_share=0.25)
    gpus, cores = sides(known, machine, one)
    p = predict(known, machine, one)
    assert gpus.each[0] > cores.each[0]
    assert p.each == tuple(map(max, gpus.each, cores.each))
    assert p.total == pytest.approx(p.run + sum(p.each) + 2 * p.launch)
    assert p.iterations == 2


def test_profiles_without_cpu_cores(summary, gpu):
    one = Configuration("pagerank", "pull", "zero-copy", 1, 4, 8, cpus=4, cpu_share=0.25)
    with pytest.raises(ModelError, match=r"4 x Test GPU.* no rates of CPU cores.*--device gpu --programs cores --base"):
        predict(summary, gpu, one)


def test_memory_by_hand(summary, machine):
    one = Configuration("pagerank", "pull", "device", 1, 1, 8, overflow=0.25)
    found = on_gpu(summary, program("pagerank"), one)
    assert (found.edges, found.others, found.once) == (8000, 68 * 125, 8000)
    needed = memory_need(summary, program("pagerank"), one)
    assert needed.gpu == 6 * 8000 + 8 * 68 * 125 + 8000
    assert needed.zero_copy == 2 * 8000
    assert needed.zcmem == 1 + 64
    mixed = memory_need(
        summary,
        program("pagerank"),
        Configuration("pagerank", "pull", "zero-copy", 1, 1, 5, cpus=4, cpu_share=0.25),
    )
    assert mixed.gpu == 0.75 * (4 * 16_000 + 68 * 1000) + 8 * 1000
    assert mixed.zero_copy == 2 * 8 * 1000


def test_as_little_overflows_as_must(large, machine):
    tight = small(machine, 0.5)
    one = overflowing(large, Configuration("pagerank", "pull", "device", 1, 1, 8), tight.machine)
    assert 0 < one.overflow < 1
    assert memory_need(large, program("pagerank"), one).gpu <= room(tight.machine)
    less = replace(one, overflow=one.overflow - 1 / OVERFLOW_PARTS)
    assert memory_need(large, program("pagerank"), less).gpu > room(tight.machine)
    assert (one.fbmem, one.zcmem) == (int(room(tight.machine)) >> 20, predict(large, tight, one).need.zcmem)


def test_cores_take_what_must_be_or_what_they_can(large, machine):
    tight = small(machine, 0.5)
    one = shared_out(large, tight, "pagerank", "pull", 1, None)
    assert (one.cpus, one.parts, one.device) == (4, 5, "gpu+cpu")
    assert memory_need(large, program("pagerank"), one).gpu <= 0.9 * room(tight.machine)
    gpus, cores = sides(large, tight, one)
    assert cores.kernels > gpus.kernels
    rates = {"pagerank": dict.fromkeys(("pull", "push"), replace(SLOW, edge_near=1e-10, edge_far=1e-10))}
    quick = replace(tight, beside=replace(tight.cores, rates=rates))
    even = shared_out(large, quick, "pagerank", "pull", 1, None)
    assert even.cpu_share > one.cpu_share
    gpus, cores = sides(large, quick, even)
    assert cores.kernels == pytest.approx(gpus.kernels, rel=0.1)
    with pytest.raises(ModelError, match="5 CPU cores beside the GPUs were asked for, and the machine has 4"):
        shared_out(large, tight, "pagerank", "pull", 1, 5)


def test_choices_where_a_graph_fits_only_so(large, machine):
    assert choose(large, machine, "pagerank").configuration.device == "gpu"
    assert all(p.configuration.parts == 1 for p in choose(large, machine, "pagerank").predictions)
    tight = small(machine, 0.5)
    both = choose(large, tight, "pagerank")
    assert (both.configuration.device, both.configuration.parts) == ("gpu+cpu", 5)
    assert both.best.iteration == min(p.iteration for p in both.predictions if p.need.fits(tight.machine))
    lazy = {"pagerank": dict.fromkeys(("pull", "push"), replace(SLOW, edge_near=1e-7, edge_far=1e-7))}
    over = choose(large, replace(tight, beside=replace(tight.cores, rates=lazy)), "pagerank")
    assert over.configuration.overflow > 0
    alone = choose(large, replace(tight, beside=None), "pagerank")
    assert (alone.configuration.parts, alone.configuration.device) == (8, "gpu")
    assert alone.configuration.overflow > 0
    assert any("no rates of CPU cores" in note for note in alone.notes)
    assert choose(large, tight, "pagerank", devices="gpu").configuration == alone.configuration
    assert choose(large, machine, "pagerank", devices="gpu+cpu").configuration.cpus == 4
    both = choose(large, machine, "components", devices="gpu+cpu").configuration
    assert (both.device, both.model) == ("gpu+cpu", "pull")  # the program's own way needs one GPU that has all
    limit = alone.best.need.zero_copy / 2
    with pytest.raises(ModelError, match=r"fits nowhere.*no rates of CPU cores"):
        choose(large, replace(tight, beside=None), "pagerank", zero_copy_bytes=limit)


def test_configurations_come_back_and_launch(large, machine, tmp_path):
    one = choose(large, small(machine, 0.5), "pagerank").configuration
    file = tmp_path / "c.json"
    one.write(file)
    assert Configuration.read(file) == one
    found = json.loads(file.read_text())
    assert (found["device"], found["cpu_share"], found["parts"]) == ("gpu+cpu", one.cpu_share, 5)
    words = command(Layout.of_file(file), ["apps/pagerank.py"], as_root=False)
    assert words == f"legate --cpus 4 --gpus 1 --fbmem {one.fbmem} --zcmem {one.zcmem} apps/pagerank.py"
    old = {name: x for name, x in found.items() if name not in ("cpus", "cpu_share", "overflow", "fbmem", "zcmem")}
    file.write_text(json.dumps(old | {"launch": {"gpus": 1}}))
    assert Configuration.read(file) == Configuration("pagerank", one.model, "zero-copy", 1, 1, 5)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"cpus": 4}, "pass parts=5"),
        ({"cpus": 4, "parts": 5, "placement": "device"}, "with zero-copy placement and without overflow"),
        ({"cpus": 4, "parts": 5, "overflow": 0.5}, "with zero-copy placement and without overflow"),
        ({"overflow": 2.0}, r"overflow=2.0 was passed; allowed are numbers from 0 to 1"),
        ({"zcmem": -1}, "zcmem=-1 was passed"),
    ],
)
def test_configurations_that_there_are_not(given, message):
    with pytest.raises(ModelError, match=message):
        Configuration("pagerank", **{"placement": "zero-copy", **given})


def test_profiles_with_cpu_cores_come_back(machine, tmp_path):
    file = tmp_path / "p.json"
    machine.write(file)
    assert Profile.read(file) == machine
    found = json.loads(file.read_text())
    del found["beside"], found["overflow"]
    file.write_text(json.dumps(found))
    assert Profile.read(file) == replace(machine, beside=None)


def test_rows_of_the_benchmark(summary, machine):
    from dataclasses import asdict

    from benchmarks import model_beside

    one = Configuration("pagerank", "pull", "zero-copy", 1, 1, 5, cpus=4, cpu_share=0.5)
    measured = {"gpus": 1e-5, "cores": 2e-5, "kernel": 2e-5, "all": 2e-4, "runs": [2e-3]}
    kept = {"graph": "g", "configuration": asdict(one), "iterations": 10, "measured": measured}
    (row,) = model_beside.again([kept], {"g": summary}, machine)
    p = predict(summary, machine, one)
    assert row["predicted"]["all"] == pytest.approx(p.iteration + p.run / 10)
    assert (row["predicted"]["cores"], row["predicted"]["gpus"]) == (p.kernels, p.beside)
    assert row["error"] == pytest.approx(row["predicted"]["all"] / 2e-4 - 1)
    (less,) = model_beside.again([row], {"g": summary}, replace(machine, beside=None))
    assert "no rates of CPU cores" in less["why"]
    assert model_beside.table([row, less]).row_count == 2
