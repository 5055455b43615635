# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic repartitioning between nodes, one of which is slowed: Figure 18 of the Lux paper (VLDB 2017), global phase.

``python benchmarks/balance_nodes.py --output FILE`` brings up clusters of 2 and 4 nodes (`benchmarks.cluster`; it needs
to be the superuser), gives the first node a share of a core, and runs `benchmarks.balance`'s program with and without
repartitioning in turns; on 4 nodes also with more steps for each vertex, so that computation outweighs what nodes send.
On four nodes of two cores, times of an iteration say less than their ratios. ``--only`` measures some of the cases, and
keeps the others that the file has; each names its commit.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.balance import ITERATIONS, Case, Relax, show, summary, trial
from benchmarks.cluster import Cluster
from benchmarks.machine import circumstances
from benchmarks.report import write_json

CASES = {"2 nodes": (2, 128), "4 nodes": (4, 128), "4 nodes, more steps": (4, 512)}
"""Nodes, and the fixed-point steps of each vertex, by the name of the case."""
SHARES = {2: 0.5, 4: 0.25}
"""Share of a core that the first node has, by the number of nodes: half of what it had."""


def main() -> None:
    """Run the benchmark, or its part in a process of a cluster."""
    options = _options()
    if options.worker is not None:
        _work(options)
        return
    console, cases = Console(width=130), dict[str, Any]()
    document: dict[str, Any] = {**circumstances(["legate", "numba", "numpy"]), "mbit": options.mbit}
    if options.output.exists():
        cases = json.loads(options.output.read_text())["cases"]
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            trials = _on_cluster(name, options, Path(folder))
        title = f"{name}, the first with half of its time"
        found = summary(trials)
        show(Case(title, lambda _: None), found, trials, console)
        cases[name] = {"title": title, "commit": document["commit"], **found, "trials": trials}
    write_json(options.output, document | {"cases": {name: cases[name] for name in CASES if name in cases}})


def _on_cluster(name: str, options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    nodes, _ = CASES[name]
    words = [str(Path(__file__).resolve()), "--worker", str(folder), "--trials", str(options.trials), "--only", name]
    words += ["--scale", str(options.scale), "--iterations", str(options.iterations), "--output", str(options.output)]
    with Cluster(nodes, options.mbit) as cluster:
        command = cluster.command(*words, sysmem=options.sysmem // nodes)
        running = cluster.start(command, Path.cwd(), stdout=None, stderr=None)
        while not (folder / "ready").exists() and running.poll() is None:
            time.sleep(0.1)
        cluster.slow(0, SHARES[nodes])
        (folder / "slowed").touch()
        if running.wait(timeout=options.timeout):
            raise SystemExit(f"the run of {name} failed")
    found: list[dict[str, Any]] = json.loads((folder / "trials.json").read_text())
    return found


def _work(options: argparse.Namespace) -> None:
    """Measure in this process; the first writes the trials."""
    import lux
    from lux import runtime

    graph = lux.generate(f"uniform:{options.scale},8")
    given = {"steps": np.full(graph.n_vertices, CASES[options.only[0]][1], np.int32)}
    case = Case("", lambda n: lux.run(Relax, graph, constants=given, parts=runtime.ranks(), max_iter=n))
    for mode in ("off", "global"):  # compiles
        trial(case, mode, {}, 3)
    if runtime.rank() == 0:
        (options.worker / "ready").touch()
    while not (options.worker / "slowed").exists():
        time.sleep(0.1)
    found = [trial(case, mode, {}, options.iterations) for _ in range(options.trials) for mode in ("off", "global")]
    if runtime.rank() == 0:
        (options.worker / "trials.json").write_text(json.dumps(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Repartitioning between nodes, one of which is slowed.")
    parser.add_argument("--only", nargs="+", default=list(CASES), choices=tuple(CASES), metavar="CASE")
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help=f"of a run ({ITERATIONS})")
    parser.add_argument("--mbit", type=float, default=200)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--scale", type=int, default=18, help="log2 of the vertices")
    parser.add_argument("--sysmem", type=int, default=6000, help="MiB of memory of all processes")
    parser.add_argument("--timeout", type=float, default=1500)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
