# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Saved graphs: .lux files of version 2."""

import contextlib
import json
import os
import shutil
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.errors import FileError, FormatError, GraphError, LuxError, ParameterError
from lux.io.files.atomic import part_path
from lux.io.files.content import FileContent
from lux.io.saved import header as headers
from lux.io.saved import sections
from lux.io.saved.header import ENTRY, HEADER, Header
from lux_cases.old_lux import write_old
from lux_cases.profiles import summarize
from lux_cases.stores import to_array

GRAPHS = {
    "plain": lux.toy.kite,
    "strings": lambda: lux.from_edges(["b", "é", "a"], ["é", "a", "b"]),
    "gaps": lambda: lux.from_edges([10, 30], [30, 20]),
    "64 bits": lambda: lux.from_edges(np.array([2**63 + 5, 3], np.uint64), np.array([3, 7], np.uint64)),
    "one-based": lambda: lux.from_edges([1, 2], [2, 3]),
    "bipartite": lambda: lux.from_edges([2, 10, 2], [1, 1, 3], bipartite=True, directed=False),
    "bipartite strings": lambda: lux.from_edges(["x", "y"], ["x", "z"], bipartite=True),
    "properties": lambda: lux.from_edges([0, 1], [1, 2], weight=[1.5, 2.5], kind=np.array([1, 2], np.int8)),
    "by degree": lambda: lux.toy.two_triangles().reordered("degree"),
    "partitioned": lambda: lux.toy.grid(5, 5).partitioned("random", 3),
    "no edges": lambda: lux.from_edges([], [], n_vertices=3),
}


def same(a, b):
    assert (a.n_vertices, a.n_edges, a.directed, a.ids) == (b.n_vertices, b.n_edges, b.directed, b.ids)
    assert a.property_types == b.property_types
    first, second = a.dense_edge_list(), b.dense_edge_list()
    assert first.sources.tolist() == second.sources.tolist()
    assert first.destinations.tolist() == second.destinations.tolist()
    assert {k: v.tolist() for k, v in first.properties.items()} == {k: v.tolist() for k, v in second.properties.items()}
    assert (a.order is None) == (b.order is None)
    if a.order is not None:
        assert (a.order.name, a.order.ranges) == (b.order.name, b.order.ranges)
        assert to_array(a.order.vertices).tolist() == to_array(b.order.vertices).tolist()
        assert np.array_equal(a.order.points, b.order.points)


@pytest.mark.check
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("read", [lux.load_graph, lux.read_graph])
def test_round_trip(name, read, tmp_path):
    graph = GRAPHS[name]()
    graph.save(tmp_path / "g.lux")
    same(read(tmp_path / "g.lux"), graph)
    assert [p.name for p in tmp_path.iterdir()] == ["g.lux"]


IDS = {
    "dense": lambda numbers: numbers,
    "sparse": lambda numbers: numbers * 10_000_019 - 5,
    "64 bits": lambda numbers: numbers.astype(np.uint64) + np.uint64(2**63),
    "strings": lambda numbers: [f"é{number}" for number in numbers.tolist()],
}


@given(
    ends=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40),
    ids=st.sampled_from(sorted(IDS)),
    directed=st.booleans(),
    bipartite=st.booleans(),
    types=st.lists(st.sampled_from(["?", "i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]), max_size=3),
    order=st.sampled_from(["given", "degree"]),
    piece=st.sampled_from([8, 64, 1 << 18]),
)
def test_any_graph_comes_back(tmp_path_factory, ends, ids, directed, bipartite, types, order, piece):
    u, v = (IDS[ids](np.array(column)) for column in zip(*ends, strict=True))
    values = np.arange(len(ends)) % 100
    properties = {f"p{k}": values.astype(kind) for k, kind in enumerate(types)}
    graph = lux.from_edges(u, v, directed=directed, bipartite=bipartite, **properties).reordered(order)
    path = tmp_path_factory.mktemp("any") / "g.lux"
    with pytest.MonkeyPatch.context() as patch:  # sections of many pieces
        patch.setattr(headers, "PIECE", piece)
        graph.save(path)
        same(lux.load_graph(path), graph)


def test_a_file_of_many_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(headers, "PIECE", 64)
    graph = lux.generate("rmat:8,8", weights=(1, 9)).reordered("degree")
    graph.save(tmp_path / "g.lux")
    header, sums = Header.read(FileContent(tmp_path / "g.lux"))
    assert len(sums) > 200
    assert all(section.position % 4096 == 0 for section in header.sections.values())
    same(lux.load_graph(tmp_path / "g.lux"), graph)
    content = (tmp_path / "g.lux").read_bytes()
    for name in ("sources", "property-0"):
        section, read = header.sections[name], sections.SavedFile(FileContent(tmp_path / "g.lux"))
        whole = np.frombuffer(content, section.dtype, section.length, section.position)
        for first, last in ((0, section.length), (5, 6), (15, 17), (16, 32), (7, 100), (40, 40)):
            values = np.empty(last - first, section.dtype)
            read.read(section, first, values)
            assert values.tolist() == whole[first:last].tolist()


def test_a_loaded_graph_runs(tmp_path):
    lux.toy.kite().save(str(tmp_path / "g.lux"))
    graph = lux.load_graph(str(tmp_path / "g.lux"))
    assert lux.bfs(graph, 0, parts=2).distances.to_numpy().tolist() == [0, 1, 1, 1, 2, 1, 2, 2, 3, 4]


def test_names_of_files(tmp_path):
    place = tmp_path / "g.lux"
    lux.toy.two_triangles().save(place)
    lux.toy.path(3).write(place)
    same(lux.load_graph(place), lux.toy.path(3))
    lux.toy.path(4).write(tmp_path / "any", "lux")
    same(lux.load_graph(tmp_path / "any"), lux.toy.path(4))
    with pytest.raises(FormatError, match=r"a saved graph is a \.lux file: pass '.*/votes' \+ '\.lux'"):
        lux.toy.path(3).save(tmp_path / "votes")
    with pytest.raises(FileError, match=r"cannot write .*: there is no folder .*/missing; create it first"):
        lux.toy.path(3).save(tmp_path / "missing" / "g.lux")
    (tmp_path / "folder.lux").mkdir()
    with pytest.raises(FileError, match="it is a folder; pass the name of a file"):
        lux.toy.path(3).save(tmp_path / "folder.lux")


def test_a_saved_graph_takes_the_place_of_an_old_file_with_a_sidecar(tmp_path):
    old = lux.from_edges(["a", "b"], ["b", "c"], directed=False)
    write_old(old, tmp_path / "g.lux")
    read = lux.read_graph(tmp_path / "g.lux")
    same(read, old)
    read.save(tmp_path / "g.lux")
    assert [path.name for path in tmp_path.iterdir()] == ["g.lux"]
    same(lux.read_graph(tmp_path / "g.lux"), old)


def test_what_is_no_saved_graph(tmp_path):
    with pytest.raises(FileError, match=r"there is no file .*nowhere\.lux: check the name"):
        lux.load_graph(tmp_path / "nowhere.lux")
    (tmp_path / "file.lux").write_text("x" * 99)
    with pytest.raises(FormatError, match=r"file\.lux is no saved graph: .*; lux\.read_graph reads other files"):
        lux.load_graph(tmp_path / "file.lux")
    (tmp_path / "graph.json").write_text("{}")
    for read in (lux.load_graph, lux.read_graph):
        with pytest.raises(FileError, match=r"is a folder that Lux 0\.1 saved, .* load it with that Lux, write a \.sg"):
            read(tmp_path)


def test_options(tmp_path):
    graph = lux.from_edges([0, 0, 1, 1], [0, 1, 2, 2], weight=[1, 2, 3, 4], day=[5, 6, 7, 8])
    graph.save(tmp_path / "g.lux")
    types = {"weight": np.int64, "day": np.int64}
    for options, names in (
        ({}, ["weight", "day"]),
        ({"directed": True, "weighted": True}, ["weight", "day"]),
        ({"weighted": False}, ["day"]),
        ({"properties": ["day"]}, ["day"]),
        ({"properties": []}, []),
    ):
        found = lux.read_graph(tmp_path / "g.lux", **options)
        assert found.property_types == {name: types[name] for name in names}
    assert lux.read_graph(tmp_path / "g.lux", drop_loops=True, drop_repeats=True).n_edges == 2
    with pytest.raises(ParameterError, match=r"directed=False contradicts .*, which is directed as stored"):
        lux.read_graph(tmp_path / "g.lux", directed=False)
    with pytest.raises(GraphError, match=r"has no property 'year'; its properties are \['weight', 'day'\]"):
        lux.read_graph(tmp_path / "g.lux", properties=["year"])
    with pytest.raises(ParameterError, match="ids='as-is' has no meaning for a saved graph: leave it out"):
        lux.read_graph(tmp_path / "g.lux", ids="as-is")
    lux.toy.path(3).save(tmp_path / "g.lux")
    with pytest.raises(GraphError, match="has no property 'weight': leave out weighted=True"):
        lux.read_graph(tmp_path / "g.lux", weighted=True)


def test_progress(tmp_path):
    lux.generate("grid:30x30").save(tmp_path / "g.lux")
    seen = []
    lux.read_graph(tmp_path / "g.lux", progress=lambda done, of: seen.append((done, of)))
    assert 0 < seen[0][0] < seen[-1][0] <= seen[-1][1]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a saved graph with all kinds of sections."""
    graph = lux.from_edges(["a", "b", "c", "a"], ["b", "c", "d", "e"], weight=[1, 2, 3, 4]).reordered("degree")
    path = tmp_path_factory.mktemp("whole") / "g.lux"
    graph.save(path)
    return path.read_bytes()


def sections_of(content, tmp_path):
    (tmp_path / "read.lux").write_bytes(content)
    return Header.read(FileContent(tmp_path / "read.lux"))[0].sections


def refused(content, tmp_path, message):
    """Load these bytes, which are refused."""
    (tmp_path / "g.lux").write_bytes(content)
    with pytest.raises(FormatError, match=message):
        lux.read_graph(tmp_path / "g.lux")


SECTIONS = ["checksums", "document", "offsets", "sources", "order-vertices", "order-places", "property-0"]
SECTIONS += ["ids.text", "ids.offsets"]


@pytest.mark.check
def test_a_flipped_byte_names_its_section(whole, tmp_path):
    found = sections_of(whole, tmp_path)
    assert list(found) == SECTIONS
    for name, section in found.items():
        for at in (0, section.nbytes // 2, section.nbytes - 1):
            content = bytearray(whole)
            content[section.position + at] ^= 4
            refused(bytes(content), tmp_path, rf"g\.lux is damaged in section '{name}'.*copy the file again, or save")
    for at in range(12, HEADER.size + ENTRY.size * len(found)):
        content = bytearray(whole)
        content[at] ^= 1
        name = "header" if at < HEADER.size else "table of sections"
        refused(bytes(content), tmp_path, rf"g\.lux is damaged in section '{name}'")


def test_other_lengths_versions_and_magic(whole, tmp_path):
    for length in (len(whole) - 1, 5000, HEADER.size):
        refused(whole[:length], tmp_path, rf"has {length} bytes, and its header says {len(whole)}: it is truncated")
    refused(whole + b"\0", tmp_path, "it is truncated or has too much")
    refused(whole[:30], tmp_path, "has 30 bytes, and its header takes 64: it is truncated")
    refused(whole[:8] + b"\3" + whole[9:], tmp_path, r"is a \.lux file of version 3, and this Lux reads version 2")
    refused(b"\x88" + whole[1:], tmp_path, r"its header says .* it is truncated, too long or no \.lux file")


def sealed(content, **fields):
    """Change fields of the header of a file, with the checksums that belong to it."""
    names = ["magic", "version", "order", "n", "m", "flags", "count", "length", "number", "table", "head"]
    values = dict(zip(names, HEADER.unpack_from(content), strict=True)) | fields
    end = HEADER.size + ENTRY.size * values["count"]
    values["table"] = zlib.crc32(content[HEADER.size : end])
    head = HEADER.pack(*values.values())[:-4]
    return head + struct.pack("<I", zlib.crc32(head)) + content[HEADER.size :]


def test_absurd_sizes_are_refused_before_memory_is_taken(whole, tmp_path):
    assert sealed(whole) == whole
    refused(sealed(whole, n=2**61), tmp_path, r"section 'offsets' has 6 values of int64: it should have \d{19} ")
    refused(sealed(whole, m=2**61), tmp_path, "section 'sources' has 4 values of uint32: it should have")
    refused(sealed(whole, n=2**63), tmp_path, "is damaged in section 'table of sections'")
    refused(sealed(whole, n=0), tmp_path, "is damaged in section 'table of sections'")
    refused(sealed(whole, length=2**62), tmp_path, "its header says 4611686018427387904: it is truncated")
    refused(sealed(whole, count=0), tmp_path, "is damaged in section 'table of sections'")
    refused(sealed(whole, count=2**32 - 1), tmp_path, "is damaged in section 'table of sections'")
    for position, length in ((4096, 2**62), (2**63, 2), (0, 1), (4097, 1)):
        changed = bytearray(whole)
        struct.pack_into("<QQ", changed, HEADER.size + 40, position, length)
        refused(sealed(bytes(changed)), tmp_path, "is damaged in section 'table of sections'")
    changed = bytearray(whole)
    changed[HEADER.size + 32 : HEADER.size + 40] = b"|O".ljust(8, b"\0")
    refused(sealed(bytes(changed)), tmp_path, r"has values of type '\|O', and those of a graph are one of")


def with_section(whole, tmp_path, name, change):
    """Change the values of a section, with the checksums that belong to it."""
    (tmp_path / "read.lux").write_bytes(whole)
    header, sums = Header.read(FileContent(tmp_path / "read.lux"))
    section, content = header.sections[name], bytearray(whole)
    values = np.frombuffer(whole, section.dtype, section.length, section.position).copy()
    change(values)
    content[section.position : section.position + section.nbytes] = values.tobytes()
    sums[section.first] = zlib.crc32(values)
    head = header.pack(sums)
    content[: len(head)] = head
    at = header.sections["checksums"].position
    content[at : at + sums.nbytes] = sums.tobytes()
    return bytes(content)


def put(at, value):
    def change(values):
        values[at] = value

    return change


@pytest.mark.parametrize(
    "name, change, message",
    [
        ("offsets", put(3, 99), "section 'offsets' names edges that are not there"),
        ("offsets", put(3, -1), "section 'offsets' names edges that are not there"),
        ("offsets", put(0, 1), "section 'offsets' names edges that are not there"),
        ("offsets", put(-1, 2), "section 'offsets' names edges that are not there"),
        ("sources", put(2, 5), "section 'sources' names edges or vertices that are not there"),
        ("order-vertices", put(0, 9), "section 'order-vertices' names edges or vertices that are not there"),
        ("order-places", put(slice(None), 0), "'order-vertices' and 'order-places' contradict each other"),
        ("ids.offsets", put(1, 2), "the names of vertices are not in ascending order"),
        ("document", put(0, ord("[")), "is no saved graph: it is no JSON"),
    ],
)
def test_impossible_values_with_right_checksums(whole, tmp_path, name, change, message):
    refused(with_section(whole, tmp_path, name, change), tmp_path, message)


WRONG = [
    ("properties", ["a", "a"], r"'properties' is \[\"a\", \"a\"\]: it should be different names"),
    ("properties", 3, "'properties' is 3"),
    ("properties", [], "section 'property-0' is none of a graph"),
    ("properties", ["weight", "day"], r"section 'property-1' \(day\) should have a value for each of 4 edges"),
    ("order", 3, "'order' is 3: it should be null or a name"),
    ("order", None, "'ranges' is 16: it should be a number where there is an order"),
    ("ranges", -1, "'ranges' is -1"),
    ("points", 5, "'points' is 5"),
    ("points", [0, 3, 2, 5], r"'points' is \[0, 3, 2, 5\]: .* numbers that ascend from 0 to 5"),
    ("points", [0, 2.5, 5], "'points'"),
    ("ids", {"kind": "magic"}, "'magic' is no kind of vertex ids"),
    ("ids", {"kind": "identity", "n": 4}, "it names 4 vertices, and has 5"),
    ("ids", {"kind": "identity"}, "the array 'n' of vertex ids is missing"),
    ("ids", {"kind": 2**70}, "'ids' is"),
    ("summary", {}, "its summary is wrong"),
]


@pytest.mark.parametrize("key, value, message", WRONG)
def test_wrong_documents(tmp_path, monkeypatch, key, value, message):
    text = sections.SavedWriter.write

    def changed(writer, section, first, values):
        if section.name == "document":
            found = json.loads(values.tobytes())
            written = json.dumps({"x": " " * 4000} | found | {key: value}).encode()
            values = np.frombuffer(written.replace(b'"x": "' + b" " * 4000, b'"x": "').ljust(section.length), np.uint8)
        text(writer, section, first, values)

    graph = lux.from_edges(["a", "b", "c", "a"], ["b", "c", "d", "e"], weight=[1, 2, 3, 4]).reordered("degree")
    from lux.io.saved.document import Document

    whole_text = Document.text
    monkeypatch.setattr(Document, "text", lambda self: whole_text(self).ljust(600))
    monkeypatch.setattr(sections.SavedWriter, "write", changed)
    graph.save(tmp_path / "g.lux")
    with pytest.raises(FormatError, match=message):
        lux.load_graph(tmp_path / "g.lux")


def test_random_damage_is_an_error_or_the_graph(whole, tmp_path):
    random, path = np.random.default_rng(1), tmp_path / "g.lux"
    path.write_bytes(whole)
    expected = lux.load_graph(path)
    for _ in range(150):
        content = bytearray(whole)
        for at in random.integers(0, len(content), random.integers(1, 4)):
            content[at] = random.integers(256)
        path.write_bytes(content[: random.integers(len(content))] if random.random() < 0.2 else content)
        with contextlib.suppress(LuxError):
            same(lux.load_graph(path), expected)  # what lies between sections is of no section


def test_a_file_replaced_or_truncated_while_it_is_loaded(tmp_path, monkeypatch):
    path, graph = tmp_path / "g.lux", lux.generate("grid:30x30")
    graph.save(path)
    read = sections.Header.read
    size = path.stat().st_size

    def replaced(content):
        found = read(content)
        lux.toy.path(5).save(path)
        return found

    monkeypatch.setattr(sections.Header, "read", replaced)
    same(lux.load_graph(path), graph)
    monkeypatch.undo()
    graph.save(path)

    def truncated(content):
        found = read(content)
        os.truncate(path, size - 1000)
        return found

    monkeypatch.setattr(sections.Header, "read", truncated)
    with pytest.raises(FormatError, match=rf"g\.lux ends at byte {size - 1000} and had {size} bytes"):
        lux.load_graph(path)


def test_the_summary_of_a_graph(tmp_path):
    graph = lux.toy.path(3)
    found = summarize(graph)
    graph.save(tmp_path / "g.lux")
    assert lux.load_graph(tmp_path / "g.lux").summary == found


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    lux.toy.path(3).save(tmp_path / "g.lux")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(FileError, match=r"cannot write .*/g\.lux: No space left on device"):
            lux.toy.kite().save(tmp_path / "g.lux")
    assert [path.name for path in tmp_path.iterdir()] == ["g.lux"]
    same(lux.load_graph(tmp_path / "g.lux"), lux.toy.path(3))


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    lux.toy.path(3).save(tmp_path / "g.lux")
    write, seen = sections.write_section, []

    def interrupted(writer, name, store):
        seen.append(name)
        if name == "sources":
            raise KeyboardInterrupt
        write(writer, name, store)

    monkeypatch.setattr(sections, "write_section", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lux.toy.kite().save(tmp_path / "g.lux")
    assert seen == ["offsets", "sources"]
    assert [path.name for path in tmp_path.iterdir()] == ["g.lux"]
    same(lux.load_graph(tmp_path / "g.lux"), lux.toy.path(3))


def test_what_a_killed_process_leaves_is_no_graph(tmp_path, monkeypatch):
    kept = tmp_path / "kept.lux"
    write = sections.write_section

    def killed(writer, name, store):
        write(writer, name, store)
        shutil.copy(part_path(writer.path), kept)

    with monkeypatch.context() as patch:
        patch.setattr(sections, "write_section", killed)
        lux.toy.kite().save(tmp_path / "g.lux")
    with pytest.raises(FormatError, match="is no saved graph"):
        lux.load_graph(kept)
    with pytest.raises(FormatError, match=r"it is truncated, too long or no \.lux file"):
        lux.read_graph(kept)
    kept.rename(part_path(tmp_path / "g.lux"))
    lux.toy.path(3).save(tmp_path / "g.lux")
    assert [path.name for path in tmp_path.iterdir()] == ["g.lux"]


def test_a_link_to_a_file_is_followed(tmp_path):
    (tmp_path / "link.lux").symlink_to(tmp_path / "real.lux")
    for _ in range(2):
        lux.toy.path(3).save(tmp_path / "link.lux")
        same(lux.load_graph(tmp_path / "real.lux"), lux.toy.path(3))
    assert (tmp_path / "link.lux").is_symlink()
