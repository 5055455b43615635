# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of `lux.bfs` on several nodes: ``python benchmarks/engines_nodes.py --output bfs-nodes.json``.

Brings up clusters of network namespaces on this machine (`benchmarks.cluster`; it needs to be the superuser), and runs
`benchmarks.engines` on each, with a process, a core and a processor of the strategies for a node. Times on more nodes
than cores say nothing; bytes are right.
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

ENGINES = Path(__file__).with_name("engines.py")
CLUSTERS = ("2@200", "2@50", "4@200")
PACKAGES = ("legate", "numpy", "numba")


def main() -> None:
    """Run the benchmark."""
    options = _options()
    clean_commit()
    began, found = time.time(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        for nodes, mbit in options.clusters:
            done = _on_cluster(nodes, mbit, options, Path(folder, f"{nodes}@{mbit:g}.json"))
            found.append({"nodes": nodes, "mbit": mbit, "graph": done["graph"], "rows": done["rows"]})
    most = max(nodes for nodes, _ in options.clusters)
    facts = {"machine": machine(1, most), "versions": versions(PACKAGES), "commit": commit(), "clusters": found}
    write_json(options.output, facts | since(began))


def _on_cluster(nodes: int, mbit: float, options: argparse.Namespace, output: Path) -> dict[str, Any]:
    words = ["--scale", options.scale, "--roots", options.roots, "--trials", options.trials, "--parts", nodes]
    with Cluster(nodes, mbit) as cluster:
        command = cluster.command(ENGINES, *map(str, [*words, "--output", output]), sysmem=options.sysmem // nodes)
        cluster.run(command, options.timeout)
    document: dict[str, Any] = json.loads(output.read_text())
    return document


def _cluster(text: str) -> tuple[int, float]:
    nodes, _, mbit = text.partition("@")
    return int(nodes), float(mbit)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The strategies of lux.bfs on several nodes.")
    default = [_cluster(text) for text in CLUSTERS]
    parser.add_argument("--clusters", type=_cluster, nargs="+", default=default, metavar="NODES@MBIT")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--roots", type=int, default=8)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--sysmem", type=int, default=4000, help="MiB of memory of all processes")
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "bfs-nodes.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
