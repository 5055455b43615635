# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Choosing a configuration."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfmodel import Configuration, Frontier, Machine, ModelError, Prices, choose, efficiency
from perfmodel.choose_configuration import counts
from perfmodel.memory import memory_need
from perfmodel.programs import program


def test_small_work_stays_on_one_worker(summary, cpu):
    c = choose(summary, replace(cpu, launch_seconds=1e-4), "pagerank").configuration
    assert (c.model, c.parts, c.per_node) == ("pull", 1, 1)  # 16 microseconds against a launch of 100


def test_large_work_takes_all_cores_in_one_task(summary, cpu):
    c = choose(summary.scaled(16e6), cpu, "pagerank").configuration
    assert (c.parts, c.per_node) == (None, 4)


def test_slow_networks_keep_work_on_one_node(summary, gpu):
    large = summary.scaled(16e6)
    assert choose(large, replace(gpu, network=1.0), "pagerank", nodes=4).configuration.nodes == 1
    assert choose(large, replace(gpu, network=1e-15), "pagerank", nodes=4).configuration.nodes == 4


def test_the_best_is_no_slower_than_any_that_fits(summary, gpu):
    choice = choose(summary, gpu, "pagerank", nodes=2)
    fitting = [p for p in choice.predictions if p.need.fits(gpu.machine)]
    assert choice.best.iteration == min(p.iteration for p in fitting)


@given(st.integers(1, 3), st.integers(1, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
def test_wider_limits_never_choose_worse(summary, gpu, nodes, gpus):
    wide = summary.scaled(1e7)
    wide = replace(wide, sizes=wide.sizes | dict.fromkeys((3, 6, 9, 12), wide.sizes[16]))
    narrow = choose(wide, gpu, "pagerank", nodes, gpus).best.iteration
    assert choose(wide, gpu, "pagerank", nodes + 1, gpus).best.iteration <= narrow
    assert choose(wide, gpu, "pagerank", nodes, gpus + 1).best.iteration <= narrow


def test_a_graph_that_fits_nowhere(summary, cpu):
    message = (
        r"fits nowhere within these limits: on 1 node with 1 processor each it would need"
        r" .* GiB on each node.*more nodes"
    )
    with pytest.raises(ModelError, match=message):
        choose(summary.scaled(1e13), cpu, "pagerank")


def test_a_graph_that_fits_only_several_gpus(summary, gpu):
    # 10^9 edges of 4 bytes and 6 * 10^7 vertices need 1.53 * 10^9 bytes of each of 8 GPUs, and 1.02 * 10^9 of 16.
    gpu = replace(gpu, machine=replace(gpu.machine, gpu_bytes=3 << 29))
    choice = choose(summary.scaled(1e9), gpu, "pagerank", nodes=4)
    assert choice.configuration.workers == 16
    with pytest.raises(ModelError, match="in each GPU"):
        choose(summary.scaled(1e9), gpu, "pagerank", nodes=1)


def test_strategies_are_kept_unless_measured(summary, cpu):
    choice = choose(summary, cpu, "components")
    assert choice.configuration.model == "auto"
    assert "--measure" in choice.notes[-1]
    slow = replace(summary, frontiers={"components": Frontier((1.0,), (1.0,), 1.0, 1)})
    assert choose(slow, cpu, "components").configuration.model == "pull"
    fast = replace(summary, frontiers={"components": Frontier((1.0,), (1.0,), 1e-9, 1)})
    assert choose(fast, cpu, "components").configuration.model == "auto"


def test_nothing_can_be_predicted(summary, cpu):
    with pytest.raises(ModelError, match="no rate of bfs"):
        choose(summary, replace(cpu, rates={}), "bfs")


def test_counts():
    assert counts(1) == [1]
    assert counts(9) == [*range(1, 9), 9]
    assert counts(64)[-3:] == [32, 48, 64]
    with pytest.raises(ModelError, match="allowed are numbers from 1"):
        counts(0)


def test_memory_by_hand(summary):
    # 12 bytes of a graph's vertex and 32 of state, 4 of an edge, twice, on one node; a quarter more.
    found = memory_need(summary, program("pagerank"), Configuration("pagerank"))
    assert found.host == pytest.approx(1.25 * (44 * 1000 + 8 * 16_000))
    two = memory_need(summary, program("pagerank"), Configuration("pagerank", "pull", "device", 1, 2, 2))
    assert two.gpu == pytest.approx((12 + 24 + 32) * 500 + 4 * 8000 + 8 * 1000)  # GPUs have no blocks
    pushed = memory_need(summary, program("pagerank"), Configuration("pagerank", "push", "device", 1, 2, 2))
    assert pushed.gpu == two.gpu + 4 * 8000
    zero_copy = memory_need(summary, program("pagerank"), Configuration("pagerank", "pull", "zero-copy", 1, 2, 2))
    assert zero_copy.gpu == two.gpu  # every vertex is in both INS
    assert zero_copy.host == two.host + 32 * 1000
    peer = memory_need(summary, program("pagerank"), Configuration("pagerank", "pull", "peer", 1, 2, 2))
    assert peer == two
    assert found.fits(Machine("cpu", "x", 1, 0, int(found.host / 0.6) + 1, 0))
    assert not found.fits(Machine("cpu", "x", 1, 0, int(found.host / 0.6) - 1, 0))


def test_efficiency_by_hand(summary, gpu):
    # 2 nodes of $1,000 with 2 GPUs of $500: $4,000. An iteration of 1 ms: 1,000 / 4,000.
    p = choose(summary, gpu, "pagerank").best
    p = replace(p, configuration=Configuration("pagerank", "pull", "device", 2, 2, 4))
    assert Prices(1000, 500).of(p) == 4000
    assert efficiency(1e-3, 4000) == pytest.approx(0.25)
    with pytest.raises(ModelError, match="not both 0"):
        Prices(0)
