# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions by hand, and what must hold for all of them."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfmodel import Configuration, Frontier, ModelError, predict
from perfmodel.steps import large_activity

PULL = Configuration("pagerank", "pull", "host", 1, 1, 1)


@pytest.mark.check
def test_one_partition_on_a_cpu(summary, cpu):
    p = predict(summary, cpu, PULL)
    assert (p.load, p.transfer, p.launch) == (0, 0, 0)
    assert p.compute == pytest.approx(16e-6)  # 16,000 edges of 1 ns
    assert p.update == pytest.approx(5e-7)  # 1,000 vertices of 0.5 ns
    assert p.run == 1e-4


def test_partitions_of_one_node_add_a_launch(summary, cpu):
    p = predict(summary, cpu, replace(PULL, per_node=4, parts=4))
    assert p.compute == pytest.approx(4e-6)
    assert p.launch == 1e-5
    assert predict(summary, cpu, replace(PULL, per_node=4, parts=None)).launch == 0


def test_values_beyond_the_cache_use_the_second_slope(summary, cpu):
    # A sixteenth of the edges reads 1,000 values of 8 bytes; of those, 2,000 bytes stay: a quarter is near.
    p = predict(summary, replace(cpu, cache_bytes=2000), PULL)
    assert p.compute == pytest.approx(16_000 * (0.25e-9 + 0.75 * 2e-9))


def test_uneven_rows(summary, cpu):
    rate = replace(cpu.rate("pagerank", "pull"), vertex_irregular=1e-9)
    p = predict(summary, replace(cpu, rates={"pagerank": {"pull": rate}}), PULL)
    assert p.update == pytest.approx(1000 * (5e-10 + 0.5e-9))


@pytest.mark.check
def test_zero_copy_and_device_loads(summary, gpu):
    zero_copy = Configuration("pagerank", "pull", "zero-copy", 1, 4, 4)
    assert predict(summary, gpu, zero_copy).load == pytest.approx(1e-10 * 8 * 4000)  # the INS of four GPUs
    device = replace(zero_copy, placement="device")
    assert predict(summary, gpu, device).load == pytest.approx(1e-11 * 8 * 750)
    assert predict(summary, gpu, replace(device, model="push")).load == 0  # Table 1


def test_transfers_between_nodes_are_reported_in_both_forms(summary, gpu):
    p = predict(summary, gpu, Configuration("pagerank", "pull", "device", 4, 1, 4))
    assert p.transfer_sum == pytest.approx(1e-9 * 8 * 3000)
    assert p.transfer_maximum == pytest.approx(1e-9 * 8 * 750)
    assert p.transfer == p.transfer_maximum
    by_sum = predict(summary, replace(gpu, exchange="sum"), p.configuration)
    assert by_sum.transfer == by_sum.transfer_sum
    low, high = p.range
    assert low <= p.iteration <= by_sum.iteration <= high


def test_push_takes_the_calibrations_activity_or_the_graphs(summary, cpu):
    rate = replace(cpu.rate("bfs", "push"), activity=0.5)
    profile = replace(cpu, rates={"bfs": {"push": rate}})
    push = Configuration("bfs", "push")
    assert predict(summary, profile, push).compute == pytest.approx(8e-6)
    known = replace(summary, frontiers={"bfs": Frontier((0.01, 0.4, 0.2), (0.01, 0.9, 0.3))})
    p = predict(known, profile, push)
    assert p.compute == pytest.approx(16e-6 * 0.6)  # the mean of 0.9 and 0.3
    assert p.iterations == 3
    assert p.total == pytest.approx(1e-4 + 16e-6 * (0.01 + 0.9 + 0.3) + 5e-7 * 0.61)


def test_auto_without_a_frontier_says_so(summary, cpu):
    with pytest.raises(ModelError, match="needs the frontier of a run: pass --measure"):
        predict(summary, cpu, Configuration("labels", "auto"))
    with pytest.raises(ModelError, match="links edges in forests: that is not iterations"):
        predict(summary, cpu, Configuration("components", "auto"))


def test_auto_follows_the_rule(summary, cpu):
    known = replace(summary, frontiers={"components": Frontier((1.0, 0.001), (1.0, 0.001))})
    p = predict(known, cpu, Configuration("labels", "auto"))
    # The first iteration pulls all edges, the second pushes a thousandth of them.
    assert p.total == pytest.approx(1e-4 + (16e-6 + 5e-7) + (16e-6 * 0.001 + 5e-7 * 0.001), rel=1e-6)


def test_auto_of_pagerank_is_pull(summary, cpu):
    pull, auto = (predict(summary, cpu, replace(PULL, model=m)) for m in ("pull", "auto"))
    assert auto.iteration == pull.iteration


def test_no_iteration_is_large():
    assert large_activity(Frontier((0.01,), (0.01,))) == 0


@pytest.mark.parametrize(
    "configuration, message",
    [
        (Configuration("pagerank", "pull", "host", 2, 1, 2), "no rate between nodes: pass --rate network"),
        (Configuration("pagerank", "pull", "device", 1, 2, 2), "no rate between the GPUs of a node"),
        (Configuration("pagerank", "pull", "zero-copy", 1, 1, 1), "no rate from zero-copy memory"),
        (Configuration("sort"), "there is no model of 'sort'"),
    ],
)
def test_what_was_not_measured_is_not_guessed(summary, cpu, configuration, message):
    with pytest.raises(ModelError, match=message):
        predict(summary, cpu, configuration)


def test_a_rate_that_was_not_calibrated(summary, cpu):
    with pytest.raises(ModelError, match="no rate of bfs in the pull model"):
        predict(summary, replace(cpu, rates={}), Configuration("bfs"))


def test_both_directions_need_a_summary_of_them(summary, cpu):
    with pytest.raises(ModelError, match="takes edges in both directions"):
        predict(replace(summary, directed=True), cpu, Configuration("components"))


@given(st.integers(0, 3), st.floats(1.0, 100.0), st.floats(1.0, 100.0))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slower_machines_and_larger_graphs_take_longer(summary, gpu, doublings, slower, larger):
    y = 2 ** min(doublings, 2)
    c = Configuration("pagerank", "pull", "zero-copy", 2, y, 2 * y)
    p = predict(summary, gpu, c)
    assert predict(summary, replace(gpu, zero_copy=gpu.zero_copy * slower), c).load >= p.load
    assert predict(summary, replace(gpu, network=gpu.network * slower), c).transfer >= p.transfer
    assert predict(summary, replace(gpu, cache_bytes=gpu.cache_bytes / slower), c).compute >= p.compute
    scaled = predict(summary.scaled(16_000 * larger), gpu, c)
    assert scaled.iteration >= p.iteration * (1 - 1e-3)
    assert scaled.need.gpu >= p.need.gpu * (1 - 1e-3)
    assert scaled.range[0] <= scaled.iteration <= scaled.range[1]
