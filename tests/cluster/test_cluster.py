# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Clusters of network namespaces: names, rates, links, and that nothing of them is left."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.cluster import AGENT, Cluster, ClusterError, descendants, refusal
from lux_cases.processes import environment

SENDS = "import socket, sys; socket.create_connection((sys.argv[1], 9), 1).close()"


def on_node(cluster, node, *words):
    inside = ["ip", "netns", "exec", cluster.host(node), *words]
    return subprocess.run(inside, capture_output=True, text=True, check=False)


def reaches(cluster, node, other):
    done = on_node(cluster, node, sys.executable, "-c", SENDS, cluster.address(other))
    return "Connection refused" in done.stderr


@pytest.mark.check
def test_what_hinders_a_cluster_is_said(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    assert refusal() == "only the superuser can make network namespaces"


def test_the_command_names_every_node(cluster):
    made = cluster(3)
    words = made.command("program.py", "--flag", cpus=2, sysmem=300, flags=("--gpus", "0"))
    assert words[:7] == ["legate", "--launcher", "mpirun", "--nodes", "3", "--ranks-per-node", "1"]
    assert words[7:11] == ["--cpus", "2", "--sysmem", "300"]
    assert words[12:] == ["--gpus", "0", "program.py", "--flag"]
    assert f"--host {made.address(0)}:1,{made.address(1)}:1,{made.address(2)}:1" in words[11]
    assert str(AGENT) in words[11]


LINK = """
import json
from pathlib import Path

from lux_cases import machine

found = machine.network()
if machine.rank() == 0:
    print(json.dumps([found.byte, found.latency, found.burst]))
"""


@pytest.mark.multirank
def test_what_the_network_carries_is_measured(cluster, tmp_path):
    made = cluster(2, mbit=100)
    (tmp_path / "link.py").write_text(LINK)
    running = made.start(made.command(tmp_path / "link.py", sysmem=300), tmp_path, environment())
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, err[-2000:]
    byte, latency, burst = json.loads(out.splitlines()[-1])
    assert 0.8 * 8e-8 < byte < 1.5 * 8e-8
    assert 0 < latency < 0.01
    assert 0 <= burst < 0.02


def test_clusters_are_apart_and_leave_nothing(cluster):
    with Cluster(2) as one, Cluster(2) as two:
        assert one.name != two.name
        assert reaches(one, 0, 1)
        before = one.sent()
        assert reaches(one, 1, 0)
        assert all(after > sent for after, sent in zip(one.sent(), before, strict=True))
        assert on_node(two, 1, "ip", "-4", "addr").stdout.count(two.address(1)) == 1
        two.cut(1)
        assert not reaches(two, 0, 1)
        two.mend(1)
        end = time.monotonic() + 5
        while not reaches(two, 0, 1):
            assert time.monotonic() < end
        two.set_rate(0, 50)
        assert "rate 50Mbit" in on_node(two, 0, "tc", "qdisc").stdout
        with pytest.raises(ClusterError, match="Cannot find device"):
            two.cut(5)
        sleeper = subprocess.Popen(["ip", "netns", "exec", two.host(0), "sleep", "60"])
        end = time.monotonic() + 5
        while two.processes(0) != [sleeper.pid]:
            assert time.monotonic() < end
        names = [one.name, two.name]
    assert sleeper.wait(5) < 0
    for name in names:
        assert not Path(f"/sys/class/net/{name}").exists()
        assert not list(Path("/run/netns").glob(f"{name}-*"))


def test_what_a_killed_process_left_is_removed(cluster):
    made = cluster(1)
    program = (
        "import os; from benchmarks.cluster import Cluster; c = Cluster(1).__enter__(); print(c.name, flush=True);"
        "os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=AGENT.parents[1], capture_output=True, text=True, check=False
    )
    left = done.stdout.strip()
    assert left not in ("", made.name)
    assert Path(f"/sys/class/net/{left}").exists()
    cluster(1)
    alias = Path(f"/sys/class/net/{left}/ifalias")  # by now it may be another one's
    assert not alias.exists() or Path(f"/proc/{int(alias.read_text())}").exists()


def test_descendants():
    command = [sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '60'])"]
    with subprocess.Popen(command) as process:
        end = time.monotonic() + 10
        while not descendants(process.pid):
            assert time.monotonic() < end
        (child,) = descendants(process.pid)
        os.kill(child, 9)
