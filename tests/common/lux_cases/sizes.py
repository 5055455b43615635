# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Small graphs treated as large ones: by blocks of edges, by several GPUs, with gaps beside them."""

import pytest

from lux.engine.gpu.placement import device_selection
from lux.graph import edge_queries
from lux.graph import graph as graphs
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.indexes import edge_tiles
from lux.runtime import agreement


def always_by_blocks():
    """Have dense pulls go by blocks of edges on any graph in this process, to its end."""
    edge_tiles.EDGES = edge_tiles.EDGES_OF_A_BLOCK = edge_tiles.IRREGULAR = 0


@pytest.fixture
def edge_blocks(monkeypatch):
    """``edge_blocks(place_bits)``: dense pulls go by blocks of edges on any graph, of few vertices each."""

    def use(place_bits=4, irregular=0):
        for name, value in {
            "EDGES": 0,
            "EDGES_OF_A_BLOCK": 0,
            "IRREGULAR": irregular,
            "PLACE_BITS": place_bits,
        }.items():
            monkeypatch.setattr(edge_tiles, name, value)

    return use


@pytest.fixture
def edges_per_thread(monkeypatch):
    """``edges_per_thread(n)``: a run takes one more thread for every ``n`` edges."""
    return lambda n: monkeypatch.setattr(graphs, "EDGES_PER_THREAD", n)


@pytest.fixture
def spread_from(monkeypatch):
    """``spread_from(n)``: several GPUs share graphs from ``n`` edges on."""
    return lambda n: monkeypatch.setattr(device_selection, "WORTH_SPREADING", n)


@pytest.fixture
def made_on_gpus_from(monkeypatch):
    """``made_on_gpus_from(n)``: GPUs of one process make graphs from ``n`` edges on."""
    return lambda n: monkeypatch.setattr(gpu_edges, "WORTH_A_GPU", n)


@pytest.fixture
def edges_at_once(monkeypatch):
    """``edges_at_once(n)``: what reads edges in slices reads so many."""
    return lambda n: monkeypatch.setattr(edge_queries, "EDGES_AT_ONCE", n)


def fill_beside_others(monkeypatch, part):
    """Have stores take this part of a GPU's memory at most where others lie there."""
    monkeypatch.setattr(agreement, "FILLED_BESIDE_OTHERS", part)
