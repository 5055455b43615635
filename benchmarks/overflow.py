# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Cost of edges that do not fit a GPU: ``python benchmarks/overflow.py GRAPH.sg --ranges 4 --output FILE``.

Float32 PageRank on a graph of `benchmarks/kronecker.py` and one GPU, in the two ways of the Lux paper: edges overflow
into zero-copy memory (section 4.2), or some partitions run on CPU cores in the same iteration (section 4.3). Each case
is a process of its own, to which Legate gives a set amount of the GPU's memory: ``fits`` has enough, ``overflow=0.5``
so little that half of the partitions have their edges in zero-copy memory, and ``cores=0.5`` enough, with half of the
edges on CPU cores. ``fits`` measures the memory needs of the other cases. A time is 20 iterations' time through Legate,
over their number.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.gpus import ITERATIONS, PACKAGES, PARAMETERS, parser_of, read
from benchmarks.machine import circumstances, gpus, since
from benchmarks.report import write_json
from lux import runtime
from lux.algorithms.pagerank.pagerank import PageRank32
from lux.engine import executor
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.mixed import MixedRun

PARTS = 8
"""Partitions if edges overflow: always the edges of whole partitions."""
CASES = ["fits", "overflow=0.25", "overflow=0.5", "cores=0.25", "cores=0.5"]
SAMPLE = 256
"""Vertices whose ranks are compared between cases."""
MIB = 2**20
ROOM = 1.05
"""Factor on the zero-copy memory that Legate is given."""


def main() -> None:
    """Run all cases, each in a process, or (with ``--case``) one of them here."""
    options = _options()
    if options.case:
        options.output.write_text(json.dumps(measure(options.graph, options.ranges, options.case, options.trials)))
        return
    began, results = time.time(), list[dict[str, Any]]()
    console = Console(width=None if sys.stdout.isatty() else 120)
    memory: dict[str, Any] = {}
    for case in options.cases:
        if results and time.time() - began + results[-1]["process_seconds"] > options.seconds:
            console.print(f"{case} is left out: it would take too long")
            continue
        found = _in_a_process(options, case, config(case, memory, options))
        memory = memory or found["memory"]
        results += [row | {"process_seconds": found["process_seconds"]} for row in found["rows"]]
        disagree = [r["run"] for r in results if not np.allclose(r["sample"], results[0]["sample"], rtol=1e-5, atol=0)]
        if disagree:
            sys.exit(f"{', '.join(disagree)}: other ranks than {results[0]['run']}")
        facts = found["facts"]
        facts |= since(began) | {"iterations": ITERATIONS, "memory": memory}
        kept = [{name: value for name, value in row.items() if name != "sample"} for row in results]
        write_json(options.output, facts | {"results": kept})
    _show(results, console, f"{options.graph.name}: PageRank float32, one GPU")


def config(case: str, memory: dict[str, Any], options: argparse.Namespace) -> str:
    """Return Legate's flags for a case.

    Parameters
    ----------
    memory : dict
        Bytes measured by ``fits``: of a partition's ``edges``, of its ``others``, ``once`` on the GPU, and ``shared``
        zero-copy memory; ``cores`` has the needs of cases with CPU cores, by name.
    """
    fbmem, zcmem = options.fbmem * MIB, options.zcmem * MIB
    kind, _, share = case.partition("=")
    if kind == "overflow":
        beside = round(float(share) * PARTS)
        # Room such that one more partition overflows as soon as half of its edges do not fit.
        on_gpu = PARTS * memory["others"] + memory["once"] + (PARTS - beside) * memory["edges"]
        fbmem = on_gpu + memory["edges"] // 2
        zcmem = int(ROOM * (memory["shared"] + beside * memory["edges"])) + 64 * MIB
    flags = {"cpus": options.cpus, "gpus": 1, "sysmem": options.sysmem}
    flags |= {"fbmem": -(-fbmem // MIB), "zcmem": -(-zcmem // MIB)}
    return " ".join(f"--{name} {value}" for name, value in flags.items())


def _in_a_process(options: argparse.Namespace, case: str, flags: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        into, clock = Path(folder) / "found.json", time.perf_counter()
        given = [str(options.graph), "--ranges", str(options.ranges), "--trials", str(options.trials)]
        command = [sys.executable, __file__, *given, "--case", case, "--output", str(into)]
        done = subprocess.run(
            command, check=False, env=os.environ | {"LEGATE_CONFIG": flags}, capture_output=True, text=True
        )
        if done.returncode or not into.exists():
            sys.exit(f"{case} with {flags} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
        found: dict[str, Any] = json.loads(into.read_text())
    for row in found["rows"]:
        row["flags"] = flags
    return found | {"process_seconds": time.perf_counter() - clock}


# One case


def measure(path: Path, ranges: int, case: str, trials: int) -> dict[str, Any]:
    """Return the rows of a case, in this process; ``fits`` has several, for comparison."""
    clock = time.perf_counter()
    graph = read(path, ranges)
    read_seconds = time.perf_counter() - clock
    kind, _, share = case.partition("=")
    if kind == "cores":
        runs = {case: (1 + runtime.processors(), {"device": "gpu+cpu", "cpu_share": float(share)})}
    else:
        placed = {"device": "gpu", "placement": "device"}
        runs = {f"fits, {PARTS} partitions" if kind == "fits" else case: (PARTS, placed)}
        if kind == "fits":
            runs = {"fits, one partition": (1, placed)} | runs
    rows = [_row(graph, name, parts, settings, trials) for name, (parts, settings) in runs.items()]
    facts = {
        **circumstances(PACKAGES),
        "gpus": gpus(),
        "graph": {"file": path.name, "vertices": graph.n_vertices, "edges": graph.n_edges},
    }
    memory = partition_memory(graph) if kind == "fits" else {}
    return {"rows": [row | {"read_seconds": read_seconds} for row in rows], "facts": facts, "memory": memory}


def partition_memory(graph: lux.Graph) -> dict[str, int]:
    """Count the bytes of a run in partitions on one GPU, by what they are for."""
    run = PartitionedGpuRun(PageRank32, graph, {}, PARAMETERS, "auto", ITERATIONS, PARTS, placement="device")
    return dict(zip(("edges", "others", "once", "shared"), run.partition_bytes, strict=True))  # the requested memory


def _row(graph: lux.Graph, name: str, parts: int, settings: dict[str, Any], trials: int) -> dict[str, Any]:
    times: list[tuple[float, list[float]]] = []
    with lux.using(**settings, repartition="off"):
        clock = time.perf_counter()
        for trial in range(trials + 1):
            found = executor.execute(PageRank32, graph, PARAMETERS, parts=parts, max_iterations=ITERATIONS)
            if trial == 0:
                set_up = time.perf_counter() - clock
            else:
                kernels = 1e3 * np.array([i.seconds for i in found.statistics]).mean(axis=0)
                times.append((1e3 * found.seconds / ITERATIONS, kernels.tolist()))
            why = found.statistics[0].why
            ranks = runtime.to_array(found.fields["rank"])
            del found  # its fields would be in the way of the next run
    times.sort()
    ms, partitions = times[len(times) // 2]
    return {
        "run": name,
        "beside": _beside(graph, parts, settings, why),
        "ms": ms,
        "all_ms": [each for each, _ in times],
        "slowest_ms": max(partitions),
        "partitions_ms": partitions,
        "set_up_seconds": set_up,
        "why": why,
        "sample": ranks[:: max(len(ranks) // SAMPLE, 1)].tolist(),
    }


def _beside(graph: lux.Graph, parts: int, settings: dict[str, Any], why: str) -> float:
    """Return the part of the edges that is not in the GPU's memory."""
    given = (PageRank32, graph, {}, PARAMETERS, "auto", ITERATIONS)
    with lux.using(**settings):
        if settings["device"] == "gpu+cpu":
            return MixedRun.with_share(*given, parts=parts).share
        if "zero-copy memory" not in why:
            return 0.0
        run = PartitionedGpuRun(*given, parts, placement="device", overflow=True)
        return float(np.diff(run.layout.edge_points)[run.overflowing].sum()) / graph.n_edges


def _show(results: list[dict[str, Any]], console: Console, title: str) -> None:
    table = Table(
        "", "edges beside", "ms an iteration", "slowest partition", "of all on the GPU", "set-up, s", title=title
    )
    for r in results:
        times = (f"{r['ms']:.3g}", f"{r['slowest_ms']:.3g}", f"{r['ms'] / results[0]['ms']:.3g} x")
        table.add_row(r["run"], f"{r['beside']:.1%}", *times, f"{r['set_up_seconds']:.1f}")
    console.print(table)


def _options() -> argparse.Namespace:
    parser = parser_of("The cost of edges that do not fit a GPU.", "--cases", default=CASES, metavar="CASE,...")
    parser.add_argument("--cpus", type=int, default=max((os.cpu_count() or 1) - 4, 1))
    parser.add_argument("--fbmem", type=int, default=40000, help="MiB of the GPU's memory for cases that fit")
    parser.add_argument("--zcmem", type=int, default=2000, help="MiB of zero-copy memory for them")
    parser.add_argument("--sysmem", type=int, default=20000, help="MiB for CPU cores")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no case that would end later")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
