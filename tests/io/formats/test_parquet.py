# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Parquet edge lists against PyArrow's own tables."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from lux.errors import FileError, FormatError, GraphError
from lux.io import open_graph_file, write_parquet
from lux.io.formats import parquet as reader
from lux_cases.edges import to_edges


@given(
    rows=st.one_of(
        st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 9), st.floats()), min_size=1),
        st.lists(st.tuples(st.text("abé"), st.text("xy"), st.floats()), min_size=1),
    ),
    cut=st.integers(1, 5),
)
def test_round_trip(tmp_path_factory, rows, cut):
    path = tmp_path_factory.mktemp("parquet") / "toy.parquet"
    u, v, w = map(list, zip(*rows, strict=True))
    parquet.write_table(pa.table({"dst": v, "x": w, "src": u}), path)
    edges = open_graph_file(path)
    sources, destinations, properties = to_edges(edges)
    assert (sources.tolist(), destinations.tolist()) == (u, v)
    np.testing.assert_array_equal(properties["x"], w)
    copy = path.with_name("copy.pq")
    parts = (slice(lo, lo + cut) for lo in range(0, len(rows), cut))
    write_parquet(copy, ((sources[s], destinations[s], {"x": properties["x"][s]}) for s in parts))
    written = parquet.read_table(copy)
    assert written.column_names == ["source", "destination", "x"]
    assert (written["source"].to_pylist(), written["destination"].to_pylist()) == (u, v)
    assert len(list(path.parent.iterdir())) == 2


@pytest.mark.check
def test_columns_are_chosen(tmp_path):
    path = tmp_path / "toy.parquet"
    parquet.write_table(pa.table({"a": [1, 2], "b": [2, 3], "day": ["m", "t"], "n": [1, 2]}), path)
    with pytest.raises(FormatError, match=r"column 'day' holds string.*pass properties="):
        open_graph_file(path)
    edges = open_graph_file(path, properties=["n"], weighted=True)
    assert edges.properties["weight"].dtype == np.int32
    assert open_graph_file(path, properties=[], ids="strings").ids.labels(0, 3).tolist() == ["1", "2", "3"]


def test_mistakes(tmp_path):
    path = tmp_path / "toy.parquet"
    for table, message in (
        (pa.table({"a": [1]}), "needs two"),
        (pa.table({"a": [1.5], "b": [1.0]}), "holds double: vertex ids are"),
        (pa.table({"a": [1, None], "b": [1, 2]}), "column 'a' is empty in row 1"),
    ):
        parquet.write_table(table, path)
        with pytest.raises(FormatError, match=message):
            open_graph_file(path)
    parquet.write_table(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}), path)
    with pytest.raises(GraphError, match="has no edges"):
        open_graph_file(path)
    path.write_bytes(b"PAR1 and no more than that")
    with pytest.raises(FormatError, match="is damaged"):
        open_graph_file(path)
    path.write_bytes(b"1 2\n")
    with pytest.raises(FormatError, match="is text, not Parquet"):
        open_graph_file(path)


@pytest.mark.parametrize(
    "metadata,message",
    [
        ({b"lux.n_vertices": b"x"}, "its lux.n_vertices is not a whole number from 0 to"),
        ({b"lux.n_vertices": b"9" * 5000}, "its lux.n_vertices is not"),
        ({b"lux.n_vertices": b"-1"}, "its lux.n_vertices is not"),
        ({b"lux.n_vertices": b"\xff"}, "its lux.n_vertices is not"),
        ({b"lux.n_vertices": b"3", b"lux.first_id": b"x"}, "its lux.first_id is not"),
        ({b"lux.n_vertices": b"3", b"lux.first_id": str(2**64 - 2).encode()}, "its lux.first_id is not"),
        ({b"lux.n_vertices": b"3", b"lux.first_id": b"7"}, "vertex 1 is not in the graph: its 3 ids run from 7 to 9"),
    ],
)
def test_damaged_metadata(tmp_path, metadata, message):
    table = pa.table({"source": [1, 2], "destination": [2, 3]})
    parquet.write_table(table.replace_schema_metadata(metadata), tmp_path / "toy.parquet")
    with pytest.raises((FormatError, GraphError), match=message):
        open_graph_file(tmp_path / "toy.parquet")


def test_more_vertices_than_fit_an_array(tmp_path):
    table = pa.table({"source": [1, 2], "destination": [2, 10**17]})
    metadata = {b"lux.n_vertices": str(10**17).encode(), b"lux.first_id": b"1"}
    parquet.write_table(table.replace_schema_metadata(metadata), tmp_path / "toy.parquet")
    edges = open_graph_file(tmp_path / "toy.parquet")
    assert (edges.n_vertices, edges.destinations.tolist()) == (10**17, [1, 10**17 - 1])


def test_rows_that_do_not_fit_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(reader.process_memory, "available_bytes", lambda: 1000)
    zeros = np.zeros(63, np.int64)
    parquet.write_table(pa.table({"source": zeros, "target": zeros}), tmp_path / "a.parquet")
    with pytest.raises(FileError, match="has 63 rows, whose columns take 1008 bytes, and there are 1000 of memory"):
        open_graph_file(tmp_path / "a.parquet")


def test_damaged_columns(tmp_path):
    path = tmp_path / "toy.parquet"
    parquet.write_table(pa.table({"sourcé": [1], "destination": [2]}), path)
    path.write_bytes(path.read_bytes().replace("sourcé".encode(), b"sourc\xff\xff"))
    with pytest.raises(FormatError, match="is damaged"):
        open_graph_file(path)
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    parquet.write_table(twice, path)
    with pytest.raises(FormatError, match="two columns of the same name"):
        open_graph_file(path)


def test_writing_leaves_nothing_behind(tmp_path):
    def failing():
        yield np.array([1]), np.array([2]), {}
        raise RuntimeError("source of edges")

    with pytest.raises(RuntimeError, match="source of edges"):
        write_parquet(tmp_path / "toy.parquet", failing())
    with pytest.raises(FileError, match="no folder"):
        write_parquet(tmp_path / "none" / "toy.parquet", [])
    assert list(tmp_path.iterdir()) == []
    write_parquet(tmp_path / "toy.parquet", [])
    assert parquet.read_table(tmp_path / "toy.parquet").num_rows == 0
