# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The order in which a calibration measures, what it keeps, and rates of three kinds of edges."""

from collections import Counter
from dataclasses import replace

import pytest

import lux
from lux.summary import summarize
from perfmodel import Machine, ModelError, Rate, calibrate, fit, samples
from perfmodel.fit import Sample, fit_rates
from perfmodel.measure import made
from perfmodel.measure_factors import cases as factor_cases
from perfmodel.measure_gpu import cases, in_turns
from perfmodel.programs import program
from perfmodel.reads import Caches

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


def test_samples_come_back(made_samples, tmp_path):
    file, machine = tmp_path / "samples.json", Machine("gpu", "Test GPU", 4, 1, 1 << 34, 1 << 34)
    samples.write(file, machine, made_samples)
    assert samples.read(file) == (machine, made_samples)
    assert calibrate.main(["--fit", str(file), "--output", str(tmp_path / "p.json")]) == 0
    from perfmodel import Profile

    found = Profile.read(tmp_path / "p.json")
    assert found.hot_bytes in fit.FIRST["gpu"]
    assert found.measured == {"1 device": {"pagerank pull": len(SPECS)}}
    file.write_text(file.read_text().replace('"samples"', '"other"'))
    with pytest.raises(ModelError, match="something missing or wrong"):
        samples.read(file)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_what_is_cut_has_some_of_everything(share):
    graph, seen = lux.generate("uniform:6", weights=(1, 3)), Counter()
    programs = ("pagerank", "components", "sssp", "bfs")
    for number in range(5):
        turns = in_turns(cases("g", graph, programs, 2, fewer=True), number)
        assert len({id(c) for c in turns}) == 45
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
    from perfmodel import Configuration, predict

    rate = Rate(1e-9, 2e-9, 5e-10, 7e-10)
    old = replace(cpu, rates={"pagerank": {"pull": rate}}, cache_bytes=2000)
    one = predict(summary, old, Configuration("pagerank"))
    assert one.compute == pytest.approx(16_000 * (0.25e-9 + 0.75 * 2e-9))
    assert one.update == pytest.approx(1000 * (0.25 * 5e-10 + 0.75 * 7e-10))
