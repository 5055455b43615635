# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A prepared graph in a folder."""

import json

import numpy as np
import pytest

import lux
from lux.errors import FileError, FormatError

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
    with pytest.raises(FileError, match="cannot be written: No such file or directory"):
        lux.toy.path(3).save(tmp_path / "missing" / "saved")


def test_what_is_no_saved_graph(tmp_path):
    with pytest.raises(FileError, match="nowhere is not a saved graph that can be read: No such file"):
        lux.load_graph(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="file is not a saved graph that can be read: Not a directory"):
        lux.load_graph(tmp_path / "file")
    (tmp_path / "graph.json").write_text("{")
    with pytest.raises(FormatError, match="is not a saved graph"):
        lux.load_graph(tmp_path)
    (tmp_path / "graph.json").write_text("[]")
    with pytest.raises(FormatError, match="is not a saved graph"):
        lux.load_graph(tmp_path)


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
    with pytest.raises(FormatError, match="is not a saved graph"):
        lux.load_graph(tmp_path / "saved")
    np.save(column, np.load(_restored(column, whole))[:-1])
    with pytest.raises(FormatError, match=r"does not have the \d+ entries that graph\.json says"):
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
