# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic repartitioning if in-edges do not determine vertices' costs: Figure 18 of the Lux paper (VLDB 2017).

``python benchmarks/balance.py [--trials 5] [--only CASE ...]`` runs each case with and without repartitioning in turns,
shows the seconds of each iteration, of deciding and of moving, and writes them as JSON. A partition's time is the
wall-clock time of its kernel. Each case shows its possible gain: the slowest partition's excess over the mean before
moves. With ``--device gpu`` there is a partition for each GPU (two on one GPU, where moves gain nothing), and no
competing load; ``--placement`` selects the memory of values. Below each case are its moves: predicted cost, time
without a running iteration, and work done beside iterations.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import lux
from benchmarks.machine import circumstances, gpus
from benchmarks.report import write_json
from lux import runtime
from perfmodel.this_machine import OtherProcesses

PARTS = 2
ITERATIONS = 40
SHOWN = 12
"""Iterations with a row of the table each."""
SETTLED = slice(5, None)
"""Iterations whose median counts as the time after repartitioning."""
SPIN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
parent = os.getppid()
while os.getppid() == parent:
    sum(range(100_000))
"""
CASES = ("sorted", "steps", "load", "balanced")
RESULT = Path(__file__).parent / "results" / "balance.json"


class Relax(lux.Program):
    """Relaxation: a sum over in-neighbours, then each vertex's own number of fixed-point steps."""

    x = lux.field(np.float64)
    gathered = lux.field(np.float64, reduce=lux.ADD)
    steps = lux.field(np.int32, constant=True)

    def start(v, params):
        v.x = 1.0 / (1 + v.id)

    def compute(v, u, edge, params):
        return u.x

    def update(v, old, params):
        y = v.gathered / (1.0 + v.in_degree)
        for _ in range(v.steps):
            y = 0.5 * (y + 2.0 / (1.0 + y))
        v.x = y


@dataclass(frozen=True)
class Case:
    """Case of imbalance.

    Attributes
    ----------
    title : str
    run : callable
        Runs so many iterations.
    loaded : bool
        True if another process keeps one of the cores busy.
    """

    title: str
    run: Callable[[int], Any]
    loaded: bool = False


def sorted_by_degree(scale: int) -> lux.Graph:
    """Return a Kronecker graph whose vertices are numbered by falling degree."""
    graph = lux.generate(f"kronecker:{scale}")
    u, v = graph.dense_edge_arrays()
    place = np.argsort(np.argsort(-graph.dense_in_degrees(), kind="stable"))
    return lux.from_edges(place[u], place[v], n_vertices=graph.n_vertices)


def steps(n: int, many: int) -> NDArray[np.int32]:
    """Return the steps: many for the first quarter of the vertices, half as many for the next, none for the others."""
    found = np.zeros(n, np.int32)
    found[: n // 4] = many
    found[n // 4 : n // 2] = many // 2
    return found


def case(name: str, scale: int, parts: int, times: int = 1) -> Case:
    """Return a case with its graph; ``factor`` multiplies the vertices' steps."""
    n = 1 << scale + (name == "sorted")
    graph = sorted_by_degree(scale + 1) if name == "sorted" else _uniform(scale)

    def relax(many: NDArray[np.int32]) -> Callable[[int], Any]:
        given = {"steps": many}
        return lambda iterations: lux.run(Relax, graph, constants=given, parts=parts, max_iter=iterations)

    return {
        "sorted": lambda: Case("vertices sorted by degree", relax(np.full(n, 8 * times, np.int32))),
        "steps": lambda: Case("a program with another cost for each vertex", relax(steps(n, 64 * times))),
        "load": lambda: Case("a processor slowed by another process", relax(np.full(n, 32, np.int32)), loaded=True),
        "balanced": lambda: Case("balanced from the start", relax(np.full(n, 32 * times, np.int32))),
    }[name]()


@functools.cache
def _uniform(scale: int) -> lux.Graph:
    return lux.generate(f"uniform:{scale},8")


@contextmanager
def load(core: int | None) -> Iterator[None]:
    """Keep a core busy by another process inside a ``with`` block; None keeps none busy."""
    if core is None:
        yield
        return
    busy = subprocess.Popen([sys.executable, "-c", SPIN, str(core)])
    time.sleep(0.5)
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def pin_tasks() -> None:
    """Pin the thread of each partition's tasks to a core of its own, if Realm has not, and all others to none."""
    key = runtime.register({})

    def note_thread(point: int, key: int) -> None:
        time.sleep(0.2)  # so that no processor takes both
        runtime.context(key)[point] = threading.get_native_id()

    runtime.Launcher(note_thread, scalars={"key": int})(PARTS, key=key)
    runtime.finish()
    cores = sorted(os.sched_getaffinity(0))
    for point, thread in runtime.context(key).items():
        os.sched_setaffinity(thread, {cores[point % len(cores)]})
    runtime.unregister(key)


def trial(case: Case, mode: str, how: dict[str, Any], iterations: int) -> dict[str, Any]:
    """Run once; returns the seconds of every partition in every iteration, the decisions and the moves."""
    with lux.using(repartition=mode, **how):
        result = case.run(iterations)
    return {
        "repartition": mode,
        "seconds": result.seconds,
        "iterations": [step.seconds.round(6).tolist() for step in result.statistics],
        "decisions": [decision.facts() for decision in result.repartitions],
    }


def measure(case: Case, trials: int, how: dict[str, Any], iterations: int) -> tuple[float, list[dict[str, Any]]]:
    """Run both kinds in turns; also returns the cores that other processes kept busy beside the case's load."""
    with load(sorted(os.sched_getaffinity(0))[PARTS - 1] if case.loaded else None):
        others = OtherProcesses()
        found = [trial(case, mode, how, iterations) for _ in range(trials) for mode in ("off", "global")]
        return others.cores(), found


def summary(trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarise a case: medians over the trials; gains as max / mean of the partitions' seconds less 1."""
    by_mode = {
        mode: np.median([t["iterations"] for t in trials if t["repartition"] == mode], axis=0)
        for mode in ("off", "global")
    }
    off, moved = by_mode["off"], by_mode["global"]
    over = [s.max(axis=1) / s.mean(axis=1) - 1 for s in (off, moved)]
    excess = [float(np.median(over[0])), float(np.median(over[1][SETTLED]))]
    slowest = [float(np.median(s[SETTLED].max(axis=1))) for s in (off, moved)]
    seconds = [statistics.median(t["seconds"] for t in trials if t["repartition"] == mode) for mode in by_mode]
    decisions = [d for t in trials for d in t["decisions"]]
    moves = [d for d in decisions if d["phase"] != "none"]
    runs = len(trials) / 2
    return {
        "max_over_mean_without": 1 + excess[0],
        "max_over_mean_after_five_iterations": 1 + excess[1],
        "gain_had": 1 - excess[1] / excess[0] if excess[0] > 0 else None,
        "most_of_it_from_iteration": most_from(over[1], excess[0]),
        "iteration_without": slowest[0],
        "iteration_with": slowest[1],
        "iteration_falls_by": 1 - slowest[1] / slowest[0],
        "run_changes_by": seconds[1] / seconds[0] - 1,
        "moves_per_run": len(moves) / runs,
        "deciding_seconds_per_run": sum(d["deciding_seconds"] for d in decisions) / runs,
        "moving_seconds_per_run": sum(d["moving_seconds"] for d in moves) / runs,
        "preparing_seconds_per_run": sum(d["preparing_seconds"] for d in moves) / runs,
        "slowest_with": moved.max(axis=1).tolist(),
        "mean_with": moved.mean(axis=1).tolist(),
        "slowest_without": off.max(axis=1).tolist(),
        "mean_without": off.mean(axis=1).tolist(),
    }


def most_from(over: NDArray[np.float64], at_first: float) -> int | None:
    """Return the first iteration with 80 % of the possible gain, in all but a tenth of later iterations.

    >>> most_from(np.array([1.0, 1.0, 0.1, 0.2, 0.1]), 1.0), most_from(np.array([1.0, 1.0]), 1.0)
    (3, None)
    """
    had = over <= 0.2 * at_first
    after = np.cumsum(had[::-1])[::-1] / np.arange(len(had), 0, -1)
    found = np.flatnonzero(had & (after >= 0.9))
    return int(found[0]) + 1 if len(found) else None


def show(case: Case, found: dict[str, Any], trials: list[dict[str, Any]], console: Console) -> None:
    """Show the figure as a table: a row for each of the first iterations, with bars of the slowest partition's time."""
    table = Table(title=f"{case.title}: ms of the slowest partition in an iteration", title_justify="left")
    for name in ("iteration", "without", "with", "perfect"):
        table.add_column(name, justify="right")
    table.add_column("with repartitioning (#), perfect balance (|)")
    most = max(found["slowest_without"][:SHOWN] + found["slowest_with"][:SHOWN])
    for k in range(SHOWN):
        without, seconds, perfect = found["slowest_without"][k], found["slowest_with"][k], found["mean_with"][k]
        bar, at = "#" * round(40 * seconds / most), round(40 * perfect / most)
        table.add_row(
            str(k + 1), *(f"{1e3 * x:.3f}" for x in (without, seconds, perfect)), f"{bar[:at]}|{bar[at + 1 :]}"
        )
    console.print(table)
    had = "" if found["gain_had"] is None else f", {found['gain_had']:.0%} of the possible gain"
    from_ = found["most_of_it_from_iteration"]
    had += "" if from_ is None or not had else f" (80 % from iteration {from_} on)"
    console.print(
        f"max / mean {found['max_over_mean_without']:.2f} -> {found['max_over_mean_after_five_iterations']:.2f}{had}; "
        f"an iteration falls by {found['iteration_falls_by']:.0%}, the run changes by {found['run_changes_by']:+.1%}; "
        f"{found['moves_per_run']:.1f} moves take {1e3 * found['moving_seconds_per_run']:.2f} ms, "
        f"decisions {1e3 * found['deciding_seconds_per_run']:.3f} ms a run (of the last one:)"
    )
    for d in next(t for t in reversed(trials) if t["repartition"] == "global")["decisions"]:
        console.print(f"  {lux_decision(d)}", highlight=False)
    moves = [d for t in trials for d in t["decisions"] if d["phase"] != "none"]
    shown = [f"{1e3 * d['cost']:.2f}/{1e3 * d['moving_seconds']:.2f}/{1e3 * d['preparing_seconds']:.2f}" for d in moves]
    if moves:
        console.print("ms of all moves, predicted/waited/prepared:", *shown, highlight=False)
    console.print()


def lux_decision(facts: dict[str, Any]) -> str:
    """Describe a decision in one line."""
    moved = ""
    if facts["phase"] != "none":
        moved = f"; {facts['before'][1:-1]} -> {facts['after'][1:-1]} in {1e3 * facts['moving_seconds']:.2f} ms"
        moved += f" after {facts['moved_after'] or facts['iteration']}"
    times = " ".join(f"{1e3 * t:.3f}" for t in facts["seconds"])
    cost = f"cost {1e3 * facts['cost']:.2f} ms / {facts['remaining']}"
    return f"{facts['iteration']:3} {times} ms, gain {1e3 * facts['gain']:.3f} ms, {cost}: {facts['why']}{moved}"


def main() -> None:
    """Run the cases, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=5, help="runs of each kind, in turns (5)")
    parser.add_argument("--repeats", type=int, default=3, help="the quietest of so many repeats counts (3)")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--placement", choices=("auto", "peer", "device", "zero-copy"), default="auto")
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help=f"of a run ({ITERATIONS})")
    parser.add_argument("--times", type=int, default=1, help="so many times as many steps of each vertex (1)")
    parser.add_argument("--scale", type=int, default=18, help="log2 of the vertices, less one where sorted (18)")
    parser.add_argument("--only", nargs="+", default=list(CASES), choices=CASES, metavar="CASE")
    parser.add_argument("--json", type=Path, default=RESULT, help="where to write results")
    options = parser.parse_args()
    console = Console(width=120)
    on_gpus = options.device == "gpu"
    parts = max(runtime.gpus(), 2) if on_gpus else PARTS
    document: dict[str, Any] = {
        **circumstances(["legate", "numba", "numpy"], runtime.processors() if on_gpus else PARTS),
        "scale": options.scale,
        "cases": {},
    }
    if on_gpus:
        document["gpus"] = gpus()[: runtime.gpus()]
    else:
        pin_tasks()
    how = {"device": options.device, "placement": options.placement}
    for name in options.only:
        if on_gpus and name == "load":
            continue
        chosen = case(name, options.scale, parts, options.times)
        for mode in ("off", "global"):  # compiles, also the kernels of moves
            trial(chosen, mode, how, options.iterations if on_gpus else 3)
        busy, trials = min(
            (measure(chosen, options.trials, how, options.iterations) for _ in range(options.repeats)),
            key=lambda pair: pair[0],
        )
        found = summary(trials)
        show(chosen, found, trials, console)
        document["cases"][name] = {"title": chosen.title, "busy_cores_of_others": busy, **found, "trials": trials}
    write_json(options.json, document)
    console.print(f"written to {options.json}")


if __name__ == "__main__":
    os.environ.setdefault("LEGATE_CONFIG", "--cpus 2 --sysmem 4000")
    main()
