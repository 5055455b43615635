# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole commands of Lux beside those of the GAP Benchmark Suite: ``GAPBS_DIR=... python benchmarks/whole_commands.py``.

A time is a process's by wall clock, from its start to its end. The commands make a Kronecker graph and write it, search
an edge list, and search a serialised graph. The edge list has every edge in both directions; Lux keeps all of them as a
directed graph, and the suite makes an undirected one. Files are written by the suite, and have been read before
anything is timed. The two commands of a pair take turns.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import gap_suite
from benchmarks.machine import commit, machine, since, versions
from benchmarks.report import write_json
from perfmodel.this_machine import OtherProcesses

PACKAGES = ("legate", "numpy", "numba")
SOURCE = "1"
LUX = (sys.executable, "-m", "lux")


def pairs(suite: Path, folder: Path, scale: int) -> dict[str, tuple[list[str], list[str]]]:
    """Return the commands of Lux and of the suite, by what they do."""
    el, sg = str(folder / "graph.el"), str(folder / "graph.sg")
    lux, bfs, search = [*LUX], [str(suite / "bfs"), "-n", "1", "-r", SOURCE], ["--source", SOURCE, "--json"]
    return {
        "generate and write": (
            [*lux, "generate", f"kronecker:{scale}", str(folder / "lux.sg")],
            [str(suite / "converter"), "-g", str(scale), "-b", str(folder / "suite.sg")],
        ),
        "search an edge list": ([*lux, "bfs", el, *search], [*bfs, "-s", "-f", el]),
        "search a serialised graph": ([*lux, "bfs", sg, *search], [*bfs, "-f", sg]),
    }


def main() -> None:
    """Measure all pairs as the command line says."""
    parser = argparse.ArgumentParser(description="Whole commands of Lux beside those of the GAP Benchmark Suite.")
    parser.add_argument("--scale", type=int, default=20, help="log2 of the graph's vertices")
    parser.add_argument("--trials", type=int, default=7, help="of each command, after one that is not timed")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "whole-commands.json")
    options = parser.parse_args()
    suite = gap_suite.folder()
    if suite is None or gap_suite.missing():
        parser.error(gap_suite.missing())
    threads = len(os.sched_getaffinity(0))
    os.environ["OMP_NUM_THREADS"] = str(threads)
    began, others = time.time(), OtherProcesses()
    with tempfile.TemporaryDirectory(prefix="lux-benchmark-") as name:
        folder = Path(name)
        for flag, file in (("-e", "graph.el"), ("-b", "graph.sg")):
            _seconds([str(suite / "converter"), "-g", str(options.scale), flag, str(folder / file)])
        results = [_in_turns(what, *both, options.trials) for what, both in pairs(suite, folder, options.scale).items()]
    table = Table("command", "Lux, s", "GAPBS, s", "ratio")
    for found in results:
        table.add_row(found["what"], *(f"{found[k]:.2f}" for k in ("lux_median", "gapbs_median", "ratio")))
    Console().print(table)
    facts = {"machine": machine(threads), "versions": versions(PACKAGES), "commit": commit()} | since(began)
    facts |= {"scale": options.scale, "gapbs": gap_suite.built(), "cores_used_by_others": others.cores()}
    write_json(options.output, facts | {"results": results})


def _in_turns(what: str, ours: list[str], theirs: list[str], trials: int) -> dict[str, Any]:
    taken = [(_seconds(ours), _seconds(theirs)) for _ in range(trials + 1)][1:]
    lux, gapbs = (statistics.median(column) for column in zip(*taken, strict=True))
    names = {"lux": ours[3:], "gapbs": theirs[1:]}
    shown = {name: [Path(word).name if "/" in word else word for word in words] for name, words in names.items()}
    return {
        "what": what,
        "commands": {"lux": ["lux", *shown["lux"]], "gapbs": [Path(theirs[0]).name, *shown["gapbs"]]},
        "lux_seconds": [ours for ours, _ in taken],
        "gapbs_seconds": [theirs for _, theirs in taken],
        "lux_median": lux,
        "gapbs_median": gapbs,
        "ratio": lux / gapbs,
    }


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took = time.perf_counter() - began
    if "bfs" in command and command[0] == LUX[0] and json.loads(done.stdout)["reached"] < 2:
        raise RuntimeError(f"vertex {SOURCE} is isolated: the search visits nothing")
    return took


if __name__ == "__main__":
    main()
