# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of edges: shares of a file make the whole, also of several files, and two processes read what one reads."""

import gzip
import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import lux
from lux.errors import FileError, FormatError, LuxWarning, ParseError
from lux.io import open_graph_file
from lux.io.formats import delimited, edge_text, text_file, whole_numbers
from lux.io.formats import parquet as parquet_format
from lux.io.formats.columns import Share, joined, shares
from lux.io.formats.options import Options
from lux_cases.processes import SMALL_TWO, start, start_ranks

LINES = st.sampled_from(
    ["1 2 3", "40 5 6\r", " 7\t8  9 ", "1 1 12345678901", "3 4 2.5", "-5 6 7", "# a comment", "", "%" + "x" * 30]
)


def zstd(content):
    return pa.Codec("zstd").compress(content, asbytes=True)


def columns_of(read, path, name, cuts, options):
    of = cuts[-1]
    parts = [read(path, name, options, Share(low, high, of)) for low, high in pairwise(cuts)]
    return joined(path, parts)


@given(
    lines=st.lists(LINES, max_size=20),
    last=st.booleans(),
    cuts=st.lists(st.integers(0, 100), max_size=4),
    suffix=st.sampled_from(["", ".gz", ".zst"]),
    chunk=st.sampled_from([1, 7, 64, 1 << 24]),
    sample=st.sampled_from([8, 1 << 22]),
)
def test_shares_of_text_make_the_whole(tmp_path_factory, lines, last, cuts, suffix, chunk, sample):
    content = ("1 2 3\n" + "\n".join(lines) + "\n" * last).encode()
    path = tmp_path_factory.mktemp("shares") / f"e.wel{suffix}"
    path.write_bytes({"": bytes, ".gz": gzip.compress, ".zst": zstd}[suffix](content))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "CHUNK", chunk)
        patch.setattr(text_file, "SAMPLE", sample)
        patch.setattr(whole_numbers, "TAIL", 16)
        whole = edge_text.read(path, "wel", Options(), Share())
        found = columns_of(edge_text.read, path, "wel", [0, *sorted(cuts), 100], Options())
    assert found.sources.tolist() == whole.sources.tolist()
    assert found.destinations.tolist() == whole.destinations.tolist()
    assert found.properties["weight"].dtype == whole.properties["weight"].dtype
    assert found.properties["weight"].tolist() == whole.properties["weight"].tolist()


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_shares_of_other_tables_make_the_whole(tmp_path, of):
    rows = [(f"é{k % 7}", f"b{k % 5}", k, k / 2) for k in range(50)]
    text = "source,target,weight,half\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "e.csv").write_text(text)
    names = ["source", "target", "weight", "half"]
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    parquet.write_table(table, tmp_path / "e.parquet", row_group_size=8)
    for name, read in (("csv", delimited.read), ("parquet", parquet_format.read)):
        found = columns_of(read, tmp_path / f"e.{name}", name, range(of + 1), Options())
        assert found.sources.to_pylist() == [row[0] for row in rows]
        assert found.destinations.to_pylist() == [row[1] for row in rows]
        assert found.properties["weight"].tolist() == [row[2] for row in rows]
        assert found.properties["half"].tolist() == [row[3] for row in rows]
    read = [parquet_format.read(tmp_path / "e.parquet", "", Options(), Share(k, k + 1, 7)) for k in range(7)]
    assert [len(part) for part in read] == [8, 8, 8, 8, 8, 8, 2]


def test_shares_are_even_and_cover_all_bytes():
    for sizes in ([10], [0, 7, 5], [1, 1, 1], [100, 1, 1000]):
        for ranks in (1, 2, 3, 8):
            found = [shares(sizes, rank, ranks) for rank in range(ranks)]
            covered = [0] * len(sizes)
            for mine in found:
                assert mine
                for number, share in mine:
                    covered[number] += share.high - share.low
                assert abs(sum(share.high - share.low for _, share in mine) - sum(sizes) / ranks) < 1
            assert covered == sizes


def test_the_line_of_a_mistake_in_a_later_share(tmp_path):
    path = tmp_path / "e.wel"
    path.write_text("1 2 3\n" * 40 + "1 2 x\n" + "1 2 3\n" * 40)
    with pytest.raises(ParseError, match="line 41: 'x' is not a number"):
        edge_text.read(path, "wel", Options(), Share(1, 3, 4))
    assert len(edge_text.read(path, "wel", Options(), Share(3, 4, 4))) == 20


@pytest.fixture
def folder(tmp_path):
    """A folder of tables, as other programs write it."""
    place = tmp_path / "edges"
    (place / "day=2").mkdir(parents=True)
    (place / "part-0.csv").write_text("source,target,weight\n1,2,3\n")
    (place / "part-1.csv.gz").write_bytes(gzip.compress(b"weight,target,source\n4.5,3,2\n"))
    (place / "day=2" / "part-2.csv.zst").write_bytes(zstd(b"source,target,weight\n3,1,5\n"))
    (place / "_SUCCESS").write_text("")
    (place / ".part-0.csv.crc").write_text("crc")
    (place / "part-3.csv").write_text("")
    return place


def triples(graph):
    edges = graph.to_pandas()
    return sorted(zip(edges["source"].tolist(), edges["target"].tolist(), edges["weight"].tolist(), strict=True))


def test_folders_and_patterns(folder):
    whole = [(1, 2, 3.0), (2, 3, 4.5), (3, 1, 5.0)]
    assert triples(lux.read_graph(folder)) == whole
    assert triples(lux.read_graph(f"{folder}/*.csv*")) == whole[:2]
    assert triples(lux.read_graph(f"{folder}/**/part-[02].csv*")) == [whole[0], whole[2]]
    assert triples(lux.read_graph(f"{folder}/day*")) == whole[2:]
    lux.read_graph(folder).write(folder / "part-9.parquet")
    with pytest.raises(FormatError, match=r"has files of two formats, part-2\.csv\.zst and part-9\.parquet: pass"):
        lux.read_graph(folder)
    with pytest.raises(FileError, match=r"no file fits the pattern .*/\*\.tsv: check it"):
        lux.read_graph(f"{folder}/*.tsv")
    for name in "ab":
        lux.toy.path(3).save(folder / f"{name}.lux")
    with pytest.raises(FormatError, match=r"are 2 files, and a graph in lux is one file"):
        lux.read_graph(f"{folder}/*.lux")
    (folder / "empty").mkdir()
    with pytest.raises(FileError, match="is a folder without files of edges"):
        lux.read_graph(folder / "empty")


def test_files_of_one_folder_that_differ(tmp_path):
    (tmp_path / "a.csv").write_text("source,target,weight\n1,2,3\n")
    for content, message in (
        ("source,target,cost\n1,2,3\n", r"a\.csv has the columns \['weight'\], and .*b\.csv \['cost'\]: read files"),
        ("source,target,weight\nx,y,3\n", r"a\.csv has ids that are integers, and .*b\.csv strings: read files that"),
    ):
        (tmp_path / "b.csv").write_text(content)
        with pytest.raises(FormatError, match=message):
            lux.read_graph(tmp_path)
    (tmp_path / "b.csv").write_text("source,target,cost\n")  # has no edges
    assert triples(lux.read_graph(tmp_path)) == [(1, 2, 3)]
    for name, ids in (("a", np.array([2**63 + 1], np.uint64)), ("b", np.array([5]))):
        parquet.write_table(pa.table({"source": ids, "target": ids}), tmp_path / f"{name}.parquet")
    assert lux.read_graph(f"{tmp_path}/*.parquet").ids.to_numpy().tolist() == [5, 2**63 + 1]
    parquet.write_table(pa.table({"source": [-1], "target": [1]}), tmp_path / "b.parquet")
    with pytest.raises(FormatError, match="has columns of uint64, and negative ids in others"):
        lux.read_graph(f"{tmp_path}/*.parquet")
    lux.from_edges([1], [2], directed=False).write(tmp_path / "b.parquet")
    with pytest.raises(FormatError, match=r"a\.parquet has directed= None, and .*b\.parquet False"):
        lux.read_graph(f"{tmp_path}/*.parquet")


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_text_that_is_damaged(tmp_path, suffix):
    content = {".gz": gzip.compress, ".zst": zstd}[suffix](b"".join(b"%d %d\n" % (k, 7 * k) for k in range(9000)))
    path, kind = tmp_path / f"e.el{suffix}", {".gz": "gzip", ".zst": "zstd"}[suffix]
    path.write_bytes(content)
    assert open_graph_file(path).n_edges == 9000
    path.write_bytes(content + content)
    assert open_graph_file(path).n_edges == 18000
    path.write_bytes(content[:-50])
    with pytest.raises(FormatError, match="is damaged or truncated"):
        open_graph_file(path)
    path.write_text("1 2\n")
    with pytest.raises(FormatError, match=rf"is named {suffix} but is not {kind}-compressed: rename or compress it"):
        open_graph_file(path)
    path.rename(tmp_path / "e.el")
    (tmp_path / "e.el").write_bytes(content)
    with pytest.raises(FormatError, match=f"is {kind}-compressed, not el"):
        open_graph_file(tmp_path / "e.el")


PROGRAM = """
import gzip, sys, warnings
from pathlib import Path

import lux
from lux.errors import LuxError, LuxWarning
from lux_cases import machine
from lux_cases.edges import keep
import numpy as np

rank, ranks, folder = machine.rank(), machine.ranks(), Path(sys.argv[1])
answers = {}
names = ["a.el", "a.txt", "a.csv", "a.csv.gz", "a.csv.zst", "a.tsv", "a.parquet", "named.parquet", "edges", "edges/*1*"]
for name in names:
    for options in (
        {}, {"ids": "strings"}, {"ids": "as-is"}, {"bipartite": True}, {"directed": False, "drop_repeats": True},
        {"weighted": False}, {"bipartite": True, "ids": "as-is"},
    ):
        try:
            graph = lux.read_graph(folder / name, **options)
        except LuxError as error:
            answers[f"{name} {options}"] = np.array(str(error))
        else:
            keep(answers, f"{name} {options}", graph)
for name in ("wrong.wel", "late.csv", "comments.el", "loop.el"):
    try:
        keep(answers, name, lux.read_graph(folder / name))
    except LuxError as error:
        answers[name] = np.array(str(error))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    lux.read_graph(folder / "films.csv")
answers["warned"] = np.array([str(each.message) for each in caught])
np.savez(folder / f"{rank}-of-{ranks}.npz", **answers)
"""


@pytest.mark.multirank
def test_two_processes_read_what_one_reads(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(int(u), int(v), int(w)) for u, v, w in rng.integers(0, 300, (900, 3))]

    def lines(separator, rows=rows):
        return "".join(separator.join(map(str, row)) + "\n" for row in rows)

    (tmp_path / "a.el").write_text(lines(" ", [row[:2] for row in rows]))
    (tmp_path / "a.txt").write_text("# toy\n" + lines("  ", rows[:500]) + "# more\n\n" + lines("\t", rows[500:]))
    text = "source,target,weight,half\n" + lines(
        ",", [(*row, row[2] / 2 if k > 800 else 1) for k, row in enumerate(rows)]
    )
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "a.csv.zst").write_bytes(zstd(text.encode()))
    (tmp_path / "a.tsv").write_text(lines("\t", [(f"x{u}", f"é{v}", w) for u, v, w in rows]))
    table = pa.table({"u": [row[0] for row in rows], "v": [row[1] for row in rows], "weight": [row[2] for row in rows]})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    lux.from_edges(["x", "y", "w"], ["y", "z", "w"], directed=False).write(tmp_path / "named.parquet")
    (tmp_path / "edges" / "more").mkdir(parents=True)
    for k in range(5):
        part = text.splitlines(keepends=True)
        content = "".join([part[0], *part[1 + 180 * k : 181 + 180 * k]])
        (tmp_path / "edges" / "more" / f"part-{k}.csv.gz").write_bytes(gzip.compress(content.encode()))
    (tmp_path / "edges" / "only-1.csv").write_text("source,target,weight,half\n1,2,3,4\n")
    (tmp_path / "wrong.wel").write_text("1 2 3\n" * 300 + "1 2 x\n")
    (tmp_path / "late.csv").write_text("1,2\n" * 300 + "x,2\n")
    (tmp_path / "comments.el").write_text("# none\n" * 30)
    (tmp_path / "loop.el").write_text("7 7")
    (tmp_path / "films.csv").write_text("userId,filmId\n" + "1,2\n" * 50 + "2,1\n")
    for command in ((sys.executable,), SMALL_TWO):
        done = start_ranks(tmp_path, PROGRAM, command, tmp_path)
        assert done.returncode == 0, done.stderr[-3000:]
    one = dict(np.load(tmp_path / "0-of-1.npz"))
    assert "equal ids in the columns 'userId' and 'filmId'" in str(one["warned"])
    assert "line 301: 'x' is not a number" in str(one["wrong.wel"])
    assert "line 301: field 1 is not an integer as on the first" in str(one["late.csv"])
    assert sum(name.endswith("sources") for name in one) > 50
    for rank in (0, 1):
        two = dict(np.load(tmp_path / f"{rank}-of-2.npz"))
        assert two.keys() == one.keys()
        assert len(two["warned"]) == (rank == 0)
        for name, values in one.items():
            if name == "warned" and rank:
                continue
            assert two[name].dtype == values.dtype, name
            np.testing.assert_array_equal(two[name], values, err_msg=name)


def test_a_warning_of_two_kinds_needs_equal_ids(tmp_path):
    (tmp_path / "films.csv").write_text("userId,filmId\n1,2\n2,1\n")
    with pytest.warns(LuxWarning, match="equal ids in the columns 'userId' and 'filmId'"):
        lux.read_graph(tmp_path / "films.csv")
    (tmp_path / "films.csv").write_text("userId,filmId\n1,12\n2,11\n")
    lux.read_graph(tmp_path / "films.csv")


PEAK = """
import os, resource, sys

os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
from lux.io import open_graph_file


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


assert open_graph_file(sys.argv[1]).n_edges == 2
before = peak()
assert open_graph_file(sys.argv[2]).n_edges == 2
print(peak() - before)
"""


@pytest.mark.parametrize("suffix", [".gz", pytest.param(".zst", marks=pytest.mark.slow)])
def test_compressed_text_is_never_held_whole(tmp_path, suffix):
    line, mib = b"#" + b"-" * 62 + b"\n", 1 << 14
    for name, lines in (("small", 1), ("large", 300 * mib)):
        with (tmp_path / f"{name}.el{suffix}").open("wb") as file:
            pieces = [b"1 2\n", *[line * min(lines, mib)] * max(lines // mib, 1), b"2 3\n"]
            for piece in pieces:  # members or frames that follow one another are one text
                file.write(gzip.compress(piece, 1) if suffix == ".gz" else zstd(piece))
    done = start(tmp_path, PEAK, (sys.executable,), *(tmp_path / f"{name}.el{suffix}" for name in ("small", "large")))
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) < 150, done.stdout
