# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The processors of the machine that the tests run on, and GPUs that are not there."""

from dataclasses import replace

import pytest

import legate_config
from lux import runtime, settings
from lux.errors import LuxWarning
from lux.launch import peer_memory
from lux.partition.split_points import nodes_of
from lux.runtime import allreduce_max, gpus, on_first_rank, peer_access, processors, rank, ranks, run_team, team_size
from lux.runtime.allocations import placed
from lux.runtime.exchange import on_several_nodes
from lux.runtime.link import measure as network
from lux.runtime.stores import live_bytes

__all__ = [
    "allreduce_max",
    "gpus",
    "little_memory",
    "live_bytes",
    "meet",
    "network",
    "nodes_of",
    "on_cores",
    "on_finish",
    "on_first_rank",
    "on_several_nodes",
    "peer_access",
    "placed",
    "pretend_gpus",
    "processors",
    "rank",
    "ranks",
    "run_team",
    "settings",
    "team_size",
]


def on_cores(why=""):
    """``with on_cores(why):`` a warning says why a run takes CPU cores although there are GPUs."""
    return pytest.warns(LuxWarning, match=f"takes CPU cores and no GPU: .*{why}")


def meet():
    """Wait until all processes are here."""
    runtime.raise_on_all_ranks(None)


@pytest.fixture
def pretend_gpus(monkeypatch):
    """``pretend_gpus(2, ...)``: as if Legate had been given GPUs; nothing can be launched on them."""

    def pretend(count, *, fbmem=1 << 30, zcmem=1 << 30, sysmem=4 << 30, peers=True, distinct=True, ranks=1, apart=""):
        given = replace(legate_config.settings(), gpus=count, fbmem_bytes=fbmem, zcmem_bytes=zcmem, sysmem_bytes=sysmem)
        monkeypatch.setattr(legate_config, "settings", lambda: given)
        monkeypatch.setattr(runtime, "gpus", lambda: count)
        monkeypatch.setattr(runtime, "ranks", lambda: ranks)
        monkeypatch.setattr(runtime, "check_points", lambda points: None)
        monkeypatch.setattr(runtime, "block_memory", lambda: 227 << 10)
        monkeypatch.setattr(runtime, "peer_access", lambda: peers)
        monkeypatch.setattr(runtime, "on_distinct_gpus", lambda points: distinct and points <= count)
        monkeypatch.setattr(peer_memory, "why_gpus_do_not_share", lambda: apart)

    return pretend


@pytest.fixture
def little_memory(monkeypatch):
    """``little_memory(nbytes)``: as if Legate had so many bytes of host memory left beside the stores there are."""

    def pretend(nbytes):
        given = replace(legate_config.settings(), sysmem_bytes=live_bytes() + nbytes)
        monkeypatch.setattr(legate_config, "settings", lambda: given)

    return pretend


@pytest.fixture
def on_finish(monkeypatch):
    """``on_finish(call)``: call this where a run would wait for its launches."""
    return lambda call: monkeypatch.setattr(runtime, "finish", call)
