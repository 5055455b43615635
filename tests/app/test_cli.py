# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The program ``lux``."""

import json
import subprocess
import sys

import pytest

import lux
from lux.app import commands
from lux.errors import LuxWarning


def test_version_and_help(call):
    assert call("--version") == (0, f"Lux {lux.__version__}\n", "")
    code, out, _ = call("--help")
    assert code == 0
    assert all(command in out for command in commands.COMMANDS)


@pytest.mark.parametrize("command", commands.COMMANDS)
def test_every_command_has_help(call, command):
    code, out, err = call(command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: lux {command} ")


@pytest.mark.check
@pytest.mark.parametrize(
    "words, message",
    [
        ([], "lux: error: there is no command"),
        (["rank"], "lux: error: 'rank' is no command"),
        (["info"], "lux info: error: there is no graph"),
        (["info", "g.el", "--nodes", "2"], "--nodes needs --parts"),
        (["generate", "kronecker:4"], "lux generate: error: the following arguments are required: TARGET"),
        (["generate", "kronecker:4", "x.lux", "--weights", "9,1"], "pass the smaller number first"),
        (["generate", "kronecker:4", "x.gr"], "Lux does not write gr"),
        (["generate", "kronecker:4", "no/x.lux"], "there is no folder"),
        (["generate", "kronecker:4", "x.mtx.gz"], "Lux writes no compressed files: leave out .gz"),
        (["generate", "kronecker:4", "x.xyz"], "end it in one of lux, sg, wsg, el, wel, txt, mtx"),
        (["convert", "nowhere.el", "x.lux"], "there is no file nowhere.el"),
    ],
)
def test_mistakes(call, words, message):
    code, out, err = call(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.check
def test_generate_convert_info(call, tmp_path):
    assert call("generate", "grid:3x4", tmp_path / "g.wsg", "--weights", "2,2")[0] == 0
    assert call("convert", tmp_path / "g.wsg", tmp_path / "g.lux")[0] == 0
    code, out, err = call("info", tmp_path / "g.lux", "--parts", "2", "--nodes", "2", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["vertices"], found["edges"], found["self_loops"], found["isolated"]) == (12, 34, 0, 0)
    assert found["out_degrees"] == {"min": 2, "mean": pytest.approx(34 / 12), "max": 4}
    assert sum(row["vertices"] for row in found["partitions"]) == 12
    assert len(found["nodes"]) == 2
    code, out, err = call("info", tmp_path / "g.wsg", "--parts", "2")
    assert "UDS" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.lux", "g.wsg"]


def test_info_counts_loops_and_lone_vertices(call, tmp_path):
    path = tmp_path / "g.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 1\n1 2\n3 3\n")
    found = json.loads(call("info", path, "--json")[1])
    assert (found["self_loops"], found["isolated"]) == (2, 1)


@pytest.mark.check
def test_columns_are_chosen(call, tmp_path):
    (tmp_path / "g.csv").write_text("source,target,day,cost\n1,2,mon,3\n2,3,tue,4\n")
    code, _, err = call("info", tmp_path / "g.csv")
    assert code == 2
    assert "pass --properties A,B, with the columns to read" in err
    found = json.loads(call("info", tmp_path / "g.csv", "--properties", "cost", "--json")[1])
    assert found["properties"] == {"cost": "int32"}


def test_an_unfinished_answer_says_so(call):
    assert (
        "not final: the iteration limit ended the run"
        in call("components", "--generate", "kronecker:9", "--max-iter", 1)[1]
    )
    for limit, final in ((["--max-iter", 1], False), ([], True)):
        assert json.loads(call("components", "--generate", "kronecker:9", *limit, "--json")[1])["final"] == final


def test_weights_of_synthetic_graphs(call):
    for words, properties in ((["components"], {}), (["pagerank", "--weights", "1,9"], {"weight": "int32"})):
        found = json.loads(call(*words, "--generate", "grid:3x3", "--json")[1])
        assert found["graph"]["properties"] == properties


@pytest.mark.check
def test_algorithms(call):
    code, out, err = call("components", "--generate", "grid:3x3", "--json")
    assert (code, err, json.loads(out)["components"]) == (0, "", 1)


def test_what_is_asked_of_gpus_where_there_is_none(call):
    code, out, err = call("components", "--generate", "grid:3x3", "--placement", "peer", "--json")
    assert (code, err.count("\n"), json.loads(out)["components"]) == (0, 1, 1)
    assert err.startswith("lux components: warning: --placement peer has no effect: Legate was given no GPU")
    graph = lux.toy.path(3)
    with lux.using(placement="peer", loading="cores"):
        with pytest.warns(LuxWarning, match="placement='peer' and loading='cores' has no effect") as caught:
            lux.components(graph)
        with lux.using(device="cpu"):
            lux.components(graph)
    assert caught[0].filename == __file__


def test_import_is_light():
    program = "import sys, lux; sys.exit(bool({'numpy', 'rich', 'argparse', 'legate'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
