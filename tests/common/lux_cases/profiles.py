# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the performance model, a graph and machines in round numbers; and summaries of other graphs."""

import pytest

from lux.autotune.summarize import summarize
from perfmodel import GraphSummary, Machine, Profile, Rate, Sizes

__all__ = ["PARTS", "cpu", "gpu", "summarize", "summary"]

PARTS = (1, 2, 4, 8, 16, 32, 64)


@pytest.fixture
def summary():
    """1,000 vertices and 16,000 edges that end anywhere: every vertex is in every INS."""
    sizes = {p: Sizes(1000 * p, 1000, 1000 * p - 1000, 1000 - 1000 // p, 16_000 // p) for p in PARTS}
    return GraphSummary(1000, 16_000, False, False, 0.5, 20, ((1000, 1e6),), sizes)


@pytest.fixture
def cpu():
    """One nanosecond an edge, half of it for a vertex."""
    rate = Rate(1e-9, 2e-9, 5e-10, 5e-10)
    rates = {name: {"pull": rate, "push": rate} for name in ("pagerank", "components", "bfs", "sssp")}
    machine = Machine("cpu", "Test CPU", 4, 0, 1 << 34, 0)
    return Profile(machine, rates, 1 << 20, run_seconds=1e-4, run_vertex_seconds=0.0, launch_seconds=1e-5)


@pytest.fixture
def gpu(cpu):
    """Four GPUs; zero-copy memory at 10 GB/s, other GPUs at 100, the network at 1."""
    from dataclasses import replace

    machine = Machine("gpu", "Test GPU", 4, 4, 1 << 34, 1 << 30)
    return replace(cpu, machine=machine, zero_copy=1e-10, device=1e-11, network=1e-9)
