# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""GAP Benchmark Suite's own programs, by their own clock.

Answers stay inside the programs: each is checked by the program's own verifier, once for every source, before the race.
Neither PageRank gives the rank of vertices without neighbours to others; ``pr`` lets new ranks be seen within an
iteration (Gauss-Seidel), so that only ``pr_spmv`` does what Lux does. ``cc`` is Afforest. ``sssp`` is delta-stepping
with the best of some deltas for each graph. ``bc`` divides by the largest score in the end.
"""

from __future__ import annotations

import functools
from pathlib import Path

from benchmarks import gap_suite
from benchmarks.agreement import DisagreementError
from benchmarks.contender import DELTAS, ITERATIONS, Contender, fastest
from benchmarks.graphs import SharedGraph
from lux import io

VERIFIABLE = ("-t", "1e-4", "-i", "1000")
"""PageRank's verifier takes ranks that have converged, and so not those after a fixed number of iterations."""


def contenders(shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return both PageRanks in float32, direction-optimising BFS, Afforest, delta-stepping, and Brandes' algorithm."""
    rows = []
    if set(works) - {"sssp"}:
        plain = shared.setup("GAPBS: .sg", lambda: _write(shared, weighted=False))
        row = functools.partial(_row, shared.threads, plain)
        if "pagerank" in works:
            fixed = ("-t", "0", "-i", str(ITERATIONS))
            rows += [
                row("pagerank", name, variant, "float32", options=fixed, checked=VERIFIABLE)
                for name, variant in (("pr", "pr, Gauss-Seidel"), ("pr_spmv", "pr_spmv"))
            ]
        rows += [row("bfs", "bfs", "push and pull")] if "bfs" in works else []
        rows += [row("components", "cc", "Afforest")] if "components" in works else []
        rows += [row("betweenness", "bc", "", "float32", options=("-i", "1"))] if "betweenness" in works else []
    if "sssp" in works:
        weighted = shared.setup("GAPBS: .wsg", lambda: _write(shared, weighted=True))
        row = functools.partial(_row, shared.threads, weighted, "sssp", "sssp")
        steps = (row(f"delta {delta}", "int32", options=("-d", str(delta))) for delta in reversed(DELTAS))
        rows.append(fastest(steps, shared.first()))
    return rows


def _row(
    threads: int,
    graph: Path,
    work: str,
    program: str,
    variant: str,
    precision: str = "",
    options: tuple[str, ...] = (),
    checked: tuple[str, ...] = (),
) -> Contender:
    """Return one program with some options, and with others for its verification."""

    def run(*root: int) -> str:
        start = [text for vertex in root for text in ("-r", str(vertex))]
        return gap_suite.run(program, graph, threads, *options, "-n", gap_suite.trials_of(program), *start)

    def verify(*root: int) -> None:
        start = [text for vertex in root for text in ("-r", str(vertex))]
        if not gap_suite.verified(
            gap_suite.run(program, graph, threads, *(checked or options), "-n", "1", "-v", *start)
        ):
            raise DisagreementError("its own verifier found fault")

    def seconds(output: str) -> float:
        return gap_suite.trials(output)[-1]

    return Contender(
        "GAPBS", work, variant, threads, run, verify=verify, precision=precision, seconds=seconds, run_seconds=seconds
    )


def _write(shared: SharedGraph, *, weighted: bool) -> Path:
    (offsets, neighbours), weights = shared.csr, shared.weights if weighted else None
    path = shared.folder / ("graph.wsg" if weighted else "graph.sg")
    kind = None if weights is None else weights.dtype
    writer = io.SgWriter(path, shared.n, len(neighbours), directed=False, weight=kind)
    writer.create()
    writer.write(0, offsets[1:], 0, neighbours, weights)
    writer.commit()
    return path
