# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The order in which a calibration measures, what it keeps, and rates of three kinds of edges."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import lux
from lux.calibration import calibrate, fit, measure_cpu
from lux.calibration.fit import Sample, fit_rates
from lux.calibration.fit_factors import FactorSample, fit_factors
from lux.calibration.measure import made
from lux.calibration.measure_factors import cases as factor_cases
from lux.calibration.measure_gpu import cases, in_turns
from lux.calibration.samples import Measured
from lux_cases.profiles import summarize
from perfmodel import Configuration, Factors, Machine, ModelError, Profile, Rate
from perfmodel.factors import IN_WARPS
from perfmodel.locality import Caches
from perfmodel.programs import program

SPECS = ("kronecker:13", "uniform:12", "kronecker:14/degree", "grid:96x96", "rmat:12,4", "uniform:14,4", "rmat:14")
SPECS += ("kronecker:15,8", "uniform:15,2", "kronecker:12/degree")
MADE = Rate(edge_hot=2e-12, edge_near=8e-12, edge_far=3e-11, vertex_near=2e-11, vertex_far=2e-11, fixed=1e-5)
CACHES = Caches("gpu", 128 << 10, 16 << 10)


@pytest.fixture(scope="module")
def made_samples():
    """What a GPU with those rates and caches would measure."""
    found = []
    for spec in SPECS:
        summary = summarize(made(spec), [1, 2, 16])
        first, far = CACHES.missed(summary, program("pagerank"), "pull", 1)
        time = summary.n_edges * MADE.edge(first, far) + summary.n_vertices * 2e-11 + 1e-5
        v, e = summary.n_vertices, summary.n_edges
        numbers = (spec, "pagerank", "pull", v, e, 1, summary.gathered(1), summary.irregular, 1.0, time, 1e-4, 20)
        found.append(Sample(*numbers, placement="device", summary=summary))
    return found


def test_hot_near_and_far_rates_are_found_again(made_samples, monkeypatch):
    monkeypatch.setitem(fit.FIRST, "gpu", (8 << 10, 16 << 10, 32 << 10))
    rates, caches = fit_rates(made_samples, [64 << 10, 128 << 10, 256 << 10])
    rate = rates["pagerank"]["pull"]
    assert caches == CACHES
    assert rate.error < 1e-6
    assert (rate.edge_hot, rate.edge_near, rate.edge_far) == pytest.approx((2e-12, 8e-12, 3e-11), rel=1e-4)
    assert (rate.vertex_near, rate.vertex_far, rate.fixed) == pytest.approx((2e-11, 2e-11, 1e-5), rel=1e-3)


@pytest.mark.check
def test_samples_come_back(made_samples, tmp_path):
    file, machine = tmp_path / "samples.json", Machine("gpu", "Test GPU", 4, 1, 1 << 34, 1 << 34)
    Measured(machine, made_samples).write(file)
    assert Measured.read(file) == Measured(machine, made_samples, [])
    assert calibrate.main(["--fit", str(file), "--output", str(tmp_path / "p.json")]) == 0
    found = Profile.read(tmp_path / "p.json")
    assert found.hot_bytes in fit.FIRST["gpu"]
    assert found.measured == {"1 device": {"pagerank pull": len(SPECS)}}
    assert found.beside is None
    older = json.loads(file.read_text()) | {"version": 1}
    del older["factors"], older["beside"]
    file.write_text(json.dumps(older))
    assert Measured.read(file) == Measured(machine, made_samples, [])
    file.write_text(file.read_text().replace('"samples"', '"other"'))
    with pytest.raises(ModelError, match="something missing or wrong"):
        Measured.read(file)


def test_samples_of_all_kinds_are_fitted_again_to_the_same_rates(made_samples, tmp_path):
    file, machine = tmp_path / "samples.json", Machine("gpu", "Test GPU", 4, 1, 1 << 34, 1 << 34)
    one = made_samples[0]
    over = [replace(one, parts=8, overflow=share, kernel=2e-3 + share * one.n_edges * 1e-10) for share in (0.0, 0.5)]
    cores = [replace(s, placement="host", workers=n, parts=n) for s in made_samples[:4] for n in (1, 4)]
    cores += [replace(cores[0], program="bfs")]  # on one graph alone
    factors = [s for method in ("als", "gd") for s in factor_samples(method)]
    beside = Measured(Machine("cpu", "Test CPU", 4, 1, 1 << 34, 0), cores, [])
    every = Measured(machine, [*made_samples, *over], factors, beside)
    every.write(file)
    assert Measured.read(file) == every
    found, output = every.fitted(lux_version=lux.__version__), tmp_path / "p.json"
    assert calibrate.main(["--fit", str(file), "--output", str(output)]) == 0
    assert Profile.read(output) == found
    assert {*found.factors} == {"als", IN_WARPS, "gd"}
    assert found.overflow == pytest.approx(2.5e-11)
    assert {*found.cores.rates} == {"pagerank"}
    assert found.cores.machine.cores == 4
    only = Measured(machine, factors=factors).fitted(replace(found, factors={}))
    assert only == found
    assert Measured(machine, beside=beside).fitted(replace(found, beside=None), lux.__version__) == found
    with pytest.raises(ModelError, match="pass --base PROFILE"):
        Measured(machine, factors=factors).fitted()


def factor_samples(method):
    """Runs on a GPU whose warps take half as long as its blocks."""
    for graph, (v, e) in {"a": (1000, 10**5), "b": (50_000, 10**5), "c": (10**5, 10**6)}.items():
        for k in (8, 16, 24, 32, 48, 64):
            f = Factors(k, method)
            time = (1 if f.kernel("gpu") == IN_WARPS else 2) * (e * 1e-12 * k + v * 1e-11 * k * k)
            yield FactorSample(graph, f, v, e, 1, 1, v / 4, time, 1e-3, 5, "gpu")


def test_warps_and_blocks_have_rates_of_their_own(summary, gpu):
    from perfmodel import predict_factors

    rates = fit_factors(factor_samples("als"))
    assert all(rate.error < 0.1 for rate in rates.values())
    profile = replace(gpu, factors=rates)
    few, many = (
        predict_factors.predict_factors(summary, profile, Configuration("factorize", "auto", "device"), Factors(k))
        for k in (27, 28)
    )
    assert 1.5 < (many.compute + many.update) / (few.compute + few.update) < 2.5
    together = fit_factors([s for s in factor_samples("als") if s.factors.k in (8, 32, 64)])
    assert {*together} == {"als"}  # one K says too little of warps
    assert profile.factor_rate(Factors(20)) == rates[IN_WARPS]
    assert replace(gpu, factors=together).factor_rate(Factors(20)) == together["als"]


def test_cores_beside_gpus_are_measured_while_there_is_time():
    found, left = measure_cpu.beside_gpus(["uniform:8", "grid:9x9"], ["pagerank"], 2, 1, 60)
    assert [(s.graph, s.model, s.parts) for s in found] == [
        (graph, model, parts) for model in ("pull", "push") for graph in ("uniform:8", "grid:9x9") for parts in (1, 2)
    ]
    assert all(s.iterations == 5 for s in found)
    assert all(s.rest_each is None for s in found)  # a launch has all iterations
    assert left == []
    assert measure_cpu.beside_gpus(["uniform:8"], ["pagerank"], 2, 1, 0)[0] == []


@pytest.mark.check
def test_measured_is_the_median_of_the_runs():
    """Of each iteration; what is in no kernel is that of the median run."""
    (case, *_) = measure_cpu.cases(["kronecker:6"], ["pagerank"], [1])
    for _ in range(3):
        case.run()
    case.kernels = [np.full(20, 1.0), np.array([2.0, 9.0] * 10), np.full(20, 8.0)]
    case.seconds = [20 + 7.0, 110 + 1.0, 160 + 3.0]
    found = case.sample()
    assert (found.kernel, found.rest) == (pytest.approx((2 + 8) / 2), pytest.approx(3))


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_what_is_cut_has_some_of_everything(share):
    graph, seen = lux.generate("uniform:6", weights=(1, 3)), Counter()
    programs = ("pagerank", "components", "sssp", "bfs")
    for number in range(5):
        turns = in_turns(cases("g", graph, programs, 2), number)
        assert len({id(c) for c in turns}) == 40
        assert {(c.parts, c.placement) for c in turns[:8]} == {(1, "device")}
        done = turns[: max(9, int(share * len(turns)))]
        seen.update((c.program, c.model) for c in done)
        seen.update((c.parts, c.placement) for c in done)
    assert len(seen) >= 8 + (5 if share == 0.5 else 1)
    assert min(seen[name, model] for name in programs for model in ("pull", "push")) >= 5


def test_few_factorizations_are_of_two_graphs_and_two_ks():
    made_cases = factor_cases(["30x20:100:1", "20x10:80:2"], (8, 30, 64), [1], "gpu")
    first = [next(made_cases) for _ in range(4)]
    assert len({c.name for c in first}) == len({c.factors.k for c in first}) == 2
    assert len(first) + len(list(made_cases)) == 2 * 3 * 2


def test_old_profiles_predict_as_before(summary, cpu):
    from perfmodel import predict

    rate = Rate(1e-9, 2e-9, 5e-10, 7e-10)
    old = replace(cpu, rates={"pagerank": {"pull": rate}}, cache_bytes=2000)
    one = predict(summary, old, Configuration("pagerank"))
    assert one.compute == pytest.approx(16_000 * (0.25e-9 + 0.75 * 2e-9))
    assert one.update == pytest.approx(1000 * (0.25 * 5e-10 + 0.75 * 7e-10))
