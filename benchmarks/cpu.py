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
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import peers
from benchmarks.contender import ALPHA, ITERATIONS, WORKS
from benchmarks.graphs import shared_graph
from benchmarks.machine import OtherProcesses, commit, machine, versions
from benchmarks.race import race
from benchmarks.report import Race, print_race, print_ratios, write_json

PACKAGES = ("legate", "numpy", "numba", "scipy", "networkit", "python-graphblas", "suitesparse-graphblas")
MOST_BY_OTHERS = 0.05
"""Cores that other processes may use before the times are called doubtful."""


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    os.environ.setdefault("LEGATE_CONFIG", "--gpus 0")
    console = Console(width=None if sys.stdout.isatty() else 140)
    skipped = [peer for peer in options.peers if peers.missing(peer)]
    for peer in skipped:
        console.print(f"{peer} is skipped: it is not installed (pip install 'lux-graph\\[benchmarks]')")
    present = ["lux", *(peer for peer in options.peers if peer not in skipped)]
    began, others, races = time.time(), OtherProcesses(), []
    for spec in (f"kronecker:{options.scale}", f"grid:{options.grid}"):
        races += _on_graph(spec, present, options, console)
    busy = others.cores()
    print_ratios(races, console)
    if busy > MOST_BY_OTHERS:
        console.print(f"other processes used {busy:.2f} cores meanwhile: peers that wait for all threads suffer most")
    facts = {
        "machine": machine(races[0].shared.threads),
        "versions": versions(PACKAGES),
        "commit": commit(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": time.time() - began,
        "cores_used_by_others": busy,
        "trials": options.trials,
        "iterations": ITERATIONS,
        "alpha": ALPHA,
        "skipped": skipped,
    }
    write_json(options.output, races, facts)
    console.print(f"written to {options.output}")


def _on_graph(spec: str, present: Sequence[str], options: argparse.Namespace, console: Console) -> list[Race]:
    """All works on one graph, one after the other."""
    shared = shared_graph(spec, options.roots)
    console.print(f"{spec}: {shared.n:,} vertices, {shared.graph.n_edges:,} stored edges")
    rows = [row for name in present for row in peers.contenders(name, shared, options.only)]
    races = []
    for work in options.only:
        times = race([row for row in rows if row.work == work], shared.roots.tolist(), options.trials)
        races.append(Race(shared, work, times))
        print_race(races[-1], console)
    return races


def _options() -> argparse.Namespace:
    names = tuple(peers.MODULES)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Lux beside its peers on CPU cores.")
    parser.add_argument("--scale", type=int, default=20, help="log2 of the Kronecker graph's vertices")
    parser.add_argument("--grid", default="1024x1024", metavar="ROWSxCOLUMNS")
    parser.add_argument("--trials", type=_positive, default=5)
    parser.add_argument("--roots", type=_positive, default=16, help="roots of breadth-first searches")
    parser.add_argument("--only", type=_among(WORKS), default=list(WORKS), help=f"of {','.join(WORKS)}")
    parser.add_argument("--peers", type=_among(names), default=list(names), help=f"of {','.join(names)}")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "cpu.json")
    return parser.parse_args()


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _among(allowed: tuple[str, ...]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        given = [name for name in text.split(",") if name]
        if unknown := [name for name in given if name not in allowed]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not among {', '.join(allowed)}")
        return [name for name in allowed if name in given]

    return names


if __name__ == "__main__":
    main()
