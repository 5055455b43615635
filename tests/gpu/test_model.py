# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The performance model measures GPUs, and what it chooses is how programs run."""

import numpy as np
import pytest

import lux
from lux.calibration import calibrate
from lux.errors import ConfigurationError
from lux_cases.machine import gpus, peer_access, processors, settings
from perfmodel import Configuration, profile
from perfmodel.profile import MIXED, OVERFLOW
from perfmodel.this_machine import this_machine

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A profile of this machine, from graphs that are too small for a good one."""
    path = tmp_path_factory.mktemp("model") / "here.json"
    graphs = "uniform:12,kronecker:11/degree,grid:60x60,uniform:13:4"
    words = ["--device", "gpu", "--output", str(path), "--graphs", graphs]
    assert calibrate.main([*words, "--programs", "pagerank,components", "--rounds", "1"]) == 0
    return path


def test_a_profile_has_what_each_placement_takes(file):
    found = profile.load(file)
    assert profile.alike(found.machine, this_machine("gpu"))
    assert found.machine.gpus == gpus()
    assert {*found.rates} == {"pagerank", "components"}
    assert {*found.rates["pagerank"]} == {"pull", "push"}
    peers = gpus() > 1 and peer_access()
    assert {*found.starts} - {OVERFLOW, MIXED} == {"zero-copy"} | ({"device"} if gpus() > 1 else set()) | (
        {"peer"} if peers else set()
    )
    assert found.zero_copy is not None
    assert (found.peer is not None) == peers
    assert 0 < found.run_seconds < 1
    assert found.hot_bytes < found.cache_bytes
    assert found.rates["pagerank"]["pull"].edge_hot is not None
    assert found.measured["1 device"]["pagerank pull"] >= 2
    assert found.overflow is None or found.overflow > 0
    assert found.beside is None


def test_the_choice_is_what_runs(file, monkeypatch):
    monkeypatch.setenv("LUX_PROFILE", str(file))
    g, seen = lux.generate("kronecker:12"), []
    expected = lux.pagerank(g, tol=0, max_iter=5)
    for placement, parts in [("zero-copy", 1), *([("device", 2)] if gpus() > 1 else [])]:
        wanted = Configuration("pagerank", "pull", placement, 1, parts, parts)
        found = lux.pagerank(
            g, tol=0, max_iter=5, config=wanted, progress=lambda done: seen.append(settings.current().placement)
        )
        assert found.parts == parts
        assert seen[-1] == placement
        assert settings.current().placement == "auto"
        np.testing.assert_allclose(found.ranks.dense(), expected.ranks.dense(), rtol=1e-12)
    found = lux.pagerank(g, tol=0, max_iter=5, config="auto")
    np.testing.assert_allclose(found.ranks.dense(), expected.ranks.dense(), rtol=1e-12)


def test_more_gpus_than_there_are():
    many = gpus() + 1
    with pytest.raises(ConfigurationError, match=f"is for {many} GPUs on each node, and Legate has"):
        lux.pagerank(lux.toy.kite(), config=Configuration("pagerank", "pull", "peer", 1, many, many))


def test_cpu_cores_are_added_to_a_profile_and_work_beside_gpus(file, tmp_path, monkeypatch):
    with_cores = tmp_path / "more.json"
    words = ["--device", "gpu", "--programs", "cores", "--base", str(file), "--output", str(with_cores)]
    assert calibrate.main([*words, "--rounds", "1", "--seconds", "30"]) == 0
    found = profile.load(with_cores)
    assert found.cores.machine.cores == processors()
    assert {*found.cores.rates["pagerank"]} >= {"pull"}
    monkeypatch.setenv("LUX_PROFILE", str(with_cores))
    g = lux.generate("kronecker:12")
    with lux.using(device="gpu+cpu"):
        both = lux.pagerank(g, tol=0, max_iter=5, config="auto")
    assert (both.device, both.parts) == ("gpu+cpu", gpus() + processors())
    expected = lux.pagerank(g, tol=0, max_iter=5)
    np.testing.assert_allclose(both.ranks.dense(), expected.ranks.dense(), rtol=1e-12)


def test_edges_beside_the_gpus_are_measured():
    from lux.calibration.measure_oversubscribed import OversubscribedCase, measured

    found, left = measured(["uniform:12"], (0.0, 0.5), (0.25,), 1, 60, OversubscribedCase.sample)
    assert left == []
    assert [round(s.overflow, 1) for s in found[:2]] == [0.0, 0.5]
    assert [s.parts for s in found] == [8 * gpus()] * 2 + [gpus() + processors()]
    assert all(s.kernel > 0 for s in found)
    assert [bool(s.cpu_share) for s in found] == [False, False, True]
    assert all(s.noted for s in found)


def test_runs_tell_what_an_iteration_takes_besides():
    """Of launches that each have an iteration; kernels of a calibration are compiled all at once."""
    from lux.calibration import compiling, measure_gpu
    from lux.calibration.measure import made

    compiling.compile_all(["pagerank"], gpus(), by_degree=False)
    graphs = {"g": lambda: made("uniform:14")}
    found, left = measure_gpu.measured(graphs, ["pagerank"], 2, 60, measure_gpu.GpuCase.sample, shared=True)
    assert left == []
    several = [s for s in found if s.placement == "zero-copy" or (s.parts, s.placement) == (2, "device")]
    assert several
    for sample in several:
        assert sample.rest_each is not None
        assert 0 < sample.rest_each <= sample.rest / sample.iterations


def test_factorizations_are_added_to_a_profile(file, tmp_path, monkeypatch):
    from lux.calibration.measure_factors import ratings

    with_factors = tmp_path / "more.json"
    words = ["--device", "gpu", "--programs", "factorize", "--base", str(file), "--output", str(with_factors)]
    assert calibrate.main([*words, "--ratings", "300x200:5000:1,900x100:6000:2", "--rounds", "1"]) == 0
    found = profile.load(with_factors)
    assert found.rates == profile.load(file).rates
    assert {*found.factors} == {"als", "als in warps", "gd"}
    peers = gpus() > 1 and peer_access()
    for rate in found.factors.values():  # beside other work the time of a run may all be taken for that of its edges
        assert (rate.exchange is not None) == peers
        assert max(rate.alone.run, rate.alone.run_edge) > 0
    monkeypatch.setenv("LUX_PROFILE", str(with_factors))
    g = ratings("300x200:5000:1")
    auto, one = (lux.factorize(g, 8, max_iter=3, tol=0, **given) for given in ({"config": "auto"}, {"parts": 1}))
    assert auto.device == "gpu"
    np.testing.assert_allclose(auto.factors.dense(), one.factors.dense(), rtol=1e-3, atol=1e-4)
