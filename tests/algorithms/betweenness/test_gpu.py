# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What betweenness launches on GPUs, needs of their memory and refuses, as far as no GPU is needed."""

from types import SimpleNamespace

import numpy as np
import pytest

import lux
from lux.algorithms.betweenness import gpu, gpu_weighted
from lux.algorithms.betweenness.brandes import BrandesQuery
from lux.algorithms.betweenness.strategies import STRATEGIES
from lux.algorithms.strategy import select
from lux.errors import ConfigurationError, MemoryNeededError
from lux_cases.plans import stores_of


def asked(graph, sources=6, weight=None, parts=None, model="auto"):
    return BrandesQuery(graph=graph, chosen=np.arange(sources), weight=weight, parts=parts, model=model)


def gpus_of(*query, **more):
    """GPUs that a query takes, 0 where it takes none."""
    chosen = select(STRATEGIES, asked(*query, **more))
    return chosen.memory.gpus if chosen.memory.gpu else 0


def test_how_many_gpus_betweenness_takes(pretend_gpus, spread_from):
    graph = lux.generate("kronecker:8", seed=3, weights=(1, 9))
    yes = lux.from_edges([0, 1], [1, 2], weight=np.array([True, True]))
    pretend_gpus(0)
    assert gpus_of(graph) == 0
    pretend_gpus(4)
    assert [gpus_of(graph, parts=p) for p in (None, 1, 3, 5)] == [1, 1, 3, 0]
    assert gpus_of(graph, model="pull") == 0
    assert [gpus_of(graph, 4, "weight", parts=p) for p in (None, 3, 5)] == [1, 3, 0]
    spread_from(3 * graph.n_edges)
    assert [gpus_of(graph, n) for n in (2, 3, 9)] == [1, 3, 4]
    room = gpu.memory_bytes(graph, 6)
    pretend_gpus(4, fbmem=room)
    assert gpu_weighted.memory_bytes(graph, 6) > room
    assert [gpus_of(graph, 6, w) for w in (None, "weight")] == [4, 0]
    pretend_gpus(4, fbmem=1 << 14)
    assert gpus_of(graph) == 0
    with lux.using(device="gpu"):
        with pytest.raises(MemoryNeededError, match=r"betweenness by strategy=.* on each of 2 GPUs needs"):
            gpus_of(graph, parts=2)
        with pytest.raises(MemoryNeededError, match="start with --fbmem"):
            gpus_of(graph, 6, "weight", parts=2)
        pretend_gpus(2)
        for parts, model, weight, match in (
            (3, "auto", None, "parts=3 is more than its 2 GPUs"),
            (3, "auto", "weight", "parts=3 is more than its 2 GPUs"),
            (None, "pull", None, "leave model= out"),
        ):
            with pytest.raises(ConfigurationError, match=match):
                gpus_of(graph, 6, weight, parts, model)
        with pytest.raises(ConfigurationError, match="its weight='weight' is bool"):
            gpus_of(yes, 2, "weight", parts=1)


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_sources_are_dealt(parts, weight):
    graph = lux.generate("kronecker:6", seed=3, weights=(1, 9))
    dealt = gpu.DistributedSources(asked(graph, 6, weight), parts)
    dealt_to = [dealt.sources[:count, part].tolist() for part, count in enumerate(dealt.counts)]
    assert dealt_to == [list(range(part, 6, parts)) for part in range(parts)]
    for launcher in dealt.launchers():
        plan = dealt.plan(launcher, SimpleNamespace(handle=0))
        named = {dealt.way.arguments[a]: launcher.arrays[k] for a, k in stores_of(plan).tolist()}
        assert named["score"] == "score"
        assert named["in_offsets"] == ("in_offsets" if graph.directed else "out_offsets")


def test_the_program_takes_gpus_and_cpu_cores_where_others_cannot(pretend_gpus):
    pretend_gpus(2)
    with lux.using(device="gpu+cpu"):
        chosen = select(STRATEGIES, asked(lux.toy.kite(), 3))
    assert chosen.strategy.name == "program"
    assert "only vertex programs take" in next(iter(chosen.refusals.values()))
