# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs on several nodes with CPU cores: time and bytes of an iteration, beside what compute and wire need.

``python benchmarks/nodes.py --output nodes.json`` brings up clusters of network namespaces on this machine
(`benchmarks.cluster`; it needs to be the superuser), runs itself on them with one process and one core a node, and then
as two processes of this host beside one process with both cores. Times on more nodes than cores say nothing.

An iteration's time is the difference of a long and a short run, over the difference of their iterations; with a
frontier it is the run's time over its iterations. Bytes are a node's largest, by its interface's counter, headers
included. ``values`` are the bytes of values that are read elsewhere, once for each node that reads them: with a
frontier of changed values, and the shorter of 4 bytes or a bit for each vertex that may cross.
"""

from __future__ import annotations

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

import numpy as np
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.cluster import Cluster, sent_from_here
from benchmarks.machine import commit, machine, since, versions
from benchmarks.report import print_figures, write_json

CASES = ("pagerank kronecker:20", "components kronecker:20", "sssp grid:1024x1024", "bfs grid:1024x1024")
LONG, SHORT = 25, 5
"""Iterations of programs without a frontier."""
PACKAGES = ("legate", "numpy", "numba")
FIGURES = ("iterations", "ms", "compute_ms", "wire_ms", "over_sum", "over_maximum", "kb", "values_kb", "allowed_kb")


def main() -> None:
    """Run the benchmark, or its part in a process of a cluster."""
    options = _options()
    if options.worker:
        _work(options.cases, options.trials, options.output)
        return
    began = time.time()
    console = Console(width=None if sys.stdout.isatty() else 150)
    results: list[dict[str, Any]] = []
    exchanges: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for nodes in options.nodes:
            found = _on_cluster(nodes, options, Path(folder))
            exchanges[f"{nodes} nodes"] = found["exchange"]
            results += [_judged(row, nodes, options.mbit, found["exchange"]) for row in found["results"]]
        alone = _on_host(options, Path(folder))
    print_figures(results, "run", FIGURES, f"nodes with a core each, {options.mbit} mbit", console)
    print_figures(alone, "run", ("ms", "ratio"), "PageRank, float32, on this host", console)
    facts = {
        "machine": machine(1, max(options.nodes)),
        "versions": versions(PACKAGES),
        "commit": commit(),
        "mbit": options.mbit,
        "exchange_of_8_bytes": exchanges,
        "results": results,
        "host": alone,
    }
    write_json(options.output, facts | since(began))


def _worker(options: argparse.Namespace, output: Path, cases: list[str]) -> list[str]:
    words = [str(Path(__file__).resolve()), "--worker", "--trials", str(options.trials), "--output", str(output)]
    return [*words, "--cases", ",".join(cases)]


def _on_cluster(nodes: int, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run the cases on a cluster; return what its first process wrote."""
    output = folder / f"{nodes}.json"
    with Cluster(nodes, options.mbit) as cluster:
        command = cluster.command(*_worker(options, output, options.cases), sysmem=options.sysmem // nodes)
        cluster.run(command, options.timeout, _environment())
    found: dict[str, Any] = json.loads(output.read_text())
    return found


def _on_host(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """Run PageRank in one process with two cores, and in two with one each, in turns; ratios are to the former."""
    times: dict[str, list[float]] = {"1 process, 2 cores": [], "2 processes, 1 core each": []}
    cases = [case for case in options.cases if case.startswith("pagerank")][:1]
    for turn in range(options.turns if cases else 0):
        for ranks, name in enumerate(times, 1):
            output = folder / f"host{turn}-{ranks}.json"
            launch = ["legate", "--cpus", str(3 - ranks), "--sysmem", str(options.sysmem // ranks)]
            launch += ["--launcher", "mpirun", "--ranks-per-node", "2"] if ranks == 2 else []
            done = subprocess.run([*launch, *_worker(options, output, cases)], env=_environment(), check=False)
            if done.returncode:
                raise SystemExit(f"the run of {name} failed")
            times[name].append(json.loads(output.read_text())["results"][0]["ms"])
    medians = {name: statistics.median(of) for name, of in times.items() if of}
    least = next(iter(medians.values()), 1.0)
    return [{"run": name, "ms": ms, "all_ms": times[name], "ratio": ms / least} for name, ms in medians.items()]


def _environment() -> dict[str, str]:
    """Return the variables with which two processes start on two cores, for the superuser too."""
    more = {"PRTE_MCA_rmaps_default_mapping_policy": ":OVERSUBSCRIBE"}
    more |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return dict(os.environ) | more | {"PATH": f"{Path(sys.prefix, 'bin')}{os.pathsep}{os.environ['PATH']}"}


def _judged(row: dict[str, Any], nodes: int, mbit: float, exchange: float) -> dict[str, Any]:
    """Add the time of the wire, ratios of the iteration's time to what it needs, and the bytes that are allowed."""
    wire = row["bytes"] / (mbit * 1e6 / 8)
    compute, took = 1e-3 * row["compute_ms"], 1e-3 * row["ms"]
    return {
        **row,
        "run": f"{nodes} nodes, {row['case']}",
        "nodes": nodes,
        "wire_ms": 1e3 * wire,
        "over_sum": took / (compute + wire),
        "over_maximum": took / max(compute, wire),
        "over_exchange": took / exchange,
        "kb": 1e-3 * row["bytes"],
        "values_kb": 1e-3 * row["values"],
        "allowed_kb": 1e-3 * (1.1 * row["values"] + 4096 * (nodes - 1)),
    }


def _work(cases: list[str], trials: int, output: Path) -> None:
    """Measure the cases in this process, and write what all processes found."""
    import lux
    from lux import runtime
    from lux.runtime.exchange import seconds_of_exchange

    exchange = 0.0
    if runtime.ranks() > 1:
        seconds_of_exchange(1, 100)
        exchange = statistics.median(largest_of_all(seconds_of_exchange(1, 500)) for _ in range(3))
    results = []
    with lux.using(repartition="off"):
        for case in cases:
            name, _, spec = case.partition(" ")
            weights = (1, 255) if name == "sssp" else None
            results.append({"case": case} | _measured(lux.generate(spec, weights=weights), name, trials))
    if runtime.rank() == 0:
        output.write_text(json.dumps({"exchange": exchange, "results": results}))


def _measured(graph: Any, name: str, trials: int) -> dict[str, Any]:
    """Measure a program; figures are of the slowest process, or of the one that sends most, and medians of trials."""
    found = []
    for trial in range(trials + 1):
        short = None if name != "pagerank" else _run(graph, name, SHORT)
        each = _run(graph, name, LONG)
        if short is not None:
            each = {key: each[key] - short[key] for key in each}
        if trial:  # the first compiles
            found.append(each)
    count = int(found[0]["iterations"])
    figures = {key: statistics.median(one[key] for one in found) / count for key in found[0]}
    return {
        "iterations": count,
        "ms": 1e3 * figures["seconds"],
        "all_ms": [1e3 * one["seconds"] / count for one in found],
        "compute_ms": 1e3 * figures["compute"],
        "exchange_ms": 1e3 * figures["exchange"],
        "bytes": figures["bytes"],
        "values": figures["values"],
    }


def _run(graph: Any, name: str, limit: int) -> dict[str, float]:
    """Run a program once; return what it took, over all processes."""
    from lux import runtime
    from lux.algorithms.bfs.bfs import BreadthFirstSearch
    from lux.algorithms.components.components import SmallestLabel
    from lux.algorithms.pagerank.pagerank import PageRank32
    from lux.algorithms.sssp.bellman_ford import UNREACHED, ShortestPaths
    from lux.engine import executor

    program, values, most = {
        "pagerank": (PageRank32, {"alpha": 0.85, "stop": 0.0}, limit),
        "components": (SmallestLabel, {}, None),
        "sssp": (ShortestPaths, {"source": 0, "cutoff": UNREACHED}, None),
        "bfs": (BreadthFirstSearch, {"source": 0}, None),
    }[name]
    runtime.finish()
    largest_of_all(0.0)
    before, began = sent_from_here(), time.perf_counter()
    run = executor.execute(program, graph, values, max_iterations=most)  # type: ignore[arg-type]  # programs differ
    seconds, after = time.perf_counter() - began, sent_from_here()
    sent = run.sent
    kernels = np.array([step.seconds for step in run.statistics]).sum(axis=0).max()
    return {
        "iterations": run.iterations,
        "seconds": largest_of_all(seconds),
        "compute": float(kernels),
        "exchange": largest_of_all(0.0 if sent is None else sent.seconds),
        "bytes": largest_of_all(float(after - before)),
        "values": largest_of_all(0.0 if sent is None else float(sent.value_bytes)),
    }


def largest_of_all(value: float) -> float:
    """Return the largest value of all processes."""
    from lux import runtime

    return float(runtime.allreduce_max(np.array([value]))[0])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Programs on several nodes: time and bytes of an iteration.")
    parser.add_argument("--nodes", type=lambda text: [int(n) for n in text.split(",")], default=[2, 4])
    parser.add_argument("--mbit", type=float, default=200)
    parser.add_argument("--cases", type=lambda text: text.split(","), default=list(CASES))
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--turns", type=int, default=3, help="runs of one process and of two on this host")
    parser.add_argument("--sysmem", type=int, default=6000, help="MiB of memory of all processes")
    parser.add_argument("--timeout", type=float, default=1500)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
