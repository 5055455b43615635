# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches whose messages travel while processors work: ``python benchmarks/overlap_nodes.py --output overlap.json``.

Brings up clusters of network namespaces on this machine (`benchmarks.cluster`; it needs to be the superuser), and on
each runs the strategy ``hybrid`` with bitmaps in 1, 2 and 4 pieces, and ``degree-separated`` with either reduction of
its masks. All ways search from the same roots, in turns, of which each begins with another way, on one processor for
each node. Their distances are compared. Times on more nodes than cores say little: processes wait for a core.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

import lux
from benchmarks import on_clusters
from benchmarks.agreement import DisagreementError
from benchmarks.cluster import sent_from_here
from benchmarks.report import write_json
from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import degree_separated
from lux.algorithms.bfs.distributed.grid import hybrid
from lux.engine.run.run import Run
from lux.engine.run.statistics import seconds_of_phases
from lux.graph500.roots import sample
from lux.runtime.exchange import summed

CLUSTERS = ("2@200", "2@50", "4@200")
ROTATION = "rotation"

Search = Callable[[lux.Graph, int, int], Run]
"""From a graph, a root's place and the number of processors."""


def _separated(*, blocking: bool) -> Search:
    options = degree_separated.Options(blocking_reduction=blocking)
    return lambda graph, place, parts: degree_separated.search(graph, place, 10**6, parts, None, options=options)


def _hybrid(pieces: int, *, both_ways: bool = False) -> Search:
    options = hybrid.Options(pieces, both_ways)
    return lambda graph, place, parts: hybrid.search(graph, place, 10**6, parts, None, options=options)


WAYS: dict[str, dict[str, Search]] = {
    "hybrid": {
        "1 piece": _hybrid(1),
        "2 pieces": _hybrid(2),
        "4 pieces": _hybrid(4),
        "4 pieces, both ways": _hybrid(4, both_ways=True),
    },
    "degree-separated": {"blocking": _separated(blocking=True), "non-blocking": _separated(blocking=False)},
}
"""Ways to search by each strategy; times are compared with the first."""


def compare(graph: lux.Graph, parts: int, roots: list[int], trials: int) -> list[dict[str, Any]]:
    """Search in all ways from all roots, in turns.

    Raises
    ------
    DisagreementError
        Distances differ.
    """
    ways = [(strategy, way, search) for strategy, each in WAYS.items() for way, search in each.items()]
    rows: list[dict[str, Any]] = [
        {"strategy": strategy, "way": way, "seconds": [], "exchanged": [], "phases": []} for strategy, way, _ in ways
    ]
    sent = np.zeros(len(ways), np.int64)
    for trial in range(trials + 1):  # the first compiles, and is compared
        for root in roots:
            first = None
            for k in np.roll(np.arange(len(ways)), trial):
                strategy, way, search = ways[k]
                before = sent_from_here()
                run = search(graph, graph.place_of(root), parts)
                if not trial:
                    found = runtime.to_array(run.fields["distance"])
                    first = found if first is None else first
                    if not np.array_equal(found, first):
                        raise DisagreementError(f"{strategy}, {way}: other distances from {root}")
                    continue
                sent[k] += sent_from_here() - before
                rows[k]["seconds"].append(run.seconds)
                rows[k]["exchanged"].append(sum(level.exchanged or 0 for level in run.statistics))
                rows[k]["phases"].append(seconds_of_phases(run.statistics))
    for row, wire in zip(rows, (summed(sent) / (trials * len(roots))).tolist(), strict=True):
        row["median_ms"] = 1e3 * statistics.median(row["seconds"])
        phases = row.pop("phases")
        row["levels_ms"] = 1e3 * statistics.median(sum(each.values()) for each in phases)
        row["rotation_ms"] = 1e3 * statistics.median(each.get(ROTATION, 0.0) for each in phases)
        row["wire"], row["exchanged"] = wire, statistics.fmean(row["exchanged"])
    return rows


def _on_this_node(options: argparse.Namespace) -> None:
    """Measure, as one of the processes of a cluster."""
    spec = f"kronecker:{options.scale}"
    graph = lux.generate(spec, seed=1)
    roots = sample(graph, options.roots, seed=1).tolist()
    rows = compare(graph, runtime.ranks(), roots, options.trials)
    if runtime.rank() == 0:
        facts = {"spec": spec, "n_vertices": graph.n_vertices, "stored_edges": graph.n_edges}
        write_json(options.output, {"graph": facts, "rows": rows})
    runtime.finish()


def main() -> None:
    """Run the benchmark."""
    description = "Searches whose messages travel while processors work."
    parser = on_clusters.parser(description, CLUSTERS, "overlap.json")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--roots", type=int, default=8)
    parser.set_defaults(trials=5, timeout=600)
    options = parser.parse_args()
    if "LUX_CLUSTER" in os.environ:
        _on_this_node(options)
        return
    asked = ["--scale", options.scale, "--roots", options.roots, "--trials", options.trials]
    on_clusters.measure(options, Path(__file__), lambda _, output: [*asked, "--output", output], dict)


if __name__ == "__main__":
    main()
