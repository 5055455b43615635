# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Strategies of breadth-first search, from the JSON of `benchmarks/engines.py` and `benchmarks/searches.py`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks.tables import short, table

AUTO = "auto"


def cores(*documents: dict[str, Any]) -> str:
    """Make the table of all strategies on CPU cores, a few columns for each document."""
    head, cells = ["strategy", "processors"], dict[tuple[int, str], list[str]]()
    for number, document in enumerate(documents):
        scale = document["graph"]["spec"].partition(":")[2]
        head += [f"scale {scale}: time / auto's", "kB sent", "model", "kept / CSR"]
        auto = {row["parts"]: row["median_ms"] for row in document["rows"] if row["engine"] == AUTO}
        for row in document["rows"]:
            of = cells.setdefault((row["parts"], row["engine"]), [])
            of += [""] * (4 * number - len(of))  # not in the documents before
            of += [f"{row['median_ms'] / auto[row['parts']]:.1f}", _kilobytes(row["mean_exchanged"])]
            of += [_kilobytes(row["modelled"]), f"{row['kept_bytes'] / row['csr_bytes']:.2f}"]
    width = 4 * len(documents)
    return table(head, ([name, str(parts), *(of + [""] * width)[:width]] for (parts, name), of in cells.items()))


def nodes(document: dict[str, Any]) -> str:
    """Make the table of searches on clusters."""
    rows = []
    for cluster in document["clusters"]:
        where = f"{cluster['nodes']}, {cluster['mbit']:g}"
        for row in cluster["rows"]:
            numbers = [_kilobytes(row[key]) for key in ("wire", "mean_exchanged", "modelled")]
            rows.append([where, row["engine"], f"{row['median_ms']:.0f}", *numbers, short(row["prepare_seconds"])])
            where = ""
    head = ["nodes, mbit/s", "strategy", "search, ms", "kB sent", "of them of messages", "model", "dealt in, s"]
    return table(head, rows)


def phases(document: dict[str, Any]) -> str:
    """Make the table of the milliseconds of a search in each phase of its levels on clusters."""
    names = list(dict.fromkeys(n for cluster in document["clusters"] for row in cluster["rows"] for n in row["phases"]))
    rows = []
    for cluster in document["clusters"]:
        where = f"{cluster['nodes']}, {cluster['mbit']:g}"
        for row in cluster["rows"]:
            if row["phases"]:
                seconds = [row["phases"].get(name) for name in names]
                cells = ["" if each is None else f"{1e3 * each:.1f}" for each in seconds]
                rows.append([where, row["engine"], *cells, f"{1e3 * sum(row['phases'].values()):.1f}"])
                where = ""
    return table(["nodes, mbit/s", "strategy", *(f"{name}, ms" for name in names), "all"], rows)


def overlap(strategy: str, document: dict[str, Any]) -> str:
    """Make the table of a strategy's searches whose messages travel while processors work, in each way.

    Times are medians; ratios are medians, and in brackets quartiles, of those between searches from one root in a turn.
    """
    usual, rows = list[float](), []
    for cluster in document["clusters"]:
        where = f"{cluster['nodes']}, {cluster['mbit']:g}"
        for row in cluster["rows"]:
            if row["strategy"] == strategy:
                phases = [f"{row[name]:.1f}" if row["levels_ms"] else "" for name in ("levels_ms", "rotation_ms")]
                numbers = [_kilobytes(row[key]) for key in ("wire", "exchanged")]
                usual = usual if where == "" else row["seconds"]
                ratios = [a / b for a, b in zip(row["seconds"], usual, strict=True)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                ratio = f"{middle:.2f} ({low:.2f} to {high:.2f})" if row["seconds"] is not usual else "1"
                rows.append([where, row["way"], f"{row['median_ms']:.0f}", ratio, *phases, *numbers])
                where = ""
    head = ["nodes, mbit/s", strategy, "search, ms", "of the first's", "levels, ms", "of them rotation"]
    if all(row[4] == "" for row in rows):
        head, rows = [*head[:4], *head[6:]], [[*row[:4], *row[6:]] for row in rows]
    return table([*head, "kB sent", "of them of messages"], rows)


def _kilobytes(number: float | None) -> str:
    return "" if number is None else f"{number / 1e3:.0f}"


def gpus(*documents: dict[str, Any]) -> str:
    """Make the table of searches on GPUs; for runs in several documents, the first document counts."""
    found = dict[tuple[int, int, str], list[str]]()
    for scale, row in _searches(documents):
        name, number = row["run"].split("/")
        found.setdefault((scale, int(number), name), [*_search(row), f"{len(row['edges'])}"])
    rows, before = [], ""
    for (scale, number, name), cells in sorted(found.items(), key=lambda one: one[0][:2]):
        first = f"{scale}, {number}"
        rows.append(["" if first == before else first, name, *cells])
        before = first
    head = ["scale, GPUs", "strategy", "search, ms", "work", "exchange", "MB exchanged"]
    return table([*head, "GTEPS by the search", "GTEPS by the call", "dealt in, s", "roots"], rows)


def _searches(documents: tuple[dict[str, Any], ...]) -> Iterator[tuple[int, dict[str, Any]]]:
    for document in documents:
        for row in document["results"]:
            yield round(math.log2(document["graph"]["vertices"])), row


def _search(row: dict[str, Any]) -> list[str]:
    parts = ["" if "/1" in row["run"] and k == "exchange_ms" else row.get(k, "") for k in ("work_ms", "exchange_ms")]
    shown = [f"{1.0 * part:.2f}" if part != "" else "" for part in parts]
    megabytes = f"{row['mb']:.0f}" if row["mb"] else ""
    dealt = "" if row["run"] == "auto/1" else short(row["prepare_seconds"])
    return [f"{row['search_ms']:.2f}", *shown, megabytes, f"{row['gteps']:.0f}", f"{row['call_gteps']:.0f}", dealt]
