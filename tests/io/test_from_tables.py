# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from tables of every library, with vertices that have no edges."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lux
from lux.errors import GraphError, ParameterError

NAMES = {"src": ["ada", "bob", "ada"], "dst": ["bob", "cyd", "ada"], "weight": [1.5, 2.5, 3.5], "note": ["x", "y", "z"]}
NUMBERS = NAMES | {"src": [30, 10, 30], "dst": [10, 2**40, 30], "day": [1, 2, 3]}


def polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def categories(columns):
    pl = pytest.importorskip("polars")
    text = isinstance(columns["src"][0], str)
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.col("src", "dst").cast(pl.Categorical)) if text else frame


class Stream:
    """What a library must offer: DuckDB's relations and cuDF's frames have no more in common."""

    def __init__(self, columns):
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def chunked(columns):
    whole = pa.table(columns)
    return pa.concat_tables([whole.slice(0, 2), whole.slice(2)])


TABLES = {
    "pandas": pd.DataFrame,
    "polars": polars,
    "categories": categories,
    "stream": Stream,
    "pyarrow": pa.table,
    "chunks": chunked,
    "reader": lambda columns: pa.table(columns).to_reader(),
    "dictionary": lambda columns: pa.table({n: pa.array(c).dictionary_encode() for n, c in columns.items()}),
    "mapping": dict,
}


@pytest.mark.check
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("columns", [NAMES, NUMBERS], ids=["strings", "numbers"])
def test_tables_of_all_libraries(kind, columns):
    wanted = lux.from_edges(columns["src"], columns["dst"], columns["weight"])
    found = lux.from_table(TABLES[kind](columns))
    assert found.ids == wanted.ids
    pd.testing.assert_frame_equal(found.to_pandas()[["source", "target"]], wanted.to_pandas()[["source", "target"]])
    assert found.to_pandas()["weight"].tolist() == wanted.to_pandas()["weight"].tolist()
    assert sorted(found.properties) == sorted({"weight", "day"} & columns.keys())


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_vertices_without_edges_are_kept(kind):
    table = TABLES[kind](NUMBERS)
    graph = lux.from_table(table, vertices=[7, 30], directed=False, edge_attr=["day"])
    assert list(graph) == [7, 10, 30, 2**40]
    assert (graph.directed, list(graph.properties)) == (False, ["day"])
    assert lux.components(graph).labels.to_dict() == {7: 7, 10: 10, 30: 10, 2**40: 10}


@pytest.mark.parametrize(
    "vertices", [["x", "b"], np.array(["x", "b"]), pa.array(["x", "b"]), pd.Series(["x", "b"])], ids=type
)
def test_isolated_ids_of_arrays(vertices):
    assert list(lux.from_edges(["b"], ["a"], vertices=vertices)) == ["a", "b", "x"]
    graph = lux.from_edges([], [], vertices=vertices, directed=False)
    assert (list(graph), graph.n_edges) == (["b", "x"], 0)
    assert lux.pagerank(graph).to_dict() == {"b": 0.5, "x": 0.5}


def test_numbers_in_one_piece_are_not_copied():
    column = pa.array(np.arange(1000))
    from lux.io.edge_columns import ids_array

    assert ids_array(column).ctypes.data == column.buffers()[1].address


@pytest.mark.parametrize(
    "make,error,message",
    [
        (lambda: lux.from_table(3), ParameterError, "takes a DataFrame of pandas or Polars, .* not the int 3"),
        (lambda: lux.from_table({"u": [1], "v": [1, 2]}), ParameterError, "columns cannot be read"),
        (lambda: lux.from_table(pa.table([[1], [2], [3]], ["u", "v", "u"])), ParameterError, "two columns 'u'"),
        (lambda: lux.from_table({"u": [1, None], "v": [1, 2]}), ParameterError, "1 ids are missing.*drop_null"),
        (lambda: lux.from_table({"u": [1.5], "v": [1]}), ParameterError, "are float64: convert them"),
        (lambda: lux.from_table({"a": [1], "b": [1]}), ParameterError, "no column 'source', nor .*pass source="),
        (lambda: lux.from_table({"u": [1], "v": [1]}, "x"), ParameterError, r"no column 'x'; it has \['u', 'v'\]"),
        (lambda: lux.from_table({"u": [1], "v": [2], "weight": ["3"]}), ParameterError, "'weight' holds no numbers"),
        (
            lambda: lux.from_table({"u": [1], "v": [2], "w": [None]}, edge_attr=["w"]),
            ParameterError,
            "'w' holds no num",
        ),
        (
            lambda: lux.from_table({"u": [1], "v": [2], "w": [3]}, edge_attr="w"),
            ParameterError,
            "edge_attr='w' was passed; allowed are None and a list",
        ),
        (
            lambda: lux.from_edges([1], [2], vertices=["a"]),
            ParameterError,
            "some integers and some strings|pass one kind",
        ),
        (
            lambda: lux.from_edges([1], [2], vertices=[3], n_vertices=4),
            ParameterError,
            "vertices contradict each other",
        ),
        (lambda: lux.from_edges([1], [2], vertices=[3], bipartite=True), ParameterError, "on which side a vertex is"),
        (lambda: lux.from_edges([1], [2], vertices=[0.5]), ParameterError, "float64"),
        (lambda: lux.from_edges([], [], vertices=[]), GraphError, "no vertices"),
    ],
)
def test_mistakes(make, error, message):
    with pytest.raises(error, match=message):
        make()
