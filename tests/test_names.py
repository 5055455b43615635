# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Misspelt functions, attributes, columns and arguments."""

import copy
import dataclasses
import inspect
import operator
import pickle

import networkx as nx
import numpy as np
import pytest

import lux
from lux.errors import CallError, NoSuchNameError
from lux.names import ELSEWHERE, SETTINGS, checked_call
from lux.settings import Settings
from lux_cases.builtin import BreadthFirstSearch


@pytest.fixture(scope="module")
def found():
    return lux.bfs(lux.toy.kite(), 0)


@pytest.mark.check
@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda r: lux.page_rank,
            r"module 'lux' has no attribute 'page_rank': did you mean pagerank\? It has ADD, .*bfs",
        ),
        (lambda r: lux.connected_components, r"did you mean components\?"),
        (lambda r: lux.quux, r"module 'lux' has no attribute 'quux'\. It has .* betweenness, bfs, components"),
        (
            lambda r: lux.louvain,
            r"'louvain', and NetworkX has: networkx\.community\.louvain_communities\(graph\.to_netw",
        ),
        (
            lambda r: r.distance,
            r"'BFSResult' .* 'distance': did you mean distances\? .*; and the columns result\['dist",
        ),
        (lambda r: r.graph.nodes, r"'Graph' object has no attribute 'nodes': did you mean ids\? It has "),
        (lambda r: r.graph.quux, r"'Graph' object has no attribute 'quux'\. It has .*dense_edge_arrays"),
        (lambda r: r.distances.max(), r"'Values' object has no attribute 'max': did you mean to_numpy\?"),
    ],
)
def test_attributes(found, call, message):
    with pytest.raises(NoSuchNameError, match=message):
        call(found)
    assert issubclass(NoSuchNameError, AttributeError)
    assert issubclass(NoSuchNameError, lux.LuxError)


@pytest.mark.check
@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda g: lux.pagerank(g, damping=0.9),
            r"lux.pagerank: .* 'damping': did you mean alpha\? It takes graph, alpha",
        ),
        (
            lambda g: lux.components(g, directed=True),
            r"no argument 'directed'\. It takes graph, strategy='auto', parts=None, model='auto'",
        ),
        (
            lambda g: lux.pagerank(g, device="gpu"),
            r"no argument 'device': a setting, for calls in a block of lux.using\(device=...\)\. It takes graph",
        ),
        (lux.bfs, r"lux.bfs: missing a required argument: 'source'\. It takes graph, source, target"),
        (lambda g: lux.bfs(g, 0, 1), r"lux.bfs: too many positional arguments\. It takes"),
        (lambda g: lux.factorize(g, rank=3), r"did you mean k\? .* dtype=float32"),
        (lambda g: lux.read_graph("g.el", formt="el"), r"'formt': did you mean format\?"),
        (lambda g: lux.from_scipy(g, direct=True), r"did you mean directed\?"),
        (lambda g: lux.toy.path(k=3), r"lux.toy.path: there is no argument 'k'"),
        (lambda g: lux.field(np.float32, reduction=lux.MIN), r"lux.field: .* 'reduction': did you mean reduce\?"),
        (lambda g: g.partitioned("metis", part=2), r"Graph.partitioned: .* 'part': did you mean parts\?"),
        (lambda g: lux.bfs(g, 0).top(limit=2), r"BFSResult.top: .* 'limit': did you mean k\? It takes k=10$"),
        (
            lambda g: lux.run(BreadthFirstSearch, g, source=0, max_iters=3),
            r"did you mean max_iter\?",
        ),
        (
            lambda g: lux.run(BreadthFirstSearch, g, sorce=0),
            r"unknown: sorce: did you mean source\?",
        ),
    ],
)
def test_arguments(found, call, message):
    with pytest.raises(lux.LuxError, match=message) as raised:
        call(found.graph)
    assert isinstance(raised.value, lux.errors.ParameterError)


def test_settings_are_those_of_using():
    known = [field.name for field in dataclasses.fields(Settings)]
    assert [*SETTINGS] == [name for name in known if name != "config"]  # also an argument


def test_a_wrong_call_is_a_type_error_too():
    with pytest.raises(TypeError, match="no argument 'colour'") as raised:
        lux.bfs(lux.toy.path(2), 0, colour="red")
    assert isinstance(raised.value, CallError)


def test_progress_is_a_function():
    with pytest.raises(CallError, match="progress=5 was passed; allowed are None and a function"):
        lux.pagerank(lux.toy.path(3), progress=5)


def test_type_errors_from_inside_a_function_stay():
    @checked_call
    def broken(a):
        return a + "x"

    with pytest.raises(TypeError, match="unsupported operand") as raised:
        broken(1)
    assert not isinstance(raised.value, lux.LuxError)


def test_python_finds_out_what_there_is_as_ever(found):
    assert not hasattr(lux, "louvain")
    assert not hasattr(found.graph, "nodes")
    assert getattr(found, "nothing", 3) == 3
    for of in (lux, found, found.graph, found.distances):
        with pytest.raises(AttributeError) as raised:
            of.__something__  # noqa: B018
        assert type(raised.value) is AttributeError
    assert list(inspect.signature(lux.bfs).parameters)[:2] == ["graph", "source"]
    assert list(inspect.signature(found.graph.subgraph).parameters) == ["vertices"]
    assert pickle.loads(pickle.dumps(lux.bfs)) is lux.bfs
    assert copy.copy(found.graph).n_edges == found.graph.n_edges
    with pytest.raises(NoSuchNameError) as raised:
        found.graph.nodes  # noqa: B018
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_only_public_names_are_shown():
    assert {name for name in dir(lux) if not name.startswith("__")} == {*lux.__all__}
    assert "errors" in lux.__all__


@pytest.mark.parametrize("route", sorted(set(ELSEWHERE.values())))
def test_routes_to_networkx_exist(route):
    assert callable(operator.attrgetter(route)(nx))
