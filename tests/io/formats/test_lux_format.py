# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The .lux format of the 2017 system against bytes packed by hand."""

import itertools
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux.errors import FileError, FormatError, GraphError, ParameterError
from lux.io import LuxFile, open_graph_file


def packed(in_edges: list[list[int]], weights: list[int] | None = None, out_degrees: list[int] | None = None) -> bytes:
    ends = np.cumsum([len(row) for row in in_edges]).tolist()
    flat = [source for row in in_edges for source in row]
    content = struct.pack("<IQ", len(in_edges), len(flat))
    content += struct.pack(f"<{len(ends)}Q", *ends) + struct.pack(f"<{len(flat)}I", *flat)
    if weights is not None:
        content += struct.pack(f"<{len(weights)}i", *weights)
    if out_degrees is not None:
        content += struct.pack(f"<{len(out_degrees)}I", *out_degrees)
    return content


def stored(folder: Path, content: bytes) -> Path:
    path = folder / "toy.lux"
    path.write_bytes(content)
    return path


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    n = draw(st.integers(1, 12))
    return draw(st.lists(st.lists(st.integers(0, n - 1), max_size=5), min_size=n, max_size=n))


ROWS = [[1, 2], [], [0, 1, 1], [2]]


@given(rows=graphs(), weighted=st.booleans(), cut=st.floats(0, 1))
def test_reads_what_is_packed(tmp_path_factory, rows, weighted, cut):
    folder = tmp_path_factory.mktemp("lux")
    n_edges = sum(map(len, rows))
    weights = list(range(-3, n_edges - 3)) if weighted else None
    expected = packed(rows, weights)
    graph = LuxFile(stored(folder, expected), weighted=weighted)
    n = len(rows)
    middle = int(cut * n)
    for lo, hi in ((0, n), (0, middle), (middle, n)):
        graph.check_slice(lo, hi)
        offsets = graph.offsets(lo, hi)
        assert [graph.sources(a, b).tolist() for a, b in itertools.pairwise(offsets)] == rows[lo:hi]
    assert (graph.n_vertices, graph.n_edges, graph.directed) == (n, n_edges, True)
    if weights is not None:
        assert graph.edge_property("weight", 0, n_edges).tolist() == weights


@pytest.mark.check
def test_out_degrees_are_told_by_the_length(tmp_path):
    graph = LuxFile(stored(tmp_path, packed(ROWS, out_degrees=[1, 3, 2, 0])))
    assert graph.property_types == {}
    assert graph.sources(0, 6).tolist() == [source for row in ROWS for source in row]


def test_pickles_as_its_name(tmp_path):
    graph = LuxFile(stored(tmp_path, packed(ROWS, weights=[1] * 6)))
    assert pickle.loads(pickle.dumps(graph)).property_types == {"weight": np.int32}


def test_as_many_vertices_as_edges_must_be_told(tmp_path):
    path = stored(tmp_path, packed([[1], [0]], weights=[5, 6]))
    with pytest.raises(FormatError, match="weighted=True or weighted=False"):
        open_graph_file(path)
    assert open_graph_file(path, weighted=True).edge_property("weight", 0, 2).tolist() == [5, 6]
    assert open_graph_file(path, weighted=False).property_types == {}


@pytest.mark.parametrize("change", [lambda c: c[:-1], lambda c: c + b"\0", lambda c: c[:20]])
def test_wrong_length(tmp_path, change):
    with pytest.raises(FormatError, match="its header says 4 vertices and 6 edges, which takes 68 unweighted"):
        LuxFile(stored(tmp_path, change(packed(ROWS))))


def test_shorter_than_a_header(tmp_path):
    with pytest.raises(FormatError, match="has 3 bytes"):
        LuxFile(stored(tmp_path, b"\1\0\0"))
    with pytest.raises(FormatError, match="has 0 bytes"):
        LuxFile(stored(tmp_path, b""))


def with_end(vertex: int, value: int) -> bytes:
    content = bytearray(packed(ROWS))
    struct.pack_into("<Q", content, 12 + 8 * vertex, value)
    return bytes(content)


@pytest.mark.parametrize(
    "vertex,value,lo,hi,message",
    [
        (1, 1, 0, 4, "the in-edges of vertex 1 start at 2 and end at 1"),
        (1, 1, 1, 2, "the in-edges of vertex 1 start at 2 and end at 1"),
        (2, 7, 2, 3, "vertex 2 end at 7 of 6 edges"),
        (3, 5, 2, 4, "the last offset is 5, but the header says 6 edges"),
        (0, 2**63, 0, 4, "vertex 0 end at"),
    ],
)
def test_wrong_offsets(tmp_path, vertex, value, lo, hi, message):
    graph = LuxFile(stored(tmp_path, with_end(vertex, value)))
    with pytest.raises(FormatError, match=message):
        graph.check_slice(lo, hi)


def test_source_out_of_range(tmp_path):
    content = bytearray(packed(ROWS))
    struct.pack_into("<I", content, 12 + 8 * 4 + 4 * 3, 4)
    graph = LuxFile(stored(tmp_path, bytes(content)))
    graph.check_slice(0, 2)
    with pytest.raises(FormatError, match="edge 3 into vertex 2 has source 4, but the file has 4 vertices"):
        graph.check_slice(1, 4)


def test_missing_weights_and_contradictions(tmp_path):
    path = stored(tmp_path, packed(ROWS))
    with pytest.raises(GraphError, match="has no weights"):
        open_graph_file(path, weighted=True)
    with pytest.raises(ParameterError, match="directed=False contradicts"):
        open_graph_file(path, directed=False)
    with pytest.raises(ParameterError, match="bipartite=True has no meaning for lux"):
        open_graph_file(path, bipartite=True)
    with pytest.raises(KeyError):
        LuxFile(path).edge_property("weight", 0, 1)


@pytest.mark.parametrize("content", [b"1 2\n2 3\n" * 9, b"\x1f\x8b\x08\0rest of it", b"PAR1\1\2\3\4\5\6\7\0"])
def test_other_content(tmp_path, content):
    with pytest.raises(FormatError, match="pass its format, one of lux, sg"):
        LuxFile(stored(tmp_path, content))


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        open_graph_file(tmp_path / "none.lux")
    with pytest.raises(FileError, match="is a folder"):
        open_graph_file(tmp_path)
    with pytest.raises(FileError, match="cannot read"):
        LuxFile(tmp_path / "none.lux")


@pytest.mark.parametrize("name", ["npz", "parquet"])
def test_empty_files_are_named(tmp_path, name):
    (tmp_path / f"x.{name}").touch()
    with pytest.raises(FormatError, match=rf"x\.{name} is empty: every .* file begins with a header"):
        open_graph_file(tmp_path / f"x.{name}")
