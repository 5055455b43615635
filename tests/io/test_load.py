# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from files, and back into files."""

import contextlib
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import lux
from lux.errors import FileError, FormatError, GraphError, LuxWarning, ParameterError, ParseError
from lux_cases.old_lux import write_old

REPOSITORY = Path(__file__).parents[2]

GRAPHS = {
    "identity": lambda w, **more: lux.from_edges([0, 1, 2, 2, 1], [1, 2, 0, 2, 2], w, **more),
    "one-based": lambda w, **more: lux.from_edges([1, 2, 3, 3, 2], [2, 3, 1, 3, 3], w, **more),
    "gaps": lambda w, **more: lux.from_edges([10, 20, 70, 70, 20], [20, 70, 10, 70, 70], w, **more),
    "strings": lambda w, **more: lux.from_edges(["a", "b", "é", "é", "b"], ["b", "é", "a", "é", "é"], w, **more),
}


def named_edges(graph):
    """Edges in the user's ids with their weights, each undirected edge once, sorted."""
    edges = graph.dense_edge_list()
    labels = graph.ids.labels(0, graph.n_vertices)
    weights = edges.properties.get("weight", np.zeros(edges.n_edges))
    rows = zip(labels[edges.sources].tolist(), labels[edges.destinations].tolist(), weights.tolist(), strict=True)
    return sorted((u, v, w) if graph.directed else (*sorted((u, v)), w) for u, v, w in rows)


CASES = [
    (ids, name, weighted)
    for ids in GRAPHS
    for name in ("g.lux", "g.sg", "g.wsg", "g.mtx", "g.parquet")
    for weighted in (False, True)
    if weighted != {"g.sg": True, "g.wsg": False}.get(name)
]


@pytest.mark.parametrize("ids,name,weighted", CASES)
def test_round_trip(ids, name, weighted, tmp_path):
    weights = np.array([3, 1, 4, 1, 5], np.int32) if weighted else None
    graph = GRAPHS[ids](weights, drop_repeats=name == "g.mtx")  # of which readers make one edge
    graph.write(tmp_path / name)
    back = lux.read_graph(tmp_path / name)
    assert back.directed
    found, expected = named_edges(back), named_edges(graph)
    assert not (name == "g.mtx" and ids == "one-based" and (tmp_path / "g.mtx.ids.npz").exists())
    if not weighted:
        found = [(u, v, 0) for u, v, _ in found]
    assert found == expected


@pytest.mark.parametrize("name", ["g.csv", "g.el", "g.mtx", "g.parquet"])
@pytest.mark.parametrize("directed", [False, True])
def test_slices_make_one_file(tmp_path, edges_at_once, name, directed):
    ends = np.random.default_rng(7).integers(0, 40, (2, 300)) * 3
    graph = lux.from_edges(*ends, directed=directed, drop_repeats=name == "g.mtx")
    (tmp_path / "whole").mkdir()
    said = []
    for n, folder in ((1 << 22, tmp_path / "whole"), (7, tmp_path)):
        edges_at_once(n)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            graph.write(folder / name)
        said.append([str(each.message).replace(str(folder), "") for each in caught])
        assert named_edges(lux.read_graph(folder / name, directed=directed)) == named_edges(graph)
    assert said[0] == said[1]
    if not name.endswith("parquet"):  # whose slices are row groups
        assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("name", ["g.lux", "g.sg", "g.mtx", "g.parquet"])
def test_round_trip_of_an_undirected_graph(name, tmp_path):
    graph = lux.toy.kite()
    graph.write(tmp_path / name)
    back = lux.read_graph(tmp_path / name)
    assert not back.directed
    assert back.n_edges == graph.n_edges
    assert named_edges(back) == named_edges(graph)


def test_matrices_of_two_sides_and_of_repeated_edges(tmp_path):
    path = tmp_path / "g.mtx"
    graph = lux.from_edges([1, 10, 2, 2], [8, 9, 9, 9], [1, 2, 3, 4], directed=False, bipartite=True)
    with pytest.warns(
        LuxWarning, match=r"repeated edges \(1 more than once\) become one .*drop_repeats=True"
    ) as caught:
        graph.write(path)
    assert caught[0].filename == __file__
    for bipartite in (False, True):
        back = lux.read_graph(path, bipartite=bipartite)
        assert named_edges(back) == [("left:1", "right:8", 1), ("left:10", "right:9", 2), ("left:2", "right:9", 7)]
    lux.from_edges(["a", "b"], ["b", "c"]).write(path)
    assert named_edges(lux.read_graph(path, bipartite=True, directed=True))[0][:2] == ("left:a", "right:b")


LONELY = {
    "identity": lambda: lux.generate("kronecker:6"),
    "one-based": lambda: lux.from_edges([1, 3], [3, 4], directed=False).subgraph([1, 3]),
    "gaps": lambda: lux.from_edges([10, 20, 70], [20, 70, 90], directed=False).subgraph([10, 70, 90]),
    "strings": lambda: lux.from_edges(["a", "b", "c"], ["b", "c", "d"]).subgraph(list("acd")),
    "bipartite": lambda: lux.from_edges([1, 10, 2], [8, 9, 9], directed=False, bipartite=True),
}


@pytest.mark.parametrize("ids", LONELY)
def test_parquet_keeps_direction_and_lone_vertices(ids, tmp_path):
    graph = LONELY[ids]()
    graph.write(tmp_path / "g.parquet")
    back = lux.read_graph(tmp_path / "g.parquet")
    assert (back.directed, back.n_edges, back.ids) == (graph.directed, graph.n_edges, graph.ids)
    assert named_edges(back) == named_edges(graph)
    with contextlib.nullcontext() if graph.directed else pytest.raises(ParameterError, match="is undirected"):
        lux.read_graph(tmp_path / "g.parquet", directed=True)
    beside = tmp_path / "g.parquet.ids.npz"
    assert beside.exists() == (ids in {"gaps", "strings", "bipartite"})
    if ids in {"gaps", "strings"}:
        beside.unlink()
        with pytest.raises(FormatError, match=r"with 3 vertices: .*ids\.npz, which names them, is missing; put it"):
            lux.read_graph(tmp_path / "g.parquet")
        lux.toy.path(3).write(tmp_path / "g.parquet")
        assert not beside.exists()


@pytest.mark.check
def test_ids_beside_a_file_go_with_it(tmp_path):
    path = tmp_path / "g.sg"
    GRAPHS["strings"](None).write(path)
    assert lux.read_graph(path).ids.labels(0, 3).tolist() == ["a", "b", "é"]
    GRAPHS["identity"](None).write(path)
    assert lux.read_graph(path).ids.labels(0, 3).tolist() == [0, 1, 2]
    GRAPHS["gaps"](None).write(tmp_path / "other.sg")
    (tmp_path / "other.sg.ids.npz").rename(tmp_path / "kite.sg.ids.npz")
    lux.toy.path(9).write(tmp_path / "plain.sg")
    (tmp_path / "plain.sg").rename(tmp_path / "kite.sg")
    with pytest.raises(FormatError, match=r"kite\.sg\.ids\.npz was not written with .*: it belongs to another file"):
        lux.read_graph(tmp_path / "kite.sg")


def test_files_move_with_what_is_beside_them_and_are_read_through_links(tmp_path):
    path, link = tmp_path / "g.sg", tmp_path / "link.sg"
    link.symlink_to(path)
    GRAPHS["strings"](None).write(link)
    assert {file.name for file in tmp_path.iterdir()} == {"g.sg", "g.sg.ids.npz", "link.sg"}
    assert lux.read_graph(link).ids.labels(0, 3).tolist() == ["a", "b", "é"]
    for name in ("g.sg", "g.sg.ids.npz"):
        (tmp_path / name).rename(tmp_path / f"moved-{name}")
    assert lux.read_graph(tmp_path / "moved-g.sg").ids.labels(0, 3).tolist() == ["a", "b", "é"]


@pytest.mark.parametrize("name", ["g.sg", "g.mtx", "g.parquet"])
def test_a_file_replaced_by_another_program_is_not_given_the_old_names(tmp_path, name):
    path = tmp_path / name
    graph = lux.from_edges(["a", "b", "c"], ["b", "c", "d"]).subgraph(["a", "b", "d"])
    graph.write(path)
    assert lux.read_graph(path).ids == graph.ids
    beside = tmp_path / f"{name}.ids.npz"
    names = beside.read_bytes()
    lux.from_edges(["a", "d", "c"], ["b", "b", "d"]).subgraph(["a", "b", "d"]).write(path)  # as large as that
    beside.write_bytes(names)
    with pytest.raises(FormatError, match=rf"{name}\.ids\.npz was not written with .* Remove it, or write both again"):
        lux.read_graph(path)


def test_names_of_an_earlier_version_are_read_with_a_warning(tmp_path):
    graph = lux.from_edges(["a", "b"], ["b", "c"], directed=False)
    write_old(graph, tmp_path / "g.lux")
    np.savez(tmp_path / "g.lux.ids.npz", undirected=np.array(True), **graph.ids.to_arrays())
    with pytest.warns(LuxWarning, match=r"ids\.npz does not say to which file it belongs") as caught:
        back = lux.read_graph(tmp_path / "g.lux")
    assert len(caught) == 1
    assert (back.ids, back.directed) == (graph.ids, False)
    np.savez(tmp_path / "g.lux.ids.npz", **lux.toy.path(9).ids.to_arrays())
    with (
        pytest.warns(LuxWarning),
        pytest.raises(FormatError, match=r"names 9 vertices and .* has 3: it belongs to another graph"),
    ):
        lux.read_graph(tmp_path / "g.lux")


@pytest.mark.parametrize("name", ["g.mtx", "g.parquet"])
def test_names_that_are_missing(tmp_path, name):
    lux.from_edges([2, 10, 2], [1, 1, 3], bipartite=True).write(tmp_path / name)
    (tmp_path / f"{name}.ids.npz").unlink()
    with pytest.raises(FormatError, match=rf"{name}\.ids\.npz"):
        lux.read_graph(tmp_path / name)


def test_damaged_ids_beside_a_file(tmp_path):
    write_old(GRAPHS["strings"](None), tmp_path / "g.lux")
    (tmp_path / "g.lux.ids.npz").write_bytes(b"nonsense")
    with pytest.raises(FormatError, match=r"ids\.npz"):
        lux.read_graph(tmp_path / "g.lux")


def test_what_formats_cannot_hold(tmp_path):
    graph = lux.from_edges([0, 1], [1, 2], weight=[1, 2], kind=[1, 2])
    for name in ("sg", "mtx"):
        with pytest.raises(
            FormatError, match=rf"{name} holds no edge property but weight, .* has \['kind'\]: use lux or"
        ):
            graph.write(tmp_path / f"g.{name}")
    with pytest.raises(FormatError, match=r"\.wsg is for graphs with weights and \.sg for those without"):
        lux.toy.two_triangles().write(tmp_path / "g.sg")
    with pytest.raises(FormatError, match=r"\.wsg is for graphs with weights"):
        lux.toy.kite().write(tmp_path / "g.wsg")
    with pytest.raises(FormatError, match="Lux does not write gr: choose one of lux, sg, wsg, el, wel"):
        graph.write(tmp_path / "g.gr")
    assert not list(tmp_path.iterdir())


@pytest.mark.check
def test_text_with_options(tmp_path):
    path = tmp_path / "g.el"
    path.write_text("# comment\n1 1\n1 2\n1 2\n2 1\n3 2\n")
    assert lux.read_graph(path).n_edges == 5
    assert lux.read_graph(path, drop_loops=True).n_edges == 4
    assert lux.read_graph(path, drop_repeats=True).n_edges == 4
    assert lux.read_graph(path, drop_loops=True, drop_repeats=True).n_edges == 3
    assert lux.read_graph(path, directed=False).n_edges == 9
    assert lux.read_graph(path, directed=False, drop_loops=True, drop_repeats=True).n_edges == 4
    assert lux.read_graph(path, ids="as-is").n_vertices == 4
    assert lux.read_graph(path, ids="strings").ids.labels(0, 1).tolist() == ["1"]
    assert lux.read_graph(path, bipartite=True).n_vertices == 5


def test_binary_with_options(tmp_path):
    graph = lux.from_edges([0, 0, 0, 2], [0, 1, 1, 1])
    graph.write(tmp_path / "g.lux")
    assert lux.read_graph(tmp_path / "g.lux").n_edges == 4
    assert lux.read_graph(tmp_path / "g.lux", drop_loops=True).n_edges == 3
    assert lux.read_graph(tmp_path / "g.lux", drop_loops=True, drop_repeats=True).n_edges == 2


def test_columns_of_text_are_left_out(tmp_path):
    (tmp_path / "g.csv").write_text("source,target,day,cost\n1,2,mon,3\n2,3,tue,4\n")
    with pytest.raises(ParseError, match=r"'mon' is not a number: pass properties=\[\.\.\.\], with the"):
        lux.read_graph(tmp_path / "g.csv")
    assert lux.read_graph(tmp_path / "g.csv", properties=["cost"]).property_types.keys() == {"cost"}
    assert lux.read_graph(tmp_path / "g.csv", properties=[]).property_types == {}
    with pytest.raises(ParameterError, match="properties='cost' was passed; allowed are None and a list of names"):
        lux.read_graph(tmp_path / "g.csv", properties="cost")


def test_progress_of_a_binary_file(tmp_path, monkeypatch):
    monkeypatch.setattr("lux.io.formats.read_slices.BYTES_PER_ROUND", 2000)
    graph = lux.generate("kronecker:8")
    lux.from_edges(*graph.dense_edge_arrays(), n_vertices=graph.n_vertices).write(tmp_path / "g.sg")
    seen = []
    back = lux.read_graph(tmp_path / "g.sg", progress=lambda done, whole: seen.append((done, whole)))
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    assert [a.tolist() for a in back.dense_edge_arrays()] == [a.tolist() for a in graph.dense_edge_arrays()]


def test_wrong_files(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        lux.read_graph(tmp_path / "nothing.el")
    (tmp_path / "bad.el").write_text("1 2\n1 x\n")
    with pytest.raises(ParseError, match=r"bad\.el, line 2: "):
        lux.read_graph(tmp_path / "bad.el")
    (tmp_path / "empty.el").write_text("# nothing\n")
    with pytest.raises(GraphError):
        lux.read_graph(tmp_path / "empty.el")
    lux.toy.path(9).write(tmp_path / "short.lux")
    whole = (tmp_path / "short.lux").read_bytes()
    (tmp_path / "short.lux").write_bytes(whole[:-3])
    with pytest.raises(FormatError, match=r"short\.lux"):
        lux.read_graph(tmp_path / "short.lux")
    with pytest.raises(ParameterError, match="is no synthetic graph"):
        lux.generate("nonsense:3")


def test_a_vertex_out_of_range_in_one_slice_only(tmp_path):
    lux.toy.path(9).write(tmp_path / "g.lux")
    content = bytearray((tmp_path / "g.lux").read_bytes())
    content[-4:] = np.uint32(9).tobytes()
    (tmp_path / "g.lux").write_bytes(content)
    with pytest.raises(FormatError, match=r"g\.lux"):
        lux.read_graph(tmp_path / "g.lux")


def python(program, cwd, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={k: v for k, v in os.environ.items() if k != "LEGATE_CONFIG"}
        | {"PYTHONPATH": str(REPOSITORY)}
        | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_more_memory_is_asked_for_before_anything_is_made(tmp_path):
    n, m = 1000, 20_000_000
    offsets = np.full(n, m, np.uint64)
    with (tmp_path / "g.lux").open("wb") as file:  # sparse: only the header is on disk
        file.write(np.uint32(n).tobytes() + np.uint64(m).tobytes() + offsets.tobytes())
        file.truncate(12 + 8 * n + 4 * m)
    for program in ("lux.read_graph('g.lux')", "lux.generate('uniform:20')"):
        done = python(f"import lux; {program}", tmp_path, LEGATE_CONFIG="--cpus 2 --sysmem 40")
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith("lux.errors.MemoryNeededError: ")
        assert "it was given 40 MiB: start with --sysmem " in last


def test_without_any_environment(tmp_path):
    (tmp_path / "g.el").write_text("1 2\n2 3\n3 1\n4 1\n")
    done = python("import lux; print(lux.pagerank(lux.read_graph('g.el')).top(5))", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [vertex for vertex, _ in eval(done.stdout)] == [1, 2, 3, 4]
