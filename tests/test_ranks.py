# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Two processes give the answers of one, and fail together."""

import sys

import numpy as np
import pytest

from lux_cases.processes import SMALL_TWO, start_ranks

pytestmark = pytest.mark.multirank

ANSWERS = """
import importlib.util
import sys
import warnings
from pathlib import Path

import numpy as np

import lux
from benchmarks import primitive_costs
from lux.algorithms.sssp import weights
from lux.engine.gpu.placement import bandwidths, placement_selection, remote_reads
from lux_cases import machine
from lux_cases.builtin import verify
from lux_cases.sizes import always_by_blocks
from lux_cases.stores import to_array

out, shared = Path(sys.argv[1]), Path(sys.argv[2])
graph = lux.generate("rmat:9,4", seed=3, weights=(1, 9))  # directed, with weights; built by the shuffle
values = {"out_degrees": graph.out_degrees(), "in_degrees": graph.in_degrees(), "weights": graph.out_weights()}
answers = {name: found.to_numpy() for name, found in values.items()}
answers["degrees one by one"] = np.array([values["in_degrees"][v] for v in (0, 7, 500)])
answers["has edges"] = graph.has_edges(*graph.edge_arrays())


def ask(graph, name):
    edges = graph.dense_edge_list()
    answers[f"{name} sources"], answers[f"{name} destinations"] = edges.sources, edges.destinations
    for key, values in edges.properties.items():
        answers[f"{name} {key}"] = values
    for parts in (1, 5):
        for model in ("auto", "pull", "push"):
            case = f"{name} {parts} {model}"
            ranks = lux.pagerank(graph, tol=0, max_iter=10, parts=parts, model=model)
            answers[f"{case} ranks"] = ranks.ranks.dense()
            labels = lux.components(graph, parts=parts, model=model)
            answers[f"{case} labels"] = labels.labels.dense()
            search = lux.bfs(graph, 7, parts=parts, model=model)
            answers[f"{case} distances"], answers[f"{case} parents"] = search.distances.dense(), search.parents.dense()
            answers[f"{case} iterations"] = np.array([ranks.iterations, search.iterations])
        search = lux.bfs(graph, 7, parts=parts, direction="estimates")
        answers[f"{name} {parts} parents by estimates"] = search.parents.dense()
        answers[f"{name} {parts} directions"] = np.array([step.model for step in search.statistics])


ask(graph, "built")
answers["nothing"] = lux.pagerank(lux.from_edges([0, 1], [1, 2], n_vertices=3)).ranks.dense()
graph.write(shared / "g.lux")
read = lux.read_graph(shared / "g.lux", weighted=True)
answers |= {"read sources": read.dense_edge_list().sources, "read weights": read.dense_edge_list().properties["weight"]}
both = graph.symmetrized()
for name, more in (("both.lux", {}), ("both.parquet", {}), ("both.csv", {"directed": False})):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a .csv file has no room for the direction, nor for vertices without edges
        both.write(shared / name)
    again = lux.read_graph(shared / name, weighted=True, **more)
    assert not again.directed
    answers |= {f"{name} sources": again.dense_edge_list().sources, f"{name} ids": again.ids.to_numpy()}
search = lux.bfs(graph, 7)
answers["one by one"] = np.array([search.parents[v] for v in (0, 7, 500)])
graph.reordered("degree").save(shared / "saved.lux")
loaded = lux.load_graph(shared / "saved.lux")
assert loaded.order.name == "degree"
edges = loaded.dense_edge_list()
answers |= {"loaded sources": edges.sources, "loaded weights": edges.properties["weight"]}
(shared / "text.el").write_text("5 7\\n7 9\\n9 5\\n5 11\\n") if machine.rank() == 0 else None
machine.meet()
answers["text"] = lux.bfs(lux.read_graph(shared / "text.el"), 7).distances.dense()
answers["subgraph"] = graph.subgraph(range(100)).dense_edge_list().sources
answers["reverse"] = graph.reverse().dense_edge_list().sources
always_by_blocks()
for parts in (2, 5):
    ranks = lux.pagerank(graph, tol=0, max_iter=20, parts=parts)
    assert ranks.statistics[0].why.endswith("by blocks of edges")
    answers[f"{parts} ranks by blocks"] = ranks.ranks.dense()
rated = lux.generate("rmat:8,8", seed=5, weights=(1, 5)).dense_edge_list()
rated = lux.from_edges(rated.sources, rated.destinations, rated.properties["weight"] / 1.0, bipartite=True)
for method in ("als", "gd"):
    for parts in (1, 5):
        found = lux.factorize(rated, 4, method=method, max_iter=5, parts=parts, dtype=np.float64)
        answers[f"{method} {parts} factors"] = found.factors.dense()
        answers[f"{method} {parts} errors"] = np.array([found.train_rmse, found.test_rmse])
        answers[f"{method} {parts} recommended"] = np.array([score for _, score in found.recommend(3)])
for parts in (1, 5):
    for weight in (None, "weight"):
        found = lux.betweenness(graph, k=40, seed=4, weight=weight, endpoints=True, parts=parts)
        answers[f"{parts} {weight} betweenness"] = found.scores.dense()
chosen = [lux.betweenness(graph, k=k, seed=1).strategy for k in (15, 16)]
assert chosen == (["partitions", "tasks"] if machine.ranks() > 1 else ["threads", "threads"]), chosen
pairs = np.random.default_rng(1).permutation(1400).reshape(-1, 2)  # twice as many paths to each as to the one before
ends = np.repeat(pairs[:-1], 2), np.tile(pairs[1:], 2)
sweeps = {"undirected": graph.symmetrized(), "reordered": graph.symmetrized().reordered("degree")}
sweeps |= {f"many paths {way}": lux.from_edges(*map(np.ravel, ends), directed=way) for way in (False, True)}
sweeps["no edges"] = lux.from_edges([], [], n_vertices=5)
for case, asked in sweeps.items():
    sources = [0, 4, 2, 3] if case == "no edges" else range(0, 500, 21)
    sources = [*pairs[0].tolist(), *pairs[-1].tolist()] if case.startswith("many paths") else sources
    for parts in (1, 2, 5):
        for model in ("auto", "push", "pull"):
            found = lux.betweenness(asked, sources=sources, parts=parts, model=model, strategy="partitions")
            answers[f"{case} {parts} {model} betweenness"] = found.scores.dense()
for case, asked in {"given": graph, "degree": graph.reordered("degree")}.items():
    for parts in (1, 5):
        for model in ("auto", "push") if case == "given" else ("pull",):
            found = lux.sssp(asked, 7, parts=parts, model=model)
            answers[f"{case} {parts} {model} lengths"] = found.distances.dense()
            answers[f"{case} {parts} {model} before"] = found.parents.dense()
            answers[f"{case} {parts} {model} within"] = lux.sssp(asked, 7, parts=parts, cutoff=9).distances.dense()
ascending = weights.by_weight(graph)
answers |= {"sorted sources": to_array(ascending.sources), "least": to_array(ascending.least)}
told = machine.allreduce_max(np.array([[machine.rank(), -1.0], [5.0, -machine.rank()]]))
assert told.tolist() == [[machine.ranks() - 1, -1.0], [5.0, 0.0]], told
answers["read of others"] = np.array([remote_reads.read_of_others(graph.layout(parts)) for parts in (2, 5)])
own = out / f"{machine.rank()} of {machine.ranks()}"  # as on machines with a disk each
own.mkdir()
bandwidths.cache_folder = lambda: own
bandwidths.measured = lambda: bandwidths.agreed(bandwidths.Rates(None, *[1.0 + machine.rank()] * 5))
slowest = bandwidths.Rates(None, *[float(machine.ranks())] * 5)
assert bandwidths.rates(lambda: True) == slowest
if machine.rank() == 1:
    bandwidths.keep(bandwidths.path_of(bandwidths.of()), bandwidths.of(), bandwidths.Rates(9.0, *[9.0] * 5))
bandwidths.known.clear()
assert bandwidths.rates(lambda: False) == slowest  # the first process's
uphill = lux.from_edges([0, 0, 1, 2], [1, 2, 3, 1], weight=np.array([3, 5, 1, -4], np.int32))
answers["negative weights"] = lux.sssp(uphill, 0, parts=2).distances.dense()
verify(lux.betweenness(lux.toy.grid(9, 9), k=20))  # without a seed, all choose the same sources
for partitioner in ("random", "biased-random", "metis"):
    if partitioner != "metis" or importlib.util.find_spec("pymetis"):
        asked = graph.partitioned(partitioner, 4, seed=2)
        answers[f"{partitioner} partitions"] = to_array(asked.order.vertices)
        answers[f"{partitioner} points"] = asked.layout(4).points
        answers[f"{partitioner} found"] = lux.bfs(asked, 7, parts=4).parents.dense()
both_ways = graph.symmetrized().partitioned("random", 4)
answers["borders"] = primitive_costs.borders(both_ways, 4).sizes
for primitive in primitive_costs.PRIMITIVES:
    costs = primitive_costs.measure(primitive, both_ways, 7, 4)
    counted = [costs.handled, costs.sent, costs.broadcast, costs.sent_bytes, costs.whole_bytes, costs.supersteps]
    answers[f"{primitive} counted"] = np.array(counted)
    if primitive != "CC":  # which edges are linked depends on what was linked before
        answers[f"{primitive} computed"] = costs.computed
sets = graph.layout(4).vertex_sets(2)
answers |= {"ins": sets.ins, "uds": sets.uds}
np.savez(out / f"{machine.rank()}-of-{machine.ranks()}.npz", **answers)
"""

FAILS = """
import os
import sys
from pathlib import Path

import numpy as np

import lux
from lux.errors import LuxError
from lux_cases.machine import on_first_rank

rank = os.environ["OMPI_COMM_WORLD_RANK"]
folder = Path(sys.argv[1])
def damage():
    content = bytearray((folder / "damaged.lux").read_bytes())
    content[-8] ^= 1
    (folder / "damaged.lux").write_bytes(content)


lux.generate("grid:30x30").reordered("degree").save(folder / "damaged.lux")
on_first_rank(damage)
graph = lux.toy.path(5)
graph.save(folder / "other.lux")
on_first_rank(lambda: (folder / "other.lux").rename(folder / "own-0.lux"))
graph.save(folder / "other.lux")
on_first_rank(lambda: (folder / "other.lux").rename(folder / "own-1.lux"))
tries = {
    "damaged": lambda: lux.load_graph(folder / "damaged.lux"),
    "others": lambda: lux.load_graph(folder / f"own-{rank}.lux"),
    "text": lambda: lux.read_graph(folder / f"seen-by-{rank}.el"),
    "binary": lambda: lux.read_graph(folder / f"seen-by-{rank}.lux"),
    "saved": lambda: lux.load_graph(folder / f"saved-{rank}.lux"),
    "write": lambda: lux.toy.path(5).write(folder / "missing" / "g.lux"),
    "save": lambda: lux.toy.path(5).save(folder / "missing" / "saved.lux"),
    "source": lambda: lux.bfs(lux.toy.path(5), 99),
}
for name, action in tries.items():
    try:
        action()
    except LuxError as error:
        (folder / f"{name}-{rank}.txt").write_text(f"{type(error).__name__}: {error}")
lux.bfs(lux.toy.path(5), 0)  # all is well afterwards
lux.read_graph(folder / f"seen-by-{rank}.el")  # and an error that nobody catches ends both
"""


def test_two_processes_answer_as_one(tmp_path):
    for name, command in (("one", (sys.executable,)), ("two", SMALL_TWO)):
        (tmp_path / name).mkdir()
        done = start_ranks(tmp_path, ANSWERS, command, tmp_path, tmp_path / name)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
    one = dict(np.load(tmp_path / "0-of-1.npz"))
    for rank in (0, 1):
        two = dict(np.load(tmp_path / f"{rank}-of-2.npz"))
        assert two.keys() == one.keys()
        for name, values in one.items():
            if values.dtype.kind == "f":
                np.testing.assert_allclose(two[name], values, rtol=1e-11, atol=0, err_msg=name)
            else:
                np.testing.assert_array_equal(two[name], values, err_msg=name)
    for suffix in ("ranks", "labels", "distances", "parents", "iterations"):
        each = [values for name, values in one.items() if name.endswith(suffix)]
        assert len(each) == 6
        for values in each:
            np.testing.assert_allclose(values, each[0], rtol=1e-11, atol=0)


def test_two_processes_fail_together(tmp_path):
    """Files that only the first process can see."""
    (tmp_path / "seen-by-0.el").write_text("0 1\n")
    offsets, sources = np.array([0, 1], np.uint64), np.array([0], np.uint32)
    (tmp_path / "seen-by-0.lux").write_bytes(
        np.uint32(2).tobytes() + np.uint64(1).tobytes() + offsets.tobytes() + sources.tobytes()
    )
    done = start_ranks(tmp_path, FAILS, SMALL_TWO, tmp_path)
    assert done.returncode != 0
    for name, message in {
        "text": "FileError: there is no file",
        "binary": "FileError: there is no file",
        "saved": "FileError: ",
        "damaged": f"FormatError: {tmp_path}/damaged.lux is damaged in section 'order-places'",
        "others": "FileError: ",
        "write": "FileError: ",
        "save": "FileError: ",
        "source": "GraphError: vertex 99",
    }.items():
        for rank in (0, 1):
            assert (tmp_path / f"{name}-{rank}.txt").read_text().startswith(message), (name, rank)
    assert "FileError: there is no file" in done.stderr


MANY = """
import lux

graph = lux.generate("kronecker:8", weights=(1, 9))
for source in range(20):
    lux.sssp(graph, source)
"""


@pytest.mark.slow
def test_many_searches_one_after_another(tmp_path):
    done = start_ranks(tmp_path, MANY, SMALL_TWO)
    assert (done.returncode, done.stderr) == (0, "")
