# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of `lux.bfs` on equal work: ``python benchmarks/engines.py --scale 16 --parts 1 2 4``.

``docs/explanation/distributed-bfs.md`` describes the strategies and has the results.

On a Kronecker graph of the Graph500, for each number of processors, every strategy searches from the same roots, in
turns. Each answer is verified (with ``--verified N`` only for the first N roots, for large graphs), and its distances
are compared with the first strategy's. With ``--device gpu`` a processor is a GPU. A table and JSON have milliseconds,
TEPS (edges of the tree's component, each once, as in docs/how-to/graph500.md), bytes sent between processors, as
counted and as modelled by `benchmarks.bfs_model.engines`, and the memory of a strategy besides the graph.

``--strategies edges estimates`` are the rules of ``lux.bfs(direction=)``. For these and for ``auto``, on CPU cores,
scanned edges are counted too.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import lux
from benchmarks.agreement import DisagreementError
from benchmarks.bfs_model import engines as model
from benchmarks.bfs_model import kronecker
from benchmarks.cluster import sent_from_here
from benchmarks.looked_at import edges_looked_at
from benchmarks.machine import circumstances
from benchmarks.report import write_json
from lux import runtime, settings
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.distributed.grid import hybrid
from lux.algorithms.bfs.published import BY_NAME
from lux.algorithms.strategy import AUTO
from lux.engine.gpu.placement import device_selection
from lux.engine.run.directions import EDGES, ESTIMATES
from lux.engine.run.statistics import seconds_of_phases
from lux.graph.ordering import ORDERS
from lux.graph500.roots import sample
from lux.graph500.statistics import rates
from lux.runtime import stores
from lux.runtime.exchange import summed

OWN = (AUTO, EDGES, ESTIMATES)
"""The library's own search, with each rule of directions."""
RESULT = Path(__file__).parent / "results" / "engines.json"


def _modelled(graph: lux.Graph, scale: int, name: str, parts: int) -> float | None:
    """Return the modelled bytes of a search on a Kronecker graph with as many edges; None without a model."""
    search = kronecker.search(scale, graph.n_edges / 2 / graph.n_vertices)
    if parts == 1 or name not in BY_NAME:
        return None
    if name == "two-dimensional":
        return model.two_dimensional(search, *model.square(parts)).volume
    if name == "hybrid":
        return model.hybrid(search, *model.square(parts), parent_bytes=model.ID).volume
    separated = _module(name).separation(graph, parts)
    normal = float(separated.edges[:, 0].sum()) / graph.n_edges
    given: dict[str, Any] = {"n_delegates": len(separated.places), "normal": normal, "tree": True}
    return model.degree_separated(search, parts, 1, **given).volume


def _module(name: str) -> Any:
    return BY_NAME[name].module()


def _reported(graph: lux.Graph, name: str, parts: int) -> dict[str, int]:
    """Return the bytes of edges over all processors, as the strategy's module reports them, in its and other forms."""
    if settings.current().device == "gpu":
        return {}
    if name == "hybrid":
        return {form: int(sizes.sum()) for form, sizes in vars(hybrid.memory(graph, parts)).items()}
    if name == "degree-separated":
        return asdict(_module(name).separation(graph, parts).bytes)
    return {}


@dataclass(frozen=True)
class Row:
    """Row of the table: a strategy on so many processors.

    Attributes
    ----------
    engine : str
    parts : int
    seconds : list of list of float
        Seconds of the searches, by the strategy's clock: for each trial and root.
    traversed : list of int
        Undirected edges of each root's component.
    exchanged : list of int or None
        Bytes sent between processors, for each root; None if the strategy does not count them.
    modelled : float or None
        Mean bytes by the model.
    levels, bottom_up : float
        Mean number of levels of a search, and of bottom-up levels.
    top_down_edges : float
        Mean edges of frontiers in levels that are top-down on all processors.
    kept_bytes : int
        Bytes that the strategy keeps for so many processors, besides the graph.
    csr_bytes : int
        8 bytes for each vertex and 4 for each stored edge.
    reported : dict of str to int
        Bytes of edges in several forms, as the strategy's module reports them.
    prepare_seconds : float
    wire : float
        Mean bytes that all nodes of a cluster send in a search, headers included; 0 outside of a cluster.
    looked_at : float or None
        Edges scanned by one of the library's own searches.
    phases : dict of str to float
        Mean seconds of a search in each phase of its levels, means over the processors; empty if it measures none.
    """

    engine: str
    parts: int
    seconds: list[list[float]]
    traversed: list[int]
    exchanged: list[int] | None
    modelled: float | None
    levels: float
    bottom_up: float
    top_down_edges: float
    kept_bytes: int
    csr_bytes: int
    reported: dict[str, int]
    prepare_seconds: float
    wire: float
    looked_at: float | None
    phases: dict[str, float]

    def facts(self) -> dict[str, Any]:
        """Return the row for JSON."""
        times = [statistics.median(each) for each in zip(*self.seconds, strict=True)]
        return asdict(self) | {
            "median_ms": 1e3 * statistics.median(times),
            "harmonic_mean_TEPS": rates(self.traversed, times).mean,
            "mean_exchanged": None if self.exchanged is None else statistics.fmean(self.exchanged),
        }


def compare(
    graph: lux.Graph,
    scale: int,
    parts: int,
    names: Sequence[str],
    n_roots: int,
    trials: int,
    verified: int | None = None,
) -> list[Row]:
    """Run every strategy from the same roots; raises `DisagreementError` if distances differ."""
    roots, degrees = sample(graph, n_roots, seed=1).tolist(), graph.dense_in_degrees()
    kept = {name: _prepare(graph, name, parts) for name in names}
    distances: list[NDArray[Any]] = []
    results: dict[str, list[bfs.BFSResult]] = {name: [] for name in names}
    for k, root in enumerate(roots):
        for name in names:
            result = lux.bfs(graph, root, **_asked(name), parts=parts)
            if verified is None or k < verified:
                bfs.verify(result)
            found = result.distances.to_numpy()
            if len(distances) == k:
                distances.append(found)
            if not np.array_equal(found, distances[k]):
                raise DisagreementError(
                    f"strategy={name!r}, parts={parts}: other distances from {root} than {names[0]!r}"
                )
            results[name].append(result)
    seconds: dict[str, list[list[float]]] = {name: [] for name in names}
    crossed = np.zeros(len(names), np.int64)
    for _ in range(trials):
        for name in names:
            seconds[name].append([])
        for root in roots:
            for k, name in enumerate(names):
                before = sent_from_here()
                seconds[name][-1].append(lux.bfs(graph, root, **_asked(name), parts=parts).seconds)
                crossed[k] += sent_from_here() - before
    wire = dict(zip(names, (summed(crossed) / (trials * len(roots))).tolist(), strict=True))
    traversed = [int(degrees[found >= 0].sum()) // 2 for found in distances]
    csr = 8 * graph.n_vertices + 4 * graph.n_edges
    rows = []
    for name in names:
        levels = [list(result.statistics) for result in results[name]]
        counted = [[level.exchanged for level in each] for each in levels]
        sent = [sum(n or 0 for n in each) for each in counted] if counted[0][0] is not None else None
        down = [[level.frontier_edges for level in each if level.model == "push"] for each in levels]
        counts = name in OWN and not device_selection.wanted(graph)
        row = Row(
            name,
            parts,
            seconds[name],
            traversed,
            sent,
            _modelled(graph, scale, name, parts),
            statistics.fmean(len(each) for each in levels),
            statistics.fmean(len(each) - len(push) for each, push in zip(levels, down, strict=True)),
            statistics.fmean(sum(push) for push in down),
            kept[name][0],
            csr,
            _reported(graph, name, parts),
            kept[name][1],
            wire[name],
            statistics.fmean(edges_looked_at(result) for result in results[name]) if counts else None,
            _phases(results[name]),
        )
        rows.append(row)
    return rows


def _phases(results: Sequence[bfs.BFSResult]) -> dict[str, float]:
    """Return the mean seconds of each phase of the searches, in the order of a level."""
    found = [seconds_of_phases(result.statistics) for result in results]
    return {name: statistics.fmean(each[name] for each in found) for name in found[0]}


def _asked(name: str) -> dict[str, str]:
    """Return the arguments of `lux.bfs`."""
    return {"direction": name} if name in (EDGES, ESTIMATES) else {"strategy": name}


def _prepare(graph: lux.Graph, name: str, parts: int) -> tuple[int, float]:
    """Prepare a strategy; returns the bytes that stay and the seconds."""
    gc.collect()
    before, began = stores.live_bytes(), time.perf_counter()
    bfs.prepare(graph, **_asked(name), parts=parts, model="auto")
    runtime.finish()
    seconds = time.perf_counter() - began
    gc.collect()
    return stores.live_bytes() - before, seconds


def show(facts: Sequence[dict[str, Any]], title: str, console: Console) -> None:
    """Show one table."""
    table = Table(title=title, title_justify="left")
    table.add_column("engine")
    heads = ["parts", "ms", "of first's", "MTEPS", "kB sent", "by the model", "levels", "bottom-up", "top-down edges"]
    heads += ["looked at"]
    for head in (*heads, "kept MB", "of CSR"):
        table.add_column(head, justify="right")
    first = {f["parts"]: f["median_ms"] for f in reversed(facts)}
    for f in facts:
        sent, modelled = (f"{f[k] / 1e3:,.0f}" if f[k] is not None else "" for k in ("mean_exchanged", "modelled"))
        table.add_row(
            *(f["engine"], str(f["parts"]), f"{f['median_ms']:.2f}", f"{f['median_ms'] / first[f['parts']]:.2f}"),
            *(f"{f['harmonic_mean_TEPS'] / 1e6:,.0f}", sent, modelled, f"{f['levels']:.1f}", f"{f['bottom_up']:.1f}"),
            *(f"{f['top_down_edges']:,.0f}", f"{f['looked_at']:,.0f}" if f["looked_at"] is not None else ""),
            *(f"{f['kept_bytes'] / 1e6:.1f}", f"{f['kept_bytes'] / f['csr_bytes']:.2f}"),
        )
    console.print(table)


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description="The strategies of lux.bfs on equal work.")
    parser.add_argument("--scale", type=int, default=16, help="2^SCALE vertices, 16 edges for each (16)")
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2, 4], help="processors (1 2 4)")
    parser.add_argument("--strategies", nargs="+", choices=[*OWN, *BY_NAME], default=[AUTO, *BY_NAME])
    parser.add_argument("--roots", type=int, default=8)
    parser.add_argument("--trials", type=int, default=5, help="searches from each root, whose median counts (5)")
    parser.add_argument("--verified", type=int, metavar="N", help="roots whose answers are verified (all)")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--order", choices=ORDERS, default="given", help="of the graph's vertices (given)")
    parser.add_argument("--output", type=Path, default=RESULT)
    options = parser.parse_args()
    if options.device == "gpu" and (rules := {EDGES, ESTIMATES} & {*options.strategies}):
        parser.error(f"{rules.pop()} is a rule for CPU cores: leave it out, or --device gpu")
    spec = f"kronecker:{options.scale}"
    graph = lux.generate(spec, seed=1).reordered(options.order)
    found = []
    with lux.using(device=options.device):
        for parts in options.parts:
            given = (options.scale, parts, options.strategies, options.roots, options.trials, options.verified)
            found += [row.facts() for row in compare(graph, *given)]
    document = {
        "device": options.device,
        "order": options.order,
        "graph": {"spec": spec, "n_vertices": graph.n_vertices, "stored_edges": graph.n_edges},
        **circumstances(["legate", "numba", "numpy"]),
        "rows": found,
    }
    if runtime.rank() == 0:
        console = Console(width=165)
        show(found, f"Breadth-first search by strategy, {spec}, {options.roots} roots", console)
        write_json(options.output, document)
        console.print(f"written to {options.output}")
    runtime.finish()


if __name__ == "__main__":
    os.environ.setdefault("LEGATE_CONFIG", "--cpus 2 --sysmem 4000")
    main()
