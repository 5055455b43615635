# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Small runs on GPUs under the tools of compute-sanitizer: ``python -m benchmarks.sanitized``.

Memcheck looks for reads and writes outside of memory, racecheck for hazards in shared memory, and synccheck for
barriers that not all threads reach, in all runs of ``tests/gpu/sanitized.py``. The exit code is 1 if a tool finds an
error in a kernel, or a run does not end. What Realm asks the driver is not looked at. Results name a commit; without a
repository, set LUX_COMMIT.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import write_json

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("memcheck", "racecheck", "synccheck")
RUNS = ("made", "whole", "parts", "moved", "resumed")
MEMORY = "--fbmem 500 --sysmem 500 --zcmem 64"
PACKAGES = ("legate", "numpy", "numba", "cuda-core")


def sanitize(tool: str, which: str, count: int, limit: int) -> dict[str, Any]:
    """Do runs under a tool on so many GPUs, for ``limit`` seconds at most."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "3"]
    command += ["--report-api-errors", "no"] if tool == "memcheck" else []
    inside = [sys.executable, str(ROOT / "tests/gpu/sanitized.py"), which, "--seconds", str(limit // 2)]
    environment = os.environ | {"LEGATE_CONFIG": f"--cpus 1 --gpus {count} {MEMORY}", "COLUMNS": "400"}
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, *inside], env=environment, capture_output=True, text=True, check=False, timeout=limit
        )
    except subprocess.TimeoutExpired as error:
        printed = (error.stdout or b"").decode(errors="replace")
        return {
            "runs": _runs(printed),
            "errors": None,
            "seconds": float(limit),
            "ended": False,
            "printed": printed[-500:],
        }
    printed = done.stdout + done.stderr
    found = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", printed)
    row: dict[str, Any] = {"runs": _runs(printed), "errors": int(found[1]) if found else None}
    row |= {"seconds": time.perf_counter() - began, "ended": done.returncode == 0}
    return row | ({} if row["ended"] and row["errors"] == 0 else {"printed": printed[-2000:]})


def _runs(printed: str) -> int:
    r"""Count the runs whose answers were compared.

    >>> _runs("pagerank, peer: 2.5 s, 4 s since the start\nbfs, peer: 0.1 s, 5 s since the start\ndone\n")
    2
    """
    return len(re.findall(r" s since the start$", printed, re.MULTILINE))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sanitized", description=__doc__.partition("\n")[0])
    parser.add_argument("--gpus", type=int, default=1, help="GPUs of each run (default: 1)")
    parser.add_argument("--jobs", type=int, default=8, help="runs side by side (default: 8)")
    parser.add_argument("--limit", type=int, default=240, help="seconds of a run at most (default: 240)")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    options = parser.parse_args()
    commit, began = (clean_commit() if options.output else None), time.time()
    pairs = list(product(TOOLS, RUNS))
    with ThreadPoolExecutor(options.jobs) as threads:
        rows = list(threads.map(lambda pair: sanitize(*pair, options.gpus, options.limit), pairs))
    found = {f"{tool}, {which}": row for (tool, which), row in zip(pairs, rows, strict=True)}
    for name, row in found.items():
        print(f"{name:22}{row['runs']:4} runs{row['seconds']:7.0f} s, errors: {row['errors']}, ended: {row['ended']}")
        if "printed" in row:
            print(row["printed"])
    if options.output is not None:
        header = circumstances(PACKAGES) | {"commit": commit, "gpus": gpus()[: options.gpus], "driver": driver()}
        write_json(options.output, header | since(began) | {"tools": found})
    return int(any(row["errors"] != 0 or not row["ended"] for row in found.values()))


if __name__ == "__main__":
    sys.exit(main())
