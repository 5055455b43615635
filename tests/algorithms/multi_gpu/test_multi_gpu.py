# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches on several GPUs, as far as they can be looked at without one: arguments, split points, lists, refusals."""

import numpy as np
import pytest

import lux
from lux.algorithms.bfs import multi_gpu, multi_gpu_memory
from lux.algorithms.bfs.query import BfsQuery
from lux.algorithms.multi_gpu import choice, level_statistics
from lux.algorithms.multi_gpu.id_order import sending
from lux.algorithms.multi_gpu.id_order_kernels import NOTHING
from lux.algorithms.strategy import select
from lux.errors import MemoryNeededError
from lux_cases.cuda import constant
from lux_cases.stores import to_array


@pytest.mark.check
def test_the_kernel_has_the_same_numbers():
    assert constant("MOST_GPUS", "peer_exchange.cuh") == choice.MOST_GPUS
    assert 8 * (1 + constant("MESSAGE_WORDS", "peer_exchange.cuh")) * 2 * choice.MOST_GPUS == choice.MESSAGE_BYTES
    assert constant("THREADS", "warps.cuh") == multi_gpu.THREADS
    assert constant("LEVEL_COLUMNS", "level_seconds.cuh") == level_statistics.LEVEL_COLUMNS
    assert 3 * 32 + 4 * choice.MOST_GPUS + 16 <= multi_gpu_memory.CONTROL_BYTES  # struct SearchControl


@pytest.mark.check
@pytest.mark.parametrize("n", [1, 31, 33, 1000, 1 << 16, (1 << 16) + 1, 1 << 20])
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_split_points_are_in_whole_words(n, parts):
    rng = np.random.default_rng(n)
    given = np.sort(np.concatenate([[0, n], rng.integers(0, n + 1, parts - 1)]))
    points = multi_gpu_memory.in_words(given, n)
    assert (points[0], points[-1], len(points)) == (0, n, parts + 1)
    assert (np.diff(points) >= 0).all()
    assert ((points % 32 == 0) | (points == n)).all()
    assert (abs(points - given) <= multi_gpu_memory.ALIGNED).all()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_every_id_finds_what_was_sent(directed, parts):
    graph = lux.generate("rmat:9,1" if directed else "kronecker:9,1", seed=3)
    points = multi_gpu_memory.points_of(graph, parts)
    places = np.random.default_rng(1).permutation(graph.n_vertices).astype(np.uint32)
    by_source = graph.layout(1).by_source(()).offsets if directed else graph.offsets
    offsets = [to_array(x) for x in (graph.offsets, by_source)]
    found = sending(places, *offsets, points)
    sends, slots = to_array(found.sends), to_array(found.slots)
    linked = (np.diff(offsets[0]) > 0) | (np.diff(offsets[1]) > 0)
    assert not linked.all()
    np.testing.assert_array_equal(slots == NOTHING, ~linked[places])
    for receiver in range(parts):
        inbox = np.full(found.counts[receiver].sum(), NOTHING)
        for sender in range(parts):
            mine = sends[found.send_points[sender] : found.send_points[sender + 1]]
            first, end = found.send_at[sender, receiver : receiver + 2]
            at = found.inbox_at[sender, receiver]
            inbox[at : at + end - first] = mine[first:end]
            assert ((points[sender] <= mine) & (mine < points[sender + 1])).all()
        own = slice(found.ids[receiver], found.ids[receiver + 1])
        told = slots[own] != NOTHING
        np.testing.assert_array_equal(inbox[slots[own][told]], places[own][told])


def refusal(graph, parts, **asked):
    return multi_gpu.MultiGpu().refusal(BfsQuery(graph=graph, parts=parts, **asked))


def test_when_several_gpus_search(pretend_gpus, spread_from, monkeypatch):
    graph = lux.generate("kronecker:9", seed=3).reordered("degree")
    assert "no GPU" in refusal(graph, 2)
    pretend_gpus(4)
    assert refusal(graph, 2) == refusal(graph, 4) == ""
    assert "one GPU holds the graph" in refusal(graph, None)
    assert "several GPUs, and one is to be used" in refusal(graph, 1)
    assert "a GPU for each of 5 partitions, and may have 4" in refusal(graph, 5)
    assert "which only the program has" in refusal(graph, 2, model="push")
    assert "deterministic=True" in refusal(graph, 2, deterministic=True)
    assert refusal(graph, None, strategy="gpus") == ""  # whoever asks for it by name gets all GPUs
    assert choice.gpus_of(graph, None, named=True) == 4
    with lux.using(placement="peer"):
        assert refusal(graph, 2) == ""
    for placement in ("device", "zero-copy"):
        with lux.using(placement=placement):
            assert f"placement='{placement}' is asked for" in refusal(graph, 2)
    with lux.using(device="cpu"):
        assert refusal(graph, 2) == "device='cpu' is asked for"
    spread_from(1)
    assert "one GPU holds the graph" in refusal(graph, None)
    monkeypatch.setattr(multi_gpu_memory, "WORTH_SEVERAL", 1)
    assert refusal(graph, None) == ""
    assert choice.gpus_of(graph, None) == 4
    pretend_gpus(4, fbmem=multi_gpu_memory.memory_bytes(graph, 2))
    assert refusal(graph, 2) == ""
    pretend_gpus(4, fbmem=multi_gpu_memory.memory_bytes(graph, 2) - 1)
    with pytest.raises(MemoryNeededError, match="on each of 2 GPUs"):
        select([multi_gpu.MultiGpu()], BfsQuery(graph=graph, parts=2))
    pretend_gpus(4, peers=False)
    assert "cannot read each other's memory" in refusal(graph, 4)


def test_a_graph_that_one_gpu_does_not_hold(pretend_gpus, spread_from, monkeypatch):
    """Several take it, however few its edges are."""
    graph = lux.generate("kronecker:12", seed=3)
    pretend_gpus(2, fbmem=multi_gpu_memory.memory_bytes(graph, 2) + 1)
    spread_from(1)
    assert multi_gpu_memory.whole_graph_bytes(graph) > multi_gpu_memory.memory_bytes(graph, 2)
    assert refusal(graph, None) == ""
    assert choice.gpus_of(graph, None) == 2
