# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A cluster on one machine: nodes are network namespaces, with links whose bytes are counted and whose rate is set.

Processes on different nodes share files and processors, but reach one another through TCP alone. A node's host name is
the cluster's name and the node's number, from 0: ``lux4-0``. With more nodes than cores only bytes and answers mean
anything; after a pause a link lets the bytes of a 200th of a second pass at once.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

AGENT = Path(__file__).with_name("cluster_agent.py")
COUNTER = Path("/sys/class/net/eth0/statistics/tx_bytes")
"""File on a node that counts the bytes it has sent."""
LOCK = Path("/run/lux-cluster.lock")
"""File that a process locks while it takes a name."""
CONTROL_GROUPS, PERIOD_US = Path("/sys/fs/cgroup/cpu"), 5000
"""Folder of control groups for cores, and the microseconds in which a node that is slowed gets its share."""
NAMES = 200
"""Clusters that one machine can have at a time."""
SECONDS = 20.0
"""Seconds within which killed processes must have gone."""


class ClusterError(Exception):
    """Failure of a command that makes or changes a cluster."""


def refusal() -> str:
    """Say why this process cannot make a cluster; empty if it can."""
    if os.geteuid():
        return "only the superuser can make network namespaces"
    if missing := [name for name in ("ip", "tc", "taskset", "unshare") if shutil.which(name) is None]:
        return f"there is no program {' or '.join(missing)}"
    name = f"luxtry{os.getpid()}"
    steps = (
        ("ip", "netns", "add", name),
        ("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name),
        ("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *_shape(100)),
        ("ip", "netns", "exec", name, "unshare", "--uts", "hostname", name),
    )
    try:
        for step in steps:
            _call(*step)
    except ClusterError as error:
        return f"network namespaces cannot be made here: {error}"
    finally:
        _try("ip", "link", "del", name)
        _try("ip", "netns", "del", name)
    return ""


class Cluster:
    """Nodes on a network of their own, until the end of a ``with`` block, which kills all that runs on them.

    Parameters
    ----------
    nodes : int
        Number of nodes.
    mbit : float
        Millions of bits that a node sends in a second at most.

    Attributes
    ----------
    name : str
        Name of the cluster; no other cluster of the machine has it.
    nodes : int
    """

    def __init__(self, nodes: int, mbit: float = 200) -> None:
        self.nodes = nodes
        self._mbit = mbit
        self._started: list[subprocess.Popen[str]] = []
        self.name, self._subnet = "", ""

    def __enter__(self) -> Self:
        with LOCK.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._remove_abandoned()
            self._take_name()
        try:
            _call("ip", "addr", "add", f"{self._subnet}.254/24", "dev", self.name)
            _call("ip", "link", "set", self.name, "up")
            for node in range(self.nodes):
                self._add(node)
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def _take_name(self) -> None:
        """Take the first name that is free: making a bridge fails if there is one of its name."""
        last: ClusterError | None = None
        for number in range(1, NAMES):
            try:
                _call("ip", "link", "add", f"lux{number}", "type", "bridge")
            except ClusterError as error:
                last = error
                if not Path(f"/sys/class/net/lux{number}").exists():
                    raise
                continue
            self.name, self._subnet = f"lux{number}", f"10.99.{number}"
            _call("ip", "link", "set", self.name, "alias", str(os.getpid()))
            return
        raise ClusterError(f"{NAMES} clusters are on this machine: {last}")

    @staticmethod
    def _remove_abandoned() -> None:
        """Remove clusters whose process was killed before it could remove them."""
        for folder in Path("/sys/class/net").glob("lux*"):
            with suppress(OSError, ValueError):
                if not Path(f"/proc/{int((folder / 'ifalias').read_text())}").exists():
                    left = Cluster(0)
                    left.name = folder.name
                    left.nodes = sum(1 for _ in Path("/run/netns").glob(f"{left.name}-*"))
                    left.remove()

    def _add(self, node: int) -> None:
        name, link = self.host(node), self._link(node)
        inside = ("ip", "netns", "exec", name)
        _call("ip", "netns", "add", name)
        _call("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        _call("ip", "link", "set", link, "master", self.name, "up")
        _call(*inside, "ip", "addr", "add", f"{self.address(node)}/24", "dev", "eth0")
        _call(*inside, "ip", "link", "set", "eth0", "up")
        _call(*inside, "ip", "link", "set", "lo", "up")
        _call(*inside, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *_shape(self._mbit))

    def remove(self) -> None:
        """Kill all that was started and all that runs on the nodes, and remove the network."""
        for process in self._started:
            for number in [] if process.poll() is not None else [process.pid, *descendants(process.pid)]:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        for node in range(self.nodes):
            self.kill(node)
        for process in self._started:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        for node in range(self.nodes):
            with suppress(OSError):
                (CONTROL_GROUPS / self.host(node)).rmdir()
            _try("ip", "link", "del", self._link(node))
            _try("ip", "netns", "del", self.host(node))
        _try("ip", "link", "del", self.name)

    def host(self, node: int) -> str:
        """Return a node's host name, which is that of its network namespace."""
        return f"{self.name}-{node}"

    def address(self, node: int) -> str:
        """Return a node's IP address."""
        return f"{self._subnet}.{node + 1}"

    def _link(self, node: int) -> str:
        return f"{self.name}v{node}"

    def command(self, *program: str | Path, cpus: int = 1, sysmem: int = 1000, flags: Sequence[str] = ()) -> list[str]:
        """Return the command that runs a program with one process on each node.

        Parameters
        ----------
        program : str or pathlib.Path
            The program and its arguments.
        cpus, sysmem : int
            Cores and MiB of memory of each process.
        flags : sequence of str
            Other flags of ``legate``.
        """
        hosts = ",".join(f"{self.address(node)}:1" for node in range(self.nodes))
        extra = f"--prtemca plm_ssh_agent '{sys.executable} {AGENT}' --prtemca plm_ssh_no_tree_spawn 1 --host {hosts}"
        words = ["legate", "--launcher", "mpirun", "--nodes", str(self.nodes), "--ranks-per-node", "1"]
        words += ["--cpus", str(cpus), "--sysmem", str(sysmem), f"--launcher-extra={extra}", *flags]
        return [*words, *map(str, program)]

    def environment(self, environ: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables with which `command` has to be started: those given, or this process's, and more."""
        found = dict(os.environ if environ is None else environ)
        found |= {"LUX_CLUSTER": self.name, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}
        found |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if self.nodes > (os.cpu_count() or 1):  # what waits for a message lets others compute
            found["OMPI_MCA_mpi_yield_when_idle"] = "1"
        found["PATH"] = f"{Path(sys.prefix, 'bin')}{os.pathsep}{found['PATH']}"
        return found

    def start(
        self, command: Sequence[str], folder: Path, environ: Mapping[str, str] | None = None, **how: Any
    ) -> subprocess.Popen[str]:
        """Start a command of `command` in a folder, whose output is text; ``how`` is of `subprocess.Popen`."""
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
        process = subprocess.Popen(command, env=self.environment(environ), cwd=folder, text=True, **how)
        self._started.append(process)
        return process

    def run(self, command: Sequence[str], timeout: float, environ: Mapping[str, str] | None = None) -> None:
        """Run a command of `command` in this folder, with its output shown, and exit if it fails.

        Parameters
        ----------
        timeout : float
            Seconds after which it has failed (`subprocess.TimeoutExpired`).
        """
        running = self.start(command, Path.cwd(), environ, stdout=None, stderr=None)
        if running.wait(timeout=timeout):
            raise SystemExit(f"the run on {self.nodes} nodes at {self._mbit:g} mbit failed")

    def sent(self) -> list[int]:
        """Return the bytes that each node has sent so far, with all headers from Ethernet's on."""
        links = (Path(f"/sys/class/net/{self._link(node)}/statistics/rx_bytes") for node in range(self.nodes))
        return [int(link.read_text()) for link in links]

    def set_rate(self, node: int, mbit: float) -> None:
        """Set how many millions of bits a node sends in a second at most."""
        inside = ("ip", "netns", "exec", self.host(node))
        _call(*inside, "tc", "qdisc", "change", "dev", "eth0", "root", "tbf", *_shape(mbit))

    def cut(self, node: int) -> None:
        """Take a node's link down: from now on it loses all that it sends and is sent."""
        _call("ip", "link", "set", self._link(node), "down")

    def mend(self, node: int) -> None:
        """Take a node's link up again."""
        _call("ip", "link", "set", self._link(node), "up")

    def slow(self, node: int, share: float) -> None:
        """Give what runs on a node now, and what it starts, at most so much of a core (a control group, version 1)."""
        group = CONTROL_GROUPS / self.host(node)
        try:
            group.mkdir(exist_ok=True)
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(int(share * PERIOD_US)))
            for number in self.processes(node):
                (group / "cgroup.procs").write_text(str(number))
        except OSError as error:
            raise ClusterError(f"{self.host(node)} cannot be slowed: {error}") from None

    def processes(self, node: int) -> list[int]:
        """Return the numbers of the processes on a node."""
        done = _try("ip", "netns", "pids", self.host(node))
        return [int(number) for number in done.stdout.split()]

    def kill(self, node: int) -> None:
        """Kill all processes on a node, and wait until they have gone."""
        end = time.monotonic() + SECONDS
        while running := self.processes(node):
            for number in running:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            if time.monotonic() > end:
                raise ClusterError(f"processes {running} of {self.host(node)} do not end")
            time.sleep(0.05)


def descendants(process: int) -> list[int]:
    """Return the numbers of the processes that a process has started, and of all that these have."""
    found = list[int]()
    with suppress(OSError):
        for number in map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()):
            found += [number, *descendants(number)]
    return found


def sent_from_here() -> int:
    """Return the bytes that the node of this process has sent so far, headers included; 0 outside of a cluster."""
    return int(COUNTER.read_text()) if "LUX_CLUSTER" in os.environ else 0


def _shape(mbit: float) -> tuple[str, ...]:
    """Return the arguments of a token bucket that lets so many bits pass, and a 200th of a second's at once."""
    return ("rate", f"{mbit}mbit", "burst", str(max(int(mbit * 625), 2000)), "latency", "100ms")


def _try(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def _call(*words: str) -> None:
    done = _try(*words)
    if done.returncode:
        raise ClusterError(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
