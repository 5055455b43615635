# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A node is killed, or loses its network: the others end with a message that names it, and nothing is left behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import lux
from lux_cases.processes import environment

pytestmark = pytest.mark.multirank

LIMIT_S = 30
RUNS = """
import sys
from pathlib import Path

import lux
from lux_cases import machine

folder = Path(sys.argv[1])
graph = lux.generate("uniform:12", seed=1)
graph.save(folder / "saved.lux")
while True:
    lux.pagerank(graph, tol=0, max_iter=300)
    (folder / f"ready-{machine.rank()}").touch()
    graph.save(folder / "saved.lux")
"""


def start(made, folder):
    """Start a program that runs and saves for ever, and wait until all nodes have begun."""
    path = folder / "program.py"
    path.write_text(RUNS)
    process = made.start(made.command(path, folder, sysmem=500), folder, environment())
    end = time.monotonic() + 200
    while not all((folder / f"ready-{rank}").exists() for rank in range(made.nodes)):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end
        time.sleep(0.1)
    return process


def ended(process):
    """Exit code and standard error of a job that has to end by itself."""
    began = time.monotonic()
    out, error = process.communicate(timeout=LIMIT_S)
    return process.returncode, out + error, began


def check_nothing_is_left(made, folder, began):
    while any(made.processes(node) for node in range(made.nodes)) and time.monotonic() < began + LIMIT_S:
        time.sleep(0.1)
    left = {number for node in range(made.nodes) for number in made.processes(node)}
    assert not left, [Path(f"/proc/{number}/cmdline").read_bytes() for number in left]
    assert lux.load_graph(folder / "saved.lux").n_vertices == 4096


def ranks_of(made, node):
    """Numbers of the program's processes on a node."""
    found = {number: Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0") for number in made.processes(node)}
    return [number for number, words in found.items() if any(word.endswith(b"program.py") for word in words[:2])]


def test_a_process_is_killed(cluster, tmp_path):
    made = cluster(2)
    process = start(made, tmp_path)
    (number,) = ranks_of(made, 1)
    os.kill(number, signal.SIGKILL)
    code, printed, began = ended(process)
    assert code == 128 + signal.SIGKILL
    assert f"process rank 1 with PID {number} on node {made.host(1)}" in printed
    check_nothing_is_left(made, tmp_path, began)


@pytest.mark.parametrize(
    "nodes, lost", [(2, 1), pytest.param(2, 0, marks=pytest.mark.slow), pytest.param(4, 2, marks=pytest.mark.slow)]
)
def test_a_link_is_cut(cluster, tmp_path, nodes, lost):
    made = cluster(nodes)
    process = start(made, tmp_path)
    made.cut(lost)
    code, printed, began = ended(process)
    assert code
    (line,) = [line for line in printed.splitlines() if line.startswith("Lux ends")]
    assert f"process {lost} on node {made.host(lost)} is lost: nothing has come from it for 1" in line
    check_nothing_is_left(made, tmp_path, began)


@pytest.mark.slow
def test_a_node_is_killed_with_all_that_runs_there(cluster, tmp_path):
    """Open MPI's daemon, too, so that mpirun notices by itself; its exit code may then be 0."""
    made = cluster(3)
    process = start(made, tmp_path)
    made.kill(1)
    _, printed, began = ended(process)
    assert made.host(1) in printed
    check_nothing_is_left(made, tmp_path, began)


@pytest.mark.slow
def test_a_link_that_is_mended_soon_and_a_stopped_process_end_nothing(cluster, tmp_path):
    made = cluster(2)
    process = start(made, tmp_path)
    made.cut(1)
    time.sleep(3)
    made.mend(1)
    time.sleep(15)
    (number,) = ranks_of(made, 1)
    os.kill(number, signal.SIGSTOP)
    time.sleep(15)
    os.kill(number, signal.SIGCONT)
    (tmp_path / "ready-0").unlink()
    end = time.monotonic() + 30
    while not (tmp_path / "ready-0").exists():
        assert time.monotonic() < end
        time.sleep(0.1)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        pytest.fail("the job does not end by SIGTERM")
