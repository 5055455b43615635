# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs give the same on GPUs as on CPU cores."""

import numpy as np
import pytest

import lux
from lux_cases import programs
from lux_cases.builtin import PageRank, PageRank32, PageRankDeltas, ShortestPathsFloat32, SmallestLabel, verify
from lux_cases.graphs import GRAPHS, graph
from lux_cases.runs import agree

pytestmark = pytest.mark.gpu


def runs(program, g, **arguments):
    answers = {}
    for device in ("cpu", "gpu"):
        with lux.using(device=device):
            answers[device] = lux.run(program, g, **arguments)
            assert answers[device].device == device
    return answers["cpu"], answers["gpu"]


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("model", ["pull", "push", "auto"])
def test_what_programs_may_use(name, order, model):
    g = graph(name, order)
    source = int(g.ids.labels(0, 1)[0])
    dense = g.ids.dense(source)
    agree(*runs(programs.Own, g, model=model, max_iter=3, step=0.25))
    heights = np.linspace(0, 1, g.n_vertices, dtype=np.float32)
    agree(*runs(programs.Small, g, model=model, max_iter=4, constants={"height": heights}))
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
    agree(*runs(PageRank, g, model=model, max_iter=7, alpha=0.85, stop=0.0))
    agree(*runs(PageRank32, g, model=model, max_iter=7, alpha=0.85, stop=0.0))
    agree(*runs(PageRankDeltas, g, model=model, max_iter=7, alpha=0.85, stop=1e-9 * g.n_vertices), double=1e-9)
    agree(*runs(SmallestLabel, g, model=model))
    agree(*runs(ShortestPathsFloat32, g, model=model, source=dense, cutoff=np.inf))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pagerank_of_a_large_graph(dtype):
    g = graph("kronecker:16", "degree")
    answers = []
    for device in ("cpu", "gpu"):
        with lux.using(device=device):
            answers.append(lux.pagerank(g, dtype=dtype, weight=None))
            verify(answers[-1])
    agree(*answers)
    assert answers[1].device == "gpu"


def test_no_gpu_is_used_where_none_is_wanted():
    with lux.using(device="cpu"):
        assert lux.pagerank(lux.toy.kite()).device == "cpu"
    assert lux.pagerank(lux.toy.kite()).device == "gpu"
