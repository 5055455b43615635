# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux beside other graph software on CPU cores: ``python benchmarks/cpu.py --scale 20``.

The peers are NetworKit, SuiteSparse:GraphBLAS, SciPy and igraph, and the GAP Benchmark Suite where the environment
variable ``GAPBS_DIR`` names a built copy. All get the same edges and, if they can use them, as many threads as Lux has
processors (set with, for instance, ``LEGATE_CONFIG="--cpus 4 --gpus 0"``); each peer's file in ``benchmarks/peers``
documents its omissions.

Answers are compared before anything is timed. A time is the whole call's by wall clock, until the answer is in the
library's own memory (GAPBS uses its own clock, without starting and reading the graph); a short call is timed right
after untimed ones. Lux's own clock, ``result.seconds``, leaves out set-up and is shown as well. First calls on a graph
prepare data for later ones (`benchmarks.peers.lux`): their seconds are listed with set-up. `benchmarks.first_calls`
measures compilation.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import gap_suite, peers
from benchmarks.contender import ALPHA, ITERATIONS, WORKS
from benchmarks.graphs import counts_fit, shared_graph
from benchmarks.machine import circumstances, since
from benchmarks.overhead import overhead, print_overhead
from benchmarks.peers.lux import DEFAULT_CALL, by_default
from benchmarks.race import Times, in_turns, race
from benchmarks.report import (
    Race,
    graph_facts,
    print_race,
    print_ratios,
    print_setup,
    write_json,
)
from lux.errors import ParameterError
from lux.graph.construction.generators import parse_spec
from perfmodel.this_machine import OtherProcesses

PACKAGES = ("legate", "numpy", "numba", "scipy", "networkit", "python-graphblas", "suitesparse-graphblas", "igraph")
MOST_BY_OTHERS = 0.05
"""Cores that other processes may use before the times are called doubtful."""


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    os.environ.setdefault("LEGATE_CONFIG", "--gpus 0")
    console = Console(width=None if sys.stdout.isatty() else 160)
    skipped = {peer: why for peer in options.peers if (why := peers.missing(peer))}
    for peer, why in skipped.items():
        console.print(f"{peer} is skipped: {why}", markup=False)
    present = [peer for peer in options.peers if peer not in skipped]
    began, others = time.time(), OtherProcesses()
    measured: dict[str, list[Any]] = {"graphs": [], "results": [], "ratios": [], "overheads": []}
    for spec in (f"kronecker:{options.scale}", f"uniform:{options.scale}", f"grid:{options.grid}"):
        for what, found in _on_graph(spec, present, options, console).items():
            measured[what] += found
    busy = others.cores()
    print_ratios(measured["ratios"], console)
    print_overhead(measured["overheads"], console)
    if busy > MOST_BY_OTHERS:
        console.print(f"other processes used {busy:.2f} cores meanwhile: peers that wait for all threads suffer most")
    facts = {
        "cores_used_by_others": busy,
        "trials": options.trials,
        "iterations": ITERATIONS,
        "alpha": ALPHA,
        "roots": options.roots,
        "sources": options.sources,
        "skipped": skipped,
        "gapbs": gap_suite.built() if "gapbs" in present else None,
    }
    write_json(options.output, circumstances(PACKAGES) | since(began) | facts | measured)
    console.print(f"written to {options.output}")


def _on_graph(spec: str, present: Sequence[str], options: argparse.Namespace, console: Console) -> dict[str, list[Any]]:
    """Run all works on one graph, one after the other; afterwards no library holds a copy of it."""
    theirs = [work for work in options.only if work != "betweenness" or counts_fit(spec)]
    if len(theirs) < len(options.only):
        console.print(f"{spec}: betweenness of Lux alone, since float64 cannot count the shortest paths")
    with tempfile.TemporaryDirectory(prefix="lux-benchmark-") as folder:
        shared = shared_graph(spec, options.roots, Path(folder))
        console.print(f"{spec}: {shared.n:,} vertices, {shared.graph.n_edges:,} stored edges")
        results, ratios = [], []
        if "pagerank" in options.only:
            alone = Race(spec, DEFAULT_CALL, in_turns([Times(by_default(shared))], [()], options.trials))
            print_race(alone, console)
            results += alone.results()
        rows = peers.contenders("lux", shared, options.only)
        rows += [row for name in (present if theirs else []) for row in peers.contenders(name, shared, theirs)]
        for work in options.only:
            roots = shared.roots.tolist()[: None if work == "bfs" else options.sources]
            done = Race(spec, work, race([row for row in rows if row.work == work], roots, options.trials))
            print_race(done, console)
            results += done.results()
            ratios += done.ratios()
        print_setup(shared, console)
        launched = spec.startswith("kronecker") and "pagerank" in options.only
        overheads = overhead(shared.graph, spec, options.trials) if launched else []
        return {"graphs": [graph_facts(shared)], "results": results, "ratios": ratios, "overheads": overheads}


def _options() -> argparse.Namespace:
    names = peers.NAMES
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Lux beside its peers on CPU cores.")
    parser.add_argument("--scale", type=int, default=20, help="log2 of the Kronecker and uniform graphs' vertices")
    parser.add_argument("--grid", type=_grid, default="1024x1024", metavar="ROWSxCOLUMNS")
    parser.add_argument("--trials", type=_positive, default=5)
    parser.add_argument("--roots", type=_positive, default=16, help="roots of breadth-first searches")
    parser.add_argument("--sources", type=_positive, default=4, help="of them for shortest paths and betweenness")
    parser.add_argument("--only", type=_among(WORKS), default=list(WORKS), help=f"of {','.join(WORKS)}")
    parser.add_argument("--peers", type=_among(names), default=list(names), help=f"of {','.join(names)}")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "cpu.json")
    return parser.parse_args()


def _grid(text: str) -> str:
    try:
        parse_spec(f"grid:{text}")
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


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
