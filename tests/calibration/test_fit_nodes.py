# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Several processes: what they add to a profile of one."""

import json
from dataclasses import replace

import pytest

from lux.calibration import calibrate, fit_nodes
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import FactorSample, work
from lux.calibration.samples import Measured
from lux_cases import processes
from perfmodel import Configuration, Factors, GraphSummary, Sizes, choose, predict
from perfmodel import profile as profiles
from perfmodel.factors import ExtraTimes, FactorRate
from perfmodel.internode import InternodeRates, Link
from perfmodel.predict_factors import predict_factors
from perfmodel.this_machine import this_machine

TWO = Configuration("pagerank", "pull", "host", 2, 1, 2)
MADE = InternodeRates(run=2e-3, iteration=1e-3, frontier=2e-4, byte=1e-9, slower={"sssp pull": 1.25})
RATES = {
    "als": FactorRate((1e-9, 1e-10, 1e-10), 0.0, (1e-8, 0.0, 1e-10, 0.0), 1e6, parted=ExtraTimes(iteration=1e-4)),
    "gd": FactorRate((1e-9, 1e-10), 0.0, (1e-8, 1e-9), 1e6, parted=ExtraTimes(iteration=1e-4)),
}


def graph(v, e, read):
    """A graph of which each node reads ``read`` vertices of the others."""
    sizes = {p: Sizes(v, v // p, p * read, read, e // p) for p in (1, 2, 4, 8, 16, 32, 64)}
    return GraphSummary(v, e, False, False, 0.0, 10, ((float(v), 10.0),), sizes)


GRAPHS = {"path": graph(16, 30, 1), "even": graph(10**6, 10**7, 5 * 10**5), "grid": graph(4 * 10**6, 10**7, 2000)}
GRAPHS |= {"web": graph(2 * 10**6, 2 * 10**7, 3 * 10**5)}


def samples(base, between, placement="host", link=None):
    """What two nodes would measure, if ``between`` and the network were so."""
    wire = link or Link(0.0, 0.0)
    for name, summary in GRAPHS.items():
        for program in ("pagerank", "sssp"):
            for n in (20, 5):
                active = 0.3 if program == "sssp" else 1.0
                size, v = 8, summary.n_vertices
                one = Sample(name, program, "pull", v, summary.n_edges, 2, 1.0, 0.0, 1.0, 0.0, 0.0, n, 2, nodes=2)
                one = replace(one, placement=placement, summary=summary, active=active)
                one = replace(one, bytes_in=size * summary.of(2).uds_most * active)
                rest = between.of_run(program, "pull", v, size * summary.of(2).uds_most)
                rest += n * between.launch(1, frontier=program == "sssp")
                alone = predict(summary, replace(base, network=0.0), fit_nodes.layout_of(one))
                kernel = (alone.compute + alone.update) * between.factor(program, "pull")
                kernel += between.of_read(program, "pull") * active * summary.of(2).uds_most
                crossing = fit_nodes.crossing(one, between.exchange)
                of_link = wire.byte * crossing - (kernel if placement == "host" else 0.0)  # travels beside kernels
                rest += n * (between.byte * crossing + max(of_link, 0.0) + wire.latency)
                yield replace(one, rest=rest, kernel=kernel)


@pytest.mark.parametrize("placement, exchange", [("host", "maximum"), ("device", "maximum"), ("device", "whole")])
def test_rates_between_nodes_are_found_again(cpu, gpu, placement, exchange):
    base, made = cpu if placement == "host" else replace(gpu, network=None), replace(MADE, exchange=exchange)
    link = Link(3e-9, 5e-5) if placement == "host" else None
    found = fit_nodes.added(base, list(samples(base, made, placement, link)), link=link)
    between = found.between[placement]
    assert between.exchange == exchange
    numbers = (between.run, between.iteration, between.frontier, between.factor("sssp", "pull"))
    assert numbers == pytest.approx((2e-3, 1e-3, 2e-4, 1.25), rel=1e-3)
    byte, of_link = (1e-9, 3e-9) if link else (0.0, 1e-9)  # of GPUs the network's rate is what they show
    assert (between.byte, found.network) == pytest.approx((byte, of_link), rel=1e-3)
    assert found.latency == (5e-5 if link else 0.0)
    assert between.factor("pagerank", "pull") == pytest.approx(1)
    assert found.measured[f"2 x 1 {placement}"] == {"pagerank pull": 4, "sssp pull": 4}


def test_gpus_whose_exchange_is_lost_in_their_launches_can_be_planned_for(gpu):
    made = replace(MADE, byte=0.0, exchange="maximum")
    found = fit_nodes.added(replace(gpu, network=None), list(samples(gpu, made, "device")))
    assert found.network_rate(2) == pytest.approx(0.0, abs=1e-15)


def test_what_values_of_others_take_is_found_again(cpu):
    """Set-up by the bytes that a node reads of others, and kernels by its vertices; on GPUs neither is fitted."""
    made = replace(MADE, vertex={"pagerank pull": 1e-8, "sssp pull": 2e-8}, first=5e-9, read={"pagerank pull": 3e-8})
    link = Link(3e-9, 5e-5)
    between = fit_nodes.added(cpu, list(samples(cpu, made, link=link)), link=link).between["host"]
    assert between.first == pytest.approx(5e-9, rel=1e-2)
    assert between.vertex == pytest.approx(made.vertex, rel=1e-2)
    found = (between.of_read("pagerank", "pull"), between.factor("pagerank", "pull"), between.factor("sssp", "pull"))
    assert found == pytest.approx((3e-8, 1.0, 1.25), rel=1e-2)
    assert between.of_read("sssp", "pull") == pytest.approx(0.0, abs=1e-12)
    assert between.of_read("bfs", "pull") == 0.0
    on_gpus = replace(made, first=0.0, read={})
    device = fit_nodes.added(replace(cpu, network=None), list(samples(cpu, on_gpus, "device"))).between["device"]
    assert (device.first, device.read) == (0.0, {})


def test_factorizations_of_several_nodes(summary, cpu, gpu):
    base, f = replace(cpu, factors=RATES), Factors(20)
    made = []
    for v, e in ((10**4, 10**6), (10**5, 10**6), (10**6, 10**7)):
        one = FactorSample("g", f, v, e, 2, 2, v / 4, 1.0, 0.0, 2, nodes=2, uds=v / 3)
        rest = 2 * (3e-3 + 2e-5 + 2e-9 * 80 * v / 3)  # users, then items
        made.append(replace(one, kernel=work(RATES["als"], one) / 2 * 1.2, rest=rest))
    known = fit_nodes.added(base, [], made, Link(1e-9, 1e-5))
    between = known.between["host als"]
    assert (between.iteration, between.byte, between.factor("factorize", "als")) == pytest.approx((3e-3, 1e-9, 1.2))
    p = predict_factors(summary, known, replace(TWO, program="factorize", model="auto"), f)
    assert (p.launch, p.transfer) == pytest.approx((3e-3 + 2e-5, 2e-9 * 80 * summary.of(2).uds_most))
    on_gpus = replace(gpu, network=1e-9, factors=RATES, between={"device als in warps": InternodeRates(iteration=1e-3)})
    found = choose(summary, on_gpus, "factorize", nodes=2, per_node=1, all_nodes=True)
    assert (found.configuration.placement, found.configuration.parts) == ("device", 2)


def test_samples_of_several_nodes_are_added_to_a_profile_of_one(cpu, tmp_path):
    file, output, base = tmp_path / "samples.json", tmp_path / "p.json", tmp_path / "base.json"
    Measured(cpu.machine, list(samples(cpu, MADE)), link=Link(1e-9, 1e-5)).write(file)
    cpu.write(base)
    assert calibrate.main(["--fit", str(file), "--base", str(base), "--output", str(output)]) == 0
    found = profiles.load(output)
    assert found.rates == cpu.rates
    assert (found.network, found.latency) == (1e-9, 1e-5)
    assert calibrate.main(["--fit", str(file), "--output", str(output)]) == 2
    older = json.loads(file.read_text()) | {"version": 2}
    for row in older["samples"]:
        del row["nodes"]
    file.write_text(json.dumps(older))
    assert {s.nodes for s in Measured.read(file).samples} == {1}


BOTH = """
import sys
from pathlib import Path

from benchmarks import model
from lux.calibration import calibrate
from lux_cases.machine import meet

folder = Path(sys.argv[1])
few = ["--programs", "components", "--rounds", "1"]
words = ["--output", str(folder / "p.json"), "--samples", str(folder / "samples.json"), "--graphs", "uniform:9"]
assert calibrate.main([*words, *few]) == 2  # without a profile of one process
assert calibrate.main([*words, *few, "--base", str(folder / "base.json")]) == 0
meet()  # the first process has written
words = ["--profile", str(folder / "p.json"), "--graphs", "uniform:8", "--output", str(folder / "model.json")]
sys.argv = ["model.py", *words, *few, "--beside", str(folder / "one.json")]
model.main()
"""


@pytest.mark.slow
@pytest.mark.multirank
def test_two_processes_measure_and_predict(tmp_path):
    machine = this_machine("cpu")
    replace(profiles.load("epyc-2-cores"), machine=machine).write(tmp_path / "base.json")
    cpu = {"cpu": machine.name, "cores": machine.cores, "processes": 1}
    row = {"graph": "uniform:8", "program": "components", "model": "pull", "parts": 1, "workers": 1}
    row |= {which: {"all": 1e-6} for which in ("predicted", "measured")}
    (tmp_path / "one.json").write_text(json.dumps({"machine": cpu, "rows": [row, row | {"program": "sssp"}]}))
    done = processes.start(tmp_path, BOTH, (*processes.TWO, "--sysmem", "500"), tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    found = profiles.load(tmp_path / "p.json")
    assert found.measured["2 x 1 host"] == {"components pull": 2, "components push": 2}
    assert 0 <= found.between["host"].iteration < 1
    assert 0 < found.network < 1e-6
    assert 0 < found.latency < 1
    assert {s.nodes for s in Measured.read(tmp_path / "samples.json").samples} == {2}
    facts = json.loads((tmp_path / "model.json").read_text())
    assert [(r["model"], r["nodes"], r["per_node"], r["parts"]) for r in facts["rows"]] == [
        ("pull", 2, 1, 2),
        ("push", 2, 1, 2),
    ]
    for r in facts["rows"]:
        for which in ("predicted", "measured"):
            steps = sum(r[which][step] for step in ("load", "kernel", "transfer", "launch"))
            assert steps == pytest.approx(r[which]["all"])
    assert [(c["rank"], c["of"], c["best"]) for c in facts["choices"]] == [(1, 3, ["pull", 1])]
