# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from legate_config import ConfigError
from legate_config.__main__ import main
from legate_config.command import Layout, command
from legate_config.doctor import State, check_driver

PROGRAM = ["apps/pagerank.py", "a graph.lux"]


def test_one_process_needs_no_launcher():
    assert command(Layout(gpus=2), PROGRAM) == "legate --gpus 2 apps/pagerank.py 'a graph.lux'"


def test_gpus_of_a_node_are_shared_out():
    text = command(Layout(nodes=2, gpus=4, ranks_per_node=2), PROGRAM, as_root=False)
    assert "--launcher mpirun --nodes 2 --ranks-per-node 2 --gpus 2 --gpu-bind 0,1/2,3" in text


def test_hosts_and_the_superuser():
    text = command(Layout(nodes=2, cpus=8, hosts=("a", "b")), PROGRAM, as_root=True)
    assert text.startswith("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 legate --launcher mpirun")
    assert "--host a:1,b:1" in text


@pytest.mark.parametrize(
    "arguments",
    [{"nodes": 0}, {"cpus": 3, "ranks_per_node": 2}, {"launcher": "rsh"}, {"nodes": 2, "hosts": ("a",)}],
)
def test_impossible_layouts(arguments):
    with pytest.raises(ConfigError):
        Layout(**arguments)


def test_printed_by_the_program(capsys):
    assert main(["command", "--nodes", "2", "--gpus", "4", "--launcher", "srun", *PROGRAM, "--tol", "1e-6"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("legate --launcher srun")
    assert printed.endswith("--gpus 4 apps/pagerank.py 'a graph.lux' --tol 1e-6\n")
    assert main(["command", "--cpus", "1"]) == 2


def doctor(**environment):
    return subprocess.run(
        [sys.executable, "-m", "legate_config", "doctor", "--quick"],
        env=os.environ | {"COLUMNS": "200"} | environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_doctor_finds_a_working_machine():
    done = doctor()
    assert done.returncode == 0, done.stdout
    assert re.search(r"Legate\s+│ works\s+│ 26\.1\.0, network: ucx", done.stdout)


def test_doctor_cuts_nothing_off_on_a_narrow_terminal():
    assert "…" not in doctor(COLUMNS="64").stdout


def test_doctor_finds_a_missing_compiler(tmp_path):
    done = doctor(CXX="/nonexistent", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 1
    assert re.search(r"compiler\s+│ broken.*apt-get install g\+\+", done.stdout)


def test_doctor_knows_which_drivers_run_kernels_for_gpus():
    assert check_driver(13010, gpus=True).state is State.WORKS
    assert check_driver(13010, gpus=True).found.endswith("CUDA 13.1")
    old = check_driver(12080, gpus=True)
    assert (old.state, check_driver(12080, gpus=False).state) == (State.BROKEN, State.MISSING)
    assert "580 or newer" in old.remedy
