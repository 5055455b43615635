# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rates between GPUs are measured once and plausible, and what `auto` takes by them answers as the other placements."""

import time

import pytest

import lux
from lux.engine.gpu.placement import bandwidths
from lux_cases.graphs import graph
from lux_cases.machine import gpus, peer_access, ranks
from lux_cases.runs import EXACT, RUNS, agree, decisions

pytestmark = pytest.mark.gpu


@pytest.fixture
def apart(tmp_path, monkeypatch):
    """Nothing is known of this machine."""
    if gpus() < 2:
        pytest.skip("needs two GPUs")
    monkeypatch.setattr(bandwidths, "known", {})
    monkeypatch.setattr(bandwidths, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_rates_are_plausible(apart):
    bandwidths.measured()  # loads and compiles
    began = time.perf_counter()
    found = [bandwidths.measured() for _ in range(2)]
    assert time.perf_counter() - began < 2
    for one in found:
        assert (one.peer is not None) == peer_access()
        for rate in (one.zero_copy, one.device, one.peer or one.zero_copy):
            assert 1e8 < 1 / rate < 5e12  # bytes a second
        assert one.between == 0
        assert 5e-6 < min(one.launch, one.device_launch) <= max(one.launch, one.device_launch) < 5e-3
    first, second = found
    assert first.zero_copy == pytest.approx(second.zero_copy, rel=0.5)
    assert (first.peer or 0) == pytest.approx(second.peer or 0, rel=0.5)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name, order", [("kronecker:12", "degree"), ("grid", "given")])
def test_auto_answers_as_the_others(apart, name, order, run, monkeypatch):
    g, (program, arguments, double) = graph(name, order), RUNS[run]
    with lux.using(device="gpu"):
        found = lux.run(program, g, parts=2, **arguments)
        (file,) = apart.iterdir()
        bandwidths.known.clear()
        monkeypatch.setattr(bandwidths, "measured", pytest.fail)
        lux.run(program, g, parts=2, **arguments)
    assert bandwidths.load(file, bandwidths.of()) is not None
    assert " ms by measured rates (" in found.statistics[0].why
    for placement in (["peer"] if peer_access() else []) + ["device", "zero-copy"]:
        with lux.using(device="gpu", placement=placement):
            other = lux.run(program, g, parts=2, **arguments)
        agree(other, found, double=double)
        if run in EXACT:
            assert decisions(found) == decisions(other)


def test_the_fastest_rates_decide(apart, monkeypatch):
    """Whatever is measured: each placement is taken where its own rate is the best."""
    g, slow = graph("kronecker:12", "degree"), 1e-3
    best = {"zero-copy": {"peer": slow, "device": slow}, "device": {"peer": slow, "zero_copy": slow}}
    best |= {"peer": {"device": slow, "zero_copy": slow}} if peer_access() else {}
    answers = []
    for placement, others in best.items():
        equal = dict.fromkeys(("peer", "zero_copy", "device"), 1e-12)
        known = bandwidths.Rates(**equal | others, between=0.0, launch=1e-5, device_launch=1e-5)
        monkeypatch.setattr(bandwidths, "known", {(gpus(), ranks()): known})
        with lux.using(device="gpu"):
            found = lux.components(g, parts=2, strategy="program")
        assert f"; {placement} placement: exchange " in found.statistics[0].why
        answers.append(found.labels.dense().tolist())
    assert all(labels == answers[0] for labels in answers)
