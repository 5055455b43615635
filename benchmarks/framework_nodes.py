# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The analysis of `benchmarks.framework` on several nodes: ``python benchmarks/framework_nodes.py``.

Brings up clusters of network namespaces on this machine (`benchmarks.cluster`; it needs to be the superuser), and runs
`benchmarks.framework` on each, with a process, a core and a partition for a node: W, C, H and S, the split of times
into W + H g + S l, and each primitive with both exchanges, selective and broadcast. Times on more nodes than cores say
nothing; bytes are right.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.cluster import Cluster
from benchmarks.machine import clean_commit, commit, machine, since, versions
from benchmarks.report import write_json

FRAMEWORK = Path(__file__).with_name("framework.py")
CLUSTERS = ("2@200", "4@200")
GRAPHS = ("kronecker:14,16", "kronecker:16,16", "uniform:15,8", "grid:200x200")
PACKAGES = ("legate", "numpy", "numba")
KEPT = ("costs", "split", "exchanges", "latency")
"""Parts of a run's document: borders and memory are those of one process."""


def main() -> None:
    """Run the benchmark."""
    options = _options()
    clean_commit()
    began, found = time.time(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        for nodes, mbit in options.clusters:
            done = _on_cluster(nodes, mbit, options, Path(folder, f"{nodes}@{mbit:g}.json"))
            found.append({"nodes": nodes, "mbit": mbit} | {name: done[name] for name in KEPT})
    most = max(nodes for nodes, _ in options.clusters)
    facts = {"machine": machine(1, most), "versions": versions(PACKAGES), "commit": commit(), "clusters": found}
    write_json(options.output, facts | since(began))


def _on_cluster(nodes: int, mbit: float, options: argparse.Namespace, output: Path) -> dict[str, Any]:
    words = ["--graphs", *options.graphs, "--trials", options.trials, "--parts", nodes]
    words += ["--partitioners", "contiguous", "--json", output]
    with Cluster(nodes, mbit) as cluster:
        command = cluster.command(FRAMEWORK, *map(str, words), sysmem=options.sysmem // nodes)
        cluster.run(command, options.timeout)
    document: dict[str, Any] = json.loads(output.read_text())
    return document


def _cluster(text: str) -> tuple[int, float]:
    nodes, _, mbit = text.partition("@")
    return int(nodes), float(mbit)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The analysis of benchmarks/framework.py on several nodes.")
    default = [_cluster(text) for text in CLUSTERS]
    parser.add_argument("--clusters", type=_cluster, nargs="+", default=default, metavar="NODES@MBIT")
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), metavar="SPEC")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--sysmem", type=int, default=4000, help="MiB of memory of all processes")
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "framework-nodes.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
