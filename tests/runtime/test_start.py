# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Calls from several threads, each case in a process of its own, as it could end by a signal."""

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
    "partitioned": ("random", 2), "reordered": ("degree",), "with_weight": ("weight",), "top": (2,), "path_to": (1,),
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
    "interpret": lambda: lux.run(SmallestLabel, loose, interpret=True),
    "explain": lambda: lux.explain(lux.bfs, graph, 0),
    "bfs": lambda: lux.bfs(graph, 1),
    "bfs in parts": lambda: lux.bfs(graph, 1, parts=2),
    "components": lambda: lux.components(loose),
    "pagerank": lambda: lux.pagerank(graph),
    "sssp": lambda: lux.sssp(graph, 1),
    "betweenness": lambda: lux.betweenness(graph),
    "factorize": lambda: lux.factorize(lux.from_edges([0, 1], [0, 1], weight=[1.0, 2.0], bipartite=True), 2),
    "using": lambda: lux.using(loading="kernel").__enter__(),
    "value": lambda: results["bfs"].distances[1],
    "array": lambda: np.asarray(results["bfs"].distances),
}


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
        print("refused" if "another thread" in str(error) else "other error", name, error, sep=": ", flush=True)
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

AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor

import lux
from lux_cases.builtin import SmallestLabel

graphs = {}


def answers(k):
    graph = graphs.setdefault(k % 3, lux.toy.path(4 + k % 3))
    with lux.using(repartition="off"):
        found = lux.bfs(graph, k % 2, parts=1 + k % 2)
    label = lux.run(SmallestLabel, graph.symmetrized())["label"]
    return [*found.distances.to_numpy().tolist(), found.distances[3], *label.to_numpy().tolist()]


expected = [answers(k) for k in range(6)] if FIRST else []
with ThreadPoolExecutor(4) as pool:
    found = list(pool.map(answers, range(60)))
expected = expected or [answers(k) for k in range(6)]
assert found == expected * 10
assert expected[2] == [0, 1, 2, 3, 4, 5, 3] + [0] * 6
"""
"""A pool of threads; FIRST: after the main thread has called Lux."""

LEGATE_FIRST = """
import threading

import legate_config

legate_config.prepare()
import legate.core

legate.core.get_legate_runtime()
import lux

found = []
thread = threading.Thread(target=lambda: found.append(lux.bfs(graph, 0).distances[3]))
graph = lux.toy.path(4)
thread.start()
thread.join()
assert found == [lux.bfs(graph, 0).distances[3]] == [3]
"""

BESIDE_LEGATE = """
import lux

values = lux.bfs(lux.toy.path(4), 0).distances  # the driver starts Legate, and the main thread uses it, too
import numpy as np
from legate.core import LogicalArray, get_legate_runtime

store = LogicalArray.from_store(values.store.legate).data
get_legate_runtime().issue_execution_fence(block=True)
assert np.asarray(store.get_physical_store()).tolist() == [0, 1, 2, 3]
assert lux.bfs(lux.toy.path(4), 0).distances[3] == 3
"""

FORKED = """
import os
import sys

import lux
from lux.runtime import driver_thread

if STARTED:
    lux.toy.path(3)
else:
    driver_thread.call(int, sys._getframe())  # the driver runs, and Legate does not
child = os.fork()
if not child:
    try:
        answer = lux.bfs(lux.toy.path(3), 0).distances[2]
    except lux.LuxError as error:
        answer = 7 if "forked" in str(error) else 8
    os._exit(answer)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (7 if STARTED else 2)
"""


def _run(folder, program, **given):
    heads = "".join(f"{name} = {value!r}\n" for name, value in given.items())
    done = start(folder, heads + program, [sys.executable], LEGATE_CONFIG="--cpus 2 --sysmem 300")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_any_thread_is_answered_whatever_it_calls(tmp_path):
    """With stores that have been dropped before each call, which that thread must not give back."""
    told = [line.split(": ", 2) for line in _run(tmp_path, EVERYTHING).splitlines()]
    assert len(told) > 100
    assert [line for line in told if line[0] != "answered"] == []


@pytest.mark.parametrize("first", [True, False])
def test_a_pool_of_threads_gets_right_answers(tmp_path, first):
    _run(tmp_path, AT_ONCE, FIRST=first)


def test_a_program_may_start_legate_itself(tmp_path):
    _run(tmp_path, LEGATE_FIRST)


def test_a_program_may_call_legate_beside_lux(tmp_path):
    _run(tmp_path, BESIDE_LEGATE)


@pytest.mark.parametrize("started", [True, False])
def test_a_forked_process_starts_its_own_legate_or_is_refused(tmp_path, started):
    _run(tmp_path, FORKED, STARTED=started)


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


EVENTS = """
import numpy as np

from lux import runtime
from lux.runtime.process_memory import resident_bytes

assert runtime.processors() == 2
started = resident_bytes()

@runtime.task(outputs={"numbers": "rows"})
def write(point, numbers):
    numbers[:] = point

numbers = runtime.new_store(np.int64, 64)
write(64, numbers=numbers, rows=runtime.ranges(np.arange(65)))
assert runtime.to_array(numbers).tolist() == list(range(64))
grown = resident_bytes() - started
assert grown < 64 << 20, f"{grown >> 20} MB"
"""


def test_processors_share_the_events_that_realm_has_made(tmp_path):
    """Each that made its own would take 80 MB."""
    done = start(tmp_path, EVENTS, (sys.executable,), LEGATE_CONFIG="--cpus 2 --sysmem 200")
    assert (done.returncode, done.stderr) == (0, "")
