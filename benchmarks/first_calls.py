# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""First calls of Lux on a machine, which compile, and first calls of a later process: each in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
"""Environment variables with the folders of compiled code."""


def first_calls() -> list[dict[str, float]]:
    """Return the seconds until a small graph exists, and of the first call of each algorithm on it.

    Returns
    -------
    list of dict of str to float
        Seconds of a process without compiled code, and of one that finds the first one's. Loading Lux's native
        libraries, which the first process compiles, counts as part of the graph, as does the start of Legate.
    """
    with tempfile.TemporaryDirectory(prefix="lux-first-calls-") as folder:
        path = Path(folder) / "seconds.json"
        given = os.environ | dict.fromkeys(CACHES, folder)
        given["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        found = []
        for _ in range(2):
            subprocess.run([sys.executable, "-m", "benchmarks.first_calls", str(path)], check=True, env=given)
            found.append(json.loads(path.read_text(encoding="utf-8")))
        return found


def measure() -> dict[str, float]:
    """Measure in this process, which has not used Lux."""
    seconds, began = {}, time.perf_counter()

    def done(what: str) -> None:
        nonlocal began
        runtime.finish()
        seconds[what] = time.perf_counter() - began
        began = time.perf_counter()

    import lux
    from lux import runtime

    graph = lux.generate("kronecker:10", seed=1, weights=(1, 255))
    done("graph")
    lux.pagerank(graph, weight=None)
    done("pagerank")
    lux.bfs(graph, 5)
    done("bfs")
    lux.components(graph)
    done("components")
    lux.sssp(graph, 5)
    done("sssp")
    lux.betweenness(graph, sources=[5])
    done("betweenness")
    return seconds


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measure()), encoding="utf-8")
