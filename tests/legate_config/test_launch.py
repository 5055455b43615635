# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Legate started for real, in processes of its own."""

import json
import os
import sys

import pytest

from lux_cases import processes

PROGRAM = """
import json, os, sys, time
import legate_config
assert "legate" not in sys.modules and "numpy" not in sys.modules
legate_config.prepare()
legate_config.prepare()
assert "legate" not in sys.modules
import legate.core.types as ty, numpy as np
from legate.core import align, get_legate_runtime
from legate.core.task import InputStore, OutputStore, task

runtime = get_legate_runtime()
found = []

@task(constraints=(align("a", "b"),))
def double(a: InputStore, b: OutputStore) -> None:
    np.asarray(b)[...] = np.asarray(a) * 2
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        pass
    found.append([a.domain.lo[0], a.domain.hi[0], sorted(os.sched_getaffinity(0))])

a, b = (runtime.create_store(ty.float64, (10,)) for _ in range(2))
a.fill(1.0)
double(a, b)
runtime.issue_execution_fence(block=True)
info, settings = legate_config.rank_info(), legate_config.settings()
out = {"rank": info.rank, "nodes": runtime.node_count, "points": sorted(found), "cpus": settings.cpus}
out |= {"sysmem": settings.sysmem_bytes, "cores": sorted(legate_config.rank_cores())}
with open(sys.argv[1] + f"/{info.rank}.json", "w") as file:
    json.dump(out, file)
"""


def start(folder, *command, **variables):
    done = processes.start(folder, PROGRAM, command, folder, timeout=180, **variables)
    return done, [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def spans(result):
    return [point[:2] for point in result["points"]]


def test_plain_python_uses_the_machine_and_says_nothing(tmp_path):
    done, (result,) = start(tmp_path, sys.executable, "-W", "error")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(result["points"]) == min(result["cpus"], 10)


def test_plain_python_keeps_what_the_user_gave(tmp_path):
    done, (result,) = start(tmp_path, sys.executable, LEGATE_CONFIG="--cpus 2 --sysmem 300 --gpus 0")
    assert (done.returncode, done.stderr) == (0, "")
    assert result["sysmem"] == 300 << 20
    assert spans(result) == [[0, 4], [5, 9]]


def test_launcher_without_gpu_flags(tmp_path):
    done, (result,) = start(tmp_path, "legate", "--cpus", "2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert result["cpus"] == 2
    assert spans(result) == [[0, 4], [5, 9]]


def test_contradiction_is_one_clear_error(tmp_path):
    done, results = start(tmp_path, sys.executable, LEGATE_CONFIG="--cpus 2 --gpus 99")
    assert done.returncode == 1
    assert not results
    assert "ConfigError: --gpus 99" in done.stderr.splitlines()[-1]


@pytest.mark.multirank
def test_two_processes_have_cores_of_their_own(tmp_path):
    done, results = start(tmp_path, *processes.TWO)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [result["nodes"] for result in results] == [2, 2]
    assert [spans(result) for result in results] == [[[0, 4]], [[5, 9]]]
    if len(os.sched_getaffinity(0)) >= 2:
        zero, one = (set(result["points"][0][2]) for result in results)
        assert zero.isdisjoint(one)
        assert set(results[0]["cores"]).isdisjoint(results[1]["cores"])
