# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rates of factorizations: measured on small ratings, and found again in samples of known rates."""

from dataclasses import replace

import pytest

from lux.calibration import calibrate, measure_cpu
from lux.calibration.fit_factors import FactorSample, fit_factors, work
from lux.calibration.measure_factors import FactorCase, cases, measured, ratings
from perfmodel import FactorRate, Factors, ModelError, Profile
from perfmodel.factors import ExtraTimes
from perfmodel.this_machine import this_machine

ALS = FactorRate((1e-9, 1e-10, 1e-11), 0.0, (1e-8, 0.0, 0.0, 1e-12), 1 << 30, alone=ExtraTimes(iteration=1e-5))
GD = FactorRate((1e-9, 1e-10), 0.0, (1e-8, 1e-9), 1 << 30, alone=ExtraTimes(iteration=1e-5))


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


def test_calibrating_factorizations_alone(cpu, tmp_path, capsys):
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
    with pytest.raises(ModelError, match="'30x10' are no ratings: pass USERSxITEMS:RATINGS:SKEW, as in 5000x3000"):
        ratings("30x10")


def test_running_until_the_time_is_over():
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
