# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Every way to find shortest paths gives the same answers, and one dispatch serves the run and its preparation."""

import numpy as np
import pytest

import lux
from lux.algorithms.sssp import gpu, multi_gpu_memory, sssp
from lux.algorithms.sssp.multi_gpu import MultiGpu
from lux.algorithms.sssp.query import PathQuery
from lux.algorithms.sssp.strategies import STRATEGIES
from lux.algorithms.strategy import select
from lux.errors import ParameterError
from lux_cases.cuda import constant

ON_CORES = [strategy.name for strategy in STRATEGIES if "gpu" not in strategy.name]


def random_graph(kind, directed=True):
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 200, (2, 1500))
    return lux.from_edges(u, v, weight=rng.integers(0, 50, 1500).astype(kind), n_vertices=200, directed=directed)


@pytest.mark.parametrize("name", ON_CORES)
@pytest.mark.parametrize("kind, directed, order", [("int32", True, "given"), ("float32", False, "degree")])
def test_answers_are_equal(name, kind, directed, order):
    graph = random_graph(kind, directed).reordered(order)
    expected, found = lux.sssp(graph, 3), lux.sssp(graph, 3, strategy=name)
    assert (found.strategy, found.refusals) == (name, {})
    assert (found.delta is None) == (name == "program")
    np.testing.assert_array_equal(found.distances.dense(), expected.distances.dense())
    np.testing.assert_array_equal(found.parents.dense(), expected.parents.dense())
    sssp.verify(found)


@pytest.mark.parametrize(
    "asked, name, words",
    [
        ({}, "threads", ""),
        ({"parts": 2}, "partitions", "it is one task, and parts=2 is asked for"),
        ({"model": "pull"}, "program", "model='pull' is asked for, which only the program has"),
        ({"max_iter": 3}, "program", "max_iter=3 is asked for, and only the program counts the edges of paths"),
    ],
)
def test_the_way_that_is_taken_and_why(asked, name, words):
    found = lux.sssp(random_graph("int32"), 3, **asked)
    assert found.strategy == name
    assert found.refusals.get("threads", "") == words


def test_negative_weights_ask_for_the_program():
    graph = lux.from_edges([0, 1], [1, 2], weight=[3, -1])
    assert set(lux.sssp(graph, 0).refusals.values()) == {"some weights are negative"}
    with pytest.raises(ParameterError, match=r"strategy='threads' .* some weights are negative"):
        lux.sssp(graph, 0, strategy="threads")


def test_several_gpus_run_and_prepare_the_program(pretend_gpus):
    """Buckets for CPU cores are not made where GPUs search."""
    query = PathQuery(graph=sssp.check(random_graph("float64"), "weight"), parts=2)
    pretend_gpus(2)
    chosen = select(STRATEGIES, query)
    assert chosen.strategy.name == "program"
    assert chosen.refusals["gpus"] == "its distances have 32 bits, and those along these weights are float64"
    assert chosen.refusals["partitions"] == "it takes CPU cores, and there are GPUs"
    assert chosen.refusals["gpu"] == "it takes one GPU, and parts=2 is asked for"


def test_when_several_gpus_search(pretend_gpus, spread_from, monkeypatch):
    checked = {kind: sssp.check(random_graph(kind), "weight") for kind in ("int32", "int64", "float32")}

    def refusal(kind, parts, **more):
        return MultiGpu().refusal(PathQuery(graph=checked[kind], parts=parts, **more))

    assert "no GPU" in refusal("int32", 2)
    pretend_gpus(4)
    for kind in checked:
        assert refusal(kind, 2) == refusal(kind, None, strategy="gpus") == ""
    assert "one GPU holds the graph" in refusal("int32", None)
    assert "several GPUs, and one is to be used" in refusal("int32", 1)
    assert "a GPU for each of 5 partitions, and may have 4" in refusal("int32", 5)
    assert "only the program counts" in refusal("int32", 2, max_iter=3)
    with lux.using(placement="zero-copy"):
        assert "placement='zero-copy' is asked for" in refusal("int32", 2)
    spread_from(1)
    monkeypatch.setattr(multi_gpu_memory, "WORTH_SEVERAL", 1)
    assert "fewer than 8,589,934,592 edges" in refusal("int32", None)  # a sparse graph
    monkeypatch.setattr(multi_gpu_memory, "DENSE_DEGREE", 1)
    assert refusal("int32", None) == ""
    pretend_gpus(4, peers=False)
    assert "cannot read each other's memory" in refusal("int32", 2)
    pretend_gpus(4, ranks=2)
    assert refusal("int32", 4) == ""
    assert "it takes all 4 GPUs of 2 processes" in refusal("int32", 2)


def test_several_gpus_refuse_distances_that_may_be_too_long(pretend_gpus):
    graph = lux.from_edges([0, 1], [1, 2], weight=np.array([3e38, 1], np.float32))
    integers = lux.from_edges([0, 1], [1, 2], weight=[2**31, 1])
    for each in (graph, integers):
        sssp.check(each, "weight")
    pretend_gpus(2)
    assert "pass cutoff" in MultiGpu().refusal(PathQuery(graph=graph, parts=2))
    assert MultiGpu().refusal(PathQuery(graph=graph, parts=2, cutoff=1e30)) == ""
    assert "are uint64" in MultiGpu().refusal(PathQuery(graph=integers, parts=2))


@pytest.mark.check
def test_kernels_have_the_same_numbers():
    for name in ("BINS", "SENT_BYTES"):
        file = "sssp_state.cuh" if name == "BINS" else "sssp_multi_gpu.cu"
        assert constant(name, file) == getattr(multi_gpu_memory, name)
    slot = 8 * (multi_gpu_memory.BINS + 5)
    assert 3 * (slot + 12) + 32 + 4 * 16 + 16 <= gpu.CONTROL_BYTES  # struct PartControl


def test_the_program_takes_gpus_and_cpu_cores_where_others_cannot(pretend_gpus):
    pretend_gpus(2)
    with lux.using(device="gpu+cpu"):
        chosen = select(STRATEGIES, PathQuery(graph=lux.from_edges([0, 1, 2], [1, 2, 3], weight=[2, 3, 4])))
    assert chosen.strategy.name == "program"
    assert "only vertex programs take" in next(iter(chosen.refusals.values()))


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"strategy": "delta"}, "strategy='delta' was passed"),
        ({"strategy": "program", "delta": 2}, "delta=2 is for delta-stepping"),
        ({"strategy": "threads", "parts": 2}, "it is one task, and parts=2 is asked for"),
        ({"strategy": "partitions", "max_iter": 1}, "max_iter=1 is asked for"),
    ],
)
def test_refused(asked, message):
    with pytest.raises(ParameterError, match=message):
        lux.sssp(random_graph("int32"), 3, **asked)
