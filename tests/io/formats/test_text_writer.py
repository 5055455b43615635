# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists that Lux writes as text are read as the same graph, by Lux and by others."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lux
from lux.errors import FormatError, GraphError, LuxWarning, ParseError

WEIGHTS = [0.1, 1e-300, 3.0]
NAMES = ["é", 'a "b", c', "x y"]


def edges(graph):
    return sorted(map(tuple, graph.to_pandas().to_numpy().tolist()))


@pytest.mark.check
@pytest.mark.parametrize("form", ["el", "wel", "txt", "csv", "tsv"])
@pytest.mark.parametrize("text", [False, True])
def test_what_is_written_is_read(form, text, tmp_path):
    ids = ["é", "b'c", "-"] if text else [30, -5, 2**60]
    weight = None if form == "el" else WEIGHTS
    graph = lux.from_edges(ids, ids[1:] + ids[:1], weight)
    graph.write(tmp_path / f"g.{form}")
    found = lux.read_graph(tmp_path / f"g.{form}")
    assert found.ids == graph.ids
    assert edges(found) == edges(graph)


def test_columns_and_quotes(tmp_path):
    graph = lux.from_edges(NAMES, NAMES[::-1], WEIGHTS, year=[1, 2, 3])
    for form in ("csv", "tsv"):
        graph.write(tmp_path / f"g.{form}")
        assert edges(lux.read_graph(tmp_path / f"g.{form}")) == edges(graph)
    frame = pd.read_csv(tmp_path / "g.csv")
    assert list(frame.columns) == ["source", "target", "weight", "year"]
    assert sorted(frame["source"]) == sorted(NAMES)


def test_networkx_reads_and_writes_edgelists(tmp_path):
    graph = nx.gnm_random_graph(20, 40, seed=1, directed=True)
    nx.write_edgelist(graph, tmp_path / "g.edgelist", data=False)
    found = lux.read_graph(tmp_path / "g.edgelist")
    assert set(zip(*(ends.tolist() for ends in found.edge_arrays()), strict=True)) == set(graph.edges)
    found.write(tmp_path / "back.edgelist")
    back = nx.read_edgelist(tmp_path / "back.edgelist", create_using=nx.DiGraph, nodetype=int, data=False)
    assert set(back.edges) == set(graph.edges)
    nx.write_edgelist(graph, tmp_path / "dicts.edgelist")
    with pytest.raises(ParseError, match=r"dicts of attributes are not read.*data=False"):
        lux.read_graph(tmp_path / "dicts.edgelist")


def test_losses_are_warned_of(tmp_path):
    with pytest.warns(LuxWarning, match=r"no room for vertices without edges \(1 of 3\)"):
        lux.from_edges([0], [1], n_vertices=3).write(tmp_path / "a.csv")
    with pytest.warns(LuxWarning, match="read it with directed=False"):
        lux.toy.kite().write(tmp_path / "b.el")
    same = lux.read_graph(tmp_path / "b.el", directed=False)
    assert np.array_equal(same.edge_arrays(), lux.toy.kite().edge_arrays())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lux.toy.path(3).write(tmp_path / "c.tsv")


@pytest.mark.parametrize("name", ["a b", "#a", "%", "a\tb", "a\nb", 'a"b'])
def test_ids_that_text_cannot_hold(name, tmp_path):
    with pytest.raises(FormatError, match=r"an id has a blank, a quote .*: write \.csv or \.parquet"):
        lux.from_edges([name], ["b"]).write(tmp_path / "g.el")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\0b"])
def test_line_breaks_that_tables_cannot_hold(name, tmp_path):
    with pytest.raises(FormatError, match=r"an id has a line break, which \.csv cannot hold: write \.parquet"):
        lux.from_edges([name], ["b"]).write(tmp_path / "g.csv")
    lux.from_edges([name], ["b"]).write(tmp_path / "g.parquet")
    assert list(lux.read_graph(tmp_path / "g.parquet")) == sorted([name, "b"])


@pytest.mark.parametrize("name", ["source", "target"])
def test_properties_with_the_name_of_an_end_are_in_no_table(name, tmp_path):
    graph = lux.from_edges([1], [2], **{name: [3]})
    for write in (lambda: graph.write(tmp_path / "g.csv"), lambda: graph.write(tmp_path / "g.parquet"),
                  graph.to_pandas, graph.to_arrow):  # fmt: skip
        with pytest.raises(GraphError, match=f"the edge property '{name}' would have the same column as an end"):
            write()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["wel", "csv", "parquet"])
def test_booleans_are_read_again(form, tmp_path):
    lux.from_edges([1, 2], [2, 3], [True, False]).write(tmp_path / f"g.{form}")
    assert edges(lux.read_graph(tmp_path / f"g.{form}")) == [(1, 2, 1), (2, 3, 0)]


def test_names_that_contradict_the_weights(tmp_path):
    with pytest.raises(FormatError, match=r"\.wel is for graphs with weights and \.el for those without"):
        lux.toy.two_triangles().write(tmp_path / "g.el")
    with pytest.raises(FormatError, match="txt holds no edge property but weight"):
        lux.from_edges([0], [1], kind=[2]).write(tmp_path / "g.txt")
