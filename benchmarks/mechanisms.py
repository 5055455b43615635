# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of published searches, each with and without: ``python benchmarks/mechanisms.py``.

``docs/papers.md`` lists the mechanisms, and ``docs/explanation/distributed-bfs.md`` has the tables. On a Kronecker
graph of the Graph500, all searches begin at the same roots, in turns, and distances are compared with those of the
first. JSON has the edges that were scanned and the bytes that were sent, which are exact, and milliseconds, of which
ratios within a run mean something.

- The strategy ``degree-separated`` with its defaults, without each option, and with other thresholds.
- Directions: forwards only, by the frontier's edges, and by estimates.
- Forms of the hybrid's rows of edges (`benchmarks.row_forms`).
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from rich.console import Console

import lux
from benchmarks import row_forms
from benchmarks.agreement import DisagreementError
from benchmarks.looked_at import edges_looked_at
from benchmarks.machine import circumstances
from benchmarks.report import print_figures, write_json
from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import degree_separated
from lux.algorithms.bfs.distributed.degree_separated.degree_separated import Options
from lux.algorithms.bfs.distributed.grid import hybrid
from lux.algorithms.bfs.distributed.grid.bitmap_rows import open_index
from lux.engine.run.run import Run
from lux.graph500.roots import sample

RESULT = Path(__file__).parent / "results" / "mechanisms.json"
THRESHOLDS = (4, 8, 16, 32, 64, 128, 256)
NO_DELEGATES = 2**40
READS = 25
"""Times that rows of each form are read."""
EDGES = re.compile(r"\(([\d,]+) edge")
"""Edges of a kind that a level scanned, in the reasons of `degree-separated`."""

Search = Callable[[int], tuple[Any, dict[str, float]]]
"""From a root to the distances and the counts."""


def separated_searches(graph: lux.Graph, parts: int) -> dict[str, tuple[Search, dict[str, Any]]]:
    """Return all ways to search by ``degree-separated``, with the facts of each."""
    ways: dict[str, tuple[Options, int | None]] = {
        "as by default": (Options(), None),
        "all edges forwards": (Options(direction_optimized=False), None),
        "vertices named often": (Options(uniquify=False), None),
        "local all-to-all of pairs": (Options(local_all_to_all=True, group=2), None),
        "no delegates": (Options(), NO_DELEGATES),
        "no delegates, vertices named often": (Options(uniquify=False), NO_DELEGATES),
    }
    ways |= {f"threshold {threshold}": (Options(), threshold) for threshold in THRESHOLDS}
    linked = np.count_nonzero(graph.dense_in_degrees())
    found = {}
    for name, (options, threshold) in ways.items():
        separated = degree_separated.separation(graph, parts, threshold)
        facts = {
            "threshold": separated.threshold,
            "delegates": separated.n_delegates / linked,
            "nn": float(separated.edges[:, 0].sum()) / graph.n_edges,
        }
        found[name] = _separated(graph, parts, threshold, options), facts
    return found


def _separated(graph: lux.Graph, parts: int, threshold: int | None, options: Options) -> Search:
    def search(root: int) -> tuple[Any, dict[str, float]]:
        run: Run = degree_separated.search(graph, root, 10**6, parts, None, threshold=threshold, options=options)
        looked = [int(n.replace(",", "")) for step in run.statistics for n in EDGES.findall(step.why)]
        sent = sum(step.exchanged or 0 for step in run.statistics)
        distance = runtime.to_array(run.fields["distance"])
        return distance, {"looked_at": sum(looked), "exchanged": sent, "seconds": run.seconds}

    return search


def directions(graph: lux.Graph, parts: int) -> dict[str, tuple[Search, dict[str, Any]]]:
    """Return the ways to choose directions in the library's own search."""
    ways: dict[str, dict[str, Any]] = {
        "all forwards": {"model": "push"},
        "by edges": {"direction": "edges"},
        "by estimates": {"direction": "estimates"},
    }
    return {name: (_own(graph, parts, asked), {}) for name, asked in ways.items()}


def _own(graph: lux.Graph, parts: int, asked: dict[str, Any]) -> Search:
    def search(root: int) -> tuple[Any, dict[str, float]]:
        result = lux.bfs(graph, root, parts=parts, **asked)
        backward = sum(step.model == "pull" for step in result.statistics)
        counts = {"looked_at": edges_looked_at(result), "seconds": result.seconds, "backward": backward}
        return result.distances.to_numpy(), counts | {"levels": len(result.statistics)}

    return search


def compare(ways: dict[str, tuple[Search, dict[str, Any]]], roots: list[int], trials: int) -> Any:
    """Search in all ways from all roots; counts are means over the roots, and milliseconds medians.

    Raises
    ------
    DisagreementError
        Distances differ.
    """
    first: dict[int, Any] = {}
    counted: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for trial in range(trials + 1):  # the first compiles
        for root in roots:
            for name, (search, _) in ways.items():
                distances, counts = search(root)
                wanted = first.setdefault(root, distances.copy())
                if not np.array_equal(wanted, distances):
                    raise DisagreementError(f"{name}: other distances from {root}")
                if trial:
                    counted[name].append(counts)
    rows = []
    for name, (_, facts) in ways.items():
        ms = 1e3 * statistics.median(counts.pop("seconds") for counts in counted[name])
        means = {key: statistics.fmean(counts[key] for counts in counted[name]) for key in counted[name][0]}
        rows.append({"way": name, "ms": ms, **means, **facts})
    return rows


def forms(graph: lux.Graph, parts: int) -> list[dict[str, Any]]:
    """Compare the forms of rows by source, on so many processors."""
    kept = hybrid.edges_by_source(graph, parts)
    index, columns = runtime.to_array(kept.index), runtime.to_array(kept.columns)
    blocks = []
    for p in range(parts):
        bits, _, starts, _ = open_index(index[slice(*kept.cuts["index"][p])], kept.words)
        linked = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool)
        degrees = np.zeros(len(linked), np.int64)
        degrees[linked] = np.diff(starts)
        blocks.append((np.concatenate([[0], np.cumsum(degrees)]), columns[slice(*kept.cuts["columns"][p])].copy()))
    empty = 1 - sum(np.count_nonzero(np.diff(of)) for of, _ in blocks) / sum(len(of) - 1 for of, _ in blocks)
    return [{"parts": parts, "empty_rows": empty} | row for row in row_forms.compare(blocks, READS)]


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description="Mechanisms of published searches, each with and without.")
    parser.add_argument("--scale", type=int, default=16, help="2^SCALE vertices, 16 edges for each (16)")
    parser.add_argument("--parts", type=int, default=4, help="processors of searches (4)")
    parser.add_argument("--grids", type=int, nargs="+", default=[4, 16, 64, 256], help="processors of forms of rows")
    parser.add_argument("--roots", type=int, default=16)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULT)
    options = parser.parse_args()
    spec = f"kronecker:{options.scale}"
    graph = lux.generate(spec, seed=1)
    roots = sample(graph, options.roots, seed=1).tolist()
    document = {
        "graph": {"spec": spec, "n_vertices": graph.n_vertices, "stored_edges": graph.n_edges},
        **circumstances(["legate", "numba", "numpy"]),
        "parts": options.parts,
        "roots": len(roots),
    }
    with lux.using(device="cpu"):
        for name, made in {"separated": separated_searches, "directions": directions}.items():
            document[name] = compare(made(graph, options.parts), roots, options.trials)
        document["forms"] = [row for parts in options.grids for row in forms(graph, parts)]
    console = Console(width=150)
    print_figures(document["separated"], "way", ("ms", "looked_at", "exchanged", "delegates", "nn"), spec, console)
    print_figures(document["directions"], "way", ("ms", "looked_at", "levels", "backward"), spec, console)
    print_figures(document["forms"], "form", ("parts", "empty_rows", "bytes", "index_bytes", "ns_a_row"), spec, console)
    write_json(options.output, document)


if __name__ == "__main__":
    os.environ.setdefault("LEGATE_CONFIG", "--cpus 2 --sysmem 4000")
    main()
