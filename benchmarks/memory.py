# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Peak memory of one process and of each of several, beside what was predicted: ``python -m benchmarks.memory``.

Every task is a job of its own: a graph is made, partitioned, and a program runs on it; a text file is read; a text
file is converted. A process asks the system for its peak after each step. There should be no more in each of P
processes than in one process's P-th part, and what a process takes without a graph. Partitions stay where they are:
each move leaves copies of edges behind, until Legate needs their memory. With ``--gpus`` one process makes and uses the
graph on GPUs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import circumstances, clean_commit, gpus, since
from benchmarks.report import write_json

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("legate", "numpy", "numba", "llvmlite")
ALGORITHMS = ("pagerank", "bfs", "components")
TASKS = (*ALGORITHMS, "read", "convert")
SHARE, BESIDE = 0.35, 200 << 20
"""Bound of a process of four: a share of what one process alone takes, and bytes besides."""
SOURCE = 1
"""The vertex from which searches start; it has edges in the default graph."""
LOAD, PARTITION, RUN = "load", "partition", "run"
NO_GPU = ("--gpus", "0")


def bound(alone: int) -> int:
    """Return the bytes that each of four processes may take at most where one alone takes so many.

    >>> bound(1000 << 20) >> 20
    550
    """
    return int(SHARE * alone) + BESIDE


def measure(task: str, graph: str, folder: Path) -> None:
    """Do a task in this process, one of several, and write its peaks, and what was predicted, into a folder."""
    import lux
    from lux import runtime
    from lux.app.process_memory import HOLDING, MAKING, process_memory
    from lux.runtime import process_memory as memory

    steps: dict[str, dict[str, int]] = {}

    def step(name: str, do: Callable[[], Any]) -> Any:
        memory.forget_peak()
        done = do()
        runtime.finish()
        steps[name] = {"peak": memory.peak_bytes()}
        return done

    started = runtime.driver() and memory.resident_bytes()
    target = folder.with_suffix(".lux")
    made = step(LOAD, lambda: lux.read_graph(graph) if Path(graph).exists() else lux.generate(graph))
    predicted = {row["process"]: row["bytes"] for row in process_memory(made)}
    if task == "convert":
        step(RUN, lambda: made.write(target))
    elif task in ALGORITHMS:
        step(PARTITION, lambda: made.layout(runtime.gpus() or None).splits)
        run = {"pagerank": lux.pagerank, "components": lux.components, "bfs": lambda g: lux.bfs(g, SOURCE)}[task]
        with lux.using(repartition="off"):
            step(RUN, lambda: run(made))
        steps[LOAD]["predicted"], steps[PARTITION]["predicted"] = predicted[MAKING], predicted[HOLDING]
        steps[RUN]["predicted"] = predicted[task]
    found = {"started": started, "n_vertices": made.n_vertices, "n_edges": made.n_edges, "steps": steps}
    (folder / f"{runtime.rank()}.json").write_text(json.dumps(found))


def job(task: str, graph: str, processes: int, sysmem: int, on_gpus: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return what each process of a job found; ``on_gpus`` are flags of Legate's."""
    command = ["legate", "--cpus", "1" if processes > 1 else "2", "--sysmem", str(sysmem), *(on_gpus or NO_GPU)]
    if processes > 1:
        command += ["--launcher", "mpirun", "--ranks-per-node", str(processes)]
    more = {"PRTE_MCA_rmaps_default_mapping_policy": ":OVERSUBSCRIBE", "OMPI_ALLOW_RUN_AS_ROOT": "1"}
    more |= {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    more["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    more["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory(prefix="lux-memory-") as folder:
        inside = [*command, str(Path(__file__)), "--task", task, "--graph", graph, "--folder", folder]
        done = subprocess.run(inside, env=os.environ | more, capture_output=True, text=True, check=False)
        found = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
        shutil.rmtree(Path(folder).with_suffix(".lux"), ignore_errors=True)
        Path(folder).with_suffix(".lux").unlink(missing_ok=True)
    if done.returncode or len(found) != processes:
        raise SystemExit(f"{' '.join(inside)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return found


def write_text(path: Path, size: int) -> None:
    """Write an edge list of about so many bytes, of a Kronecker graph's edges."""
    import numpy as np

    from lux.graph.construction.generators import Kronecker

    scale, edges = 22, 1 << 20
    source, done = Kronecker(scale), 0
    with path.open("wb") as file:
        while file.tell() < size:
            u, v = (np.empty(edges, np.uint32) for _ in "uv")
            source.fill(done, done + edges, u, v, {})
            file.write("".join(f"{a} {b}\n" for a, b in zip(u.tolist(), v.tolist(), strict=True)).encode())
            done += edges


def tables(jobs: dict[str, dict[str, Any]]) -> Iterable[str]:
    r"""Yield a line for each task and step.

    >>> alone = {"peak": 900 << 20, "predicted": 950 << 20}
    >>> each = {"peak": 400 << 20, "predicted": 420 << 20}
    >>> one, four = ([{"steps": {"run": step}}] * n for step, n in ((alone, 1), (each, 4)))
    >>> print(*tables({"bfs": {"1": one, "4": four}}), sep="\n")
    task       step        one   (predicted)  each of 4  (predicted)  bound
    bfs        run         900       +6%          400        +5%        515
    """
    yield "task       step        one   (predicted)  each of 4  (predicted)  bound"
    for task, found in jobs.items():
        one, several = found["1"], found.get("4", [])
        peak = max(step["peak"] for step in one[0]["steps"].values())
        for name in one[0]["steps"]:
            line = f"{task:10} {name:9}"
            for of, width in ((one, 6), (several, 13)) if several else ((one, 6),):
                largest = max((p["steps"][name] for p in of), key=lambda s: s["peak"])
                word = f"{largest['predicted'] / largest['peak'] - 1:+.0%}" if "predicted" in largest else ""
                line += f"{largest['peak'] >> 20:{width}}{word:>{width // 3 + 7}}"
            yield f"{line}{bound(peak) >> 20:11}" if several else line.rstrip()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__.partition(":")[0])
    parser.add_argument("--graph", default="kronecker:22", help="the graph that is generated (default: kronecker:22)")
    parser.add_argument("--text", type=int, default=1 << 30, help="bytes of the text file (default: 1 GiB)")
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS, help="default: all")
    parser.add_argument("--sysmem", type=int, default=6000, help="MiB of Legate's memory in a process (default: 6000)")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs of one process, alone (default: 0)")
    parser.add_argument("--fbmem", type=int, default=60000, help="MiB of Legate's memory on a GPU (default: 60000)")
    parser.add_argument("--zcmem", type=int, default=64, help="MiB of zero-copy memory (default: 64)")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task is not None:
        measure(options.task, options.graph, options.folder)
        return
    if options.output is not None:
        clean_commit()
    began, jobs = time.time(), {}
    flags = {"--gpus": options.gpus, "--fbmem": options.fbmem, "--zcmem": options.zcmem}
    on_gpus = [str(word) for flag in flags.items() for word in flag] if options.gpus else []
    with tempfile.TemporaryDirectory(prefix="lux-text-") as folder:
        text = Path(folder, "edges.el")
        if not set(ALGORITHMS).issuperset(options.tasks):
            write_text(text, options.text)
        for task in options.tasks:
            graph = options.graph if task in ALGORITHMS else str(text)
            many = (1,) if options.gpus else (1, 4)
            jobs[task] = {str(n): job(task, graph, n, options.sysmem, on_gpus) for n in many}
            print(*list(tables({task: jobs[task]}))[len(jobs) > 1 :], sep="\n", flush=True)
    if options.output is not None:
        header = circumstances(PACKAGES, threads=2) | since(began)
        found = {"graph": options.graph, "text_bytes": options.text, "jobs": jobs}
        write_json(options.output, header | ({"gpus": gpus()[: options.gpus]} if options.gpus else {}) | found)


if __name__ == "__main__":
    main()
