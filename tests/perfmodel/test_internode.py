# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Several processes: what is predicted with the rates between nodes, by hand."""

from dataclasses import replace

import pytest

from perfmodel import Configuration, ModelError, choose, predict
from perfmodel.internode import InternodeRates

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
    maximum = replace(known, between={"host": replace(MADE, exchange="maximum")})
    assert predict(summary, maximum, TWO).transfer == pytest.approx(4e-9 * 8 * read)
    total = replace(known, between={"host": replace(MADE, exchange="sum")})
    assert predict(summary, total, TWO).transfer == pytest.approx(4e-9 * 8 * summary.of(2).uds_total)


def test_nothing_is_planned_without_a_rate_between_nodes(summary, cpu):
    for profile in (cpu, replace(cpu, between={"host": MADE})):
        with pytest.raises(ModelError, match=r"no rate between nodes: pass --rate network=GB/S .* --programs link"):
            predict(summary, profile, TWO)
        assert choose(summary, profile, "pagerank", nodes=4).configuration.nodes == 1


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
