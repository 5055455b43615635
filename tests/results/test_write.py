# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Result files."""

import errno
import os

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import lux
from lux.errors import FileError, FormatError
from lux.results import table_rows, write


@pytest.fixture(scope="module")
def result():
    sources, destinations = [7, 9, 9, 20, 31], [9, 7, 20, 22, 31]
    return lux.bfs(lux.from_edges(sources, destinations), source=9, parts=3)


@pytest.mark.check
def test_npy_of_several_columns(result, tmp_path):
    write.write_result(result, tmp_path / "x.npy")
    values = np.load(tmp_path / "x.npy")
    assert values.dtype.names == ("distance", "parent")
    assert values["distance"].tolist() == [1, 0, 1, 2, -1]
    assert values["parent"].tolist() == [9, 9, 9, 20, -1]


def test_npy_of_one_column(tmp_path):
    ranks = lux.pagerank(lux.toy.kite(), parts=2, dtype=np.float32)
    write.write_result(ranks, tmp_path / "x.npy")
    values = np.load(tmp_path / "x.npy")
    assert values.dtype == np.float32
    assert np.array_equal(values, ranks.ranks.to_numpy())


def test_tsv_numbers_round_trip(tmp_path, monkeypatch):
    monkeypatch.setattr(table_rows, "ROWS", 3)
    ranks = lux.pagerank(lux.toy.kite(), parts=2)
    write.write_result(ranks, tmp_path / "x.tsv")
    lines = (tmp_path / "x.tsv").read_text().splitlines()
    assert lines[0] == "vertex\trank"
    assert [int(line.split("\t")[0]) for line in lines[1:]] == list(range(10))
    assert [float(line.split("\t")[1]) for line in lines[1:]] == ranks.ranks.to_numpy().tolist()


@pytest.mark.check
def test_parquet(result, tmp_path):
    write.write_result(result, tmp_path / "x.parquet")
    assert pq.read_table(tmp_path / "x.parquet").to_pydict() == {
        "vertex": [7, 9, 20, 22, 31],
        "distance": [1, 0, 1, 2, -1],
        "parent": [9, 9, 9, 20, -1],
    }


class Spread(lux.Program):
    """A vector and a number for every vertex."""

    pair = lux.field(np.float32, shape=2)
    count = lux.field(np.int32, reduce=lux.ADD)

    def start(v, params):
        v.pair[1] = 0.5 * v.id

    def compute(v, u, edge, params):
        return 1

    def update(v, old, params):
        v.pair = old.pair


@pytest.mark.parametrize("parts", [None, 1, 3])
@pytest.mark.parametrize("alone", [False, True])
def test_vectors(tmp_path, parts, alone):
    found = lux.run(Spread, lux.toy.path(4), max_iter=1, parts=parts)
    if alone:
        del found.columns["count"]
    for ending in ("npy", "tsv", "parquet"):
        write.write_result(found, tmp_path / f"x.{ending}")
    pairs = [[0, 0], [0, 0.5], [0, 1], [0, 1.5]]
    values = np.load(tmp_path / "x.npy")
    assert (values if alone else values["pair"]).tolist() == pairs
    assert values.shape == ((4, 2) if alone else (4,))
    table = {"vertex": [0, 1, 2, 3], "pair_0": [0, 0, 0, 0], "pair_1": [0, 0.5, 1, 1.5], "count": [0, 1, 1, 1]}
    if alone:
        del table["count"]
    assert pq.read_table(tmp_path / "x.parquet").to_pydict() == table
    head, *lines = (tmp_path / "x.tsv").read_text().splitlines()
    assert head.split("\t") == list(table)
    assert [[float(x) for x in line.split("\t")] for line in lines] == [
        list(row) for row in zip(*table.values(), strict=True)
    ]


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_partitions_do_not_show(tmp_path, parts):
    found = lux.components(lux.toy.two_triangles(), parts=parts)
    for ending in ("npy", "tsv"):
        write.write_result(found, tmp_path / f"x.{ending}")
    assert np.load(tmp_path / "x.npy").tolist() == [0, 0, 0, 3, 3, 3, 6]
    assert (tmp_path / "x.tsv").read_text() == "vertex\tlabel\n0\t0\n1\t0\n2\t0\n3\t3\n4\t3\n5\t3\n6\t6\n"


def test_names(tmp_path):
    found = lux.bfs(lux.from_edges(["ä", "b", "x"], ["b", "c", "x"]), source="b")
    write.write_result(found, tmp_path / "x.npy")
    assert np.load(tmp_path / "x.npy")["parent"].tolist() == ["b", "b", "", ""]
    write.write_result(found, tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_text().splitlines()[3:] == ["x\t-1\t", "ä\t-1\t"]


def test_names_that_text_cannot_hold(tmp_path):
    found = lux.bfs(lux.from_edges(["a\tb"], ["c"]), source="c")
    with pytest.raises(FormatError, match=r"write a \.csv or \.parquet file"):
        write.write_result(found, tmp_path / "x.tsv")
    write.write_result(found, tmp_path / "x.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


@pytest.mark.parametrize("parts", [1, 3])
def test_csv_as_pandas_reads_it(tmp_path, parts):
    names = ['a,"b"', "line\nbreak", "tab\t", "ü"]
    found = lux.bfs(lux.from_edges(names[:-1], names[1:]), source=names[0], parts=parts)
    write.write_result(found, tmp_path / "x.csv")
    read = pd.read_csv(tmp_path / "x.csv", keep_default_na=False).set_index("vertex")
    assert read["distance"].to_dict() == {name: k for k, name in enumerate(names)}
    assert read["parent"].to_dict() == dict(zip(names, names[:1] + names[:-1], strict=True))
    ranks = lux.pagerank(lux.toy.kite(), parts=parts)
    write.write_result(ranks, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().startswith("vertex,rank\n0,")
    _, *lines = (tmp_path / "x.csv").read_text().splitlines()
    assert [float(line.split(",")[1]) for line in lines] == ranks.ranks.to_numpy().tolist()


def test_unknown_ending(result, tmp_path):
    with pytest.raises(FormatError, match="end it in"):
        write.write_result(result, tmp_path / "x.xls")


@pytest.mark.parametrize("ending", ["npy", "tsv", "csv", "parquet"])
def test_unwritable(result, tmp_path, ending):
    with pytest.raises(FileError, match="there is no folder"):
        write.write_result(result, tmp_path / "no" / f"x.{ending}")


@pytest.mark.parametrize("ending", ["npy", "tsv", "parquet"])
def test_links_are_followed_and_only_files_are_replaced(result, tmp_path, ending):
    link, pipe = tmp_path / f"link.{ending}", tmp_path / f"pipe.{ending}"
    link.symlink_to(tmp_path / "real")
    write.write_result(result, link)
    assert link.is_symlink()
    assert (tmp_path / "real").stat().st_size
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="is a device or a pipe; pass the name of a file"):
        write.write_result(result, pipe)
    assert pipe.is_fifo()


@pytest.mark.parametrize("ending", ["npy", "tsv"])
def test_a_full_disk_leaves_nothing(result, tmp_path, monkeypatch, ending):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    target = tmp_path / f"x.{ending}"
    target.write_text("old")
    with pytest.raises(FileError, match="No space left"):
        write.write_result(result, target)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
