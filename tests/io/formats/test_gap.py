# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The GAP formats against bytes packed by hand."""

import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux.errors import FileError, FormatError, GraphError, ParameterError
from lux.io import SgFile, SgWriter, open_graph_file

Rows = list[list[tuple[int, int]]]


def part(rows: Rows, *, weighted: bool) -> bytes:
    offsets = [0, *np.cumsum([len(row) for row in rows]).tolist()]
    flat = [number for row in rows for edge in row for number in (edge if weighted else edge[:1])]
    return struct.pack(f"<{len(offsets)}q", *offsets) + struct.pack(f"<{len(flat)}i", *flat)


def turned(rows: Rows) -> Rows:
    result: Rows = [[] for _ in rows]
    for u, row in enumerate(rows):
        for v, w in row:
            result[v].append((u, w))
    return result


def packed(out: Rows, *, weighted: bool, directed: bool = True) -> bytes:
    header = struct.pack("<Bqq", directed, sum(map(len, out)), len(out))
    return header + part(out, weighted=weighted) + (part(turned(out), weighted=weighted) if directed else b"")


@st.composite
def graphs(draw: st.DrawFn) -> Rows:
    n = draw(st.integers(1, 10))
    edge = st.tuples(st.integers(0, n - 1), st.integers(-(2**31), 2**31 - 1))
    return draw(st.lists(st.lists(edge, max_size=4), min_size=n, max_size=n))


ROWS = [[(1, 5), (2, 6)], [(2, 7)], []]


def stored(folder: Path, content: bytes, name: str = "toy.sg") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@given(rows=graphs(), weighted=st.booleans(), cut=st.floats(0, 1))
def test_reads_in_edges_and_writes_both_parts(tmp_path_factory, rows, weighted, cut):
    folder = tmp_path_factory.mktemp("gap")
    expected = packed(rows, weighted=weighted)
    name = "toy.wsg" if weighted else "toy.sg"
    graph = open_graph_file(stored(folder, expected, name))
    n, m, middle = len(rows), sum(map(len, rows)), int(cut * len(rows))
    assert (graph.n_vertices, graph.n_edges, graph.directed) == (n, m, True)
    backward = turned(rows)
    writer = SgWriter(folder / "copy", n, m, directed=True, weight=np.int32 if weighted else None)
    writer.create()
    for lo, hi in ((middle, n), (0, middle)):
        graph.check_slice(lo, hi)
        offsets = graph.offsets(lo, hi)
        first, last = int(offsets[0]), int(offsets[-1])
        sources = graph.sources(first, last)
        weights = graph.edge_property("weight", first, last) if weighted else None
        assert sources.flags.aligned
        assert sources.tolist() == [u for row in backward[lo:hi] for u, _ in row]
        if weights is not None:
            assert weights.tolist() == [w for row in backward[lo:hi] for _, w in row]
        writer.write(lo, offsets[1:], first, sources, weights, part="in")
    flat = np.array([edge for row in rows for edge in row], np.int32).reshape(-1, 2)
    ends = np.cumsum([len(row) for row in rows])
    writer.write(0, ends, 0, flat[:, 0], flat[:, 1] if weighted else None, part="out")
    with pytest.raises(ParameterError, match="weights exactly where"):
        writer.write(0, ends, 0, flat[:, 0], None if weighted else flat[:, 1])
    writer.commit()
    assert (folder / "copy").read_bytes() == expected


@pytest.mark.check
def test_undirected_has_one_part(tmp_path):
    both = [[(1, 0)], [(0, 0)]]
    path = stored(tmp_path, packed(both, weighted=False, directed=False))
    graph = open_graph_file(path)
    assert (graph.directed, graph.n_edges, graph.sources(0, 2).tolist()) == (False, 2, [1, 0])
    writer = SgWriter(tmp_path / "copy.sg", 2, 2, directed=False)
    writer.create()
    writer.write(0, np.array([1, 2]), 0, np.array([1, 0]))
    with pytest.raises(ParameterError, match="pass part='out', and"):
        writer.write(0, np.array([1, 2]), 0, np.array([1, 0]), part="in")
    writer.commit()
    assert (tmp_path / "copy.sg").read_bytes() == path.read_bytes()
    with pytest.raises(ParameterError, match="which is undirected as stored"):
        open_graph_file(path, directed=True)


def test_weights_may_be_left_unread(tmp_path):
    graph = open_graph_file(stored(tmp_path, packed(ROWS, weighted=True), "toy.wsg"), weighted=False)
    assert pickle.loads(pickle.dumps(graph)).property_types == {}
    with pytest.raises(GraphError, match="never have"):
        open_graph_file(stored(tmp_path, packed(ROWS, weighted=False)), weighted=True)


@pytest.mark.parametrize("change", [lambda c: c[:-1], lambda c: c + b"\0"])
def test_wrong_length(tmp_path, change):
    with pytest.raises(FormatError, match=r"3 vertices and 3 edges, which takes 105 as \.sg"):
        SgFile(stored(tmp_path, change(packed(ROWS, weighted=False))))


def test_formats_mixed_up(tmp_path):
    with pytest.raises(FormatError, match="mixed up"):
        open_graph_file(stored(tmp_path, packed(ROWS, weighted=True)))


@pytest.mark.parametrize("header", [(2, 1, 1), (1, -1, 1), (1, 1, -1)])
def test_impossible_header(tmp_path, header):
    with pytest.raises(FormatError, match="its header says"):
        SgFile(stored(tmp_path, struct.pack("<Bqq", *header)))


def test_text_named_sg(tmp_path):
    text = stored(tmp_path, b"0 1\n1 2\n" * 10, "toy.el")
    with pytest.raises(FormatError, match=r"is text, not .sg"):
        open_graph_file(text, "sg")
    with pytest.raises(FormatError, match="has 3 bytes"):
        SgFile(stored(tmp_path, b"\0\0\0"))


@pytest.mark.parametrize(
    "place,value,message",
    [
        (0, 1, "vertex 0 start at 1, not at 0"),
        (1, -1, "vertex 0 end at -1 of 3 edges"),
        (2, -1, "vertex 1 end at -1 of 3 edges"),
        (1, 2, "the in-edges of vertex 1 start at 2 and end at 1"),
        (3, 2, "the last offset is 2"),
    ],
)
def test_wrong_in_offsets(tmp_path, place, value, message):
    content = bytearray(packed(ROWS, weighted=False))
    struct.pack_into("<q", content, 17 + 32 + 12 + 8 * place, value)
    with pytest.raises(FormatError, match=message):
        SgFile(stored(tmp_path, bytes(content))).check_slice(0, 3)


def test_negative_neighbour(tmp_path):
    content = bytearray(packed(ROWS, weighted=False))
    struct.pack_into("<i", content, len(content) - 4, -1)
    with pytest.raises(FormatError, match="edge 2 into vertex 2 has source 4294967295"):
        SgFile(stored(tmp_path, bytes(content))).check_slice(0, 3)


def test_what_does_not_fit_is_refused_before_any_work(tmp_path):
    with pytest.raises(FormatError, match="at most 2147483647 vertices"):
        SgWriter(tmp_path / "out.sg", 2**31, 1, directed=True)
    with pytest.raises(FormatError, match="int32 weights, not int64"):
        SgWriter(tmp_path / "out.wsg", 2, 1, directed=True, weight=np.int64)
    with pytest.raises(FileError, match="no folder"):
        SgWriter(tmp_path / "none" / "out.sg", 2, 1, directed=True).create()
    assert list(tmp_path.iterdir()) == []
