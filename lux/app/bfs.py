# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``lux bfs``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import lux
from lux import bfs_engines
from lux.app.application import Summary
from lux.app.single_source import SingleSource

if TYPE_CHECKING:
    from lux.algorithms.bfs import BFSResult
    from lux.graph import Graph
    from lux.result import Result


class BreadthFirstSearch(SingleSource):
    """Distances and parents from one source."""

    name = "bfs"
    description = "Breadth-first search: distances from one vertex, -1 where it does not lead, and parents."
    refused: ClassVar[dict[str, str]] = {"--tol": "distances are exact"}
    told: ClassVar[dict[str, str]] = {"--max-iter": "levels to visit at most (all)"}

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        own = parser.add_argument_group("bfs")
        own.add_argument("--deterministic", action="store_true", help="of all valid parents the one that is first")
        engines = (bfs_engines.AUTO, *bfs_engines.ENGINES)
        own.add_argument(
            "--engine",
            choices=engines,
            default=bfs_engines.AUTO,
            help="auto, or a published way to search over many processors (--parts) (auto)",
        )

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Engines choose directions and parents themselves."""
        super().check_arguments(parser, options)
        if options.engine == bfs_engines.AUTO:
            return
        if options.deterministic or options.model != "auto":
            flag = "--deterministic" if options.deterministic else f"--model {options.model}"
            parser.error(f"--engine {options.engine} has no {flag}: leave one out")
        if options.device == "gpu+cpu":
            parser.error(
                f"--engine {options.engine} searches on GPUs or on CPU cores: leave out --device gpu+cpu, or --engine"
            )

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Split the graph, and group the edges by source unless only pulls are asked for."""
        from lux.algorithms.bfs import prepare

        prepare(graph, engine=options.engine, parts=options.parts, model=options.model)

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        return lux.bfs(
            graph,
            options.source,
            engine=options.engine,
            deterministic=options.deterministic,
            parts=options.parts,
            # A configuration may have a model, which only the default search has a use for.
            model=options.model if options.engine == bfs_engines.AUTO else "auto",
            max_iter=options.max_iter,
            progress=progress,
        )

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """How far the search came; edges are the out-edges of reached vertices."""
        import numpy as np

        distances = cast("BFSResult", result).distances.dense()
        reached = distances >= 0
        sizes = np.bincount(distances[reached])
        listing = [{"level": level, "vertices": int(size)} for level, size in enumerate(sizes[: options.top])]
        facts = {
            "source": options.source,
            "source_chosen": options.source_chosen,
            "reached": int(reached.sum()),
            "depth": len(sizes) - 1,
        }
        edges = int(result.graph.out_degrees()[reached].sum(dtype=np.int64))
        return Summary(facts, "levels", listing, edges, len(sizes) - len(listing), unfinished=not result.converged)


APPLICATION = BreadthFirstSearch()
