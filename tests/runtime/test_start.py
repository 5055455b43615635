# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Threads other than the one that started Legate, each case in a process of its own, as it could end by a signal."""

import sys
import threading

import pytest

import legate_config
import lux
from lux.runtime import start as starting
from lux_cases.processes import start

EVERYTHING = """
import inspect
import threading
from pathlib import Path

import networkx as nx
import numpy as np

import lux
from lux import runtime
from lux_cases.builtin import SmallestLabel

graph = lux.from_edges([0, 1, 2, 3], [1, 2, 0, 4], weight=np.arange(1, 5, dtype=np.int32))
loose = graph.symmetrized()
results = {
    "bfs": lux.bfs(graph, 0), "components": lux.components(loose), "pagerank": lux.pagerank(graph),
    "sssp": lux.sssp(graph, 0), "betweenness": lux.betweenness(graph),
}
saved = Path("saved.lux")
graph.save(saved)
graph.write("g.lux")
nx_graph = graph.to_networkx()
dropped = [runtime.new_store(np.int32, 10) for _ in range(1000)]

new = lambda: lux.from_edges([0, 1], [1, 0])
arguments = {  # of methods that need some
    "has_edges": ([0], [1]), "subgraph": ([0, 1],), "save": ("another.lux",), "write": ("other.tsv",),
    "partitioned": ("random", 2), "reordered": ("degree",), "with_weight": ("weight",), "top": (2,),
}
calls = {
    "from_edges": new,
    "from_networkx": lambda: lux.from_networkx(nx_graph),
    "from_pandas": lambda: lux.from_pandas(graph.to_pandas()),
    "from_scipy": lambda: lux.from_scipy(graph.to_scipy()),
    "generate": lambda: lux.generate("kronecker:5"),
    "read_graph": lambda: lux.read_graph("g.lux"),
    "load_graph": lambda: lux.load_graph(saved),
    "toy": lambda: lux.toy.kite(),
    "run": lambda: lux.run(SmallestLabel, loose),
    "explain": lambda: lux.explain(lux.bfs, graph, 0),
    "bfs": lambda: lux.bfs(graph, 1),
    "bfs in parts": lambda: lux.bfs(graph, 1, parts=2),
    "components": lambda: lux.components(loose),
    "pagerank": lambda: lux.pagerank(graph),
    "sssp": lambda: lux.sssp(graph, 1),
    "betweenness": lambda: lux.betweenness(graph),
    "factorize": lambda: lux.factorize(graph, 2),
    "using": lambda: lux.using(loading="kernel").__enter__(),
    "value": lambda: results["bfs"].distances[1],
    "array": lambda: np.asarray(results["bfs"].distances),
    "Legate's interface": lambda: results["bfs"].distances.__legate_data_interface__,
    "memory": lambda: runtime.fits_memory(1),
    "scalar": lambda: runtime.read_scalar(total),
    "wait": runtime.finish,
}
total = runtime.new_scalar()


def methods(name, thing):
    for attribute in dir(type(thing)):
        if attribute.startswith("_"):
            continue
        found = getattr(type(thing), attribute)
        if not callable(found):
            calls[f"{name}.{attribute}"] = lambda a=attribute: getattr(thing, a)
        elif attribute in arguments:
            calls[f"{name}.{attribute}"] = lambda a=attribute: getattr(thing, a)(*arguments[a])
        elif not any(p.default is p.empty and p.kind < 2 for p in [*inspect.signature(found).parameters.values()][1:]):
            calls[f"{name}.{attribute}"] = lambda a=attribute: getattr(thing, a)()
    calls[f"repr of {name}"] = lambda: repr(thing)


methods("graph", graph)
for name, result in results.items():
    methods(name, result)
for name, values in results["bfs"].columns.items():
    methods(name, values)


def call(name):
    dropped.pop()
    try:
        calls[name]()
    except lux.LuxError as error:
        print("refused" if "another thread" in str(error) else f"other error {error}", name, sep=": ", flush=True)
    else:
        print("answered", name, sep=": ", flush=True)


def call_all():
    for name in calls:
        call(name)


for _ in range(2):
    other = threading.Thread(target=call_all)
    other.start()
    other.join()
assert lux.bfs(graph, 0).distances.to_numpy().tolist() == [0, 1, 2, -1, -1]
"""

RACE = """
import threading

import lux

together, outcomes = threading.Barrier(2), []


def first_graph():
    together.wait()
    try:
        outcomes.append(lux.bfs(lux.toy.path(4), 0).distances[3])
    except lux.LuxError as error:
        outcomes.append(str(error))


def later():
    try:
        lux.toy.path(4)
    except lux.LuxError as error:
        outcomes.append(str(error))


for target, count in ((first_graph, 2), (later, 3)):  # threads that begin after others' end have their numbers
    threads = [threading.Thread(target=target) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
later()
assert outcomes.count(3) == 1, outcomes
assert sum("another thread" in str(o) for o in outcomes) == len(outcomes) - 1 == 5, outcomes
"""

REFUSED = {
    "from_edges", "from_networkx", "from_pandas", "from_scipy", "generate", "read_graph", "load_graph", "toy",
    "run", "explain", "bfs", "bfs in parts", "components", "pagerank", "sssp", "betweenness", "factorize",
    "value", "array", "memory", "wait", "graph.out_degrees", "graph.save", "graph.write", "graph.reverse",
    "bfs.to_pandas", "distance.to_numpy",
}  # fmt: skip


def test_another_thread_is_refused_whatever_it_calls(tmp_path):
    """With stores that have been dropped before each call, which that thread must not give back."""
    done = start(tmp_path, EVERYTHING, [sys.executable], LEGATE_CONFIG="--cpus 2 --sysmem 300")
    assert (done.returncode, done.stderr) == (0, "")
    told = [line.split(": ") for line in done.stdout.splitlines()]
    assert {outcome for outcome, _ in told} == {"refused", "answered"}
    assert {name for outcome, name in told if outcome == "refused"} >= REFUSED


def test_any_one_thread_may_start_legate(tmp_path):
    """The first of two that try at once; and the process ends well, though Legate's own end would be in another."""
    done = start(tmp_path, RACE, [sys.executable], LEGATE_CONFIG="--cpus 2 --sysmem 300")
    assert (done.returncode, done.stderr) == (0, "")


def test_of_several_processes_main_threads_start_legate(monkeypatch):
    monkeypatch.setattr(legate_config, "rank_info", lambda: legate_config.RankInfo(0, 2, 0, 2))
    starting.check_main_thread()
    errors = []

    def check():
        try:
            starting.check_main_thread()
        except lux.LuxError as error:
            errors.append(str(error))

    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
    assert "2 processes" in errors[0]


@pytest.mark.check
def test_processes_that_legate_runs_alone_are_refused():
    """Each would print the whole answer, and write the same files."""
    starting.check_together(1, 1)
    starting.check_together(4, 4)
    with pytest.raises(lux.LuxError, match=r"started 4 processes, and Legate runs this one alone.*lux-graph\[nodes\]"):
        starting.check_together(4, 1)
