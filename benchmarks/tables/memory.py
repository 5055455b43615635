# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of memory: what processes took (JSON of ``benchmarks/memory.py``), and what a run on many nodes would take."""

from __future__ import annotations

from typing import Any

from benchmarks.memory import bound
from benchmarks.tables import percent, short, table

GPU_BYTES, NODE_BYTES = 150_754_820_096, 2 << 40
"""Memory of an H200, and of a node with eight of them."""
NAMES = {
    "pagerank": "PageRank",
    "bfs": "BFS",
    "components": "components",
    "read": "reading",
    "convert": "`lux convert`",
}
STEPS = {"load": "the graph is made", "partition": "it is cut", "run": "the run"}


def measured(*documents: dict[str, Any]) -> str:
    """Compare the peaks of one process and of each of four, in MiB, with what was predicted, and with the bound."""
    rows = []
    for document in documents:
        for task, found in document["jobs"].items():
            one, four = found["1"], found["4"]
            most = max(step["peak"] for step in one[0]["steps"].values())
            for step in one[0]["steps"]:
                cells = []
                for processes in (one, four):
                    largest = max((p["steps"][step] for p in processes), key=lambda s: s["peak"])
                    predicted = largest.get("predicted")
                    off = percent(predicted / largest["peak"] - 1, "+") if predicted else ""
                    cells += [f"{largest['peak'] >> 20:,}", off]
                rows.append([NAMES[task], STEPS[step], *cells, f"{bound(most) >> 20:,}"])
    head = ["", "step", "one process", "predicted", "each of four", "predicted", "bound"]
    return table(head, rows)


def measured_on_gpus(document: dict[str, Any]) -> str:
    """Compare the peaks of a process with GPUs, in MiB, with what was predicted."""
    rows = []
    for task, found in document["jobs"].items():
        for name, step in found["1"][0]["steps"].items():
            off = percent(step["predicted"] / step["peak"] - 1, "+")
            rows.append([NAMES[task], STEPS[name], f"{step['peak'] >> 20:,}", off])
    return table(["", "step", "the process", "predicted"], rows)


def least(document: dict[str, Any]) -> str:
    """Compare the least memory of Legate's with which calls end, in MiB, with that below which Lux refuses them."""
    rows = [
        [name, f"{row['least_mib']:.0f}", f"{row['asked_mib']:.0f}", percent(row["ratio"] - 1, "+")]
        for name, row in document["calls"].items()
    ]
    return table(["call", "least MiB", "refused below", ""], rows)


def large(*documents: dict[str, Any]) -> str:
    """Show seconds of each step with a large graph, and GB of the GPU and of the process that had most."""
    rows = []
    for document in documents:
        title = f"{document['graph']}, {document['n_vertices']:,} vertices, {document['n_edges']:,} stored edges"
        for step in document["steps"]:
            if step["step"] == "BFS" and document["reached"] == 1:
                continue  # the source has no edges
            again = short(step["again"]) if "again" in step else ""
            sizes = (f"{step[name] / 1e9:.1f}" for name in ("on_gpu", "host_peak"))
            rows.append([title, step["step"], short(step["first"]), again, *sizes])
            title = ""
    return table(["", "step", "first call, s", "again, s", "a GPU's stores, GB", "the process, GB"], rows)


def plan(program: str, edges: str, vertices: str, nodes: str, gpus: str) -> str:
    """List every array of a program on so many nodes with so many GPUs each, with its owner and GB."""
    from lux.app.memory_plan import PlannedGraph
    from lux.app.memory_plan import plan as planned

    kind, values = _programs()[program]
    found = planned(kind, values, PlannedGraph(int(vertices), int(edges)), int(nodes), int(gpus))
    rows = [[array.name, array.owner, f"{array.nbytes / 1e9:.3f}"] for array in found]
    for owner, room in (("GPU", GPU_BYTES), ("node", NODE_BYTES)):
        total = sum(array.nbytes for array in found if array.owner == owner)
        rows.append([f"**all of a {owner}, which has {room / 1e9:,.0f}**", owner, f"**{total / 1e9:.3f}**"])
    return table(["", "owner", "GB"], rows)


def _programs() -> dict[str, tuple[Any, dict[str, Any]]]:
    from lux.algorithms.bfs.bfs import BreadthFirstSearch
    from lux.algorithms.components.components import SmallestLabel
    from lux.algorithms.pagerank.pagerank import PageRank

    return {
        "pagerank": (PageRank, {"alpha": 0.85, "stop": 0.0}),
        "components": (SmallestLabel, {}),
        "bfs": (BreadthFirstSearch, {"source": 1}),
    }
