# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Factorizations in the model: equations, memory, rates, choices, by hand."""

from dataclasses import replace

import pytest

from lux.calibration import calibrate, measure_cpu
from lux.calibration.fit_factors import FactorSample, fit_factors, work
from perfmodel import Configuration, FactorRate, Factors, ModelError, Profile, choose
from perfmodel.factors import ExtraTimes
from perfmodel.predict_factors import predict_factors

ALS = FactorRate((1e-9, 1e-10, 1e-11), 0.0, (1e-8, 0.0, 0.0, 1e-12), 1 << 30, alone=ExtraTimes(iteration=1e-5))
GD = FactorRate((1e-9, 1e-10), 0.0, (1e-8, 1e-9), 1 << 30, alone=ExtraTimes(iteration=1e-5))


@pytest.fixture
def cores(cpu):
    """Four cores, half of whose work does not become faster with more."""
    parted = ExtraTimes(iteration=1e-4, iteration_byte=1e-10)
    rates = {"als": replace(ALS, serial=0.5, parted=parted), "gd": replace(GD, serial=0.5, parted=parted)}
    return replace(cpu, factors=rates)


@pytest.fixture
def gpus(gpu):
    """Four GPUs that write to each other at 100 GB/s."""
    besides = {"alone": ExtraTimes(run=1e-3), "parted": ExtraTimes(run=2e-3)}
    more = {"fixed": 1e-6, "fixed_parts": 5e-6, "exchange": 1e-11, **besides}
    return replace(gpu, factors={"als": replace(ALS, **more), "gd": replace(GD, **more)})


def one(parts=1, per_node=1, nodes=1, placement="host"):
    return Configuration("factorize", "auto", placement, nodes, per_node, parts)


def test_an_iteration_by_hand(summary, cores):
    # 16,000 edges and 1,000 vertices; K = 20, in rows of 24.
    als = predict_factors(summary, cores, one(), Factors(20, "als"))
    assert als.compute == pytest.approx(16_000 * (1 + 2.4 + 4.8) * 1e-9)
    assert als.update == pytest.approx(1000 * (10 + 0.001 * 20 * 24 * 24) * 1e-9)
    assert (als.load, als.transfer, als.launch, als.run) == (0, 0, 1e-5, 0)
    gd = predict_factors(summary, cores, one(), Factors(20, "gd"))
    assert gd.compute == pytest.approx(16_000 * 3e-9)
    assert gd.update == pytest.approx(1000 * 30e-9)
    assert gd.run == pytest.approx(gd.iteration)  # a step more finds the first errors


def test_threads_and_partitions(summary, cores):
    alone = predict_factors(summary, cores, one(), Factors(20, "gd"))
    threads = predict_factors(summary, cores, one(None, 4), Factors(20, "gd"))
    parts = predict_factors(summary, cores, one(4, 4), Factors(20, "gd"))
    assert threads.compute == parts.compute == pytest.approx(alone.compute * (0.5 + 0.5 / 4))
    assert threads.launch == alone.launch
    assert parts.launch == pytest.approx(1e-4 + 1e-10 * 80 * 1000)


def test_nodes_send_all_factors_after_each_sweep(summary, cores):
    net = replace(cores, network=1e-9)
    als = predict_factors(summary, net, one(2, 1, 2), Factors(20, "als"))
    assert als.transfer_maximum == pytest.approx(2 * 80 * 500 * 1e-9)
    assert als.transfer_sum == pytest.approx(2 * als.transfer_maximum)
    double = predict_factors(summary, net, one(2, 1, 2), Factors(20, "gd", "float64"))
    assert double.transfer_maximum == pytest.approx(160 * 500 * 1e-9)
    middle = predict_factors(summary, replace(net, bisection=1e8), one(2, 1, 2), Factors(20, "als"))
    assert middle.transfer_maximum == pytest.approx(2 * 2 * 80 * 500 / 2 / 1e8)
    with pytest.raises(ModelError, match="no rate between nodes"):
        predict_factors(summary, cores, one(2, 1, 2), Factors())


def test_gpus_write_into_each_other(summary, gpus):
    whole = predict_factors(summary, gpus, one(1, 1, placement="device"), Factors(20, "als"))
    two = predict_factors(summary, gpus, one(2, 2, placement="peer"), Factors(20, "als"))
    assert (whole.load, whole.fixed, whole.run) == (0, 1e-6, 1e-3)
    assert two.load == pytest.approx(1e-11 * 80 * 500)
    assert two.compute == pytest.approx(whole.compute / 2)
    assert (two.fixed, two.run) == (5e-6, 2e-3)
    with pytest.raises(ModelError, match="GPUs of one process"):
        predict_factors(summary, gpus, one(4, 2, 2, "peer"), Factors())
    alone = replace(gpus, factors={"als": replace(gpus.factors["als"], exchange=None)})
    with pytest.raises(ModelError, match="calibrate with several"):
        predict_factors(summary, alone, one(2, 2, placement="peer"), Factors())


def test_memory_by_hand(summary, cores, gpus):
    # An edge has an id of 4 bytes, a rating of 8 at most, and whether it is held out; 12 bytes a vertex.
    found = predict_factors(summary, cores, one(), Factors(20)).need
    assert found.host == pytest.approx(1.25 * (13 * 16_000 + 12 * 1000 + 4 * 80 * 1000))
    two = predict_factors(summary, gpus, one(2, 2, placement="peer"), Factors(20, "gd")).need
    assert two.gpu == pytest.approx(13 * 8000 + 16 * 1000 + 5.5 * 80 * 1000)


def test_constants_of_the_engine():
    from lux.algorithms.factorization.factorization import MAX_ITER, MAX_K
    from lux.algorithms.factorization.gpu_text import SLOTS
    from lux.algorithms.factorization.minimize import COPIES
    from perfmodel import factors, memory

    assert (MAX_K, tuple(MAX_ITER)) == (factors.MAX_K, factors.METHODS)
    assert (memory.COPIES, memory.GPU_COPIES) == (COPIES, SLOTS)


def samples(rate, method, workers=(1, 2), device="cpu", besides=1e-3):
    """What runs of exactly that rate would have been."""
    for graph, (v, e) in {"a": (1000, 10**5), "b": (50_000, 10**5), "c": (10**5, 10**6)}.items():
        for k in (8, 13, 32, 60):
            for n in workers:
                parts = 1 if n == 1 else n
                s = FactorSample(graph, Factors(k, method), v, e, n, parts, v / 4, 1.0, 5 * besides, 5, device)
                share = rate.serial + (1 - rate.serial) / n
                fixed = rate.fixed if n == 1 else rate.fixed_parts
                sent = (rate.exchange or 0.0) * s.factors.row_bytes * v * (n - 1) / n
                yield replace(s, kernel=work(rate, s) * share + fixed + sent)


@pytest.mark.parametrize("method", ["als", "gd"])
def test_rates_are_found_again(method):
    rate = (
        replace(ALS, serial=0.25) if method == "als" else replace(GD, edge_far=5e-10, cache_bytes=2.0**20, serial=0.25)
    )
    found = fit_factors(samples(rate, method))[method]
    assert found.cache_bytes == rate.cache_bytes or method == "als"
    assert found.edge == pytest.approx(rate.edge, rel=1e-4)
    assert found.edge_far == pytest.approx(rate.edge_far, rel=1e-4)
    assert found.vertex == pytest.approx(rate.vertex, rel=1e-3, abs=1e-13)
    assert found.serial == pytest.approx(0.25, rel=1e-4)
    assert found.error < 1e-6
    assert found.alone.iteration == found.parted.iteration == pytest.approx(1e-3)
    assert found.alone.run == 0


def test_rates_of_gpus_are_found_again():
    rate = replace(GD, cache_bytes=2.0**20, fixed=1e-5, fixed_parts=3e-5, exchange=1e-11, edge_far=0.0)
    found = fit_factors(samples(rate, "gd", (1, 2, 4), "gpu"))["gd"]
    assert (found.fixed, found.fixed_parts) == pytest.approx((1e-5, 3e-5), rel=1e-3)
    assert found.exchange == pytest.approx(1e-11, rel=1e-2)
    assert found.serial == pytest.approx(0, abs=1e-3)
    assert found.alone.run == pytest.approx(5e-3)
    assert found.alone.iteration == 0


def test_too_little_was_measured():
    few = [s for s in samples(GD, "gd") if s.graph == "a"]
    with pytest.raises(ModelError, match=r"one worker ran factorize \(gd\) on 1 graphs and with 4 values of K"):
        fit_factors(few)
    assert fit_factors([]) == {}


def test_choices(summary, cores, gpus):
    small = replace(cores, factors={"als": replace(cores.factors["als"], alone=ExtraTimes(), serial=1.0)})
    assert choose(summary, small, "factorize").configuration.parts == 1
    large = choose(summary.scaled(16e6), cores, "factorize", factors=Factors(50))
    assert (large.configuration.parts, large.configuration.per_node) == (None, 4)
    assert {p.configuration.placement for p in choose(summary, gpus, "factorize").predictions} == {"device", "peer"}
    assert choose(summary.scaled(16e6), gpus, "factorize").configuration.parts == 4
    assert choose(summary.scaled(1600), gpus, "factorize").configuration.parts == 1
    with pytest.raises(ModelError, match="GPUs of one process, and 2 nodes were asked for"):
        choose(summary, gpus, "factorize", nodes=2, all_nodes=True)
    with pytest.raises(ModelError, match="fits nowhere"):
        choose(summary.scaled(1e12), gpus, "factorize")


def test_profiles_without_these_rates(summary, cpu, cores, tmp_path):
    gd = replace(cpu, factors={"als": GD})
    with pytest.raises(ModelError, match="a rate of factorize has 2 numbers, not 3: calibrate again"):
        choose(summary, gd, "factorize")
    with pytest.raises(ModelError, match=r"factorize with method als: add it with python -m lux.calibration"):
        choose(summary, cpu, "factorize")
    cores.write(tmp_path / "p.json")
    assert Profile.read(tmp_path / "p.json") == cores
    broken = (tmp_path / "p.json").read_text().replace('"vertex": [', '"vertex": 3, "x": [')
    (tmp_path / "p.json").write_text(broken)
    with pytest.raises(ModelError, match="something missing or wrong"):
        Profile.read(tmp_path / "p.json")


def test_calibrating_factorizations_alone(cpu, tmp_path, capsys):
    from perfmodel.this_machine import this_machine

    base, file = tmp_path / "base.json", tmp_path / "p.json"
    here = replace(cpu, machine=this_machine("cpu"))
    here.write(base)
    words = ["--programs", "factorize", "--output", str(file), "--ratings", "40x30:300:1,90x10:500:2", "--rounds", "1"]
    assert calibrate.main([*words, "--seconds", "0.1"]) == 2
    assert "pass --base PROFILE, to which other rates are added" in capsys.readouterr().err
    assert calibrate.main([*words, "--seconds", "0.1", "--base", str(base)]) == 0
    found = Profile.read(file)
    assert replace(found, factors={}) == here
    assert {*found.factors} == {"als", "gd"}
    replace(here, machine=cpu.machine).write(base)
    assert calibrate.main([*words, "--base", str(base)]) == 2
    assert "--base is of another machine (Test CPU, 4 cores" in capsys.readouterr().err


def test_what_others_disturbed_is_left_out(capsys):
    class Case:
        def __init__(self, *others):
            self.others = others

    quiet, late, loud = Case(0.1, 2.0), Case(1.5, 0.4), Case(0.9, 0.6)
    assert measure_cpu.undisturbed([quiet, late, loud]) == [quiet, late]
    assert measure_cpu.undisturbed([loud, loud, quiet]) == [loud, loud, quiet]
    assert "disturbed 2 of 3 runs: calibrate again" in capsys.readouterr().err


def test_ratings_that_are_none():
    from lux.calibration.measure_factors import ratings

    with pytest.raises(ModelError, match="'30x10' are no ratings: pass USERSxITEMS:RATINGS:SKEW, as in 5000x3000"):
        ratings("30x10")


def test_running_until_the_time_is_over():
    from lux.calibration.measure_factors import FactorCase, cases, measured

    made = list(cases(["40x30:300:1"], (3,), [1, 2]))
    found, left = measured(made, 2, 60, FactorCase.sample)
    assert [(s.factors.method, s.parts, s.iterations) for s in found] == [
        ("als", 1, 2),
        ("als", 2, 2),
        ("gd", 1, 6),
        ("gd", 2, 6),
    ]
    assert all(s.n_edges == 600 and s.kernel > 0 for s in found)
    assert left == []
    found, left = measured(made, 1, 0, FactorCase.sample)
    assert (found, left) == ([], ["factorize (als, k=3) on 40x30:300:1, 1 workers, and what follows it"])
