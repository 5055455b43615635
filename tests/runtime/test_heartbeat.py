# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Helpers of several processes, which end with one message if one of them is lost, and only then."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lux.runtime import heartbeat
from lux.runtime.heartbeat_process import began_at, end_process
from lux_cases.processes import environment

PROCESS = """
import ctypes, json, signal, sys, time
from lux.runtime import heartbeat

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup may have started the tests

rank, ranks, hub = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
print(heartbeat.start_helper(rank, ranks, hub), flush=True)
for line in sys.stdin:
    if line == "compute\\n":
        ctypes.PyDLL(None).usleep(3_000_000)  # holds Python's lock
    if line == "leave\\n":
        heartbeat.expect_end()
        break
    if line == "wait for the others\\n":
        heartbeat.expect_end()
    print("done", flush=True)
"""
LIMITS = {"silence_s": 2.0, "grace_s": 0.5, "launcher_s": 1.0}
MESSAGE = "Lux ends all 3 processes, as process {} on node {} is lost: {}"


class Job:
    """Three processes with a helper each."""

    def __init__(self, **hub):
        self.processes = []
        hub = {"token": "abc"} | LIMITS | hub
        for rank in range(3):
            command = (sys.executable, "-c", PROCESS, str(rank), "3", json.dumps(hub))
            pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
            self.processes.append(subprocess.Popen(command, env=environment(), text=True, **pipes))
            port = int(self.processes[rank].stdout.readline())
            if rank == 0:
                hub = {"port": port, "addresses": heartbeat.addresses()} | hub
        self.port = hub["port"]
        time.sleep(1.0)  # until all are connected

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            for number in (process.pid, *self.helpers(process)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGCONT)
            process.kill()
            process.communicate()

    def helpers(self, process):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return [int(number) for number in children.read_text().split()] if children.exists() else []

    def ask(self, rank, word):
        self.processes[rank].stdin.write(f"{word}\n")
        self.processes[rank].stdin.flush()

    def ended(self, *ranks, within=8.0):
        """Exit codes and what was printed of processes that have to end."""
        end = time.monotonic() + within
        codes = [self.processes[rank].wait(max(end - time.monotonic(), 0.1)) for rank in ranks]
        return codes, "".join(self.processes[rank].stderr.read() for rank in ranks)

    def lives(self):
        return [process.poll() is None for process in self.processes] == [True] * 3


@pytest.mark.check
def test_a_regular_end_ends_nobody_else():
    with Job() as job:
        job.ask(1, "leave")
        assert job.ended(1) == ([0], "")
        job.ask(0, "leave")
        assert job.ended(0) == ([0], "")
        time.sleep(1.5)
        assert job.processes[2].poll() is None
        job.ask(2, "leave")
        assert job.ended(2) == ([0], "")


def test_a_process_that_waits_long_for_the_others_says_so_once():
    with Job(wait_s=1.0) as job:
        job.ask(1, "wait for the others")
        time.sleep(4.0)
        assert job.lives()
        job.ask(1, "leave")
        codes, printed = job.ended(1)
        assert codes == [0]
        assert printed == (
            f"process 1 on node {socket.gethostname()} came to the end of its program 1 s ago, and waits for the "
            "others. If they do not end, they wait in a call of Lux that it did not make: all processes must make the "
            "same calls, in the same order\n"
        )


def test_a_killed_process_ends_all_with_one_message():
    with Job() as job:
        job.processes[2].kill()
        codes, printed = job.ended(0, 1)
        assert codes == [1, 1]
        assert printed == MESSAGE.format(2, socket.gethostname(), "it has ended without the others") + "\n"


def test_without_the_first_process_the_second_speaks_and_its_launcher_ends_the_others():
    with Job() as job:
        job.processes[0].kill()
        codes, printed = job.ended(1)
        assert codes == [1]
        assert printed == MESSAGE.format(0, socket.gethostname(), "it has ended without the others") + "\n"
        job.processes[2].kill()
        assert job.ended(2) == ([-signal.SIGKILL], "")


def test_a_frozen_node_ends_all():
    with Job() as job:
        frozen = job.processes[1]
        numbers = (frozen.pid, *job.helpers(frozen))
        assert len(numbers) == 2
        for number in numbers:
            os.kill(number, signal.SIGSTOP)
        codes, printed = job.ended(0, 2)
        assert codes == [-signal.SIGTERM] * 2
        assert printed == MESSAGE.format(1, socket.gethostname(), "nothing has come from it for 2 s") + "\n"
        for number in numbers:
            os.kill(number, signal.SIGCONT)
        assert job.ended(1)[0][0]


def test_a_process_that_holds_pythons_lock_or_is_stopped_for_a_moment_is_not_lost():
    with Job(silence_s=4.0) as job:
        job.ask(1, "compute")
        os.kill(job.processes[2].pid, signal.SIGSTOP)
        time.sleep(1.0)
        os.kill(job.processes[2].pid, signal.SIGCONT)
        assert job.processes[1].stdout.readline() == "done\n"
        assert job.lives()


@pytest.mark.parametrize("rank", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_a_stopped_process_ends_all(rank):
    with Job() as job:
        os.kill(job.processes[rank].pid, signal.SIGSTOP)
        codes, printed = job.ended(0, 1, 2, within=12.0)
        assert codes == [1, 1, 1]
        assert printed == MESSAGE.format(rank, socket.gethostname(), "it has been stopped by a signal for 2 s") + "\n"


@pytest.mark.slow
def test_all_may_be_stopped_but_their_helpers():
    with Job() as job:
        for each in job.processes:
            os.kill(each.pid, signal.SIGSTOP)
        time.sleep(3.5)
        for each in job.processes:
            os.kill(each.pid, signal.SIGCONT)
        time.sleep(1.5)
        assert job.lives()


def test_strangers_end_nothing():
    with Job() as job:
        for line in (b"lost 15\n", b"lost 1\nlost 1\n", b"hello xyz 1 a\nlost 15\n", b"x" * 100_000, b"\xff\n\n"):
            with socket.create_connection(("127.0.0.1", job.port), 5) as stranger, contextlib.suppress(OSError):
                stranger.sendall(line)
                assert stranger.recv(1) == b""  # it is shown out
            time.sleep(0.5)
            assert job.lives(), line


def test_the_end_of_a_launcher_ends_all():
    patient = {"silence_s": 30.0}  # a busy machine keeps helpers waiting, who would be taken for lost
    with subprocess.Popen(["sleep", "60"]) as launcher, Job(launchers={str(launcher.pid): "mpirun"}, **patient) as job:
        launcher.kill()
        launcher.wait()
        codes, printed = job.ended(0, 1, 2)
        assert codes == [1, 1, 1]
        ended = f"Lux ends all 3 processes, as mpirun, which launched them, has ended on node {socket.gethostname()}"
        assert printed == ended + "\n"


@pytest.mark.slow
def test_all_may_be_stopped_together():
    with Job() as job:
        numbers = [number for each in job.processes for number in (each.pid, *job.helpers(each))]
        for number in numbers:
            os.kill(number, signal.SIGSTOP)
        time.sleep(3.5)
        for number in numbers:
            os.kill(number, signal.SIGCONT)
        time.sleep(1.5)
        assert job.lives()


def test_a_hub_out_of_reach_is_told():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with Job(port=port, addresses=["127.0.0.1"]) as job:
        assert job.lives()
        job.ask(1, "leave")
        codes, printed = job.ended(1)
        assert codes == [0]
        assert f"cannot reach process 0 at 127.0.0.1, port {port}: if a node is lost, the others will wait" in printed


@pytest.mark.check
def test_processes_are_ended_by_number_and_begin():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        began = began_at(process.pid)
        assert began
        end_process(process.pid, "another")
        assert process.poll() is None
        end_process(process.pid, began)
        assert process.wait(1) == -signal.SIGTERM
    assert began_at(process.pid) == ""


@pytest.mark.check
def test_addresses():
    found = heartbeat.addresses()
    assert len(found) == len(set(found))
    assert all(socket.inet_aton(address) for address in found)
