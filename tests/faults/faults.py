# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kills by SIGKILL at random moments: ``python tests/faults/faults.py [--kills N] [--node-kills N] [--output FILE]``.

Each row kills a program that keeps checkpoints, starts it again, and compares its answer with that of an undisturbed
run: by one process on two cores, and by two nodes of a cluster (`benchmarks.cluster`), where one process of the two is
killed. Partitions are the same, so that floats are compared, too: bit for bit where an order is fixed, and otherwise
within `TOLERANCE`. The exit code is 1 if an answer differs, or a program does not end.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/common")]

from benchmarks.cluster import Cluster, refusal
from benchmarks.machine import circumstances, clean_commit, since
from benchmarks.report import write_json
from lux_cases.processes import environment

LIMIT_S = 120
"""Seconds for a program to end."""
TOLERANCE = 1e-9
"""Relative difference of sums of floats, which threads add in any order."""
PACKAGES = ("legate", "numpy", "numba")
PROGRAM = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import machine

name, folder = sys.argv[1], Path(sys.argv[2])
side, iterations, sources = (60, 150, 100) if machine.ranks() == 1 else (24, 40, 40)
if name in ("components", "bfs"):
    graph = lux.generate(f"grid:{side}x{side}")
elif name == "factorize":
    chance = np.random.default_rng(3)
    ends = chance.integers(0, 60, 900), chance.integers(0, 40, 900)
    graph = lux.from_edges(*ends, weight=chance.random(900), bipartite=True)
else:
    graph = lux.generate("kronecker:9", seed=4)
solve = {"method": "als", "dtype": "float64", "tol": 0}
calls = {
    "components": lambda: lux.components(graph, strategy="program").labels,
    "bfs": lambda: lux.bfs(graph, 0, strategy="program").distances,
    "pagerank": lambda: lux.pagerank(graph, tol=0, max_iter=iterations).ranks,
    "betweenness": lambda: lux.betweenness(graph, k=sources, seed=1).scores,
    "factorize": lambda: lux.factorize(graph, 4, max_iter=iterations // 3, **solve).factors,
}
(folder / f"begun-{machine.rank()}").touch()
with lux.using(checkpoint=folder / "kept", every=0):
    values = calls[name]()
    answer = values.dense()
    if machine.rank() == 0:
        np.save(folder / "answer.npy", answer)
"""
NAMES = ("components", "bfs", "pagerank", "betweenness", "factorize")


class Jobs:
    """Starts of the program in one folder, by one process or by the nodes of a cluster."""

    def __init__(self, folder: Path, cluster: Cluster | None) -> None:
        self.folder, self.cluster = folder, cluster
        self._path = folder / "program.py"
        self._path.write_text(PROGRAM)

    def start(self, name: str) -> subprocess.Popen[str]:
        """Start the program from whatever checkpoint there is."""
        for path in self.folder.glob("begun-*"):
            path.unlink()
        words = [str(self._path), name, str(self.folder)]
        pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        if self.cluster is not None:
            command = self.cluster.command(*words, sysmem=300)
            return self.cluster.start(command, self.folder, environment(), **pipes)
        variables = environment() | {"LEGATE_CONFIG": "--cpus 2 --sysmem 300"}
        return subprocess.Popen([sys.executable, *words], env=variables, cwd=self.folder, text=True, **pipes)

    def answer(self, name: str) -> tuple[np.ndarray[Any, Any], float]:
        """Run the program to its end; return its answer, and the seconds from its first call of Lux on."""
        process = self.start(name)
        began = self.begun(process)
        error = process.communicate(timeout=LIMIT_S)[1]
        if process.returncode:
            raise SystemExit(f"{name} ended with exit code {process.returncode}:\n{error[-3000:]}")
        found = np.load(self.folder / "answer.npy")
        (self.folder / "answer.npy").unlink()
        return found, time.monotonic() - began

    def begun(self, process: subprocess.Popen[str]) -> float:
        """Wait until all processes have made their graph; return the time."""
        ranks = 1 if self.cluster is None else self.cluster.nodes
        end = time.monotonic() + LIMIT_S
        while not all((self.folder / f"begun-{rank}").exists() for rank in range(ranks)):
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"the program did not begin:\n{process.communicate()[1][-3000:]}")
            time.sleep(0.01)
        return time.monotonic()

    def kill(self, process: subprocess.Popen[str], chance: random.Random) -> bool:
        """Kill the program, on one node if it runs on several; return False where it had ended before."""
        if self.cluster is None:
            process.kill()
        else:
            node = chance.randrange(self.cluster.nodes)
            for number in self.cluster.processes(node):
                words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[:2] if _there(number) else []
                if str(self._path).encode() in words:
                    os.kill(number, signal.SIGKILL)
        process.communicate(timeout=LIMIT_S)
        left = [] if self.cluster is None else [n for k in range(self.cluster.nodes) for n in self.cluster.processes(k)]
        end = time.monotonic() + 30
        while any(map(_there, left)):
            if time.monotonic() > end:
                raise SystemExit(f"processes {left} are left")
            time.sleep(0.05)
        return process.returncode != 0


def _there(number: int) -> bool:
    return Path(f"/proc/{number}").exists()


def same(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> str:
    """Say how an answer differs from that of an undisturbed run; empty if it is equal."""
    if found.dtype.kind in "iu":
        return "" if np.array_equal(found, expected) else f"{int((found != expected).sum())} values differ"
    if np.allclose(found, expected, rtol=TOLERANCE, atol=1e-12):
        return ""
    return f"values differ by up to {np.abs(found - expected).max():.2g}"


def kills(count: int, jobs: Jobs, chance: random.Random, show: Callable[..., None]) -> Counter[str]:
    """Kill and resume so many times; return what came of it."""
    expected = {name: jobs.answer(name) for name in NAMES}
    done = Counter[str]()
    where = "one process" if jobs.cluster is None else f"{jobs.cluster.nodes} nodes"
    while done["killed"] < count:
        name = NAMES[done["killed"] % len(NAMES)]
        undisturbed, seconds = expected[name]
        process = jobs.start(name)
        began = jobs.begun(process)
        time.sleep(chance.random() * seconds)
        moment = time.monotonic() - began
        if not jobs.kill(process, chance):
            continue  # it had ended
        kept = any((jobs.folder / "kept").glob("*.lux"))
        wrong = same(jobs.answer(name)[0], undisturbed)
        done += Counter(killed=1, resumed=int(kept), equal=int(not wrong))
        show(where, done["killed"], name, f"{moment:.2f} s", "a checkpoint" if kept else "the start", wrong or "equal")
        if left := [path.name for path in (jobs.folder / "kept").iterdir()]:
            raise SystemExit(f"checkpoints are left: {left}")
    return done


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python tests/faults/faults.py", description=__doc__.partition(":")[0])
    parser.add_argument("--kills", type=int, default=100, help="of one process (default: 100)")
    parser.add_argument("--node-kills", type=int, default=30, help="of a process on one of two nodes (default: 30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    options = parser.parse_args()
    if options.output is not None:
        clean_commit()
    chance, began, table = random.Random(options.seed), time.time(), {}

    def show(*cells: Any) -> None:
        sys.stdout.write("".join(f"{cell!s:14}" for cell in cells).rstrip() + "\n")
        sys.stdout.flush()

    show("on", "kill", "program", "killed after", "resumed from", "answer")
    with tempfile.TemporaryDirectory(prefix="lux-faults-") as folder:
        if options.kills:
            table["one process"] = dict(kills(options.kills, Jobs(Path(folder), None), chance, show))
    if options.node_kills and (reason := refusal()):
        sys.stdout.write(f"no kills on nodes: {reason}\n")
    elif options.node_kills:
        with Cluster(2) as cluster, tempfile.TemporaryDirectory(prefix="lux-faults-") as folder:
            table["two nodes"] = dict(kills(options.node_kills, Jobs(Path(folder), cluster), chance, show))
    for where, done in table.items():
        sys.stdout.write(f"{where}: {done['equal']} of {done['killed']} answers are equal\n")
    if options.output is not None:
        header = circumstances(PACKAGES, threads=2) | since(began)
        write_json(options.output, header | {"seed": options.seed, "kills": table})
    return int(any(done["equal"] < done["killed"] for done in table.values()))


if __name__ == "__main__":
    sys.exit(main())
