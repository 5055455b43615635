# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Seconds of whole commands before and after code is compiled: ``python -m benchmarks.first_calls``.

Commands run in a copy of the sources, with caches of their own: first without the code that `lux.app.precompile` made
in this checkout (``make native``), then with it and empty caches of the user, then with what the run before left.
With ``--data``, a folder that has SNAP's wiki-Vote.txt and LDBC Graphalytics' p2p-31.wel.gz, so do two programs; their
seconds begin before ``import lux``, and end with the last answer.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.machine import circumstances, clean_commit, since
from benchmarks.report import write_json
from legate_config import shipped

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("legate", "numpy", "numba", "llvmlite")
STATES = ("nothing compiled", "installed", "later")
KITE = "import lux; print(lux.pagerank(lux.toy.kite()).top(3))"
FILE, VERTICES, EDGES = "graph.el", 20_000, 90_000
"""An edge list of 1 MB."""
COMMANDS = {
    "PageRank of ten vertices": [sys.executable, "-c", KITE],
    "`make run` without its installation": [
        *("legate", "--cpus", "2", "apps/pagerank.py", "--generate", "kronecker:18", "--parts", "2")
    ],
    "`lux bfs` of a file of 1 MB": [sys.executable, "-m", "lux", "bfs", FILE, "--source", "0"],
    "`lux components` of the same": [sys.executable, "-m", "lux", "components", FILE],
}
PROGRAMS = {
    "the first PageRank of wiki-Vote": """
import lux
lux.pagerank(lux.read_graph("wiki-Vote.txt")).top(5)
""",
    "a table of five algorithms on p2p-31": """
import lux
g = lux.read_graph("p2p-31.wel.gz")
first = g.ids.labels(0, 1)[0]
answers = lux.pagerank(g), lux.components(g), lux.bfs(g, first), lux.betweenness(g, k=20)
table = lux.table(*answers, weighted=lux.sssp(g, first)["distance"]).to_pandas()
table["in"], table["out"] = g.in_degrees().dense(), g.out_degrees().dense()
table.to_parquet("p2p-31.parquet")
""",
}
DATA = "wiki-Vote.txt", "p2p-31.wel.gz"
COMMANDS_OF_PROGRAMS = {
    name: [sys.executable, "-c", f"import time\nt = time.perf_counter(){text}print(time.perf_counter() - t)"]
    for name, text in PROGRAMS.items()
}


def measure(names: Iterable[str], runs: int, compiling: int, data: Path | None) -> dict[str, dict[str, list[float]]]:
    """Return the seconds of each command in each state."""
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="lux-first-calls-") as folder:
        tree, caches = Path(folder, "sources"), Path(folder, "caches")
        for part in ("lux", "legate_config", "perfmodel", "apps"):
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("*.nbi", "*.nbc", "compiled"))
        rng = np.random.default_rng(1)
        np.savetxt(tree / FILE, rng.integers(0, VERTICES, (EDGES, 2)), "%d")
        for file in DATA if data is not None else ():
            shutil.copy(data / file, tree)
        for name in names:
            found[name] = {STATES[0]: [_seconds(name, tree, caches, new=True) for _ in range(compiling)]}
        shutil.copytree(shipped.folder, tree / "legate_config" / shipped.folder.name)
        for name in names:
            first = [_seconds(name, tree, caches, new=True) for _ in range(runs)]
            found[name] |= {STATES[1]: first, STATES[2]: [_seconds(name, tree, caches, new=False) for _ in range(runs)]}
    return found


def _seconds(name: str, tree: Path, caches: Path, *, new: bool) -> float:
    """Run a command, with ``new`` after all caches were emptied; return its seconds, or what a program has printed."""
    if new:
        shutil.rmtree(caches, ignore_errors=True)
        for path in [*tree.rglob("*.nbi"), *tree.rglob("*.nbc")]:
            path.unlink()
    caches.mkdir(exist_ok=True)
    own = {"HOME": str(caches), "XDG_CACHE_HOME": str(caches), "PYTHONPATH": str(tree)}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "LEGATE_"))} | own
    began = time.perf_counter()
    command = COMMANDS.get(name) or COMMANDS_OF_PROGRAMS[name]
    done = subprocess.run(command, cwd=tree, env=environment, check=True, capture_output=True)
    return float(done.stdout) if name in PROGRAMS else time.perf_counter() - began


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_calls", description=__doc__.partition(":")[0])
    parser.add_argument("--runs", type=int, default=5, help="of each command once compiled (default: 5)")
    parser.add_argument("--compiling", type=int, default=1, help="of each that compiles everything (default: 1)")
    parser.add_argument("--data", type=Path, help=f"folder with {' and '.join(DATA)}")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "first-calls.json")
    options = parser.parse_args()
    clean_commit()
    began = time.time()
    names = [*COMMANDS, *(PROGRAMS if options.data is not None else ())]
    seconds = measure(names, options.runs, options.compiling, options.data)
    for name, states in seconds.items():
        print(
            f"{name:40}", *(f"{state}: {np.median(found):.2f} s" for state, found in states.items() if found), sep="  "
        )
    document = circumstances(PACKAGES, threads=len(os.sched_getaffinity(0))) | since(began) | {"seconds": seconds}
    write_json(options.output, document)


if __name__ == "__main__":
    main()
