# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Least memory of Legate's with which a call ends, and below which Lux refuses it.

``python -m benchmarks.least_memory``.

Each step of a bisection is a process of its own with another ``--sysmem``, or ``--fbmem`` with ``--device gpu``. One
bisection refuses nothing, and Legate ends the process where its memory is too small; on GPUs a second one has Lux
refuse. On CPU cores a process says what Lux asks for. A refusal is right between 0.8 and 1.2 of the least: less than
0.8 is refused before the start, and more than 1.2 never.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.machine import circumstances, clean_commit, since
from benchmarks.report import write_json

PACKAGES = ("legate", "numpy", "numba")
CALLS = ("load", "partition", "pagerank", "bfs", "components", "labels", "sssp", "betweenness")
ON_GPU = ("pagerank", "bfs", "components", "labels", "sssp", "betweenness", "pagerank, parts=2", "labels, parts=2")
OTHERS = "--zcmem 8 --sysmem 8000"
"""Other memories where that of a GPU is bisected: zero-copy memory has no room for edges."""
ASKS, PASSES = "asks", "passes"
"""Ways of a process: Lux refuses what does not fit, or nothing."""
TOLERANCE = 0.02
"""Share of the least memory to which it is found."""


def call(name: str, spec: str, device: str) -> None:
    """Make a graph on CPU cores and call the named function, which may end in ``, parts=2``."""
    import lux
    from lux import runtime

    name, _, parts = name.partition(", parts=")
    with lux.using(device="cpu"):
        graph = lux.generate(spec, weights=(1, 9)) if name == "sssp" else lux.generate(spec)
    how: dict[str, Any] = {"parts": int(parts)} if parts else {}
    first = "gpu" if device == "gpu" else "auto"  # where it has no room, others may have
    calls = {
        "load": lambda: None,
        "partition": lambda: graph.layout(4).splits,
        "pagerank": lambda: lux.pagerank(graph, max_iter=5, tol=0, **how),
        "bfs": lambda: lux.bfs(graph, 1, strategy=first, **how),
        "components": lambda: lux.components(graph, strategy=first, **how),
        "labels": lambda: lux.components(graph, strategy="program", **how),
        "sssp": lambda: lux.sssp(graph, 1, strategy=first, **how),
        "betweenness": lambda: lux.betweenness(
            graph, k=2, seed=1, strategy="gpus" if device == "gpu" else "auto", **how
        ),
    }
    with lux.using(device=device, placement="device" if device == "gpu" else "auto", repartition="off"):
        calls[name]()
    runtime.finish()


def asked_bytes(name: str, spec: str, device: str) -> int:
    """Return the bytes of Legate's memory that a call asks for, at most."""
    from lux import runtime
    from lux.runtime import agreement

    most, check = 0, agreement.check_memory

    def note(needed: int, what: str) -> None:
        nonlocal most
        most = max(most, agreement.bytes_with_headroom(needed))
        check(needed, what)

    runtime.check_memory = agreement.check_memory = note
    call(name, spec, device)
    return most


def let_all_pass(device: str) -> None:
    """Have Lux refuse nothing in this process for want of memory.

    On CPU cores it believes that Legate was given more than there is. On GPUs it knows, as it takes more where there is
    room: no strategy is refused, and no demand.
    """
    import legate_config
    from lux import runtime
    from lux.algorithms import strategy
    from lux.engine.gpu.placement import allocation_ledger
    from lux.runtime import agreement

    runtime.driver()
    if device == "cpu":
        given = replace(legate_config.settings(), sysmem_bytes=1 << 50)
        legate_config.settings = lambda: given
        return
    strategy._fits_gpus = lambda *_: True  # noqa: SLF001  # refusals have no public switch
    allocation_ledger.check = lambda *_, **__: None
    agreement._check_beside = lambda *_, **__: None  # noqa: SLF001


def process(name: str, spec: str, mib: float, device: str, way: str) -> str | None:
    """Return what a process with so many MiB prints; None if it does not end well."""
    memory = f"--gpus 0 --sysmem {int(mib)}" if device == "cpu" else f"--gpus 1 --fbmem {int(mib)} {OTHERS}"
    command = [sys.executable, "-m", "benchmarks.least_memory", name, "--way", way, "--graph", spec, "--device", device]
    environment = os.environ | {"LEGATE_CONFIG": f"--cpus 2 {memory}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    return None if done.returncode else done.stdout


def least(name: str, spec: str, low: float, high: float, device: str, way: str) -> float:
    """Return the least MiB with which a call ends well, if that is between two numbers."""
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        if process(name, spec, middle, device, way) is None:
            low = middle
        else:
            high = middle
    return high


def measure(name: str, spec: str, most: int, device: str) -> dict[str, float]:
    """Return the least memory of a call, and what Lux asks for, in MiB."""
    said = process(name, spec, most, device, ASKS)
    if said is None:
        raise SystemExit(f"{name} does not end with {most} MiB: pass a larger --most")
    if device == "cpu":
        asked = int(said.split()[-1]) / 2**20
        needed = least(name, spec, 0.5 * asked, 1.5 * asked, device, PASSES)
    else:
        asked = least(name, spec, 0.0, most, device, ASKS)
        needed = least(name, spec, 0.5 * asked, 1.5 * asked, device, PASSES)
    return {"least_mib": needed, "asked_mib": asked, "ratio": asked / needed}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.least_memory", description=__doc__.partition("\n")[0])
    parser.add_argument("calls", nargs="*", help="default: all, in one task and in two partitions")
    parser.add_argument("--graph", default="kronecker:19", help="default: kronecker:19")
    parser.add_argument("--most", type=int, default=2000, help="MiB with which each call ends for sure (default: 2000)")
    parser.add_argument("--jobs", type=int, default=1, help="calls that are measured side by side (default: 1)")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    parser.add_argument("--device", default="cpu", choices=("cpu", "gpu"))
    parser.add_argument("--way", choices=(ASKS, PASSES), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way == ASKS:
        print(asked_bytes(given.calls[0], given.graph, given.device), flush=True)
        return
    if given.way == PASSES:
        let_all_pass(given.device)
        call(given.calls[0], given.graph, given.device)
        return
    if given.output is not None:
        clean_commit()
    names = [*CALLS, *(f"{name}, parts=2" for name in CALLS[2:-1])]
    began, rows = time.time(), {}
    print(f"{'call':24}{'least MiB':>10}{'asked MiB':>10}", flush=True)
    calls = given.calls or (names if given.device == "cpu" else ON_GPU)
    with ThreadPoolExecutor(given.jobs) as threads:
        found = threads.map(lambda name: measure(name, given.graph, given.most, given.device), calls)
        for name, row in zip(calls, found, strict=True):
            rows[name] = row
            print(f"{name:24}{row['least_mib']:10.0f}{row['asked_mib']:10.0f}{row['ratio'] - 1:+10.0%}", flush=True)
    if given.output is not None:
        write_json(
            given.output,
            circumstances(PACKAGES, threads=2)
            | since(began)
            | {"graph": given.graph, "device": given.device, "calls": rows},
        )


if __name__ == "__main__":
    main()
