# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Cost of checkpoints, ``python -m benchmarks.checkpoints``: seconds of a save, and its share of a run at one a minute.

A run saves after every few iterations, as often as it can, and once more never; the difference of their times, divided
by the number of saves, is the cost of one, with all that it makes the run wait for. Each is taken `TRIALS` times in
turn, and the medians are compared. A run at one checkpoint a minute loses that cost in 60 s.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lux
from benchmarks.machine import circumstances, clean_commit, since
from benchmarks.report import write_json
from lux.engine.run.checkpoint import Checkpoint

PACKAGES = ("legate", "numpy", "numba")
TRIALS, MINUTE = 3, 60.0
PROGRAMS = ("pagerank", "components")


@contextmanager
def saved_bytes() -> Iterator[list[int]]:
    """Yield a list that gets the bytes of each checkpoint that is saved inside the ``with`` block."""
    found: list[int] = []
    real = Checkpoint.save

    def save(checkpoint: Checkpoint, *given: Any) -> None:
        real(checkpoint, *given)
        found.append(checkpoint.path.stat().st_size)

    Checkpoint.save = save  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Checkpoint.save = real  # type: ignore[method-assign]


def run(program: str, graph: lux.Graph, iterations: int, parts: int | None) -> float:
    """Return the seconds of one run."""
    began = time.perf_counter()
    if program == "pagerank":
        lux.pagerank(graph, tol=0, max_iter=iterations, parts=parts)
    else:
        lux.components(graph, strategy="program", max_iter=iterations, parts=parts)
    return time.perf_counter() - began


def measure(program: str, graph: lux.Graph, iterations: int, parts: int | None, folder: str) -> dict[str, Any]:
    """Return the seconds of runs with and without checkpoints, and the cost of one."""
    run(program, graph, iterations, parts)  # compiles and prepares
    without, kept = [], []
    for _ in range(TRIALS):
        without.append(run(program, graph, iterations, parts))
        with saved_bytes() as saved, lux.using(checkpoint=folder, every=0):
            kept.append(run(program, graph, iterations, parts))
    each = max(statistics.median(kept) - statistics.median(without), 0.0) / len(saved)
    facts = {"n_vertices": graph.n_vertices, "n_edges": graph.n_edges, "iterations": iterations, "parts": parts or 1}
    trials = {"without_seconds": without, "with_seconds": kept}
    return facts | trials | {"saves": len(saved), "bytes": max(saved), "seconds": each, "share": each / MINUTE}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checkpoints", description=__doc__.partition(":")[0])
    parser.add_argument("--graphs", nargs="+", default=["kronecker:20"], help="default: kronecker:20")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "gpu"))
    parser.add_argument("--iterations", type=int, default=12, help="of each run (default: 12)")
    parser.add_argument("--folder", help="where checkpoints are kept (default: a temporary folder)")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    given = parser.parse_args()
    if given.output is not None:
        clean_commit()
    began, rows = time.time(), {}
    print(f"{'run':36}{'MiB':>8}{'saves':>8}{'s a save':>10}{'at one a minute':>17}", flush=True)
    with tempfile.TemporaryDirectory(prefix="lux-checkpoints-", dir=given.folder) as folder:
        for spec in given.graphs:
            graph = lux.generate(spec)
            for program in PROGRAMS:
                for parts in (None, 2):
                    with lux.using(device=given.device):
                        row = measure(program, graph, given.iterations, parts, folder)
                    name = f"{program}, {spec}" + (f", {parts} partitions" if parts else "")
                    rows[name] = row
                    sizes = f"{row['bytes'] / 2**20:8.1f}{row['saves']:8}{row['seconds']:10.3f}{row['share']:17.2%}"
                    print(f"{name:36}{sizes}", flush=True)
    if given.output is not None:
        write_json(given.output, circumstances(PACKAGES) | since(began) | {"runs": rows})


if __name__ == "__main__":
    main()
