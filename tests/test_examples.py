# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/ run, and agree with NetworkX, SciPy and NumPy."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from networkx.algorithms.node_classification import local_and_global_consistency
from scipy.sparse.csgraph import shortest_path

import lux

ROOT = Path(__file__).parents[1]
RUNS = [(order, parts) for order in ("given", "degree") for parts in (None, 1, 3)]
SAYS = {
    "personalised_pagerank": "*###*",
    "hits": "hubs         Clojure 0.147, Scala",
    "label_propagation": "100.0% of 4,000 people are in their village",
    "k_core": "   2-core ####",
    "closeness": "vertex 48089 is 1.84 steps away",
    "label_spreading": "100.0% of 3,000 points",
}
"""Something of what each prints."""


def run_example(name):
    environment = {k: v for k, v in os.environ.items() if k != "LEGATE_CONFIG"} | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_with_cupynumeric():
    if importlib.util.find_spec("cupynumeric") is None:
        pytest.skip("cuPyNumeric is an extra")
    done = run_example("with_cupynumeric")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("sum 1.000000, largest 0.")


def test_with_pytorch_geometric():
    if importlib.util.find_spec("torch_geometric") is None:
        pytest.skip("PyTorch Geometric is no dependency of Lux")
    done = run_example("with_pytorch_geometric")
    assert done.returncode == 0, done.stderr
    degrees, positions = (int(share) for share in re.findall(r"(\d+)%", done.stdout))
    assert (degrees < 30, positions > 80) == (True, True)
    assert f"edge_index=[2, {lux.generate('kronecker:10,8', seed=1).n_edges}]" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", SAYS)
def test_they_run_without_arguments(name):
    done = run_example(name)
    assert done.returncode == 0, done.stderr
    assert SAYS[name] in done.stdout


@pytest.mark.parametrize(
    "name,arguments,says",
    [
        ("personalised_pagerank", ["1=2", "34=1"], "(1, 0."),
        pytest.param("hits", [], "authorities  34 0.0", marks=pytest.mark.slow),
        ("label_propagation", ["1", "34"], "('34', "),
        ("k_core", [], "   4-core "),
        pytest.param("closeness", [], "vertex 1 is 1.76 steps away", marks=pytest.mark.slow),
    ],
)
def test_they_read_files(name, arguments, says, tmp_path, capsys):
    path = tmp_path / "karate.el"
    path.write_text("".join(f"{u + 1} {v + 1}\n{v + 1} {u + 1}\n" for u, v in nx.karate_club_graph().edges))
    example(name).main(path, *arguments)
    assert says in capsys.readouterr().out


def test_a_program_and_its_driver_are_short():
    """What README and docs/how-to/write-a-program.md promise: under 40 lines."""
    for name in SAYS:
        text = (ROOT / "examples" / f"{name}.py").read_text()
        parts = [n for n in ast.parse(text).body if isinstance(n, ast.ClassDef | ast.FunctionDef) and n.name != "main"]
        lines = [line for part in parts for line in ast.get_source_segment(text, part).splitlines() if line]
        assert len(lines) < 40, (name, len(lines))


@pytest.mark.slow
def test_personalised_pagerank():
    graph = lux.generate("rmat:8,4")  # directed, with vertices that have no out-edges
    restarts = {3: 2.0, 100: 1.0, 17: 0.5}
    wanted = nx.pagerank(
        graph.to_networkx(), alpha=0.7, personalization=restarts, tol=1e-14, max_iter=1000, weight=None
    )
    wanted = np.array([wanted[v] for v in range(graph.n_vertices)])
    function = example("personalised_pagerank").personalised_pagerank
    for order, parts in RUNS:
        found = function(graph.reordered(order), restarts, alpha=0.7, parts=parts)
        assert found.converged
        np.testing.assert_allclose(found["rank"].to_numpy(), wanted, rtol=0, atol=1e-11)


def test_hits():
    module, graph = example("hits"), lux.generate("rmat:7,4")
    wanted = nx.hits(graph.to_networkx(), tol=1e-13)
    for scores, expected in zip(module.hits(graph), wanted, strict=True):
        np.testing.assert_allclose(scores, [expected[v] for v in range(graph.n_vertices)], rtol=0, atol=1e-9)
    for order, parts in RUNS:
        both = module.both_ways(graph).reordered(order)
        found = lux.run(module.Hits, both, tol=1e-12, parts=parts)
        for name, expected in zip(("hub", "authority"), wanted, strict=True):
            scores = found[name].to_numpy()
            wanted_scores = [expected[v] for v in range(graph.n_vertices)]
            np.testing.assert_allclose(scores / scores.sum(), wanted_scores, rtol=0, atol=1e-9)


def test_hits_of_a_bipartite_graph():
    hubs, authorities = example("hits").hits(lux.toy.star(10, directed=False))
    np.testing.assert_allclose(hubs, 0.1)
    np.testing.assert_allclose(authorities, [0.5, *[1 / 18] * 9])


def camps(matrix, seed, rounds):
    """What examples/label_propagation.py says it computes, by NumPy."""
    camp = seed.copy()
    for _ in range(rounds):
        votes = np.stack([matrix @ (camp == k) for k in range(8)], axis=1)
        best = votes.argmax(axis=1)  # the first of several
        most = votes.max(axis=1)
        has_own = (camp >= 0) & (votes[np.arange(len(camp)), np.maximum(camp, 0)] == most)
        new = np.where(seed >= 0, seed, np.where((most == 0) | has_own, camp, best))
        if (new == camp).all():
            break
        camp = new
    return camp


@pytest.mark.slow
def test_label_propagation():
    graph, seeds = lux.generate("kronecker:9,4"), {5: 0, 77: 3, 123: 7, 300: 3, 11: 5}
    matrix = (graph.to_scipy(weight=None) != 0).astype(int)
    seed = np.full(graph.n_vertices, -1)
    seed[list(seeds)] = list(seeds.values())
    function = example("label_propagation").label_propagation
    for rounds in (0, 1, 2, 3, 50):
        wanted = camps(matrix, seed, rounds)
        for order, parts in RUNS:
            found = function(graph.reordered(order), seeds, max_iter=rounds, parts=parts)
            np.testing.assert_array_equal(found["camp"].to_numpy(), wanted)
    assert len(np.unique(wanted)) > 3


@pytest.mark.slow
def test_k_core():
    module, graph = example("k_core"), lux.generate("kronecker:7")
    wanted = nx.core_number(graph.to_networkx())
    wanted = np.array([wanted[v] for v in range(graph.n_vertices)])
    for order, parts in RUNS:
        for k in (1, 3, 10, int(wanted.max()), int(wanted.max()) + 1):
            np.testing.assert_array_equal(module.k_core(graph.reordered(order), k, parts=parts), wanted >= k)
    np.testing.assert_array_equal(module.core_numbers(graph), wanted)


@pytest.mark.check
def test_closeness():
    module, graph = example("closeness"), lux.generate("rmat:7,3")
    wanted = nx.closeness_centrality(graph.to_networkx(), wf_improved=False)
    for order, parts in RUNS:
        found = module.searches(graph.reordered(order), range(128), parts=parts)
        np.testing.assert_allclose(module.closeness(found), [wanted[v] for v in range(128)], rtol=1e-14)


def test_searches_from_a_sample():
    module, graph = example("closeness"), lux.generate("kronecker:10,4")
    sources = np.random.default_rng(1).permutation(graph.n_vertices)[:100]
    distances = shortest_path(graph.to_scipy(weight=None), unweighted=True, indices=sources)
    reached = np.isfinite(distances)
    for order, parts in RUNS:
        found = module.searches(graph.reordered(order), sources.tolist(), parts=parts)
        np.testing.assert_array_equal(module.reached(found, sources), reached.sum(axis=1))
        np.testing.assert_array_equal(found["distances"].to_numpy(), np.where(reached, distances, 0).sum(axis=0))


@pytest.mark.slow
def test_label_spreading():
    module = example("label_spreading")
    club = nx.karate_club_graph()  # with weights
    graph, labels = lux.from_networkx(club), {0: 0, 33: 1, 5: 2}
    weights = sp.csr_array(nx.to_scipy_sparse_array(club))
    root = sp.diags_array(1 / np.sqrt(weights.sum(axis=0)))
    known = np.zeros((34, 3))
    known[list(labels), list(labels.values())] = 1
    system = sp.eye_array(34) - 0.9 * root @ weights @ root
    wanted = 0.1 * np.linalg.solve(system.toarray(), known)
    nx.set_node_attributes(club, labels, "label")
    predicted = local_and_global_consistency(club, alpha=0.9, max_iter=1000)
    for order, parts in RUNS:
        found = module.label_spreading(graph.reordered(order), labels, alpha=0.9, tol=1e-13, parts=parts)
        scores = found["scores"].to_numpy()
        np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-11)
        assert scores.argmax(axis=1).tolist() == predicted
