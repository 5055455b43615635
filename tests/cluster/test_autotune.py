# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The commands that ``lux autotune`` and ``legate_config command`` print for several nodes start them as they are."""

import subprocess
import sys

import pytest

from benchmarks.cluster import AGENT
from lux_cases.processes import REPOSITORY, environment

pytestmark = pytest.mark.multirank

GRAPH = ("--generate", "kronecker:10")
LUX = (sys.executable, "-m", "lux.cli")


def printed(*words):
    """The last line that a command prints."""
    done = subprocess.run(words, capture_output=True, text=True, cwd=REPOSITORY, env=environment(), check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


def test_two_nodes_are_started_as_printed(cluster, tmp_path):
    """Names of hosts are in Open MPI's default file for one command, and in the other command itself."""
    tuned, made = tmp_path / "tuned.json", cluster(2)
    hosts = [made.address(node) for node in range(2)]
    hostfile = tmp_path / "hosts"
    hostfile.write_text("".join(f"{host} slots=1\n" for host in hosts))
    large = ("--profile", "epyc-2-cores", "--rate", "network=1", "--edges", "2e9")  # more than one such node holds
    commands = [
        printed(*LUX, "autotune", *GRAPH, "--nodes", "2", "--cpus", "1", *large, "--output", tuned),
        printed(
            *(sys.executable, "-m", "legate_config", "command", "--config", tuned, "--hosts", ",".join(hosts)),
            *("apps/pagerank.py", *GRAPH, "--config", tuned),
        ),
    ]
    agent = {"PRTE_MCA_plm_ssh_agent": f"{sys.executable} {AGENT}", "PRTE_MCA_plm_ssh_no_tree_spawn": "1"}
    for command, given in zip(commands, ({"PRTE_MCA_prte_default_hostfile": str(hostfile)}, {}), strict=True):
        assert "--nodes 2 --ranks-per-node 1 --cpus 1" in command
        before = made.sent()
        run = made.start(["sh", "-c", command], REPOSITORY, environment() | agent | given)
        out, error = run.communicate(timeout=120)
        assert run.returncode == 0, error[-2000:]
        assert out.count("highest ranks") == 1
        assert all(after > sent + 10_000 for after, sent in zip(made.sent(), before, strict=True))
