# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux beside NetworKit, SuiteSparse:GraphBLAS and SciPy on CPU cores: ``python benchmarks/cpu.py --scale 20``.

All get the same edges and, where they can use them, as many threads as Lux has processors (set with, for instance,
``LEGATE_CONFIG="--cpus 4 --gpus 0"``); what each does and leaves out is said in its file in ``benchmarks/peers``.
Answers are compared before anything is timed. A time is that of a whole call by wall clock, until the answer lies in
the library's own memory; Lux's own clock, ``result.seconds``, leaves out set-up and is shown beside it.
"""

import argparse
import os
import sys
import time
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.contender import ALPHA, ITERATIONS, WORKS

PEERS = ("networkit", "graphblas", "scipy")
PACKAGES = (
    "legate", "numpy", "numba", "scipy", "networkit", "python-graphblas", "suitesparse-graphblas",
)  # fmt: skip


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    os.environ.setdefault("LEGATE_CONFIG", "--gpus 0")
    from rich.console import Console

    from benchmarks import machine, peers, report
    from benchmarks.graphs import shared_graph
    from benchmarks.race import race

    console = Console(width=None if sys.stdout.isatty() else 140)
    began = time.time()
    skipped = [peer for peer in options.peers if peers.missing(peer)]
    for peer in skipped:
        console.print(f"{peer} is skipped: it is not installed (pip install 'lux-graph[benchmarks]')")
    present = ["lux", *(peer for peer in options.peers if peer not in skipped)]
    races, threads = [], 0
    for spec in (f"kronecker:{options.scale}", f"grid:{options.grid}"):
        shared = shared_graph(spec, options.roots)
        threads = shared.threads
        console.print(f"{spec}: {shared.n:,} vertices, {shared.graph.n_edges:,} stored edges")
        rows = [row for name in present for row in peers.contenders(name, shared, options.only)]
        for work in options.only:
            some = [row for row in rows if row.work == work]
            races.append(report.Race(shared, work, race(some, shared.roots.tolist(), options.trials)))
            report.print_race(races[-1], console)
    report.print_ratios(races, console)
    facts = {
        "machine": machine.machine(threads),
        "versions": machine.versions(PACKAGES),
        "commit": machine.commit(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": time.time() - began,
        "trials": options.trials,
        "iterations": ITERATIONS,
        "alpha": ALPHA,
        "skipped": skipped,
    }
    report.write_json(options.output, races, facts)
    console.print(f"written to {options.output}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Lux beside other libraries on CPU cores."
    )
    parser.add_argument("--scale", type=int, default=20, help="log2 of the Kronecker graph's vertices")
    parser.add_argument("--grid", default="1024x1024", metavar="ROWSxCOLUMNS")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--roots", type=int, default=16, help="roots of breadth-first searches")
    parser.add_argument("--only", type=_among(WORKS), default=list(WORKS), help=f"of {','.join(WORKS)}")
    parser.add_argument("--peers", type=_among(PEERS), default=list(PEERS), help=f"of {','.join(PEERS)}")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "cpu.json")
    return parser.parse_args()


def _among(allowed: tuple[str, ...]) -> object:
    def names(text: str) -> list[str]:
        given = [name for name in text.split(",") if name]
        if unknown := [name for name in given if name not in allowed]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not among {', '.join(allowed)}")
        return [name for name in allowed if name in given]

    return names


if __name__ == "__main__":
    main()
