# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs on GPUs and CPU cores in the same iteration give the same as on CPU cores alone."""

import numpy as np
import pytest

import lux
from lux.engine.mixed import MixedRun
from lux_cases import programs
from lux_cases.builtin import PageRank32, verify
from lux_cases.graphs import graph
from lux_cases.machine import gpus
from lux_cases.runs import DENSE, EXACT, SUMS, Case, agree, decisions, with_little_memory

pytestmark = pytest.mark.gpu


GRAPHS = [("kronecker:11", "degree"), ("grid", "given"), ("star", "degree"), ("bipartite", "given")]
SHARES = [(1, 0.1), (1, 0.5), (2, 0.3), (3, 0.5), (2, 1.0), (2, 0.0)]
"""Partitions on CPU cores, and their part of the edges."""


def same(run, g, model="auto", shares=SHARES, exact=False):
    program, arguments, double = run
    with lux.using(device="cpu", repartition="off"):
        expected = lux.run(program, g, model=model, parts=2, **arguments)
    for cores, share in shares:
        parts = gpus() + cores
        with lux.using(device="gpu+cpu", cpu_share=share):
            found = lux.run(program, g, model=model, parts=parts, **arguments)
        assert (found.device, found.parts) == ("gpu+cpu", parts)
        agree(expected, found, double=double)
        assert all(len(i.seconds) == parts for i in found.statistics)
        if exact:
            assert decisions(found) == decisions(expected)


@pytest.mark.parametrize("model", ["auto", "pull", "push"])
@pytest.mark.parametrize("name", DENSE)
def test_dense(name, model):
    same(DENSE[name], graph("kronecker:11", "degree"), model)


@pytest.mark.parametrize("model", ["auto", "pull", "push"])
@pytest.mark.parametrize("name", ["labels", "search", "paths", "early", "word"])
def test_sparse(name, model):
    same(EXACT[name], graph("kronecker:11", "degree"), model, exact=True)


@pytest.mark.parametrize("model", ["auto", "pull", "push"])
@pytest.mark.parametrize("name", SUMS)
def test_sums_with_a_frontier(name, model):
    same(SUMS[name], graph("kronecker:11", "degree"), model)


@pytest.mark.parametrize("name, order", GRAPHS)
def test_graphs(name, order):
    g = graph(name, order)
    same(DENSE["ranks"], g)
    for run in ("labels", "search"):
        same(EXACT[run], g, exact=True)


def test_isolated_vertices_and_a_constant_field():
    g = lux.from_edges(np.arange(0, 500, 5), np.arange(0, 500, 5) + 1, n_vertices=3001, directed=True)
    heights = np.linspace(0, 1, g.n_vertices, dtype=np.float32)
    same(Case(programs.Small, {"max_iter": 4, "constants": {"height": heights}}), g)
    same(EXACT["labels"], g, exact=True)


def test_algorithms():
    g = graph("kronecker:11", "degree")
    source = g.ids.labels(0, 1)[0]
    with lux.using(device="gpu+cpu", cpu_share=0.2):
        found = lux.bfs(g, source), lux.components(g), lux.sssp(g, source), lux.pagerank(g)
    assert {f.device for f in found} == {"gpu+cpu"}
    for result in found:
        verify(result)


def test_gpus_gather_their_own_sources():
    g = graph("kronecker:12", "degree")
    given = (PageRank32, g, {}, {"alpha": 0.85, "stop": 0.0}, "auto", 5)
    run = MixedRun(*given, parts=gpus() + 2, share=0.4)
    with lux.using(repartition="off"):
        found = run.execute(None)
    assert found.loads.nbytes == 5 * 4 * int(run.layout.members.sizes[: run.on_gpus].sum())
    assert found.statistics[0].why.endswith(f"CPU cores have {run.share:.1%} of the edges")


def test_a_run_that_is_interrupted_leaves_nothing_behind():
    g = graph("kronecker:12", "degree")

    def stop(done):
        raise KeyboardInterrupt

    with lux.using(device="gpu+cpu", cpu_share=0.3):
        expected = lux.pagerank(g, parts=gpus() + 1, tol=0, max_iter=40)
        with pytest.raises(KeyboardInterrupt):
            lux.pagerank(g, parts=gpus() + 1, tol=0, max_iter=4000, progress=stop)
        again = lux.pagerank(g, parts=gpus() + 1, tol=0, max_iter=40)
    np.testing.assert_allclose(again.ranks.dense(), expected.ranks.dense(), rtol=1e-13)


@pytest.mark.parametrize("program", ["ranks", "labels"])
def test_the_share_is_corrected_while_a_program_runs(program):
    """From what a GPU is taken for to what seconds say, with equal answers; a share that was set stays."""
    g, parts = graph("kronecker:16", "degree"), gpus() + 4
    run = lux.components if program == "labels" else lambda g, **more: lux.pagerank(g, tol=0, max_iter=300, **more)
    with lux.using(device="cpu"):
        expected = run(g)
    for share in (None, 0.3):
        with lux.using(device="gpu+cpu", cpu_share=share):
            found = run(g, parts=parts)
        assert bool(found.repartitions) == (share is None and found.iterations >= 3)
        for decision in found.repartitions:
            assert len(decision.seconds) == parts
            assert (decision.moving_seconds > 0) == (decision.phase != "none")
        if program == "labels":
            np.testing.assert_array_equal(found.labels.dense(), expected.labels.dense())
        else:
            np.testing.assert_allclose(found.ranks.dense(), expected.ranks.dense(), rtol=3e-10)


def test_little_memory_on_the_gpu():
    """CPU cores take what the GPU has no room for."""
    device, why, close = with_little_memory("gpu+cpu")
    assert device == "gpu+cpu"
    assert 0.2 < float(why.rpartition("have ")[2].partition("%")[0]) / 100 < 0.95
    assert close
