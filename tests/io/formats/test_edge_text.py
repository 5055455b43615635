# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Blank-separated and delimited text: values, options, and the line of every mistake."""

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux.errors import FileError, FormatError, GraphError, LuxWarning, ParameterError, ParseError
from lux.io import open_graph_file
from lux.io.formats import text, text_file
from lux.io.formats.formats import format_of
from lux_cases.edges import EdgeList


def stored(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def triples(edges: EdgeList, name: str = "weight") -> list[tuple]:
    labels = edges.ids.labels(0, edges.n_vertices)
    ends = labels[edges.sources].tolist(), labels[edges.destinations].tolist()
    return list(zip(*ends, *([edges.properties[name].tolist()] if name in edges.properties else []), strict=True))


IDS = st.one_of(st.integers(0, 20), st.integers(-(2**63), 2**63 - 1))
NAMES = st.text(st.characters(exclude_characters=' \t\r\n#%,;|"\0', exclude_categories=["C", "Z"]), min_size=1).filter(
    lambda name: not name.removeprefix("-").isdecimal() and not text.is_real(name)
)
WEIGHTS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats())
LAYOUTS = [("e.wel", " ", "\n"), ("e.txt", "\t", "\r\n"), ("e.txt.gz", "  ", "\n\n"), ("e.csv", ",", "\n"),
           ("e.csv", " ; ", "\r\n"), ("e.csv", "|", "\n"), ("e.tsv.gz", "\t", "\n"), ("e.csv", " ", "\n")]  # fmt: skip


@given(
    rows=st.one_of(
        st.lists(st.tuples(IDS, IDS, WEIGHTS), min_size=1, max_size=30),
        st.lists(st.tuples(NAMES, NAMES, WEIGHTS), min_size=1, max_size=30),
    ),
    layout=st.sampled_from(LAYOUTS),
    last=st.booleans(),
    chunk=st.sampled_from([1, 7, 64, 1 << 24]),
)
def test_every_layout_gives_the_same_edges(tmp_path_factory, rows, layout, last, chunk):
    name, separator, newline = layout
    content = newline.join(separator.join(map(str, row)) for row in rows) + (newline if last else "")
    path = stored(tmp_path_factory.mktemp("text"), name, content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "CHUNK", chunk)
        edges = open_graph_file(path, header=False if "csv" in name or "tsv" in name else None)
    numbers = all(isinstance(row[2], int) for row in rows)
    found = triples(edges)
    assert [row[:2] for row in found] == [row[:2] for row in rows]
    np.testing.assert_array_equal([row[2] for row in found], [row[2] if numbers else float(row[2]) for row in rows])
    assert edges.n_vertices == len({end for row in rows for end in row[:2]})
    assert edges.ids.labels(0, edges.n_vertices).tolist() == sorted({end for row in rows for end in row[:2]})
    fits = all(-(2**31) <= row[2] < 2**31 for row in rows) if numbers else None
    assert edges.properties["weight"].dtype == {True: np.int32, False: np.int64, None: np.float64}[fits]


def test_comments_byte_order_mark_and_isolated_ids(tmp_path):
    path = stored(tmp_path, "e.el", b"\xef\xbb\xbf# toy\r\n% too\r\n\r\n 0\t3 \r\n  # indented\n5 0")
    assert triples(open_graph_file(path)) == [(0, 3), (5, 0)]
    dense = open_graph_file(path, ids="as-is", directed=False)
    assert (dense.n_vertices, dense.directed, dense.ids.is_identity) == (6, False, True)
    names = open_graph_file(path, ids="strings")
    assert triples(names) == [("0", "3"), ("5", "0")]


@pytest.mark.parametrize("name", ["e.txt", "e.txt.gz", "e.csv", "e.csv.gz"])
@pytest.mark.parametrize(
    "bad,why",
    [
        ("7", "field 2 is missing"),
        ("7{s}8{s}9{s}1", "more than 3 fields"),
        ("7{s}eight{s}1", "field 2 is not an integer as on the first line"),
        ("7{s}8.0{s}1", "field 2 is not an integer"),
        ("7{s}9223372036854775808{s}1", "above 2\\^63 - 1"),
        ("7{s}8{s}one", "'one' is not a number"),
        ("7{s}8{s}1_0", "'1_0' is not a number"),
        ("7{s}-{s}1", "field 2 is not an integer"),
    ],
)
def test_the_line_of_a_mistake(tmp_path, name, bad, why):
    separator = "," if "csv" in name else " "
    good = separator.join(("1", "2", "3"))
    line = bad.format(s=separator)
    path = stored(tmp_path, name, f"# first\n{good}\n\n{good}\n{line}\n{good}\n")
    with pytest.raises(ParseError, match=f"line 5: .*{why}") as caught:
        open_graph_file(path, header=False if "csv" in name else None)
    assert (caught.value.number, caught.value.line.strip()) == (5, line)
    assert str(line) in str(caught.value)
    pickle.loads(pickle.dumps(caught.value))


def test_the_line_of_a_mistake_far_into_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "CHUNK", 1000)
    path = stored(tmp_path, "e.el.gz", "1 2\n" * 5000 + "3 x\n" + "1 2\n" * 5000)
    with pytest.raises(ParseError, match="line 5001"):
        open_graph_file(path)


@pytest.mark.parametrize(
    "name,content,where",
    [
        ("e.el", "0 1.5\n", "line 1: field 2"),
        ("e.txt", "# toy\n.5 1 2\n", "line 2: field 1"),
        ("e.csv", "cost,a,b\n-2.5e1,1,2\n", "line 2: field 1.*name the columns 'source' and 'target'"),
    ],
)
def test_real_numbers_are_no_ids(tmp_path, name, content, where):
    path = stored(tmp_path, name, content)
    with pytest.raises(ParseError, match=where) as caught:
        open_graph_file(path)
    assert "is a real number where an id is needed (edges are two ids and then their weights" in str(caught.value)
    assert open_graph_file(path, ids="strings").n_edges == 1


def test_names_that_are_not_utf_8(tmp_path):
    path = stored(tmp_path, "e.el", b"a b\nc \xff\n")
    with pytest.raises(ParseError, match=r"line 2: .* is not UTF-8"):
        open_graph_file(path)


def test_widths_of_el_and_wel(tmp_path):
    with pytest.raises(FormatError, match=r"has 3 fields in its first line and .el has 2: pass format='wel'"):
        open_graph_file(stored(tmp_path, "e.el", "1 2 3\n"))
    with pytest.raises(FormatError, match="pass format='el'"):
        open_graph_file(stored(tmp_path, "e.wel", "1 2\n"))
    assert open_graph_file(tmp_path / "e.el", "wel").properties["weight"].tolist() == [3]


@pytest.mark.check
def test_csv_header_and_properties(tmp_path):
    path = stored(tmp_path, "e.csv", '# toy\ntime,src,dst,"how, much"\n1,10,20,2.5\n2,20,30,nan\n')
    edges = open_graph_file(path)
    assert triples(edges, "time") == [(10, 20, 1), (20, 30, 2)]
    assert list(edges.properties) == ["time", "how, much"]
    assert list(open_graph_file(path, weighted=True).properties) == ["weight", "how, much"]
    assert list(open_graph_file(path, properties=["time"]).properties) == ["time"]
    with pytest.raises(GraphError, match="no column 'none'"):
        open_graph_file(path, properties=["none"])


def test_csv_without_header_names_the_third_column_weight(tmp_path):
    path = stored(tmp_path, "e.csv", "a;b;1;7\nb;c;2;8\n")
    edges = open_graph_file(path)
    assert triples(edges) == [("a", "b", 1), ("b", "c", 2)]
    assert list(edges.properties) == ["weight", "column4"]
    assert list(open_graph_file(path, weighted=False).properties) == ["column4"]
    assert open_graph_file(path, header=True).n_edges == 1


def test_csv_quotes(tmp_path):
    path = stored(tmp_path, "e.csv", '"a, ""b""", "c" ,1\nd,"e",2\n')
    assert triples(open_graph_file(path)) == [('a, "b"', "c", 1), ("d", "e", 2)]
    with pytest.raises(ParseError, match="line 2: field 1 has unmatched quotes"):
        open_graph_file(stored(tmp_path, "f.csv", 'a,b\n"c,d\n'))
    with pytest.raises(ParseError, match=r"line 2: .*field 2 is missing or empty"):
        open_graph_file(stored(tmp_path, "g.csv", "1,2\n3,\n"))


def test_text_columns_are_refused_unless_left_out(tmp_path):
    path = stored(tmp_path, "e.csv", "u,v,day\n1,2,monday\n")
    with pytest.raises(ParseError, match="line 2: 'monday' is not a number"):
        open_graph_file(path)
    assert open_graph_file(path, properties=[]).properties == {}


@pytest.mark.check
def test_bipartite(tmp_path):
    path = stored(tmp_path, "e.csv", "userId,movieId,rating\n1,1,5\n3,1,4\n")
    edges = open_graph_file(path, bipartite=True)
    assert (edges.n_vertices, edges.directed) == (3, False)
    assert triples(edges, "rating") == [("left:1", "right:1", 5), ("left:3", "right:1", 4)]
    assert edges.ids.dense("right:1") == 2
    dense = open_graph_file(path, bipartite=True, ids="as-is", directed=True)
    assert (dense.n_vertices, dense.directed, dense.ids.dense("left:3")) == (6, True, 3)


@pytest.mark.parametrize("name", ["e.el", "e.wel", "e.txt.gz", "e.csv", "e.tsv"])
@pytest.mark.parametrize("content", ["", "# nothing\n\n"])
def test_no_edges(tmp_path, name, content):
    with pytest.raises(GraphError, match="has no edges"):
        open_graph_file(stored(tmp_path, name, content))


def test_header_alone_is_no_edge(tmp_path):
    with pytest.raises(GraphError, match="has no edges"):
        open_graph_file(stored(tmp_path, "e.csv", "source,target\n"))


def test_weights_that_are_not_there(tmp_path):
    with pytest.raises(GraphError, match="has no weights"):
        open_graph_file(stored(tmp_path, "e.el", "1 2\n"), weighted=True)


def test_as_is_needs_natural_numbers(tmp_path):
    with pytest.raises(FormatError, match="one is -1"):
        open_graph_file(stored(tmp_path, "e.el", "1 -1\n"), ids="as-is")
    with pytest.raises(ParseError, match="not an integer"):
        open_graph_file(stored(tmp_path, "f.el", "a b\n"), ids="as-is")
    with pytest.raises(ParameterError, match="pass 'auto', 'as-is' or 'strings'"):
        open_graph_file(tmp_path / "f.el", ids="none")


def test_contradictory_content(tmp_path):
    unpacked = tmp_path / "e.el.gz"
    unpacked.write_text("1 2\n")
    with pytest.raises(FormatError, match=r"is named .gz but is not gzip-compressed"):
        open_graph_file(unpacked)
    packed = tmp_path / "e.el"
    packed.write_bytes(gzip.compress(b"1 2\n"))
    with pytest.raises(FormatError, match="is gzip-compressed, not el: pass its format, one of lux, sg"):
        open_graph_file(packed)
    with pytest.raises(FormatError, match="is binary"):
        open_graph_file(stored(tmp_path, "f.el", b"\1\0\0\0\7\0"))
    with pytest.raises(FormatError, match="is Matrix Market, not txt"):
        open_graph_file(stored(tmp_path, "g.txt", "%%MatrixMarket matrix coordinate real general\n1 1 0\n"))


@pytest.mark.parametrize("cut", [5, 20, -4])
def test_damaged_gzip(tmp_path, cut):
    path = tmp_path / "e.el.gz"
    path.write_bytes(gzip.compress(b"1 2\n3 4\n" * 9)[:cut])
    with pytest.raises(FormatError, match="damaged"):
        open_graph_file(path)


def test_formats_by_name(tmp_path):
    assert format_of("A.TXT.GZ").name == "txt"
    with pytest.raises(FormatError, match="does not say its format: pass one of lux, sg, wsg, el"):
        format_of("graph")
    with pytest.raises(FormatError, match="format='no' is unknown"):
        format_of("e.el", "no")
    with pytest.raises(FormatError, match="decompress it first"):
        format_of("e.lux.gz")
    with pytest.raises(FileError, match="there is no file"):
        open_graph_file(tmp_path / "none.el")


def test_options_without_meaning(tmp_path):
    path = stored(tmp_path, "e.gr", "p sp 1 0\n")
    with pytest.raises(ParameterError, match="header=True has no meaning for DIMACS"):
        open_graph_file(path, header=True)


def test_compressed_text_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "CHUNK", 100)
    monkeypatch.setattr(text_file, "LONGEST_LINE", 1000)
    one, two = gzip.compress(b"1 2\n2"), gzip.compress(b" 3\n")
    path = tmp_path / "e.el.gz"
    path.write_bytes(one + two)
    assert triples(open_graph_file(path)) == [(1, 2), (2, 3)]
    for damaged, message in (
        (one + two[:-9], "damaged or truncated"),
        (one + two[:-5] + b"\0" + two[-4:], "damaged or truncated: CRC"),
        (one + b"garbage", "damaged or truncated: Not a gzipped file"),
        (gzip.compress(b"1 2\n" * 50 + b"0" * 2000), "the line at byte 200 of .* has more than 1000 bytes.*decompress"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=message):
            open_graph_file(path)
    (tmp_path / "e.el").write_bytes(b"1 2\n1 " + b"0" * 2000 + b"3\n")
    assert triples(open_graph_file(tmp_path / "e.el")) == [(1, 2), (1, 3)]


@pytest.mark.parametrize(
    "content,names",
    [
        ('source,target\n"' + "x" * 140_000 + '",b\n', ["b", "x" * 140_000]),
        ('"a ""b""",\rc\r\n"d", e\n', ['a "b"', "c", "d", "e"]),
        ('"a" "b c"\n"b c"\td\n', ["a", "b c", "d"]),
        ('"a";b\n"c" ; "d"\n', ["a", "b", "c", "d"]),
    ],
)
def test_quoted_fields(tmp_path, content, names):
    edges = open_graph_file(stored(tmp_path, "e.csv", content))
    assert edges.ids.labels(0, edges.n_vertices).tolist() == names


def test_numbers_of_any_length(tmp_path):
    long = "9" * 5000
    for name, content in (("e.el", f"1 {long}\n"), ("e.csv", f"{long},2\n"), ("e.wel", f"{long} 1 1\n")):
        with pytest.raises(ParseError, match=r"line 1: field \d is an integer above 2\^63 - 1 .pass ids='strings'"):
            open_graph_file(stored(tmp_path, name, content))
    assert open_graph_file(tmp_path / "e.el", ids="strings").n_vertices == 2
    with pytest.raises(ParseError, match=r"line 1: 'x9{56}\.\.\.' is not a number"):
        open_graph_file(stored(tmp_path, "e.wel", f"1 2 x{long}\n"))
    wide = stored(tmp_path, "e.el", f"1 {2**63 - 1}\n")
    assert open_graph_file(wide).ids.labels(0, 2).tolist() == [1, 2**63 - 1]
    with pytest.raises(FormatError, match=r"ids='as-is' .* 9223372036854775807"):
        open_graph_file(wide, ids="as-is")


@pytest.mark.parametrize("header", ["userId,movieId,rating", "user_id,item_id,n", "reader,book,stars", "USER,Movie,x"])
def test_two_kinds_of_vertices_in_one_id_space(tmp_path, header):
    path = stored(tmp_path, "e.csv", f"{header}\n1,1,5\n1,2,4\n3,2,1\n")
    first, second, _ = header.split(",")
    with pytest.warns(LuxWarning, match=rf"ids in the columns '{first}' and '{second}' are .* pass bipartite=True"):
        assert open_graph_file(path).n_vertices == 3
    assert open_graph_file(path, bipartite=True).n_vertices == 4
    stored(tmp_path, "e.csv", f"{header}\n1,7,5\n1,8,4\n3,9,1\n")
    assert open_graph_file(path).n_vertices == 5


@pytest.mark.parametrize(
    "names",
    [
        "source,target", "Source,Target", "src,dst", "from,to", "u,v", "x,y", "FromNodeId,ToNodeId", "node_1,node_2",
        "id1,id2", "user1,user2", "userA,userB", "src_ip,dst_ip", "follower,followee", "citing,cited", "a,b",
        "person id from,person id to", "id,friend", "source_id,target_id", "head,tail", "parent,child", "ID_A,ID_B",
    ],
)  # fmt: skip
def test_names_of_two_ends(tmp_path, names):
    first, second = names.split(",")
    assert open_graph_file(stored(tmp_path, "e.csv", f"{first},{second}\n1,2\n2,3\n")).n_vertices == 3
    assert open_graph_file(stored(tmp_path, "e.tsv", f"{first}\t{second}\n1\t2\n2\t3\n")).n_vertices == 3
