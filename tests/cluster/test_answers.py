# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Answers of several nodes are those of one process, and only values that are read elsewhere cross the network."""

import json
import sys

import numpy as np
import pytest

from lux_cases.processes import environment, start_ranks

pytestmark = pytest.mark.multirank

ANSWERS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import machine


class Reached(lux.Program):
    mark = lux.field(bool, reduce=lux.OR)

    def start(v, params):
        v.mark = v.id == params.source
        return v.mark

    def compute(v, u, edge, params):
        return u.mark

    def update(v, old, params):
        return v.mark != old.mark


assert machine.on_several_nodes() == (machine.ranks() > 1)
graph = lux.generate("rmat:9,4", seed=3, weights=(1, 9))
grid = lux.generate("grid:12x12")
rated = lux.generate("rmat:7,6", seed=5, weights=(1, 5)).dense_edge_list()
rated = lux.from_edges(rated.sources, rated.destinations, rated.properties["weight"] / 1.0, bipartite=True)
answers = {}
for name, asked, counts in (("graph", graph, (None, 5)), ("grid", grid, (None,))):
    for parts in counts:
        case = f"{name} {parts}"
        for strategy in ("auto", "program"):
            answers[f"{case} {strategy} labels"] = lux.components(asked, parts=parts, strategy=strategy).labels.dense()
        answers[f"{case} ranks"] = lux.pagerank(asked, tol=0, max_iter=10, parts=parts).ranks.dense()
        undirected = asked.symmetrized() if asked.directed else asked
        for strategy in ("hybrid", "degree-separated"):
            found = lux.bfs(undirected, 7, parts=parts, strategy=strategy)
            answers[f"{case} {strategy} hops"] = found.distances.dense()
        found = lux.bfs(asked, 7, parts=parts)
        answers[f"{case} hops"], answers[f"{case} parents"] = found.distances.dense(), found.parents.dense()
        answers[f"{case} reached"] = lux.run(Reached, asked, source=7, parts=parts)["mark"].dense()
large = lux.generate("kronecker:15,8")  # values cross in several frames
for parts in (None, 5):
    answers[f"large {parts} labels"] = lux.components(large, parts=parts, strategy="program").labels.dense()
    answers[f"large {parts} ranks"] = lux.pagerank(large, tol=0, max_iter=5, parts=parts).ranks.dense()
    answers[f"large {parts} reached"] = lux.run(Reached, large, source=7, parts=parts)["mark"].dense()
answers["lengths"] = lux.sssp(graph, 7).distances.dense()
answers["lengths by partitions"] = lux.sssp(graph, 7, parts=5).distances.dense()
answers["betweenness"] = lux.betweenness(graph, k=10, seed=4).scores.dense()
answers["weighted betweenness"] = lux.betweenness(graph, k=5, seed=4, weight="weight").scores.dense()
for method in ("als", "gd"):
    found = lux.factorize(rated, 3, method=method, max_iter=3, dtype=np.float64)
    answers[f"{method} factors"] = found.factors.dense()
with lux.using(exchange="broadcast"):
    for strategy in ("auto", "program"):
        answers[f"broadcast {strategy} labels"] = lux.components(grid, parts=5, strategy=strategy).labels.dense()
    answers["broadcast ranks"] = lux.pagerank(graph, tol=0, max_iter=10).ranks.dense()
    answers["broadcast reached"] = lux.run(Reached, graph, source=7)["mark"].dense()
    answers["broadcast lengths"] = lux.sssp(graph, 7, parts=5).distances.dense()
    answers["broadcast betweenness"] = lux.betweenness(graph, k=10, seed=4).scores.dense()
    answers["broadcast factors"] = lux.factorize(rated, 3, max_iter=3, dtype=np.float64).factors.dense()
np.savez(Path(sys.argv[1]) / f"{machine.rank()}-of-{machine.ranks()}.npz", **answers)
"""

CROSSING = """
import json
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import machine
from lux_cases.builtin import SmallestLabel

FEW, MANY, SIDE = 5, *map(int, sys.argv[2:])
nodes, me = machine.ranks(), machine.rank()
counter = Path("/sys/class/net/eth0/statistics/tx_bytes")


def sent(call):
    machine.meet()
    before = int(counter.read_text())
    result = call()
    machine.meet()
    return int(counter.read_text()) - before, result


def borders(graph, owner):
    u, v = graph.edge_arrays()
    return [np.unique(u[(owner[u] == me) & (owner[v] == node)]) for node in range(nodes) if node != me]


rows = []
graph = lux.generate("uniform:12", seed=1)
owner = np.random.default_rng(1).integers(0, nodes, graph.n_vertices)
graph = graph.partitioned(owner, nodes)
read = sum(map(len, borders(graph, owner)))
for dtype in (np.float32, np.float64):
    run = lambda n: lux.pagerank(graph, tol=0, max_iter=n, parts=nodes, dtype=dtype)
    run(FEW)
    (few, _), (many, _) = sent(lambda: run(FEW)), sent(lambda: run(MANY))
    rows.append([f"pagerank {dtype.__name__}", many - few, dtype().itemsize * read * (MANY - FEW), MANY - FEW])

u, v = graph.edge_arrays()
changed = np.zeros(len(owner), bool)
changed[v[u < v]] = True
counts = [int(changed[border].sum()) for border in borders(graph, owner)]
needed = sum(4 * n + min(4 * n, len(border) / 8) for n, border in zip(counts, borders(graph, owner), strict=True))
crossed = lux.run(SmallestLabel, graph, parts=nodes, max_iter=1).sent
rows.append(["labels after the first ones, which do not cross", crossed.value_bytes, needed, 0])

grid = lux.generate(f"grid:{SIDE}x{SIDE}", weights=(1, 3), seed=2)
run = lambda n: lux.pagerank(grid, weight=None, tol=0, max_iter=n, parts=nodes)
whole = 8 * (len(grid) // nodes) * (nodes - 1) * (MANY - FEW)  # a row of the grid is read, all are told
for exchange, values in (("selective", 2 * 8 * SIDE * (MANY - FEW)), ("broadcast", whole)):
    with lux.using(exchange=exchange):
        run(FEW)
        (few, _), (many, _) = sent(lambda: run(FEW)), sent(lambda: run(MANY))
    rows.append([f"pagerank {exchange}", many - few, values, MANY - FEW])
    assert exchange == "selective" or many - few >= 0.95 * whole, (many - few, whole)
owner = np.random.default_rng(2).integers(0, nodes, grid.n_vertices)
grid = grid.partitioned(owner, nodes)
edges = grid.dense_edge_list()  # each edge once
u, v = np.append(edges.sources, edges.destinations), np.append(edges.destinations, edges.sources)
lengths = np.tile(edges.properties["weight"], 2)
width = {"components": 4, "sssp": 8}
sides = borders(grid, owner)
far = np.iinfo(np.int64).max // 2
begins = {"components": np.arange(len(owner)), "sssp": np.where(np.arange(len(owner)) == 0, 0, far)}
calls = {
    "components": lambda: lux.components(grid, parts=nodes, strategy="program"),
    "sssp": lambda: lux.sssp(grid, 0, parts=nodes, strategy="program"),
}
for name, call in calls.items():
    call()
    crossed, result = sent(call)
    value, length = begins[name], lengths if name == "sssp" else 0
    changed, needed, steps = value < far, 0.0, 0
    while changed.any():
        for border in sides:
            n = int(changed[border].sum())
            needed += width[name] * n + min(4 * n, len(border) / 8)
        steps += 1
        new = value.copy()
        np.minimum.at(new, v, np.where(changed[u], value[u] + length, far))
        value, changed = new, new < value
    rows.append([name, crossed, needed, steps])
    assert result.iterations == steps, (name, result.iterations, steps)
sources = [0, 1, SIDE, len(owner) - 1]
sweep = lambda: lux.betweenness(grid, sources=sources, parts=nodes, strategy="partitions")
sweep()
crossed, _ = sent(sweep)
last = max(int(lux.bfs(grid, source).distances.dense().max()) for source in sources)
entries = len(sources) * sum(map(len, sides))  # each is in one level, and sent forward and back
rows.append(["betweenness", crossed, (4 + 8 + 8) * entries, 2 * last + 2])

LEFT, RIGHT, WIDTH = 2000, 20, 16  # all rate all, so that each node owns as many and every node reads them all
pairs = np.indices((LEFT, RIGHT)).reshape(2, -1)
stars = np.random.default_rng(3).integers(1, 6, LEFT * RIGHT)
rated = lux.from_edges(*pairs, stars, bipartite=True)
solve = lambda n: lux.factorize(rated, WIDTH, parts=nodes, method="als", tol=0, max_iter=n, dtype=np.float64)
solve(FEW)
(few, found), (many, more) = sent(lambda: solve(FEW)), sent(lambda: solve(2 * FEW))
ran = more.iterations - found.iterations
rows.append(["factorize", many - few, 8 * WIDTH * (LEFT + RIGHT) * (nodes - 1) / nodes * ran, 2 * ran])
(Path(sys.argv[1]) / f"{me}.json").write_text(json.dumps(rows))
"""


def run(cluster, folder, program, nodes, *arguments):
    path = folder / "program.py"
    path.write_text(program)
    made = cluster(nodes)
    process = made.start(made.command(path, *arguments, sysmem=500), folder, environment())
    out, error = process.communicate(timeout=600)
    error = "".join(line for line in error.splitlines(keepends=True) if "Warning: setpgid" not in line)  # of prterun
    assert (process.returncode, error) == (0, ""), error[:3000] + out[-2000:]


def check_answers(cluster, folder, nodes):
    run(cluster, folder, ANSWERS, nodes, folder)
    done = start_ranks(folder, ANSWERS, (sys.executable,), folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
    one = dict(np.load(folder / "0-of-1.npz"))
    for rank in range(nodes):
        several = dict(np.load(folder / f"{rank}-of-{nodes}.npz"))
        assert several.keys() == one.keys()
        for name, values in one.items():
            if values.dtype.kind == "f":
                np.testing.assert_allclose(several[name], values, rtol=1e-11, atol=0, err_msg=name)
            elif "parents" not in name:
                np.testing.assert_array_equal(several[name], values, err_msg=name)


def check_crossing(cluster, folder, nodes, iterations, side):
    run(cluster, folder, CROSSING, nodes, folder, iterations, side)
    for rank in range(nodes):
        for name, sent, needed, ran in json.loads((folder / f"{rank}.json").read_text()):
            assert sent <= 1.1 * needed + 4096 * (nodes - 1) * ran, (name, rank, sent, needed, ran)


def test_two_nodes_answer_as_one_process(cluster, tmp_path):
    check_answers(cluster, tmp_path, 2)


@pytest.mark.slow
def test_four_nodes_answer_as_one_process(cluster, tmp_path):
    check_answers(cluster, tmp_path, 4)


def test_bytes_that_two_nodes_send(cluster, tmp_path):
    check_crossing(cluster, tmp_path, 2, iterations=25, side=40)


@pytest.mark.slow
def test_bytes_that_four_nodes_send(cluster, tmp_path):
    check_crossing(cluster, tmp_path, 4, iterations=25, side=40)
