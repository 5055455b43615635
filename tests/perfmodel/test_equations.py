# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each equation of section 6 worked out by hand, and what must hold for all numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel import equations as eq

COUNTS = st.integers(1, 10**12)
RATES = st.floats(1e-13, 1e-3)
FEW = st.integers(1, 1024)


@pytest.mark.check
def test_load_takes_as_long_as_the_busiest_node():
    # (10): nodes load 3 and 7 thousand vertices of 4 bytes at 2 GB/s: 28,000 bytes, 14 microseconds.
    assert eq.load_exact(5e-10, 4, [1000, 2000, 3000, 4000], nodes=2) == pytest.approx(14e-6)
    # (11): 10,000 vertices over both nodes.
    assert eq.load_zero_copy(5e-10, 4, 10_000, nodes=2) == pytest.approx(10e-6)


def test_load_from_other_gpus():
    # Each of 4 GPUs lacks three quarters of its node's 2,000 vertices of 8 bytes: 12,000 bytes at 1 GB/s.
    assert eq.load_device(1e-9, 8, 4000, nodes=2, per_node=4) == pytest.approx(12e-6)


def test_compute_is_divided_among_all_workers():
    # (12), (14): 2 ns for each of 4 million edges on 2 x 4 GPUs.
    assert eq.compute(2e-9, 4_000_000, nodes=2, per_node=4) == pytest.approx(1e-3)
    # A quarter of the work stays: 8 ms x (1/4 + 3/4 / 3).
    assert eq.compute(2e-9, 4_000_000, nodes=1, per_node=3, serial=0.25) == pytest.approx(4e-3)


def test_update_is_per_vertex():
    assert eq.update(3e-9, 1_000_000, nodes=1, per_node=2) == pytest.approx(1.5e-3)


def test_transfer_in_both_forms():
    # (13): 3 nodes receive 1,000, 2,000 and 3,000 vertices of 8 bytes at 1 GB/s, one after the other: 48 microseconds.
    assert eq.transfer_sum(1e-9, 8, 6000) == pytest.approx(48e-6)
    # At once, the last: 24. Through a middle of 0.5 GB/s, half of 48,000 bytes: 48.
    assert eq.transfer_maximum(1e-9, 8, 3000, 6000) == pytest.approx(24e-6)
    assert eq.transfer_maximum(1e-9, 8, 3000, 6000, bisection=5e8) == pytest.approx(48e-6)


def test_gathers_that_find_their_value():
    assert eq.near_share(4, 256, 1024) == 1
    assert eq.near_share(4, 1024, 1024) == 0.25


@given(RATES, COUNTS, FEW, FEW, st.floats(0, 1))
def test_more_workers_never_compute_longer(rate, edges, nodes, per_node, serial):
    time = eq.compute(rate, edges, nodes, per_node, serial)
    assert eq.compute(rate, edges, nodes, per_node + 1, serial) <= time * (1 + 1e-12)
    assert eq.compute(rate, edges, nodes + 1, per_node, serial) < time
    assert eq.compute(rate, edges + 1, nodes, per_node, serial) >= time


@given(RATES, st.lists(st.integers(0, 10**9), min_size=1, max_size=64), st.floats(1e6, 1e15))
def test_the_maximum_is_bounded_by_the_sum_and_by_the_middle(rate, uds, bisection):
    total, most = sum(uds), max(uds)
    alone = eq.transfer_maximum(rate, 8, most, total)
    assert alone <= eq.transfer_sum(rate, 8, total) * (1 + 1e-12)
    assert eq.transfer_maximum(rate, 8, most, total, bisection) >= max(alone, 4 * total / bisection) * (1 - 1e-12)


@given(st.integers(1, 64), st.integers(0, 10**9), st.floats(1.0, 1e12))
def test_a_larger_cache_never_holds_less(value_bytes, values, cache):
    assert 0 < eq.near_share(value_bytes, values + 1, cache) <= eq.near_share(value_bytes, values + 1, 2 * cache) <= 1


@given(RATES, st.lists(st.integers(0, 10**9), min_size=2, max_size=2))
def test_the_exact_load_is_never_below_the_mean(rate, ins):
    assert eq.load_exact(rate, 8, ins, 2) >= eq.load_zero_copy(rate, 8, sum(ins), 2) * (1 - 1e-12)
