# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NetworkX finds the backend, keeps what it converted, and computes itself where Lux says why it cannot."""

import logging
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import pytest

from lux.networkx_backend import info, interface, suite
from lux.networkx_backend.backend_graph import LuxGraph

pytestmark = pytest.mark.check

LOGGER = "networkx.utils.backends"


def test_importing_networkx_loads_nothing_heavy():
    code = (
        "import networkx as nx, sys; assert 'lux' in nx.utils.backends.backends; "
        "assert not {'legate', 'numba', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_functions_are_there_and_are_functions_of_networkx():
    assert len(info.FUNCTIONS) >= 45
    for name in info.FUNCTIONS:
        assert callable(getattr(interface, name))
        assert hasattr(nx, name)
    with pytest.raises(AttributeError, match="no_such"):
        _ = interface.no_such


def test_conversion_is_kept_until_the_graph_changes():
    graph = nx.path_graph(5)
    nx.pagerank(graph, backend="lux")
    kept = list(graph.__networkx_cache__["backends"]["lux"].values())
    assert [type(each) for each in kept] == [LuxGraph]
    nx.config.warnings_to_ignore.add("cache")
    nx.single_source_shortest_path_length(graph, 0, backend="lux")
    assert next(iter(graph.__networkx_cache__["backends"]["lux"].values())) is kept[0]
    graph.add_edge(4, 0)
    assert nx.single_source_shortest_path_length(graph, 0, backend="lux")[4] == 1


def test_threads_are_answered():
    graph = nx.path_graph(5)
    expected = nx.pagerank(graph, backend="lux")
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: nx.pagerank(graph, backend="lux"), range(4))) == [expected] * 4


def test_a_forked_process_computes_itself():
    nx.pagerank(nx.path_graph(5), backend="lux")
    child = os.fork()
    if not child:
        why = interface.can_run("pagerank", (nx.path_graph(3),), {})
        os._exit(0 if isinstance(why, str) and "forked" in why else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_functions_of_python_are_refused(caplog):
    graph = nx.path_graph(4)
    with nx.config(backend_priority=["lux"], fallback_to_nx=True), caplog.at_level(logging.DEBUG, LOGGER):
        assert nx.dijkstra_path_length(graph, 0, 3, weight=lambda *_: 2) == 6
    assert "a function of Python" in caplog.text


def test_weights_that_are_no_numbers_are_left_to_networkx():
    graph = nx.Graph()
    graph.add_edge(0, 1, weight="heavy")
    with nx.config(backend_priority=["lux"]), pytest.raises(TypeError):
        nx.dijkstra_path_length(graph, 0, 1)
    with pytest.raises(NotImplementedError, match="weight"):
        interface.convert_from_nx(graph, edge_attrs={"weight": 1})


def test_undirected_views_of_directed_graphs_are_left_to_networkx():
    graph = nx.DiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": 5}), (1, 2, {"weight": 2})])
    view = graph.to_undirected(as_view=True)
    for shown in (view, view.subgraph([0, 1])):
        with pytest.raises(NotImplementedError, match="an undirected view of a directed graph has two values"):
            interface.convert_from_nx(shown, edge_attrs={"weight": 1})
    assert nx.single_source_shortest_path_length(view, 2, backend="lux") == {2: 0, 1: 1, 0: 2}
    assert nx.dijkstra_path_length(graph.to_undirected(), 0, 2, backend="lux") == 7


def test_small_graphs_are_left_to_networkx_and_large_ones_are_not():
    small, large = nx.path_graph(5), nx.gnm_random_graph(5_000, 50_000, seed=1)
    why = interface.should_run("pagerank", (small,), {})
    assert "for the conversion" in why
    assert "predicted" in why
    assert interface.should_run("pagerank", (large,), {}) is True
    assert interface.should_run("betweenness_centrality", (large,), {"k": 5}) is True


def test_expected_failures_of_networkx_own_tests_are_marked():
    for folder in ("networkx/algorithms/tests/test_cycles.py", "test_cycles.py", ""):  # pytest has all three
        markers = []
        test = SimpleNamespace(path=Path("/x/test_cycles.py"), add_marker=markers.append)
        test.nodeid = f"{folder}::TestMinimumCycleBasis::test_weighted_diamond"
        interface.on_start_tests([test])
        assert [marker.name for marker in markers] == ["xfail"]
    assert len(suite.EXPECTED) <= 15


def test_networkx_own_tests_pass_and_lux_adds_few_expected_failures():
    modules = "networkx.algorithms.tests.test_cycles", "networkx.algorithms.tree.tests.test_distance_measures"
    command = [sys.executable, Path(__file__).with_name("networkx_suite.py"), *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 expected failures of NetworkX: no check for self-loops" in done.stdout
    assert "2 expected failures that Lux adds" in done.stdout


def test_a_deprecated_function_warns_as_networkx_does():
    graph = nx.path_graph(3)

    def warnings_of(backend):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            list(nx.bfs_predecessors(graph, 0, backend=backend))
        return [str(each.message) for each in caught if each.category is DeprecationWarning]

    assert warnings_of("lux") == warnings_of("networkx")


def test_generators_refuse_before_their_first_item():
    with pytest.raises(NotImplementedError):
        interface.bfs_edges(interface.convert_from_nx(nx.path_graph(3)), 0, sort_neighbors=sorted)


def test_errors_are_those_of_networkx():
    graph = nx.DiGraph([(0, 1), (2, 1)])
    for call, error in [
        (lambda: nx.pagerank(graph, max_iter=1, tol=0, backend="lux"), nx.PowerIterationFailedConvergence),
        (lambda: nx.pagerank(graph, personalization={0: 0}, backend="lux"), ZeroDivisionError),
        (lambda: nx.single_source_shortest_path(graph, 7, backend="lux"), nx.NodeNotFound),
        (lambda: nx.shortest_path(graph, 0, 2, backend="lux"), nx.NetworkXNoPath),
        (lambda: nx.eccentricity(graph, backend="lux"), nx.NetworkXError),
        (lambda: nx.is_weakly_connected(nx.DiGraph(), backend="lux"), nx.NetworkXPointlessConcept),
    ]:
        with pytest.raises(error):
            call()
