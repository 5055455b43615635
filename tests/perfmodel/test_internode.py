# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Several processes: what is predicted with the rates between nodes, by hand."""

from dataclasses import replace

import pytest

from perfmodel import Configuration, ModelError, choose, predict
from perfmodel.internode import InternodeRates
from perfmodel.profile import load
from perfmodel.summary import Frontier

TWO = Configuration("pagerank", "pull", "host", 2, 1, 2)
MADE = InternodeRates(run=2e-3, iteration=1e-3, frontier=2e-4, byte=1e-9, exchange="whole", slower={"sssp pull": 1.25})


def test_steps_between_nodes_by_hand(summary, cpu):
    rates, read = replace(MADE, slower={"pagerank pull": 1.5}), summary.of(2).uds_most
    known = replace(cpu, network=3e-9, latency=1e-5, between={"host": rates})
    one = predict(summary, known, TWO)
    assert one.transfer == pytest.approx(4e-9 * 8 * 500)  # of 1,000 vertices the other node has half
    assert one.launch == pytest.approx(1e-3 + 1e-5)
    assert one.compute == pytest.approx(16e-6 / 2 * 1.5)
    assert one.run == pytest.approx(2e-3 + one.transfer)  # the first values
    assert predict(summary, known, replace(TWO, program="sssp")).launch == pytest.approx(1.2e-3 + 1e-5)
    assert predict(summary, known, replace(TWO, nodes=1, parts=1)).launch == 0
    reading = replace(rates, first=1e-9, read={"pagerank pull": 1e-8})
    more = predict(summary, replace(known, between={"host": reading}), TWO)
    assert more.compute == pytest.approx(one.compute + 1e-8 * read)
    assert more.run == pytest.approx(one.run + 1e-9 * 8 * read)
    assert more.first == pytest.approx(one.transfer_maximum)
    maximum = replace(known, between={"host": replace(MADE, exchange="maximum")})
    pulls = predict(summary, maximum, TWO)  # values travel meanwhile
    assert pulls.transfer == pytest.approx(4e-9 * 8 * read - pulls.compute - pulls.update)
    assert predict(summary, maximum, replace(TWO, model="push")).transfer == pytest.approx(4e-9 * 8 * read)
    total = replace(known, between={"host": replace(MADE, exchange="sum")})
    assert predict(summary, total, TWO).transfer == pytest.approx(4e-9 * 8 * summary.of(2).uds_total)


def test_nothing_is_planned_without_a_rate_between_nodes(summary, cpu):
    for profile in (cpu, replace(cpu, between={"host": MADE})):
        with pytest.raises(ModelError, match=r"no rate between nodes: pass --rate network=GB/S .* --programs link"):
            predict(summary, profile, TWO)
        assert choose(summary, profile, "pagerank", nodes=4).configuration.nodes == 1


def test_a_shipped_profile_plans_nodes_once_it_is_given_a_rate(summary):
    """Overheads of several nodes are shipped, but what a network carries is the user's."""
    shipped = load("epyc-2-cores")
    with pytest.raises(ModelError, match="no rate between nodes"):
        predict(summary, shipped, TWO)
    slow, fast = (predict(summary, replace(shipped, network=rate), TWO) for rate in (4e-8, 1e-10))
    assert slow.iteration > fast.iteration > 0
    assert fast.run > shipped.nodes("host").run


def test_only_what_changed_travels(summary, gpu):
    rate = replace(gpu.rate("sssp", "pull"), active=0.25)
    between = {"device": replace(MADE, exchange="maximum")}
    known = replace(gpu, rates={"sssp": {"pull": rate, "push": rate}}, network=0.0, between=between)
    one, read = predict(summary, known, replace(TWO, program="sssp", placement="device")), summary.of(2).uds_most
    assert one.transfer == pytest.approx(1e-9 * (8 * read / 4 + read / 8))  # a bit for each that is read
    assert one.transfer_of(0.01) == pytest.approx(1e-9 * 12 * read / 100)
    assert one.range[0] < one.iteration < one.range[1] or one.error == 0


def test_choices_have_several_nodes(summary, cpu):
    large, cpu = summary.scaled(16e6), replace(cpu, network=1e-12)
    fast, slow = (replace(cpu, between={"host": InternodeRates(iteration=s)}) for s in (1e-6, 1.0))
    assert choose(large, fast, "pagerank", nodes=4).configuration.nodes == 4
    assert choose(large, slow, "pagerank", nodes=4).configuration.nodes == 1


def test_set_up_is_of_the_program(summary, cpu):
    rates = replace(MADE, vertex={"pagerank pull": 1e-6, "sssp pull": 2e-6})
    known, n = replace(cpu, network=0.0, between={"host": rates}), summary.n_vertices
    run = {of: predict(summary, known, replace(TWO, program=of)).run for of in ("pagerank", "sssp", "components")}
    first = {of: predict(summary, known, replace(TWO, program=of)).transfer for of in run}
    assert run["pagerank"] - first["pagerank"] == pytest.approx(2e-3 + 1e-6 * n)
    assert run["sssp"] == pytest.approx(2e-3 + 2e-6 * n)  # first values of few vertices
    assert run["components"] - run["sssp"] == pytest.approx(0, abs=1e-9 * 8 * n)  # the most of others


def test_quiet_iterations_and_a_token_bucket(summary, cpu):
    read = summary.of(2).uds_most
    all_values = 1e-9 * 8 * read
    rate = replace(cpu.rate("sssp", "pull"), quiet=0.25)
    shares = (0.01, 0.5, 0.5, 0.02, 0.02, 0.5)
    known = replace(summary, frontiers={"sssp": Frontier(shares, shares)})
    profile = replace(cpu, rates={"sssp": {"pull": rate, "push": rate}}, network=1e-9)
    some, few = 1e-9 * (8 * read / 2 + read / 8), 1e-9 * 12 * read / 50
    wires = [0.0, some, some, few, few, some]  # no values cross before the first iteration
    for model in ("pull", "push"):
        two = replace(TWO, program="sssp", model=model)
        alone = predict(known, replace(profile, network=0.0), two)
        if model == "pull":
            loud = alone.compute + alone.update
            assert alone.each == pytest.approx([loud * (1.0 if share > 0.05 else 0.25) for share in shares])
        # A bucket fills up while kernels run, to what it holds. In pulls values travel meanwhile.
        for burst in (0.0, 1.5 * all_values):
            left, waits = burst, [0.0]
            for work, wire in zip(alone.each, wires[1:], strict=False):
                left = left + work if model == "pull" else min(left + work, burst)
                waits.append(max(wire - left, 0.0))
                left = min(max(left - wire, 0.0), burst)
            found = predict(known, replace(profile, burst=burst), two)
            assert found.each == pytest.approx([sum(both) for both in zip(alone.each, waits, strict=True)])
