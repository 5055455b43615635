# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Borders, counted costs and frontiers' memory, from the JSON of `benchmarks/framework.py`."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import percent, short, table

TERMS = ("runs", "ns an edge", "g, ns a byte", "l, us", "W, of the time", "H g", "S l")
SCHEMES = ("maximum", "fixed", "just enough", "fused", "Lux")


def borders(document: dict[str, Any]) -> str:
    """Make the table of borders of the most partitions, by graph and partitioner."""
    most = max(row["parts"] for row in document["borders"])
    found = {(row["graph"], row["partitioner"]): row for row in document["borders"] if row["parts"] == most}
    partitioners = list(dict.fromkeys(name for _, name in found))
    rows = []
    for graph in dict.fromkeys(name for name, _ in found):
        cells = [found[graph, name] for name in partitioners]
        rows.append([graph, *(f"{row['border_of_vertices']:.2g} ({row['edges_max_over_mean']:.2f})" for row in cells)])
    return table([f"borders of {most} partitions / vertices (edges, largest / mean)", *partitioners], rows)


def costs(document: dict[str, Any], graph: str, partitioner: str) -> str:
    """Make the table of W, C, H and S of the most partitions; in brackets what Table I gives."""
    most = max(row["parts"] for row in document["costs"])
    rows = []
    for row in document["costs"]:
        if (row["graph"], row["partitioner"], row["parts"]) != (graph, partitioner, most):
            continue
        counts = [f"{_number(row[k])} ({_number(row['table_one'][k])})" for k in "WCHS"]
        rows.append([row["primitive"], *counts, *(f"{row[k] / 1e3:,.0f}" for k in ("bytes", "bytes_broadcast"))])
    return table(["", "W", "C", "H", "S", "kB selective", "kB broadcast"], rows)


def _number(count: float) -> str:
    if count < 1e4:
        return f"{count:,.0f}"
    return f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.2f} M"


def split(document: dict[str, Any]) -> str:
    """Make the table of W + H g + S l, over all runs of a primitive."""
    return table(["", *TERMS], _terms(document))


def split_on_nodes(document: dict[str, Any]) -> str:
    """Make the table of W + H g + S l on each cluster."""
    rows = []
    for cluster in document["clusters"]:
        for k, row in enumerate(_terms(cluster)):
            rows.append([_name(cluster) if k == 0 else "", *row])
    return table(["nodes, mbit/s", "", *TERMS], rows)


def _terms(document: dict[str, Any]) -> list[list[str]]:
    rows = []
    for row in document["split"]:
        terms = [short(1e9 * row["work"]), short(1e9 * row["gap"]), f"{1e6 * row['latency']:,.0f}"]
        rows.append([row["primitive"], f"{row['runs']}", *terms, *(percent(share) for share in row["shares"])])
    return rows


def exchanges(document: dict[str, Any]) -> str:
    """Make the table of whole calls with both exchanges on clusters: broadcast beside selective."""
    cells: dict[str, dict[str, str]] = {}
    for cluster in document["clusters"]:
        for row in cluster["exchanges"]:
            selective, broadcast = row["selective"], row["broadcast"]
            kilobytes = " / ".join(f"{each['nbytes'] / 1e3:,.0f}" for each in (selective, broadcast))
            ratio = f"{broadcast['milliseconds'] / selective['milliseconds']:.1f}"
            cells.setdefault(f"{_name(cluster)}: {row['graph']}", {})[row["primitive"]] = f"{kilobytes} ({ratio})"
    primitives = list(dict.fromkeys(name for of in cells.values() for name in of))
    head = ["kB selective / broadcast (time / selective's)", *primitives]
    return table(head, ([name, *(of.get(p, "") for p in primitives)] for name, of in cells.items()))


def _name(cluster: dict[str, Any]) -> str:
    return f"{cluster['nodes']}, {cluster['mbit']:g}"


def memory(document: dict[str, Any]) -> str:
    """Make the table of frontiers' bytes in the schemes of allocation, of searches."""
    rows = [
        [f"{row['graph']}, {row['primitive']}", *(f"{row[scheme]['peak'] / 1e6:.2f}" for scheme in SCHEMES)]
        for row in document["memory"]
        if row["primitive"] in ("BFS", "SSSP")
    ]
    return table(["MB at most", *SCHEMES], rows)
