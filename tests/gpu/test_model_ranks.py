# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The performance model measures the GPUs of two processes (the same one, where there is no other)."""

import json
from dataclasses import replace

import pytest

from legate_config import Machine
from lux.calibration.samples import Measured
from lux_cases.processes import TWO, start
from perfmodel import profile
from perfmodel.this_machine import this_machine

pytestmark = [pytest.mark.gpu, pytest.mark.multirank]

PROGRAM = """
import sys
from pathlib import Path

from benchmarks import model
from lux.calibration import calibrate
from lux_cases.machine import meet

folder = Path(sys.argv[1])
few = ["--device", "gpu", "--rounds", "1", "--seconds", "200"]
words = ["--output", str(folder / "p.json"), "--samples", str(folder / "samples.json"), "--graphs", "uniform:11"]
words += ["--programs", "pagerank,factorize", "--ratings", "300x200:5000:1"]
assert calibrate.main([*words, *few, "--base", str(folder / "base.json")]) == 0
meet()  # the first process has written
words = ["--profile", str(folder / "p.json"), "--graphs", "uniform:12", "--ratings", "500x200:8000:1"]
words += ["--programs", "pagerank", "factorize", "--output", str(folder / "model.json")]
sys.argv = ["model.py", *words, *few]
model.main()
"""


def test_rates_and_rows_of_two_processes(tmp_path):
    apart = len(Machine.detect().gpus) > 1  # else they share a GPU, and send no messages
    bind = "0/1" if apart else "0/0"
    replace(profile.load("h200-4"), machine=this_machine("gpu")).write(tmp_path / "base.json")
    memory = ("--sysmem", "1000", "--fbmem", "1000", "--zcmem", "64")
    two = (*TWO, "--gpu-bind", bind, "--gpus", "1", *memory)
    done = start(tmp_path, PROGRAM, two, tmp_path, timeout=400)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    found = profile.load(tmp_path / "p.json")
    assert {*found.between} >= ({"device", "zero-copy", "device gd"} if apart else {"zero-copy"})
    assert all(each.run + each.iteration > 0 for each in found.between.values())
    if apart:
        assert found.measured["2 x 1 device"] == dict.fromkeys(found.measured["2 x 1 device"], 2)
    measured = Measured.read(tmp_path / "samples.json")
    assert {s.nodes for s in [*measured.samples, *measured.factors]} == {2}
    facts = json.loads((tmp_path / "model.json").read_text())
    assert not facts["refused"], facts["refused"][0]["why"]
    assert {r["placement"] for r in facts["rows"]} == {"device", "zero-copy"}
    assert {r["program"] for r in facts["rows"]} > {"pagerank"}
    for r in facts["rows"]:
        assert (r["nodes"], r["per_node"], r["parts"]) == (2, 1, 2)
        for which in ("predicted", "measured"):
            steps = sum(r[which][step] for step in ("load", "kernel", "transfer", "launch"))
            assert steps == pytest.approx(r[which]["all"])
