# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark as a whole: the same edges, roots, trees and counts for any number of partitions and processes."""

import json
import sys

import numpy as np
import pytest

import lux
from lux.errors import MemoryNeededError, ParameterError, ValidationError
from lux.graph500 import benchmark, searches
from lux.graph500.counting import distinct_edges, input_edges, neighbour_counts
from lux.graph500.edge_list import stored
from lux.graph500.searches import Tree
from lux_cases import processes
from lux_cases.stores import to_array

TWO = (*processes.TWO, "--sysmem", "500")

FINGERPRINTS = """
import hashlib
import json
import sys

from lux.graph500 import benchmark
from lux.graph500.searches import SEARCHES
from lux.graph500.edge_list import stored
from lux_cases.machine import rank
from lux_cases.stores import to_array


def fingerprint(*stores):
    return hashlib.sha256(b"".join(to_array(store).tobytes() for store in stores)).hexdigest()


plan = benchmark.Plan(9, roots=3, seed=7)
tuples = stored(plan.edges(9))
graph = benchmark.construct(tuples, plan)
outcome = benchmark.run(plan)
found = [fingerprint(tuples.sources, tuples.destinations, tuples.properties["weight"]), outcome.roots]
for kernel, search in SEARCHES["auto"].by_kernel.items():
    for root in outcome.roots:
        tree = search(graph, root)
        found.append(fingerprint(tree.parent, tree.distance))
    found += [outcome.runs[kernel].edges, outcome.runs[kernel].distinct]
if rank() == 0:
    open(sys.argv[1], "w").write(json.dumps(found))
"""


def fingerprints(folder, name, command, **variables):
    out = folder / f"{name}.json"
    done = processes.start(folder, FINGERPRINTS, command, out, **variables)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(out.read_text())


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return fingerprints(
        tmp_path_factory.mktemp("alone"), "one", (sys.executable,), LEGATE_CONFIG="--cpus 1 --sysmem 500"
    )


def test_any_number_of_partitions(alone, tmp_path):
    assert fingerprints(tmp_path, "three", (sys.executable,), LEGATE_CONFIG="--cpus 3 --sysmem 500") == alone


@pytest.mark.slow
@pytest.mark.multirank
def test_two_processes(alone, tmp_path):
    assert fingerprints(tmp_path, "two", TWO) == alone


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("kernels", [("bfs",), ("sssp",), ("bfs", "sssp")])
def test_counts_of_edges(kernels, order):
    """Against NumPy: tuples inside the component, and its undirected edges once."""
    plan = benchmark.Plan(8, 1, kernels=kernels, order=order)
    tuples = stored(plan.edges(8))
    graph = benchmark.construct(tuples, plan)
    root = int(np.argmax(graph.dense_in_degrees()))
    parent = lux.bfs(graph, root).parents
    u, v = (to_array(store)[: tuples.n_edges].astype(int) for store in (tuples.sources, tuples.destinations))
    inside = (parent.dense() >= 0)[u]
    once = {frozenset(pair) for pair in zip(u[inside].tolist(), v[inside].tolist(), strict=True)}
    assert input_edges(tuples, parent.store) == inside.sum()
    assert distinct_edges(neighbour_counts(graph), parent.store, 256) == sum(len(edge) == 2 for edge in once)
    assert (u == v).any()
    assert len(once) < inside.sum() < tuples.n_edges


def test_roots_have_neighbours_and_are_fewer_in_a_small_graph():
    outcome = benchmark.run(benchmark.Plan(4, 1, kernels=("bfs",), validated=False))
    tuples = stored(outcome.plan.edges(4))
    u, v = (to_array(store)[:16] for store in (tuples.sources, tuples.destinations))
    assert sorted(outcome.roots) == sorted(set(np.append(u[u != v], v[u != v]).tolist()))
    assert len(outcome.roots) < 16
    assert set(outcome.runs["bfs"].validation) == {-1}


def test_progress():
    said = []
    benchmark.run(benchmark.Plan(5, roots=2), lambda *step: said.append(step))
    assert said[1:3] == [("generating edges", 0, 1), ("constructing the graph", 0, 1)]
    assert said[3:] == [("bfs", 0, 2), ("bfs", 1, 2), ("sssp", 0, 2), ("sssp", 1, 2)]


@pytest.mark.parametrize("strategy", [name for name in searches.SEARCHES if "gpu" not in name])
def test_strategies(strategy):
    """Both kernels, validated; edges repeat."""
    outcome = benchmark.run(benchmark.Plan(7, roots=4, strategy=strategy, order="degree"))
    assert {kernel: len(runs.seconds) for kernel, runs in outcome.runs.items()} == {"bfs": 4, "sssp": 4}
    assert outcome.runs["bfs"].edges == outcome.runs["sssp"].edges


def test_a_wrong_search_is_found(monkeypatch, call):
    def wrong(graph, root):
        found = lux.bfs(graph, root)
        return Tree(root, found.distances.store, found.distances.store)

    found = searches.Searches(lambda _graph, _kernels: None, {"bfs": wrong})
    monkeypatch.setitem(searches.SEARCHES, "auto", found)
    with pytest.raises(ValidationError, match="it does not hold that"):
        benchmark.run(benchmark.Plan(5, kernels=("bfs",)))
    code, out, err = call("graph500", "--scale", 5, "--kernel", "bfs")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("lux graph500: error: No results printed for invalid run: the search from root")


@pytest.mark.parametrize(
    "given, message",
    [
        ({"scale": 0}, "scale 0 is out of range: pass 1 to 40"),
        ({"scale": 41}, "scale 41 is out of range"),
        ({"scale": 5, "edge_factor": 0}, "edge factor 0 is out of range"),
        ({"scale": 5, "roots": 0}, "roots=0 was passed; allowed are whole numbers from 1"),
        ({"scale": 5, "seed": -1}, "seed -1 is out of range"),
        ({"scale": 5, "strategy": "fast"}, "strategy='fast' was passed; allowed are auto"),
        ({"scale": 5, "order": "random"}, "order='random' was passed; allowed are given, degree, auto"),
        ({"scale": 5, "kernels": ()}, r"kernels=\(\) was passed; allowed are bfs, sssp"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(ParameterError, match=message):
        benchmark.Plan(**given)


def test_too_large():
    with pytest.raises(MemoryNeededError, match="Graph500 of scale 30 and edge factor 16 needs"):
        benchmark.run(benchmark.Plan(30))
