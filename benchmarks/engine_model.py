# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Model of breadth-first engines: ``python benchmarks/engine_model.py``; docs/explanation/distributed-bfs.md.

``docs/explanation/distributed-bfs.md`` has its equations and results.

Published runs are compared with the model after one fit for each series, and times on up to 1,024 GPUs are PREDICTED.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

from benchmarks.bfs_model import published, scaling
from benchmarks.report import write_json

RESULT = Path(__file__).parent / "results" / "engine_model.json"
PARTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def published_facts() -> list[dict[str, Any]]:
    """Return every published run beside the model."""
    facts = []
    for series in published.SERIES:
        for k, found in enumerate(published.compare(series)):
            run = found.run
            facts.append(
                {
                    "engine": series.name,
                    "processor": series.processor,
                    "parts": run.parts,
                    "scale": run.scale,
                    "edge_factor": run.edge_factor,
                    "where": run.where,
                    "published_gteps": run.gteps,
                    "model_gteps": found.gteps,
                    "error": None if k == 0 else found.error,
                    "transfer_seconds": found.transfer,
                    "seconds": run.seconds,
                    "link_share": None if k == 0 else found.link_share,
                }
            )
    return facts


def show(document: dict[str, Any], console: Console) -> None:
    """Show all tables."""
    heads = ["processors", "scale", "edge factor", "GTEPS", "model", "error", "transfers, ms", "of ms"]
    table = _table("Published runs beside the model; the first of each is fitted", ["engine", "on", "where"], heads)
    for f in document["published"]:
        error = "fitted" if f["error"] is None else f"{f['error']:+.0%}"
        numbers = [f"{f['parts']:,}", str(f["scale"]), f"{f['edge_factor']:.3g}"]
        numbers += [f"{f['published_gteps']:,g}", f"{f['model_gteps']:,.4g}", error]
        times = [f"{1e3 * f['transfer_seconds']:.1f}", f"{1e3 * f['seconds']:.1f}"]
        table.add_row(f["engine"], f["processor"], f["where"], *numbers, *times)
    console.print(table)
    table = _table("Other published numbers", ["what", "where"], ["published", "model", "error"])
    for c in document["counts"]:
        table.add_row(c["what"], c["where"], *_beside(c["published"], c["modelled"]))
    console.print(table)
    for name in ("predicted", "predicted_without_launches"):
        table = _table(_title(name, document["each"]), ["GPUs", "scale"], list(scaling.ENGINES))
        for parts in document["parts"]:
            row = [f for f in document[name] if f["parts"] == parts]
            cells = [f"{f['gteps']:,.0f} ({1e3 * f['seconds']:,.0f})" for f in row]
            table.add_row(f"{parts:,}", str(row[0]["scale"]), *cells)
        console.print(table)
    table = _table("PREDICTED: MB that each GPU sends", ["GPUs"], list(scaling.ENGINES))
    for parts in document["parts"]:
        row = [f for f in document["predicted"] if f["parts"] == parts]
        table.add_row(f"{parts:,}", *(f"{f['bytes_each'] / 1e6:,.0f}" for f in row))
    console.print(table)
    console.print("It is assumed that", *(f"- {line}" for line in document["assumptions"]), sep="\n")


def _title(name: str, each: int) -> str:
    launches = "without launches" if name.endswith("launches") else "launches included"
    return f"PREDICTED: GTEPS (ms), 2^{each} vertices for each GPU, {launches}"


def _beside(published: float, modelled: float) -> list[str]:
    return [f"{published:,g}", f"{modelled:,.4g}", f"{modelled / published - 1:+.1%}"]


def _table(title: str, words: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for word in words:
        table.add_column(word)
    for number in numbers:
        table.add_column(number, justify="right")
    return table


def main() -> None:
    """Compute the model, print, and write."""
    parser = argparse.ArgumentParser(description="The model of breadth-first engines.")
    parser.add_argument("--parts", type=int, nargs="+", default=PARTS, help="numbers of GPUs, powers of two")
    parser.add_argument("--each", type=int, default=scaling.EACH, help="scale of one GPU's share of the graph (26)")
    parser.add_argument("--network", type=float, default=scaling.H200.far / 1e9, help="GB/s of a GPU to others' nodes")
    parser.add_argument("--output", type=Path, default=RESULT)
    options = parser.parse_args()
    if any(parts < 1 or parts & (parts - 1) for parts in options.parts):
        parser.error(f"--parts {' '.join(map(str, options.parts))}: allowed are powers of two")
    if options.network <= 0 or not 1 <= options.each <= 32:
        parser.error("allowed are --network above 0 and --each from 1 to 32")
    cluster = replace(scaling.H200, far=1e9 * options.network)
    bare = replace(cluster, level_seconds=0.0)
    document = {
        "published": published_facts(),
        "counts": [asdict(count) for count in published.counts()],
        "parts": list(options.parts),
        "each": options.each,
        "cluster": asdict(cluster),
        "assumptions": scaling.ASSUMPTIONS,
        "predicted": [asdict(p) for p in scaling.weak_scaling(options.parts, each=options.each, base=cluster)],
        "predicted_without_launches": [
            asdict(p) for p in scaling.weak_scaling(options.parts, each=options.each, base=bare)
        ],
    }
    console = Console(width=170)
    show(document, console)
    write_json(options.output, document)
    console.print(f"written to {options.output}")


if __name__ == "__main__":
    main()
