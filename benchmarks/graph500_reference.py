# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500's reference checker on Lux's answers: ``python benchmarks/graph500_reference.py FOLDER --scale 16``.

FOLDER has the reference code (https://github.com/graph500/graph500), of which nothing is changed or kept: it is copied,
the places where a user's searches belong get functions that read files, and ``mpicc`` compiles it. Lux writes the
benchmark's edge list in the code's form (two labels of 48 bits), and the trees and distances of the roots that the code
chooses. The checker makes its own graph of the edges, and validates each search by its own rules.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from numpy.typing import NDArray

import lux
from benchmarks.machine import circumstances
from benchmarks.report import write_json
from lux.algorithms.bfs.published import BY_NAME
from lux.graph500.edge_list import WeightedKronecker

RESULT = Path(__file__).parent / "results" / "graph500_reference.json"
HOOKS = {
    "bfs_custom.c": (
        "//user code to do bfs",
        """
	char name[64];
	sprintf(name, "roots/%" PRId64 ".bfs", root);
	FILE* file = fopen(name, "rb");
	if (file == NULL) { fprintf(stderr, "ROOT %" PRId64 "\\n", root); return; }
	if (fread(pred, sizeof(int64_t), g.nlocalverts, file) == 0) abort();
	fclose(file);
""",
    ),
    "sssp_custom.c": (
        "//user code for SSSP",
        """
	char name[64];
	sprintf(name, "roots/%" PRId64 ".sssp", root);
	FILE* file = fopen(name, "rb");
	if (file == NULL) return;
	if (fread(pred, sizeof(int64_t), g.nlocalverts, file) == 0) abort();
	fclose(file);
	sprintf(name, "roots/%" PRId64 ".distances", root);
	file = fopen(name, "rb");
	if (file == NULL || fread(dist, sizeof(float), g.nlocalverts, file) == 0) abort();
	fclose(file);
""",
    ),
}
"""Comments of the reference code, and what takes their place: parents (and distances) are read from a root's files.

The code rounds the number of vertices up; those beyond the files have no edges, and stay unreached."""
SOURCES = "bfs_custom.c sssp_custom.c csr_reference.c main.c utils.c validate.c ../aml/aml.c"
GENERATOR = "graph_generator.c make_graph.c splittable_mrg.c utils.c"
FLAGS = "-w -O3 -fcommon -Drestrict=__restrict__ -DGRAPH_GENERATOR_MPI -DSSSP -I../aml"


def build(reference: Path, folder: Path) -> Path:
    """Copy the reference code, put the hooks in, and compile it; returns the program."""
    copy = folder / "reference"
    shutil.copytree(reference, copy, ignore=shutil.ignore_patterns(".git"))
    for name, (comment, code) in HOOKS.items():
        file = copy / "src" / name
        text = file.read_text()
        if text.count(comment) != 1:
            raise SystemExit(f"{file} has no place '{comment}': another version of the reference code")
        file.write_text("#include <stdio.h>\n#include <inttypes.h>\n" + text.replace(comment, code))
    words = ["mpicc", *FLAGS.split(), "-o", "checker", *SOURCES.split()]
    words += [f"../generator/{name}" for name in GENERATOR.split()]
    subprocess.run([*words, "-lm", "-lpthread"], cwd=copy / "src", env=_environment(), check=True)
    return copy / "src" / "checker"


def _environment(**more: str) -> dict[str, str]:
    path = f"{Path(sys.prefix, 'bin')}{os.pathsep}{os.environ['PATH']}"
    roots = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return dict(os.environ) | roots | {"PATH": path} | more


def packed(sources: NDArray[Any], destinations: NDArray[Any]) -> NDArray[np.uint32]:
    """Pack edges as the reference code does: the low halves of both labels, and their bits 32 to 47 in a third word.

    >>> packed(np.array([1, 2**33]), np.array([2**32 + 5, 7])).tolist()
    [[1, 5, 65536], [0, 7, 2]]
    """
    u, v = (ends.astype(np.uint64) for ends in (sources, destinations))
    low, half = np.uint64(2**32 - 1), np.uint64(2**16 - 1)
    high = ((u >> np.uint64(32)) & half) | (((v >> np.uint64(32)) & half) << np.uint64(16))
    return np.stack([u & low, v & low, high], axis=1).astype(np.uint32)


def edges(scale: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float32]]:
    """Return the benchmark's edge list: sources, destinations and weights."""
    source = WeightedKronecker(scale, seed=seed)
    ends = np.empty((2, source.n_edges), np.uint32)
    weights = np.empty(source.n_edges, np.float32)
    source.fill(0, source.n_edges, ends[0], ends[1], {"weight": weights})
    return ends[0], ends[1], weights


def check(checker: Path, folder: Path, scale: int) -> subprocess.CompletedProcess[str]:
    """Run the reference code on the edges and answers of a folder."""
    more = {"TMPFILE": "edges", "REUSEFILE": "1"}
    if not any((folder / "roots").iterdir()):
        more["SKIP_VALIDATION"] = "1"
    command = ["mpirun", "-n", "1", str(checker), str(scale)]
    return subprocess.run(
        command, cwd=folder, env=_environment(**more), capture_output=True, text=True, check=False, timeout=900
    )


def write_answers(folder: Path, graph: lux.Graph, root: int, strategy: str) -> None:
    """Search from a root, and write its files."""
    tree = lux.bfs(graph, root, strategy=strategy)
    tree.parents.to_numpy().astype(np.int64).tofile(folder / "roots" / f"{root}.bfs")
    paths = lux.sssp(graph, root)
    distances = paths.distances.to_numpy().astype(np.float32)
    distances[~np.isfinite(distances)] = -1
    paths.parents.to_numpy().astype(np.int64).tofile(folder / "roots" / f"{root}.sssp")
    distances.tofile(folder / "roots" / f"{root}.distances")


def main() -> None:
    """Check, print, and write."""
    parser = argparse.ArgumentParser(description="The Graph500's reference checker on Lux's answers.")
    parser.add_argument("reference", type=Path, metavar="FOLDER", help="of the reference code")
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strategies", nargs="+", choices=["auto", *BY_NAME], default=["auto", *BY_NAME])
    parser.add_argument("--output", type=Path, default=RESULT)
    options = parser.parse_args()
    sources, destinations, weights = edges(options.scale, options.seed)
    graph = lux.from_edges(sources, destinations, weights, directed=False, n_vertices=2**options.scale)
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checker = build(options.reference, folder)
        (folder / "roots").mkdir()
        packed(sources, destinations).tofile(folder / "edges")
        weights.tofile(folder / "edges.weights")
        asked = check(checker, folder, options.scale).stderr
        roots = [*dict.fromkeys(int(root) for root in re.findall(r"^ROOT (\d+)$", asked, re.MULTILINE))]
        for strategy in options.strategies:
            for root in roots:
                write_answers(folder, graph, root, strategy)
            found.append({"strategy": strategy} | verdict(check(checker, folder, options.scale), len(roots)))
            print(f"{strategy}: {found[-1]}")
        spoil(folder / "roots" / f"{roots[-1]}.bfs", roots[-1])
        wrong = verdict(check(checker, folder, options.scale), len(roots))
    facts = {**circumstances(["legate", "numba", "numpy"]), "scale": options.scale, "roots": len(roots)}
    write_json(options.output, facts | {"results": found, "wrong_tree": wrong})
    if wrong["passed"] or not all(row["passed"] for row in found):
        raise SystemExit("Lux and the reference code do not agree")


def verdict(done: subprocess.CompletedProcess[str], roots: int) -> dict[str, Any]:
    """Return the validated searches of each kernel, and whether all were right."""
    said = done.stdout + done.stderr
    validated = {kernel: said.count(f"Validate time for {kernel}") for kernel in ("BFS", "SSSP")}
    right = not done.returncode and "Validation Error" not in said and "invalid run" not in said
    return {"validated": validated, "passed": right and set(validated.values()) == {roots}}


def spoil(file: Path, root: int) -> None:
    """Make a tree wrong: a vertex that was reached becomes a child of itself."""
    parents = np.fromfile(file, np.int64)
    reached = np.flatnonzero(parents >= 0)
    parents[reached[reached != root][0]] = reached[reached != root][0]
    parents.tofile(file)


if __name__ == "__main__":
    os.environ.setdefault("LEGATE_CONFIG", "--cpus 2 --sysmem 4000")
    main()
