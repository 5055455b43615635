# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitions on GPUs, overflowing edges, and distributed sources, from the JSON of their benchmarks."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import short, table

RUNS = {
    "1/device": "1, one launch in all",
    "1/device/launches": "1, a launch for each iteration",
    "1/zero-copy": "1, zero-copy",
    "2/peer": "2, peer",
    "2/device": "2, device",
    "2/zero-copy": "2, zero-copy",
    "4/peer": "4, peer",
    "4/device": "4, device",
    "4/zero-copy": "4, zero-copy",
}
"""Names of the runs of `benchmarks/gpus.py`."""


def pagerank(*documents: dict[str, Any]) -> str:
    """Make the table of an iteration of PageRank over GPUs; a star marks a commit that differs in its file."""

    def cell(document: dict[str, Any], run: str) -> str:
        for result in document["results"]:
            if result["run"] == run:
                return f"{short(result['pagerank_ms'])} ({short(result['kernel_ms'])}){_star(result, document)}"
        return ""

    scales = [f"scale {document['graph']['vertices'].bit_length() - 1}" for document in documents]
    return table(["H200s", *scales], [[title, *(cell(d, run) for d in documents)] for run, title in RUNS.items()])


def of_run(document: dict[str, Any], run: str, figure: str, factor: str = "1") -> str:
    """Name a figure of a run, for a sentence."""
    return short(_of(document, run)[figure] * float(factor))


def value(document: dict[str, Any], name: str, factor: str = "1") -> str:
    """Name a number of a document, for a sentence."""
    return short(document[name] * float(factor))


def faster(document: dict[str, Any], slow: str, fast: str, figure: str = "pagerank_ms") -> str:
    """Name how many times as fast one run is as another."""
    return f"{_of(document, slow)[figure] / _of(document, fast)[figure]:.2f}"


def overflow(document: dict[str, Any]) -> str:
    """Make the table of `benchmarks/overflow.py`."""
    titles = {
        "fits, one partition": "fits: one partition, one launch",
        "fits, 8 partitions": "fits: eight partitions, a launch each for each iteration",
        "overflow=0.5": "half of the edges overflow (four of eight partitions)",
        "cores=0.5": "half of the edges on CPU cores",
    }
    fits = _of(document, "fits, one partition")["ms"]
    rows = [[title, short(ms := _of(document, run)["ms"]), f"{ms / fits:.1f}"] for run, title in titles.items()]
    return table(["float32 PageRank, Kronecker scale 24", "ms per iteration", "of all on the GPU"], rows)


def dealt(document: dict[str, Any]) -> str:
    """Make the table of `benchmarks/dealt.py`."""
    titles = {
        "least squares, k=20": "an iteration of least squares, 21 million ratings, K = 20",
        "gradient descent, k=20": "the same by gradient descent",
        "betweenness, 16 sources": "a source of betweenness, of 16, Kronecker scale 20",
    }
    by_name = {result["what"]: result for result in document["results"]}

    def cell(found: dict[str, Any], of: str) -> str:
        if f"{of}_s" not in found:
            return ""
        kernels = found.get(f"{of}_kernel_s")
        return short(1e3 * found[f"{of}_s"]) + ("" if kernels is None else f" (kernels {short(1e3 * kernels)})")

    rows = [[title, *(cell(by_name[name], of) for of in ("cpu", "gpu1", "gpu2"))] for name, title in titles.items()]
    return table(["ms", "8 CPU cores", "1 H200", "2 H200s"], rows)


def betweenness(document: dict[str, Any]) -> str:
    """Make the table of `benchmarks/betweenness.py`."""
    rows = [
        [f"Kronecker scale {r['scale']}", *(short(r[of]) if of in r else "" for of in ("cpu_ms", "gpu1_ms", "gpu2_ms"))]
        for r in document["results"]
    ]
    return table(["ms for a source of weighted betweenness, of 16", "16 CPU cores", "1 H200", "2 H200s"], rows)


def _of(document: dict[str, Any], run: str) -> dict[str, Any]:
    """Return the measurements of a run, whose name has _ for spaces on a page."""
    (found,) = (r for r in document["results"] if r["run"] in (run, run.replace("_", " ")))
    return dict(found)


def between(two: dict[str, Any], one: dict[str, Any]) -> str:
    """Compare programs in two processes with those in one that has all GPUs, by `benchmarks/between.py`."""
    rows = []
    for ours, alone in zip(two["results"], one["results"], strict=True):
        graph, program, _ = ours["run"].split(", ")
        name = "a path" if graph == "grid:16x1" else graph
        times = [f"{r['ms']:.3g} ({r['kernel_ms']:.2g})" for r in (ours, alone)]
        rows.append([f"{program}, {name}", *times, f"{ours['ms'] / alone['ms']:.2f}"])
    return table(["ms an iteration (kernels)", "two processes", "one process", "ratio"], rows)


def whole(document: dict[str, Any]) -> str:
    """Make the table of `benchmarks/several_gpus.py`: medians of whole calls; a star marks another commit."""
    works = list(dict.fromkeys(work for r in document["results"] for work in r["summary"]))
    rows = []
    for r in sorted(document["results"], key=lambda r: (r["graph"], r["processes"] > 1, r["gpus"], r["processes"])):
        apart = f" of {r['processes']} processes" if r["processes"] > 1 else ""
        cells = [short(r["summary"][work]) if work in r["summary"] else "" for work in works]
        rows.append([f"{r['graph']}, {r['gpus']}{apart}{_star(r, document)}", *cells])
    return table(["ms of a whole call, GPUs", *works], rows)


def _star(result: dict[str, Any], document: dict[str, Any]) -> str:
    """Mark a result of another commit than its file's."""
    return "*" if result.get("commit", document["commit"]) != document["commit"] else ""


def sanitized(document: dict[str, Any]) -> str:
    """List what each tool of compute-sanitizer found in which runs."""
    rows = []
    for name, row in document["tools"].items():
        tool, _, which = name.partition(", ")
        rows.append([tool, which, str(row["runs"]), str(row["errors"]), f"{row['seconds']:.0f}"])
    return table(["tool", "of `sanitized.py`", "runs", "errors", "s"], rows)
