# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that run another one on clusters of network namespaces (`benchmarks.cluster`), one after the other."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cluster import Cluster
from benchmarks.machine import clean_commit, commit, machine, since, versions
from benchmarks.report import write_json

PACKAGES = ("legate", "numpy", "numba")


def parser(description: str, clusters: Sequence[str], output: str) -> argparse.ArgumentParser:
    """Return the options that all have: by default these clusters, as NODES@MBIT, and the file in ``results``."""
    made = argparse.ArgumentParser(description=description)
    default = [_cluster(text) for text in clusters]
    made.add_argument("--clusters", type=_cluster, nargs="+", default=default, metavar="NODES@MBIT")
    made.add_argument("--trials", type=int, default=3)
    made.add_argument("--sysmem", type=int, default=4000, help="MiB of memory of all processes")
    made.add_argument("--timeout", type=float, default=900)
    made.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / output)
    return made


def _cluster(text: str) -> tuple[int, float]:
    nodes, _, mbit = text.partition("@")
    return int(nodes), float(mbit)


def measure(
    options: argparse.Namespace,
    program: Path,
    words: Callable[[int, Path], Sequence[Any]],
    kept: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    """Run a program on each cluster, with a process and a core for a node, and write what is kept of its documents.

    Parameters
    ----------
    options : argparse.Namespace
        Of `parser`.
    words : callable
        From a number of nodes and the file for its document to the program's arguments.
    kept : callable
        From a document to the part that is kept.
    """
    clean_commit()
    began, found = time.time(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        for nodes, mbit in options.clusters:
            output = Path(folder, f"{nodes}@{mbit:g}.json")
            with Cluster(nodes, mbit) as cluster:
                sysmem = options.sysmem // nodes
                command = cluster.command(program, *map(str, words(nodes, output)), sysmem=sysmem)
                cluster.run(command, options.timeout)
            found.append({"nodes": nodes, "mbit": mbit} | kept(json.loads(output.read_text())))
    most = max(nodes for nodes, _ in options.clusters)
    facts = {"machine": machine(1, most), "versions": versions(PACKAGES), "commit": commit(), "clusters": found}
    write_json(options.output, facts | since(began))
