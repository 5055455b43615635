# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The shuffle: edges in any order become a graph grouped by destination."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.errors import GraphError

REPOSITORY = Path(__file__).parents[3]


def stored(n, pairs, directed, drop_loops, drop_repeats):
    """What the graph must hold: (destination, source, number of the edge in the input), sorted."""
    rows, seen = [], set()
    for k, (u, v) in enumerate(pairs):
        for a, b in [(u, v)] if directed or u == v else [(u, v), (v, u)]:
            if (drop_loops and a == b) or (drop_repeats and (a, b) in seen):
                continue
            seen.add((a, b))
            rows.append((b, a, k))
    return sorted(rows, key=lambda row: row[:2])


@settings(max_examples=40)
@given(
    n=st.integers(1, 12),
    pairs=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40),
    directed=st.booleans(),
    drop_loops=st.booleans(),
    drop_repeats=st.booleans(),
)
def test_any_edges(n, pairs, directed, drop_loops, drop_repeats):
    pairs = [(u % n, v % n) for u, v in pairs]
    expected = stored(n, pairs, directed, drop_loops, drop_repeats)
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T
    options = {"directed": directed, "drop_loops": drop_loops, "drop_repeats": drop_repeats}
    graph = lux.from_edges(u, v, n_vertices=n, number=np.arange(len(pairs)), half=np.arange(len(pairs)) / 2, **options)
    assert graph.n_edges == len(expected)
    found_u, found_v = graph.dense_edge_arrays()
    assert found_v.tolist() == [row[0] for row in expected]
    assert found_u.tolist() == [row[1] for row in expected]
    assert graph.dense_in_degrees().tolist() == np.bincount([row[0] for row in expected], minlength=n).tolist()
    assert graph.dense_out_degrees().tolist() == np.bincount([row[1] for row in expected], minlength=n).tolist()
    edges = graph.dense_edge_list()
    both = zip(edges.properties["number"].tolist(), edges.properties["half"].tolist(), strict=True)
    assert all(number == 2 * half for number, half in both)
    if directed:
        # Of edges with equal endpoints the input's order is kept.
        assert edges.properties["number"].tolist() == [row[2] for row in expected]


@pytest.mark.check
def test_of_repeats_the_first_stays():
    graph = lux.from_edges([0, 1, 0, 1], [1, 0, 1, 0], weight=[5, 6, 7, 8], drop_repeats=True)
    assert graph.to_scipy().toarray().tolist() == [[0, 5], [6, 0]]
    graph = lux.from_edges([0, 1, 2], [1, 0, 1], weight=[5, 6, 7], directed=False, drop_repeats=True)
    assert graph.to_scipy().toarray().tolist() == [[0, 5, 0], [5, 0, 7], [0, 7, 0]]


@pytest.mark.check
def test_no_vertices():
    with pytest.raises(GraphError, match="the graph is empty: it has no vertices"):
        lux.from_edges([], [], n_vertices=0)


SUMS = """
import hashlib
import sys

import lux

for text in sys.argv[1:]:
    graph = lux.generate(text, seed=9)
    edges = graph.dense_edge_list()
    degrees = [graph.dense_in_degrees(), graph.dense_out_degrees()]
    arrays = [*degrees, edges.sources, edges.destinations, *edges.properties.values()]
    print(graph.n_edges, hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest())
"""


def fresh(config, script, *arguments):
    """What a script prints in a process of its own, with its own Legate."""
    environment = os.environ | {"LEGATE_CONFIG": config, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def sums(cpus):
    return fresh(f"--cpus {cpus} --sysmem 500", SUMS, "kronecker:8", "rmat:7,4", "uniform:6", "grid:9x11")


@pytest.mark.parametrize("cpus", [1, 3])
def test_a_generated_graph_is_the_same_for_any_number_of_processors(cpus):
    assert sums(cpus) == sums(2)


def test_repeats_of_one_vertex():
    graph = lux.from_edges([0, 0, 0], [0, 0, 0], n_vertices=1, drop_repeats=True)
    assert graph.n_edges == 1


ONE_PROCESSOR = """
import lux

for graph in (lux.generate("kronecker:5", seed=1), lux.from_edges([], [], n_vertices=1)):
    for model in ("auto", "pull", "push"):
        ranks = lux.pagerank(graph, model=model).ranks.dense()
        reached = lux.bfs(graph, 0, model=model).distances.dense() >= 0
        labels = lux.components(graph, model=model).labels.dense()
        print(graph.n_vertices, graph.n_edges, f"{ranks.sum():.9f}", reached.sum(), (labels == labels[0]).sum())
"""


def test_one_processor_does_everything():
    rows = fresh("--cpus 1 --sysmem 200", ONE_PROCESSOR).splitlines()
    large, lone = rows[0].split(), rows[3].split()
    assert rows == [rows[0]] * 3 + [rows[3]] * 3
    assert (large[0], large[2], large[3]) == ("32", "1.000000000", large[4])
    assert int(large[1]) > 0
    assert lone == ["1", "0", "1.000000000", "1", "1"]
