# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A prepared graph in a folder."""

import contextlib
import json
import os
import shutil

import numpy as np
import pytest

import lux
from lux.errors import FileError, FormatError, LuxError
from lux.io.saved import save
from lux_cases.profiles import summarize
from lux_cases.stores import to_array

GRAPHS = {
    "plain": lux.toy.kite,
    "strings": lambda: lux.from_edges(["b", "é", "a"], ["é", "a", "b"]),
    "gaps": lambda: lux.from_edges([10, 30], [30, 20]),
    "one-based": lambda: lux.from_edges([1, 2], [2, 3]),
    "bipartite": lambda: lux.from_edges([2, 10, 2], [1, 1, 3], bipartite=True, directed=False),
    "properties": lambda: lux.from_edges([0, 1], [1, 2], weight=[1.5, 2.5], kind=np.array([1, 2], np.int8)),
    "undirected": lux.toy.two_triangles,
    "no edges": lambda: lux.from_edges([], [], n_vertices=3),
}


def same(a, b):
    assert (a.n_vertices, a.n_edges, a.directed, a.ids) == (b.n_vertices, b.n_edges, b.directed, b.ids)
    assert a.property_types == b.property_types
    first, second = a.dense_edge_list(), b.dense_edge_list()
    assert first.sources.tolist() == second.sources.tolist()
    assert first.destinations.tolist() == second.destinations.tolist()
    assert {k: v.tolist() for k, v in first.properties.items()} == {k: v.tolist() for k, v in second.properties.items()}


@pytest.mark.parametrize("name", GRAPHS)
def test_round_trip(name, tmp_path):
    graph = GRAPHS[name]()
    graph.save(tmp_path / "saved")
    same(lux.load_graph(tmp_path / "saved"), graph)
    assert [p.name for p in tmp_path.iterdir()] == ["saved"]


@pytest.mark.check
def test_a_loaded_graph_runs(tmp_path):
    lux.toy.kite().save(str(tmp_path / "saved"))
    graph = lux.load_graph(str(tmp_path / "saved"))
    assert lux.bfs(graph, 0, parts=2).distances.to_numpy().tolist() == [0, 1, 1, 1, 2, 1, 2, 2, 3, 4]


def test_a_saved_graph_is_replaced_and_nothing_else_is(tmp_path):
    place = tmp_path / "saved"
    lux.toy.two_triangles().save(place)
    lux.toy.path(3).save(place)
    same(lux.load_graph(place), lux.toy.path(3))
    assert not list(place.glob("property-*"))
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").write_text("meow")
    with pytest.raises(FileError, match="photos exists and is not a saved graph: choose another name"):
        lux.toy.path(3).save(other)
    assert (other / "cat.jpg").read_text() == "meow"
    with pytest.raises(FileError, match=r"cannot write .*/saved: there is no folder .*/missing; create it first"):
        lux.toy.path(3).save(tmp_path / "missing" / "saved")


def test_what_is_no_saved_graph(tmp_path):
    with pytest.raises(FileError, match=r"nowhere is not the folder of a saved graph: there is none; check the name"):
        lux.load_graph(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match=r"file is not the folder of a saved graph: it is a file; lux\.read_graph"):
        lux.load_graph(tmp_path / "file")
    with pytest.raises(
        FileError, match=r"is not a saved graph: it has no graph\.json; graph\.save\(folder\) makes one"
    ):
        lux.load_graph(tmp_path)
    (tmp_path / "graph.json").write_text("{")
    with pytest.raises(FormatError, match="is not a saved graph"):
        lux.load_graph(tmp_path)
    (tmp_path / "graph.json").write_text("[]")
    with pytest.raises(FormatError, match="is not a saved graph"):
        lux.load_graph(tmp_path)


WRONG = [
    ("n_vertices", 0, "'n_vertices' is 0: it should be a whole number from 1"),
    ("n_vertices", "7", "'n_vertices' is \"7\""),
    ("n_vertices", 8, r"offsets\.npy has values of int64 and shape \(8,\): it should have int64 and shape \(9,\)"),
    ("n_edges", -1, "'n_edges' is -1"),
    ("n_edges", True, "'n_edges' is true"),
    ("n_edges", 10**30, "'n_edges' is 1000000"),
    ("n_edges", 2**61, r"sources\.npy has values"),
    ("directed", None, "'directed' is null: it should be true or false"),
    ("order", 3, "'order' is 3: it should be null or a name"),
    ("order", None, "'ranges' is 16: it should be null where there is no order"),
    ("ranges", -1, "'ranges' is -1"),
    ("points", 5, "'points' is 5"),
    ("points", [0, 5, 3, 7], r"'points' is \[0, 5, 3, 7\]: .* numbers that ascend from 0 to 7"),
    ("points", [1, 7], "'points'"),
    ("points", [0, 6], "'points'"),
    ("points", [0, 2.5, 7], "'points'"),
    ("properties", [1], r"'properties' is \[1\]: it should be names with types"),
    ("properties", {"weight": "O"}, "'properties' is"),
    ("properties", {"weight": ">i4"}, "'properties' is"),
    ("properties", {"weight": "<i4"}, r"property-0\.npy has values of int64 .* should have int32"),
    ("properties", {"weight": "<i8", "kind": "<i4"}, r"property-1\.npy: No such file"),
]


@pytest.mark.parametrize("key, value, message", WRONG)
def test_wrong_documents(key, value, message, saved_by_degree):
    document = saved_by_degree / "graph.json"
    document.write_text(json.dumps(json.loads(document.read_text()) | {key: value}))
    with pytest.raises((FormatError, FileError), match=message):
        lux.load_graph(saved_by_degree)


@pytest.mark.parametrize("content", [b"\xff", b"{", b"[" * 100_000, b"3", b'{"version": 2}', b'{"version": true}'])
def test_documents_that_are_none(content, saved_by_degree):
    (saved_by_degree / "graph.json").write_bytes(content)
    with pytest.raises(FormatError, match=r"is not a saved graph: graph\.json is wrong: "):
        lux.load_graph(saved_by_degree)


@pytest.fixture(scope="module")
def by_degree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs") / "saved"
    lux.toy.two_triangles().reordered("degree").save(folder)
    return folder


@pytest.fixture
def saved_by_degree(by_degree, tmp_path):
    """The folder of a graph of 7 vertices with an order and weights, to be damaged."""
    return shutil.copytree(by_degree, tmp_path / "saved")


def test_orders_that_contradict_each_other(saved_by_degree):
    places = saved_by_degree / "order-places.npy"
    for wrong in (np.zeros(7, np.uint32), np.roll(np.load(places), 1)):
        np.save(places, wrong)
        with pytest.raises(FormatError, match=r"order-vertices\.npy and order-places\.npy contradict each other"):
            lux.load_graph(saved_by_degree)


def test_ids_of_another_graph(saved_by_degree):
    np.savez(saved_by_degree / "ids.npz", kind=np.array("identity"), n=np.array(6))
    with pytest.raises(FormatError, match=r"ids\.npz names 6 vertices, and the graph has 7"):
        lux.load_graph(saved_by_degree)


def test_the_summary_of_another_graph(tmp_path):
    graph = lux.toy.path(3)
    summarize(graph)
    graph.save(tmp_path / "saved")
    same(lux.load_graph(tmp_path / "saved"), graph)
    other = lux.toy.path(4)
    summarize(other).write(tmp_path / "saved" / "summary.json")
    with pytest.raises(FormatError, match=r"summary\.json is the summary of another graph: delete the file"):
        lux.load_graph(tmp_path / "saved")


@pytest.mark.parametrize(
    "head", [b"", b"\x93NUMPY\x01\0\x06\0{'desc", b"\x93NUMPY\x01\0\x04\0{(1 ", b"\x93NUMPY\x09\0" + b"x" * 99]
)
def test_damaged_headers(head, saved_by_degree):
    (saved_by_degree / "sources.npy").write_bytes(head)
    with pytest.raises(FormatError, match=r"sources\.npy is no \.npy file, or is damaged"):
        lux.load_graph(saved_by_degree)


def test_random_damage_is_an_error_or_a_graph(saved_by_degree):
    random, whole = np.random.default_rng(1), {path: path.read_bytes() for path in sorted(saved_by_degree.iterdir())}
    for path in random.choice(list(whole), 150):
        content = bytearray(whole[path])
        for at in random.integers(0, len(content), random.integers(1, 4)):
            content[at] = random.integers(256)
        path.write_bytes(content[: random.integers(len(content))] if random.random() < 0.2 else content)
        with contextlib.suppress(LuxError):
            graph = lux.load_graph(saved_by_degree)
            assert len(graph.ids) == graph.n_vertices == 7
            assert graph.dense_edge_list().sources.max() < 7
            assert sorted(to_array(graph.order.places)) == [*range(7)]
        path.write_bytes(whole[path])


def test_a_folder_replaced_while_it_is_loaded(tmp_path, monkeypatch):
    lux.toy.path(5).save(tmp_path / "saved")
    read = save.read_ids

    def replaced(*given):
        found = read(*given)
        lux.toy.path(5).save(tmp_path / "saved")
        return found

    monkeypatch.setattr(save, "read_ids", replaced)
    with pytest.raises(FileError, match="was saved again while it was loaded: load it again"):
        lux.load_graph(tmp_path / "saved")


def test_a_column_truncated_while_it_is_loaded(tmp_path, monkeypatch):
    lux.generate("grid:30x30").save(tmp_path / "saved")
    read, column = save.read_ids, tmp_path / "saved" / "sources.npy"

    def truncated(*given):
        os.truncate(column, 1000)
        return read(*given)

    monkeypatch.setattr(save, "read_ids", truncated)
    with pytest.raises(FormatError, match=rf"sources\.npy ends at byte 1000 and had {column.stat().st_size} bytes"):
        lux.load_graph(tmp_path / "saved")


def test_another_version(tmp_path):
    lux.toy.path(3).save(tmp_path / "saved")
    meta = json.loads((tmp_path / "saved" / "graph.json").read_text())
    (tmp_path / "saved" / "graph.json").write_text(json.dumps(meta | {"version": 99}))
    with pytest.raises(FormatError, match="was saved in version 99 of the format; this Lux reads version 2"):
        lux.load_graph(tmp_path / "saved")


@pytest.mark.parametrize("name", ["offsets.npy", "sources.npy", "property-0.npy"])
def test_damaged_columns(name, tmp_path):
    lux.toy.two_triangles().save(tmp_path / "saved")
    column = tmp_path / "saved" / name
    whole = column.read_bytes()
    column.write_bytes(whole[:-8])
    with pytest.raises(FormatError, match=rf"{name} has {len(whole) - 8} bytes and its header takes {len(whole)}"):
        lux.load_graph(tmp_path / "saved")
    np.save(column, np.load(_restored(column, whole))[:-1])
    with pytest.raises(FormatError, match=rf"{name} has values of .* and shape .*: it should have .* and shape"):
        lux.load_graph(tmp_path / "saved")
    column.unlink()
    with pytest.raises(FileError, match="No such file"):
        lux.load_graph(tmp_path / "saved")


BAD = [("offsets", 3, 99), ("offsets", 3, -1), ("offsets", 0, 1), ("offsets", -1, 2)]
BAD += [("sources", 5, 99), ("order-vertices", 0, 99), ("order-places", 5, 99)]


@pytest.mark.parametrize("name, at, value", BAD)
def test_columns_that_name_what_is_not_there(name, at, value, tmp_path):
    lux.toy.two_triangles().reordered("degree").save(tmp_path / "saved")
    column = np.load(tmp_path / "saved" / f"{name}.npy")
    column[at] = value
    np.save(tmp_path / "saved" / f"{name}.npy", column)
    with pytest.raises(FormatError, match=f"{name}.npy is damaged"):
        lux.load_graph(tmp_path / "saved")


def test_a_link_to_a_folder_is_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for _ in range(2):
        lux.toy.path(3).save(tmp_path / "link")
        same(lux.load_graph(tmp_path / "real"), lux.toy.path(3))
    assert (tmp_path / "link").is_symlink()


def _restored(column, whole):
    column.write_bytes(whole)
    return column


@pytest.mark.parametrize("content", [None, b"", b"nonsense"])
def test_damaged_ids(content, tmp_path):
    lux.toy.path(3).save(tmp_path / "saved")
    place = tmp_path / "saved" / "ids.npz"
    place.unlink()
    if content is not None:
        place.write_bytes(content)
    with pytest.raises((FileError, FormatError)):
        lux.load_graph(tmp_path / "saved")
