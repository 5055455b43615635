# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs give the same on GPUs as on CPU cores."""

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import lux
from lux.algorithms.bellman_ford import ShortestPathsFloat32
from lux.algorithms.components import SmallestLabel
from lux.algorithms.pagerank import PageRank, PageRank32, PageRankDeltas

pytestmark = pytest.mark.gpu

_spec = importlib.util.spec_from_file_location("gpu_programs", Path(__file__).with_name("programs.py"))
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)

GRAPHS = ("kronecker:12", "uniform:11", "grid", "star", "path", "cycle", "bipartite")


@cache
def graph(name, order):
    rng = np.random.default_rng(7)
    if ":" in name:
        return lux.generate(name, seed=3, weights=(1, 255)).reordered(order)
    if name == "grid":
        at = np.arange(50 * 40).reshape(50, 40)
        pairs = [(at[:, :-1].ravel(), at[:, 1:].ravel()), (at[:-1].ravel(), at[1:].ravel())]
        u, v = (np.concatenate(x) for x in zip(*pairs, strict=True))
        directed = False
    elif name == "star":
        u, v, directed = np.zeros(9000, np.int64), np.arange(1, 9001), False
    elif name == "path":
        u, v, directed = np.arange(700), np.arange(1, 701), True
    elif name == "cycle":
        u, v, directed = np.arange(33), (np.arange(33) + 1) % 33, True
    else:  # directed, with hubs on one side, repeated edges and loops
        u, v, directed = rng.integers(0, 400, 20000), (rng.zipf(1.3, 20000) % 5000).astype(np.int64), True
    weights = rng.integers(1, 256, len(u)).astype(np.float32)
    return lux.from_edges(u, v, directed=directed, weight=weights).reordered(order)


def runs(program, g, **arguments):
    answers = {}
    for device in ("cpu", "gpu"):
        with lux.using(device=device):
            answers[device] = lux.run(program, g, **arguments)
            assert answers[device].device == device
    return answers["cpu"], answers["gpu"]


def agree(cpu, gpu, single=1e-5, double=1e-12):
    assert gpu.iterations == cpu.iterations
    assert gpu.converged == cpu.converged
    for name in cpu.columns:
        a, b = cpu[name].dense(), gpu[name].dense()
        if a.dtype.kind == "f":
            slack = (double if a.dtype == np.float64 else single) * (1 + cpu.iterations)
            np.testing.assert_allclose(b, a, rtol=slack, atol=slack * 1e-3)
        else:
            np.testing.assert_array_equal(b, a)


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("model", ["pull", "push", "auto"])
def test_what_programs_may_use(name, order, model):
    g = graph(name, order)
    source = int(g.ids.labels(0, 1)[0])
    dense = g.ids.dense(source)
    agree(*runs(programs.Own, g, model=model, max_iter=3, step=0.25))
    heights = np.linspace(0, 1, g.n_vertices, dtype=np.float32)
    agree(*runs(programs.Small, g, model=model, max_iter=4, given={"height": heights}))
    agree(*runs(programs.Vectors, g, model=model, max_iter=3), double=1e-10)
    agree(*runs(programs.Wide, g, model=model, source=dense))
    agree(*runs(programs.Narrow, g, model=model, source=dense))
    agree(*runs(programs.Reached, g, model=model, source=dense))
    agree(*runs(programs.Spreading, g, model=model, max_iter=5))


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("model", ["pull", "push", "auto"])
def test_programs_of_the_library(name, order, model):
    g = graph(name, order)
    dense = g.ids.dense(g.ids.labels(0, 1)[0])
    agree(*runs(PageRank, g, model=model, max_iter=7, alpha=0.85, tol=0.0))
    agree(*runs(PageRank32, g, model=model, max_iter=7, alpha=0.85, tol=0.0))
    agree(*runs(PageRankDeltas, g, model=model, max_iter=7, alpha=0.85, tol=1e-9), double=1e-9)
    agree(*runs(SmallestLabel, g, model=model))
    agree(*runs(ShortestPathsFloat32, g, model=model, source=dense, cutoff=np.inf))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pagerank_of_a_large_graph(dtype):
    g = graph("kronecker:16", "degree")
    answers = []
    for device in ("cpu", "gpu"):
        with lux.using(device=device):
            answers.append(lux.pagerank(g, dtype=dtype, weight=None))
            lux.algorithms.pagerank.verify(answers[-1])
    agree(*answers)
    assert answers[1].device == "gpu"


def test_no_gpu_is_used_where_none_is_wanted():
    with lux.using(device="cpu"):
        assert lux.pagerank(lux.toy.kite()).device == "cpu"
    assert lux.pagerank(lux.toy.kite()).device == "gpu"
