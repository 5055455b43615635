# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Faults of a job: it ends with one message that names the process or the node, and nothing is left behind.

``make faults`` runs all of these; ``make test`` leaves out those that are marked slow.
"""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

import lux
from benchmarks.cluster import descendants
from legate_config import nearest_launchers
from lux_cases.processes import SMALL_TWO, environment

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
    wait_for(process, folder, made.nodes)
    return process


def wait_for(process, folder, ranks):
    end = time.monotonic() + 200
    while not all((folder / f"ready-{rank}").exists() for rank in range(ranks)):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)


def ended(process):
    """Exit code and standard error of a job that has to end by itself."""
    began = time.monotonic()
    out, error = process.communicate(timeout=LIMIT_S)
    return process.returncode, out + error, began


def message(printed):
    """The one line in which Lux says why it ends the job."""
    (line,) = [line for line in printed.splitlines() if line.startswith("Lux ends")]
    return line


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
    assert f"process {lost} on node {made.host(lost)} is lost: nothing has come from it for 1" in message(printed)
    check_nothing_is_left(made, tmp_path, began)


@pytest.mark.slow
@pytest.mark.parametrize("nodes, lost", [(2, 1), (2, 0), (4, 2)])
def test_a_process_is_stopped(cluster, tmp_path, nodes, lost):
    made = cluster(nodes)
    process = start(made, tmp_path)
    (number,) = ranks_of(made, lost)
    os.kill(number, signal.SIGSTOP)
    code, printed, began = ended(process)
    assert code == 1
    assert f"process {lost} on node {made.host(lost)} is lost: it has been stopped by a sig" in message(printed)
    check_nothing_is_left(made, tmp_path, began)


@pytest.mark.parametrize("name", [pytest.param("prterun", marks=pytest.mark.slow), "legate"])
def test_a_launcher_is_killed(tmp_path, name):
    """``legate`` waits for ``prterun`` (mpirun); here all are on one machine."""
    path = tmp_path / "program.py"
    path.write_text(RUNS)
    with (tmp_path / "errors").open("w") as errors:
        process = subprocess.Popen([*SMALL_TWO, path, tmp_path], env=environment(), stdout=errors, stderr=errors)
    try:
        wait_for(process, tmp_path, 2)
        numbers = descendants(process.pid)
        prterun = next(n for n in numbers if Path(f"/proc/{n}/comm").read_text().startswith("prterun"))
        began = time.monotonic()
        os.kill(prterun if name == "prterun" else process.pid, signal.SIGKILL)
        assert process.wait(LIMIT_S)
        while left := [n for n in numbers if Path(f"/proc/{n}").exists()]:
            assert time.monotonic() < began + LIMIT_S, left
            time.sleep(0.1)
    finally:
        for number in descendants(process.pid):
            os.kill(number, signal.SIGKILL)
        process.kill()
        process.wait()
    ended = f"Lux ends all 2 processes, as {name}, which launched them, has ended on node {socket.gethostname()}"
    assert message((tmp_path / "errors").read_text()) == ended
    assert lux.load_graph(tmp_path / "saved.lux").n_vertices == 4096


@pytest.mark.slow
@pytest.mark.parametrize("node", [0, 1])
def test_a_daemon_of_the_launcher_is_killed(cluster, tmp_path, node):
    made = cluster(2)
    process = start(made, tmp_path)
    (rank,) = ranks_of(made, node)
    os.kill(next(iter(nearest_launchers(rank))), signal.SIGKILL)
    _, printed, began = ended(process)
    assert made.host(node) in printed
    check_nothing_is_left(made, tmp_path, began)


@pytest.mark.slow
def test_mpirun_is_killed_on_a_machine_without_processes(cluster, tmp_path):
    made = cluster(2)
    process = start(made, tmp_path)
    numbers = descendants(process.pid)
    os.kill(next(n for n in numbers if Path(f"/proc/{n}/comm").read_text().startswith("prterun")), signal.SIGKILL)
    code, _, began = ended(process)
    assert code
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
def test_a_link_that_is_mended_soon_and_a_process_stopped_for_a_moment_end_nothing(cluster, tmp_path):
    made = cluster(2)
    process = start(made, tmp_path)
    made.cut(1)
    time.sleep(3)
    made.mend(1)
    time.sleep(15)
    (number,) = ranks_of(made, 1)
    os.kill(number, signal.SIGSTOP)
    time.sleep(8)
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
