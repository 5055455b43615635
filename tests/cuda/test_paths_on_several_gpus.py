# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`sssp_multi_gpu.cu`: shortest paths on several GPUs are right, and those of one GPU bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.algorithms.sssp import gpu, multi_gpu_memory, sssp
from lux.errors import LuxError, ParameterError
from lux_cases.examples import covering, examples, one_order
from lux_on_cores.machine import Machine
from perfmodel import direction


def kronecker(kind=np.float32, directed=False):
    """A dense graph, on which rounds pull and push."""
    graph = lux.generate("rmat:8,20" if directed else "kronecker:8,12", seed=2)
    u, v = graph.dense_edge_arrays()
    return weighted(u, v, graph.n_vertices, kind, directed=directed)


def weighted(u, v, n, kind=np.float32, *, directed=False, most=90):
    weight = np.random.default_rng(3).integers(1, most, len(u)).astype(kind)
    if not directed:
        u, v, weight = (x[u <= v] for x in (u, v, weight))
    if np.dtype(kind).kind == "f":
        weight = (weight / kind(7)).astype(kind)
    return lux.from_edges(u, v, weight, n_vertices=n, directed=directed)


def path(n=80):
    u = np.arange(n - 1)
    return weighted(u, u + 1, n + 3, np.int32)


def hubs():
    """Rows of more than 1024 edges, which blocks and warps sweep for themselves."""
    u = np.concatenate([np.zeros(2300, int), np.ones(1500, int), np.arange(2, 40)])
    v = np.concatenate([np.arange(1, 2301), np.arange(700, 2200), np.arange(3, 41)])
    return weighted(u, v, 2400)


GRAPHS = {
    "kronecker": kronecker,
    "kronecker of integers": lambda: kronecker(np.int32),
    "directed": lambda: kronecker(directed=True),
    "directed, of integers": lambda: kronecker(np.int64, directed=True),
    "path": path,
    "hubs": hubs,
}


@pytest.fixture(scope="module")
def graphs():
    return {name: make() for name, make in GRAPHS.items()}


def check(graph, source, parts, cutoff=None, **more):
    """Search on so many GPUs and on one."""
    with lux.using(device="gpu"):
        alone = lux.sssp(graph, source, cutoff=cutoff, **more)
        found = lux.sssp(graph, source, cutoff=cutoff, parts=parts, strategy="gpus", **more)
    assert (found.strategy, found.device, found.parts) == ("gpus", "gpu", parts)
    np.testing.assert_array_equal(found.distances.dense(), alone.distances.dense())
    assert found.distances.dense().dtype == alone.distances.dense().dtype
    assert found.parents.dense().dtype == alone.parents.dense().dtype
    sssp.verify(found)
    return found


def roots(graph):
    return {hub(graph), graph.n_vertices - 1}


def hub(graph):
    return int(graph.dense_out_degrees().argmax())


@pytest.mark.parametrize("name, order", covering([*GRAPHS], ["given", "degree"]))
def test_same_as_on_one_gpu(machine, graphs, name, order):
    graph = graphs[name].reordered(order)
    for parts in (2, 3):
        with machine(4, blocks=1 + (parts == 2), seed=parts) as m:
            models = set()
            for source in roots(graph):
                found = check(graph, source, parts)
                assert found.iterations == len(found.statistics)
                assert all(len(did.seconds) == parts for did in found.statistics)
                models |= {did.model for did in found.statistics}
            assert "pull" in models or not name.startswith("kronecker")
            assert m.launched.count("lux_sssp_parts") > len(roots(graph))


@pytest.mark.check
def test_many_searches(machine, graphs, chance):
    for order in one_order(chance):
        check_many_searches(machine, graphs["path"].reordered(order))


def check_many_searches(machine, graph):
    """Memory is used again, results are not; GPUs may have no vertices, and the source no edges."""
    with machine(4, blocks=1):
        first = check(graph, 0, 4)
        before = first.distances.dense().tolist(), first.parents.dense().tolist()
        for source in (graph.n_vertices - 1, 40):
            check(graph, source, 4)
        check(graph, 40, 4, cutoff=100)
        check(graph, 40, 4, cutoff=0)
        check(graph, 40, 4, delta=1)
        assert (first.distances.dense().tolist(), first.parents.dense().tolist()) == before


def test_pulls_alone_and_pushes_alone(machine, graphs, monkeypatch):
    for thresholds in (direction.Thresholds(2**40, 2**40), direction.Thresholds(1, 2)):
        for name in ("kronecker", "directed, of integers"):
            graph = graphs[name].reordered("degree")
            with monkeypatch.context() as patch, machine(3, blocks=1, seed=7):
                patch.setattr(gpu, "GPU_SSSP", thresholds)
                models = {did.model for did in check(graph, hub(graph), 3).statistics}
            assert ("pull" in models) == (thresholds.pull_above > 1)


def test_edges_of_weight_zero(machine):
    """Parents make a tree though distances along it do not grow."""
    u, v = np.random.default_rng(5).integers(0, 120, (2, 1500))
    weight = np.random.default_rng(6).integers(0, 3, 1500).astype(np.float32)
    graph = lux.from_edges(u, v, weight, n_vertices=125, directed=False).reordered("degree")
    for parts in (2, 4):
        with machine(parts, blocks=2, seed=parts):
            check(graph, int(u[0]), parts)


def test_one_of_several_gpus_is_lost(machine, graphs):
    graph = graphs["kronecker"]
    with machine(2, blocks=1) as m, lux.using(device="gpu"):
        m.lost = {1}
        with pytest.raises(LuxError, match="waited in vain"):
            lux.sssp(graph, 0, parts=2)
        m.lost = ()
        check(graph, 0, 2)


def test_all_gpus_where_it_is_worth_it(machine, graphs, spread_from, monkeypatch):
    graph = graphs["kronecker"]
    with machine(2, blocks=1), lux.using(device="gpu"):
        assert lux.sssp(graph, 0).strategy == "gpu"
        monkeypatch.setattr(multi_gpu_memory, "WORTH_SEVERAL", 1)
        spread_from(1)
        assert lux.sssp(graph, 0).strategy == "gpus"
        with pytest.raises(ParameterError, match="have 32 bits, and those along these weights are float64"):
            lux.sssp(kronecker(np.float64), 0, parts=2, strategy="gpus")


@examples(20)
@given(data=st.data())
def test_random_graphs(data):
    n = data.draw(st.integers(2, 60), "vertices")
    m = data.draw(st.integers(0, 300), "edges")
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), "seed"))
    kind = data.draw(st.sampled_from([np.float32, np.int32, np.uint8]))
    directed, order = data.draw(st.booleans(), "directed"), data.draw(st.sampled_from(["given", "degree"]))
    u, v = (n * rng.random((2, m)) ** 2).astype(int)
    weight = rng.integers(0, data.draw(st.sampled_from([2, 9, 200]), "most"), m).astype(kind)
    graph = lux.from_edges(u, v, weight, n_vertices=n, directed=directed).reordered(order)
    parts, source = data.draw(st.integers(2, min(n, 4)), "parts"), data.draw(st.integers(0, n - 1), "source")
    cutoff = data.draw(st.sampled_from([None, 0, 7]), "cutoff")
    with Machine(parts, blocks=data.draw(st.integers(1, 2)), seed=data.draw(st.integers(1, 99))).running():
        found = check(graph, source, parts, cutoff)
    expected = distances(u, v, weight, n, source, directed=directed)
    expected[expected > (np.inf if cutoff is None else cutoff)] = np.inf
    np.testing.assert_array_equal(found.distances.dense(), np.where(np.isinf(expected), found.unreached, expected))


def distances(u, v, weight, n, source, *, directed):
    """By Bellman and Ford, as SciPy takes weights of zero for no edges."""
    found = np.full(n, np.inf)
    found[source] = 0
    if not directed:
        u, v, weight = np.append(u, v), np.append(v, u), np.append(weight, weight)
    for _ in range(n):
        np.minimum.at(found, v, found[u] + weight)
    return found
