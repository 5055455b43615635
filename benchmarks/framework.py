# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Analysis of Lux on this machine after Pan et al., "Multi-GPU graph analytics" (IPDPS 2017).

``docs/explanation/partitions.md`` says how the paper's terms map to Lux.

``python benchmarks/framework.py [--graphs SPEC ...] [--parts 2 4] [--partitioners NAME ...] [--json FILE]`` prints, and
writes as JSON:

- borders between partitions of each partitioner, and the size of both kinds of duplication;
- W, C, H and S of six primitives as counted, beside the expressions of the paper's Table I, with milliseconds (Fig. 2);
- the split of each primitive's time into W + H g + S l, from all its runs, and l seen alone;
- bytes of frontiers under the schemes of the paper's Figure 3;
- in several processes: milliseconds, and bytes on a cluster, of each primitive with both exchanges between processes.

Run with ``legate --launcher mpirun --ranks-per-node 2 --cpus 1 benchmarks/framework.py`` bytes cross between processes;
`benchmarks.framework_nodes` has them cross between nodes.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import lux
from benchmarks.machine import circumstances
from benchmarks.primitive_costs import PRIMITIVES, Borders, Costs, borders, exchanges, fit, measure, schemes, table_one
from benchmarks.primitive_costs.split import kernel_seconds
from benchmarks.report import write_json
from lux import runtime
from lux.graph.partitioners import PARTITIONERS

GRAPHS = ["kronecker:12,16", "kronecker:14,16", "uniform:14,8", "grid:100x100"]
WEIGHTS = (1, 64)
"""Weights as in the paper: whole numbers up to 64."""
LONG = 1000
"""Vertices of the path."""
VALUE_BYTES = 8
"""Bytes of a field's value, for the size of duplicates."""
RESULT = Path(__file__).parent / "results" / "framework.json"


@dataclass(frozen=True)
class Case:
    """Case: a graph in partitions.

    Attributes
    ----------
    spec : str
    partitioner : str
    graph : lux.Graph
    borders : Borders
    source, other : int
        Sources of searches: the vertex with the most edges, and another.
    diameter : int
        The distance between two vertices that are far apart: a lower bound.
    seconds : float
        Seconds of the partitioner and of moving the edges.
    """

    spec: str
    partitioner: str
    graph: lux.Graph
    borders: Borders
    source: int
    other: int
    diameter: int
    seconds: float

    @property
    def facts(self) -> dict[str, Any]:
        """Return the case's identification for JSON."""
        return {"graph": self.spec, "partitioner": self.partitioner, "parts": self.borders.parts}

    @property
    def name(self) -> list[str]:
        """Return the case's name in a table."""
        return [str(value) for value in self.facts.values()]


def cases(spec: str, partitioners: list[str], parts: list[int]) -> list[Case]:
    """Yield a graph, partitioned in every way."""
    graph = lux.generate(spec, seed=1, weights=WEIGHTS)
    source, other = np.argsort(-graph.dense_in_degrees(), kind="stable")[:2].tolist()
    far = int(lux.bfs(graph, source).distances.to_numpy().argmax())
    diameter = int(lux.bfs(graph, far).distances.to_numpy().max())
    found = []
    for partitioner in partitioners:
        for count in parts:
            asked = graph.partitioned(partitioner, count)
            seconds = asked.order.seconds if asked.order else 0.0
            found.append(Case(spec, partitioner, asked, borders(asked, count), source, other, diameter, seconds))
    return found


def table(title: str, words: list[str], numbers: list[str], rows: list[list[Any]]) -> Table:
    """Return a table of words, then numbers."""
    made = Table(title=title, title_justify="left")
    for word in words:
        made.add_column(word)
    for number in numbers:
        made.add_column(number, justify="right")
    for row in rows:
        made.add_row(*(f"{x:,}" if isinstance(x, int) else f"{x:.3g}" if isinstance(x, float) else x for x in row))
    return made


NAME = ["graph", "partitioner", "parts"]


def border_facts(case: Case) -> dict[str, Any]:
    """Return the sizes of borders and of duplicates."""
    b, n = case.borders, case.graph.n_vertices
    return case.facts | {
        "vertices": n,
        "edges": case.graph.n_edges,
        "border": int(b.border.sum()),
        "border_of_vertices": float(b.border.sum() / n),
        "largest_pair": int(b.sizes.max()),
        "edges_max_over_mean": float(b.edges.max() / b.edges.mean()),
        "one_hop_bytes": VALUE_BYTES * int(b.present.sum()),
        "all_bytes": VALUE_BYTES * n * b.parts,
        "seconds": case.seconds,
        "sizes": b.sizes.tolist(),
    }


def cost_facts(case: Case, costs: Costs, processors: int) -> dict[str, Any]:
    """Return counts beside Table I."""
    expected = table_one(costs, case.borders, case.diameter)
    return case.facts | {
        "primitive": costs.primitive,
        "W": int(costs.computed.sum()),
        "C": costs.handled,
        "H": costs.sent,
        "S": costs.supersteps,
        "H_broadcast": costs.broadcast,
        "bytes": costs.sent_bytes,
        "bytes_broadcast": costs.broadcast_bytes,
        "bytes_whole": costs.whole_bytes,
        "launches": costs.launches,
        "seconds": costs.result.seconds,
        "kernel_seconds": kernel_seconds(costs, processors),
        "table_one": {"W": expected.computed, "C": expected.handled, "H": expected.sent, "S": expected.supersteps},
    }


def memory_facts(case: Case, costs: Costs, trials: int) -> dict[str, Any]:
    """Return the bytes of frontiers under each scheme."""
    before = measure(costs.primitive, case.graph, case.other, case.borders.parts, trials=trials)
    found = schemes(costs, case.borders, case.graph.id_dtype.itemsize, before)
    return case.facts | {"primitive": costs.primitive} | {name: asdict(scheme) for name, scheme in found.items()}


def exchange_facts(case: Case, primitive: str, trials: int) -> dict[str, Any]:
    """Return milliseconds and bytes with both exchanges between processes."""
    found = exchanges.compare(primitive, case.graph, case.source, case.borders.parts, trials=trials)
    return case.facts | {"primitive": primitive} | {name: each._asdict() for name, each in found.items()}


def latency_facts(parts: int, trials: int) -> dict[str, Any]:
    """Return the seconds of a superstep without work (section V-B of the paper)."""
    path = lux.toy.path(LONG, directed=False)
    runs = [lux.bfs(path, 0, model="push", parts=parts) for _ in range(trials + 1)]
    seconds = min(run.seconds for run in runs)
    return {"parts": parts, "supersteps": runs[0].iterations, "latency": seconds / runs[0].iterations}


def show(document: dict[str, Any], console: Console) -> None:
    """Show all tables."""
    numbers = ["border", "border_of_vertices", "largest_pair", "edges_max_over_mean", "one_hop_bytes", "all_bytes"]
    rows = [[*_name(f), *(f[n] for n in numbers), f["seconds"]] for f in document["borders"]]
    heads = ["border", "/ vertices", "largest pair", "edges, max / mean", "1-hop, bytes", "all, bytes", "seconds"]
    console.print(table("Borders, and 8-byte fields with duplicates", NAME, heads, rows))
    rows = []
    for f in document["costs"]:
        ratios = [f"{f[k]:,} ({f[k] / f['table_one'][k]:.2g})" if f["table_one"][k] else f"{f[k]:,}" for k in "WCHS"]
        more = [f["H_broadcast"], f["bytes"], f["bytes_broadcast"], f["bytes_whole"], 1e3 * f["seconds"]]
        rows.append([*_name(f), f["primitive"], *ratios, *more])
    heads = ["W", "C", "H", "S", "H broadcast", "bytes", "broadcast", "whole fields", "ms"]
    title = "Counted costs (divided by the expressions of Table I), H in vertices and bytes"
    console.print(table(title, [*NAME, "primitive"], heads, rows))
    rows = []
    for f in document["split"]:
        shares = [f"{share:.0%}" for share in (*f["shares"], f["kernel_share"])]
        rows.append(
            [f["primitive"], f["runs"], 1e9 * f["work"], 1e9 * f["gap"], 1e6 * f["latency"], f["error"], *shares]
        )
    heads = ["runs", "ns / edge", "g, ns / byte", "l, us", "error", "W", "H g", "S l", "kernels, measured"]
    console.print(table("Time as W + H g + S l, and the mean shares of the terms", ["primitive"], heads, rows))
    rows = [
        [*_name(f), f["primitive"], *(f[e][k] for k in ("milliseconds", "nbytes") for e in exchanges.EXCHANGES)]
        for f in document["exchanges"]
    ]
    heads = [f"{exchange}, {unit}" for unit in ("ms", "bytes") for exchange in exchanges.EXCHANGES]
    if rows:
        console.print(table("Exchanges between processes", [*NAME, "primitive"], heads, rows))
    rows = [[str(f["parts"]), f["supersteps"], 1e6 * f["latency"]] for f in document["latency"]]
    console.print(table("A search along a path: a vertex and an edge in a superstep", ["parts"], ["S", "l, us"], rows))
    schemes_of = ["maximum", "fixed", "just enough", "fused", "Lux"]
    rows = [
        [*_name(f), f["primitive"], *(f"{f[s]['nbytes']:,} ({f[s]['reallocations']})" for s in schemes_of)]
        for f in document["memory"]
    ]
    console.print(table("Bytes of frontiers (reallocations)", [*NAME, "primitive"], schemes_of, rows))


def _name(facts: dict[str, Any]) -> list[str]:
    return [str(facts[key]) for key in NAME]


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, metavar="SPEC")
    parser.add_argument("--parts", nargs="+", type=int, default=[2, 4])
    there = [name for name in PARTITIONERS if name != "metis" or importlib.util.find_spec("pymetis")]
    parser.add_argument("--partitioners", nargs="+", choices=PARTITIONERS, default=there)
    parser.add_argument("--trials", type=int, default=5, help="runs, of which the fastest counts (5)")
    parser.add_argument("--json", type=Path, default=RESULT, help="where to write results")
    options = parser.parse_args()
    processors = runtime.processors()
    document: dict[str, Any] = {
        **circumstances(["legate", "numba", "numpy", "pymetis"]),
        "borders": [],
        "costs": [],
        "split": [],
        "latency": [latency_facts(parts, options.trials) for parts in options.parts],
        "memory": [],
        "exchanges": [],
    }
    runs = defaultdict(list)
    for spec in options.graphs:
        for case in cases(spec, options.partitioners, options.parts):
            document["borders"].append(border_facts(case))
            for primitive in PRIMITIVES:
                costs = measure(primitive, case.graph, case.source, case.borders.parts, trials=options.trials)
                runs[primitive].append(costs)
                document["costs"].append(cost_facts(case, costs, processors))
                if runtime.ranks() > 1:
                    document["exchanges"].append(exchange_facts(case, primitive, options.trials))
                if case.partitioner == options.partitioners[0] and case.borders.parts == options.parts[-1]:
                    document["memory"].append(memory_facts(case, costs, 1))
    for primitive, each in runs.items():
        terms = fit(each, processors)
        split = np.array([terms.split(costs, processors) for costs in each])
        shares = split / split.sum(axis=1, keepdims=True)
        kernels = [kernel_seconds(costs, processors) / costs.result.seconds for costs in each]
        document["split"].append(
            {"primitive": primitive, "runs": len(each)}
            | asdict(terms)
            | {"shares": shares.mean(axis=0).tolist(), "kernel_share": float(np.mean(kernels))}
        )
    if runtime.rank() == 0:
        console = Console(width=200)
        show(document, console)
        write_json(options.json, document)
        console.print(f"written to {options.json}")
    runtime.finish()


if __name__ == "__main__":
    os.environ.setdefault("LEGATE_CONFIG", "--cpus 2 --sysmem 4000")
    main()
