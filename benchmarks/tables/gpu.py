# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole calls of Lux and of cuGraph on one GPU, from the JSON of `benchmarks/gpu.py` and `benchmarks/cugraph.py`."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import whole_calls as wc
from benchmarks.tables import short, table

WORKS = {
    wc.PAGERANK: "20 iterations of PageRank, float32, ms",
    wc.PAGERANK64: "the same in float64, ms",
    wc.BFS: "breadth-first search with parents, ms",
    wc.COMPONENTS: "components, ms",
    wc.SSSP: "shortest paths with parents, float32 weights, ms",
    wc.BETWEENNESS: "betweenness from one source, ms",
}
GTEPS = "breadth-first search, GTEPS (more is better)"


def calls(document: dict[str, Any]) -> str:
    """Make the table of medians of whole calls, Lux / cuGraph, and of the seconds that making a graph takes."""
    peers = _peers(document)

    def cell(result: dict[str, Any], work: str) -> str:
        theirs = peers[result["scale"]]["summary"].get(work)
        return short(result["summary"][work]) + (f" / {short(theirs)}" if theirs else "")

    rows = [[title, *(cell(r, work) for r in _checked(document))] for work, title in WORKS.items()]
    rows.insert(3, [GTEPS, *(cell(r, wc.GTEPS) for r in _checked(document))])
    for what, prefix, build in (
        ("raw edges to a graph, and by degree, s", "", -1),
        ("the first time for a graph of this size, s", "", 0),
        ("with weights, s", "weighted_", -1),
    ):
        rows.append([what, *(_made(r, peers[r["scale"]], prefix, build) for r in _checked(document))])
    return table(["Lux / cuGraph", *_scales(document)], rows)


def graphs(document: dict[str, Any]) -> str:
    """Make the table of seconds from raw edges to a graph stored by degree, from `benchmarks/gpu_graphs.py`.

    Times are medians without the first.
    """
    found = document["results"]
    edges = ["stored edges, million", *(f"{r['stored_edges'] / 1e6:.0f}" for r in found)]
    return _of_graphs([f"scale {r['scale']}" for r in found], found, edges)


def graphs_of_several(*documents: dict[str, Any]) -> str:
    """Make the same table of several numbers of GPUs, a document each."""
    by_scale = zip(*(document["results"] for document in documents), strict=True)
    found = [result for results in by_scale for result in results]
    gpus = [document["gpus_in_use"] for document in documents] * (len(found) // len(documents))
    head = [f"scale {r['scale']}, {n} GPU{'s' * (n > 1)}" for r, n in zip(found, gpus, strict=True)]
    return _of_graphs(head, found)


def _of_graphs(head: Sequence[str], found: Sequence[dict[str, Any]], *rows: Sequence[str]) -> str:
    """Lay out medians without the first, a column for each result, below some other rows."""
    sources = {"edges in the host's memory": "host_seconds", "edges in the GPU's memory": "device_seconds"}
    medians = [[what, *(f"{statistics.median(r[name][1:]):.3f}" for r in found)] for what, name in sources.items()]
    return table(["seconds to a graph by degree", *head], [*rows, *medians])


def first_calls(document: dict[str, Any]) -> str:
    """Make the table of first calls on a graph, Lux / cuGraph (if it was measured beside), in ms."""
    peers = _peers(document) if "cugraph" in document else {}

    def cell(result: dict[str, Any], work: str) -> str:
        theirs = peers[result["scale"]]["first_ms"].get(work) if peers else None
        return short(result["first_ms"][work]) + (f" / {short(theirs)}" if theirs else "")

    return _rows(document, f"first call, ms: Lux{' / cuGraph' if peers else ''}", cell)


def inside(document: dict[str, Any]) -> str:
    """Make the table of the launch's part of Lux's calls, and of the kernels' part of the launch, in ms."""

    def cell(result: dict[str, Any], work: str) -> str:
        kernels = result["kernel_ms"].get(work)
        call, launch = short(result["summary"][work]), short(result["launch_ms"][work])
        return f"{call}: {launch}" + (f" ({short(kernels)})" if kernels is not None else "")

    return _rows(document, "Lux's call, ms: its launch (kernels)", cell)


def median(document: dict[str, Any], scale: str, work: str, library: str = "Lux") -> str:
    """Name a median in ms (or GTEPS), for a sentence; ``work`` has _ for spaces."""
    of = document if library == "Lux" else document["cugraph"]
    (found,) = (r["summary"][work.replace("_", " ")] for r in of["results"] if r["scale"] == int(scale))
    return short(found)


def compiled(document: dict[str, Any], work: str) -> str:
    """Name the seconds of a first call on the smallest graph of a document."""
    return short(document["results"][0]["first_ms"][work.replace("_", " ")] / 1e3)


def _rows(document: dict[str, Any], head: str, cell: Callable[[dict[str, Any], str], str]) -> str:
    rows = [[title.removesuffix(", ms"), *(cell(r, work) for r in _checked(document))] for work, title in WORKS.items()]
    return table([head, *_scales(document)], rows)


def _made(ours: dict[str, Any], theirs: dict[str, Any], prefix: str, build: int) -> str:
    graph, order = (short(ours[f"{prefix}{kind}_seconds"][build]) for kind in ("graph", "order"))
    return f"{graph} + {order} / {short(theirs[f'{prefix}graph_seconds'][build])}"


def _checked(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of all scales; ValueError unless all answers were right."""
    results: list[dict[str, Any]] = document["results"]
    wrong = [r["scale"] for r in results if any(isinstance(said, str) for said in r["differences"].values())]
    if wrong:
        raise ValueError(f"wrong answers on scales {wrong}")
    return results


def _peers(document: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return results of cuGraph, by scale."""
    return {r["scale"]: r for r in _checked(document["cugraph"])}


def _scales(document: dict[str, Any]) -> list[str]:
    first, *others = (r["scale"] for r in document["results"])
    return [f"scale {first}", *map(str, others)]
