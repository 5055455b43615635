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
    known = replace(cpu, between={"host": replace(MADE, slower={"pagerank pull": 1.5})})
    one = predict(summary, known, TWO)
    assert one.transfer == pytest.approx(1e-9 * 8 * 500)  # of 1,000 vertices the other node has half
    assert one.launch == pytest.approx(1e-3)
    assert one.compute == pytest.approx(16e-6 / 2 * 1.5)
    assert one.run == pytest.approx(2e-3)
    assert predict(summary, known, replace(TWO, program="sssp")).launch == pytest.approx(1.2e-3)
    assert predict(summary, known, replace(TWO, nodes=1, parts=1)).launch == 0
    given = replace(known, network=1e-8, assumed=("network",))  # what somebody gave stands for what was measured
    assert predict(summary, given, TWO).transfer == pytest.approx(1e-8 * 8 * 500)
    maximum = replace(known, between={"host": replace(MADE, exchange="maximum")})
    assert predict(summary, maximum, TWO).transfer == pytest.approx(1e-9 * 8 * 500)
    with pytest.raises(ModelError, match="no rate between nodes"):
        predict(summary, cpu, TWO)


def test_only_what_changed_travels(summary, gpu):
    rate = replace(gpu.rate("sssp", "pull"), active=0.25)
    between = {"device": replace(MADE, exchange="changed")}
    known = replace(gpu, rates={"sssp": {"pull": rate, "push": rate}}, between=between)
    one = predict(summary, known, replace(TWO, program="sssp", placement="device"))
    assert one.transfer == pytest.approx(1e-9 * 8 * 500 / 4)
    assert one.range[0] < one.iteration < one.range[1] or one.error == 0


def test_choices_have_several_nodes(summary, cpu):
    large = summary.scaled(16e6)
    fast, slow = (replace(cpu, between={"host": InternodeRates(iteration=s)}) for s in (1e-6, 1.0))
    assert choose(large, fast, "pagerank", nodes=4).configuration.nodes == 4
    assert choose(large, slow, "pagerank", nodes=4).configuration.nodes == 1
