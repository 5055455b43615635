# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500 benchmark on the command line."""

import json
import re

import pytest


def table(text):
    return dict(re.findall(r"^([^:]+): +(?:! +)?(\S+)$", text, re.MULTILINE))


def test_block_and_json(run, tmp_path):
    out = tmp_path / "result.json"
    code, text, err = run("graph500", "--scale", "8", "--roots", "3", "--output", out, starter="legate")
    assert (code, err) == (0, "")
    found, written = table(text), json.loads(out.read_text())
    assert (found["SCALE"], found["edgefactor"], found["NBFS"]) == ("8", "16", "3")
    assert float(found["bfs  harmonic_mean_TEPS"]) == pytest.approx(written["bfs_harmonic_mean_TEPS"], rel=1e-5)
    assert float(found["sssp min_validate"]) > 0
    assert written["bfs_min_nedge"] <= 16 << 8
    assert len(written["roots"]) == len(written["sssp_runs"]["seconds"]) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json"]


def test_one_kernel_without_validation(run):
    code, text, err = run(
        "graph500", "--scale", "6", "--kernel", "bfs", "--skip-validation", "--edge-factor", "4", "--seed", "3",
        "--device", "cpu", "--order", "degree", "--strategy", "auto",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "sssp" not in text
    assert table(text)["bfs  mean_validate"] == "-1"


@pytest.mark.slow
@pytest.mark.multirank
def test_two_processes_speak_once(run):
    code, text, err = run("graph500", "--scale", "8", "--roots", "6", starter="two")
    assert (code, err) == (0, "")
    assert table(text)["num_mpi_processes"] == "2"
    assert text.count("SCALE:") == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "the following arguments are required: --scale"),
        (["--scale", "41"], "41 is out of range: pass a whole number from 1 to 40"),
        (["--scale", "8", "--roots", "0"], "0 is out of range: pass a whole number from 1"),
        (["--scale", "8", "--strategy", "fast"], "invalid choice: 'fast'"),
        (["--scale", "40", "--edge-factor", "99999999"], "edge factor 99999999 is out of range: pass 1 to 4194304"),
        (["--scale", "38"], "start with --sysmem"),
        (["--scale", "8", "--output", "no/x.json"], "there is no folder no"),
        (["--scale", "8", "--device", "gpu"], "no GPU"),
    ],
)
def test_mistakes(run, arguments, message):
    code, text, err = run("graph500", *arguments)
    assert (code, text, err.count("\n")) == (2, "", 1)
    assert err.startswith("lux graph500: error: ")
    assert message in err
