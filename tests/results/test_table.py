# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Results joined into tables, given to other libraries, and shown in interpreters and notebooks."""

import html.parser
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lux
from lux.errors import GraphError, ParameterError
from lux_cases.stores import values_of

SHOWN = operator.methodcaller("_repr_html_")
GRAPH = lux.from_edges(["ada", "bob", "cyd"], ["bob", "cyd", "<i>"])


@pytest.mark.check
def test_results_are_joined_by_vertex():
    ranks, labels = lux.pagerank(GRAPH), lux.components(GRAPH)
    table = lux.table(ranks, labels, GRAPH.out_degrees(), hops=lux.bfs(GRAPH, "ada").distances)
    assert list(table.columns) == ["rank", "label", "out_degree", "hops"]
    joined = ranks.to_pandas().join(labels.to_pandas())
    pd.testing.assert_frame_equal(table.to_pandas()[["rank", "label"]], joined)
    assert table["hops"]["<i>"] == 3
    assert lux.table(table, reached=lux.bfs(GRAPH, "bob").reached).to_pandas()["reached"].tolist() == [1, 0, 1, 1]


def test_what_cannot_be_joined():
    ranks = lux.pagerank(GRAPH)
    with pytest.raises(ParameterError, match="two columns 'rank': name one of them, as in"):
        lux.table(ranks, ranks.ranks)
    with pytest.raises(ParameterError, match="not the int 3"):
        lux.table(ranks, 3)
    with pytest.raises(ParameterError, match="none was passed"):
        lux.table()
    with pytest.raises(ParameterError, match="a graph with other vertices"):
        lux.table(ranks, lux.components(lux.toy.path(4)))
    lux.table(ranks, lux.components(GRAPH.reordered("degree")))  # the same vertices


@pytest.mark.check
def test_tables_are_arrow_streams():
    result = lux.bfs(GRAPH, "bob")
    arrow = pa.table(result)
    assert arrow.to_pandas().set_index("vertex").to_dict() == result.to_pandas().to_dict()
    assert pa.table(GRAPH).to_pylist()[1] == {"source": "ada", "target": "bob"}
    assert pa.table(result.distances).column_names == ["vertex", "distance"]
    vectors = values_of(lux.toy.path(3), np.arange(6.0), length=2, name="p").to_arrow()
    assert vectors.column("p").to_pylist() == [[0, 1], [2, 3], [4, 5]]


def test_other_libraries_read_tables():
    result = lux.bfs(lux.toy.kite(), 0)
    pl = pytest.importorskip("polars")
    assert pl.DataFrame(result)["distance"].to_list() == result.distances.values()
    assert pl.DataFrame(result.graph)["source"].to_list() == result.graph.to_pandas()["source"].tolist()


def test_tables_are_written(tmp_path):
    table = lux.table(lux.components(GRAPH), GRAPH.in_degrees())
    table.write(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "t.parquet").set_index("vertex"), table.to_pandas())


class Cells(html.parser.HTMLParser):
    """The text of a page, and its tags, which must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_notebooks_show_values_and_next_steps():
    result = lux.pagerank(GRAPH)
    text = Cells(SHOWN(result)).text
    assert {"<i>", "ada", "rank"} <= set(text)
    assert any("result.to_pandas()" in part for part in text)
    assert {"ada", "bob", "source"} <= set(Cells(SHOWN(GRAPH)).text)
    assert {"ada", "out_degree"} <= set(Cells(SHOWN(GRAPH.out_degrees())).text)
    many = lux.components(lux.generate("grid:40x40"))
    assert any("1,595 more: result.top()" in part for part in Cells(SHOWN(many)).text)


def test_interpreters_show_values_and_next_steps():
    assert repr(lux.components(GRAPH).labels).splitlines()[:3] == [
        "<Values of 4 vertices, uint32>", "vertex  label", "   <i>    <i>",
    ]  # fmt: skip
    shown = repr(lux.from_edges([1, 2], [2, 3], weight=[0.5, 1.5]).reordered("degree")).splitlines()
    assert shown[0] == "<Graph: directed, 3 vertices, 2 stored edges, with weight>"
    assert shown[1] == "source  target  weight"
    assert sorted(shown[2:-1]) == ["     1       2     0.5", "     2       3     1.5"]
    assert "g.neighbors(vertex)" in shown[-1]
    assert "no edges" not in repr(lux.from_edges([], [], n_vertices=2))
    vectors = repr(values_of(lux.toy.path(2), np.arange(8.0), length=4))
    assert "[0, 1, 2, ...]" in vectors


def test_values_of_several_vertices():
    distances = lux.bfs(GRAPH, "ada").distances
    assert distances[["cyd", "ada", "cyd"]].tolist() == [2, 0, 2]
    assert distances[np.array(["<i>"])].tolist() == distances[pd.Index(["<i>"])].tolist() == [3]
    assert distances[[]].tolist() == []
    assert distances[distances > 1].tolist() == [3, 2]
    vectors = values_of(lux.toy.path(3), np.arange(6.0), length=2)
    assert vectors[[2, 0]].tolist() == [[4, 5], [0, 1]]
    assert vectors[2] == [4, 5]
    with pytest.raises(GraphError, match="vertex 'zoe' is not in the graph"):
        distances[["ada", "zoe"]]
    with pytest.raises(ParameterError, match=r"a mask has shape \(2,\): pass one bool for each of the 4"):
        distances[[True, False]]
    with pytest.raises(ParameterError, match="slices of it count from 0"):
        distances[1:2]


def test_arithmetic_is_numpys():
    graph = lux.toy.kite()
    ranks, hops = lux.pagerank(graph).ranks, lux.bfs(graph, 0).distances
    array = ranks.to_numpy()
    assert (ranks * 2).tolist() == (2 * ranks).tolist() == (array * 2).tolist()
    assert (ranks * hops).tolist() == (array * hops.to_numpy()).tolist()
    assert (-hops).tolist() == (-hops.to_numpy()).tolist()
    assert np.max(ranks) == np.maximum.reduce(ranks) == array.max()
    assert np.log(ranks).tolist() == np.log(array).tolist()
    assert (hops == 1).sum() == 4
    assert np.from_dlpack(ranks).tolist() == array.tolist()
    total = np.zeros(10)
    assert np.add(ranks, 1, out=total) is total
    with pytest.raises(TypeError):
        np.add(total, 1, out=ranks)
