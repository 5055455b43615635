# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux sssp``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import lux
from lux.app.application import SingleSource, Summary, add_target, asked, path_summary
from lux.app.arguments import add_strategy, real

if TYPE_CHECKING:
    from lux.algorithms.sssp.sssp import SSSPResult
    from lux.graph.graph import Graph
    from lux.results.result import Result

WEIGHTS = (1, 255)
"""Weights of synthetic graphs, as in the GAP benchmark."""


class ShortestPaths(SingleSource):
    """Shortest paths: distances along weights, and parents, from one source."""

    name = "sssp"
    description = "Shortest paths: distances along edge weights from one vertex, and parents."
    refused: ClassVar[dict[str, str]] = {"--tol": "distances are exact"}
    flag_help: ClassVar[dict[str, str]] = {
        "--max-iter": "most edges of a path, by Bellman-Ford (no limit)",
        "--model": "Bellman-Ford by pulls or pushes (auto: delta-stepping, if no --strategy program)",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        own = parser.add_argument_group("sssp")
        add_target(own)
        own.add_argument("--weight", default="weight", metavar="NAME", help="edge property to add up ('weight')")
        add_strategy(own, "lux.algorithms.sssp.strategies", "the way to search")
        own.add_argument("--cutoff", type=real(0), metavar="D", help="vertices farther away count as unreached")
        own.add_argument("--delta", type=real(0), metavar="D", help="width of buckets of vertices (from the weights)")

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse widths that are not above 0, and weights for a graph file."""
        super().check_arguments(parser, options)
        if options.delta == 0:
            parser.error("--delta 0 is out of range: pass a number above 0")
        bellman_ford = options.strategy == "program" or options.model != "auto" or options.max_iter is not None
        if options.delta is not None and bellman_ford:
            parser.error(
                "--delta is not for Bellman-Ford, which --model, --max-iter and --strategy program ask for: leave one "
                "out"
            )
        if options.strategy not in ("auto", "program") and (options.model != "auto" or options.max_iter is not None):
            flag = "--max-iter" if options.model == "auto" else f"--model {options.model}"
            parser.error(f"--strategy {options.strategy} has no {flag}: leave one out")
        if options.verify and options.max_iter is not None:
            parser.error("--verify checks finished runs and --max-iter may end one before: leave one out")
        if options.generate is not None:
            options.weights = options.weights or WEIGHTS

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Find the source, and check the weights."""
        from lux.algorithms.sssp.sssp import check

        super().check_graph(graph, options)
        check(graph, options.weight, **asked(options, "target", "strategy", "cutoff", "delta", "model", "max_iter"))

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Split the graph, and group the edges as the search needs them."""
        from lux.algorithms.sssp.sssp import prepare

        prepare(graph, options.weight, model=self.model(options), **asked(options, "strategy", "parts", "max_iter"))

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        given = asked(options, "target", "weight", "cutoff", "delta", "strategy", "parts", "max_iter")
        return lux.sssp(graph, options.source, progress=progress, model=self.model(options), **given)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Report the farthest vertices; edges are the out-edges of reached vertices."""
        import numpy as np

        found = cast("SSSPResult", result)
        distances = found.distances.dense()
        reached = distances != found.unreached
        listing = [{"vertex": vertex, "distance": distance} for vertex, distance in found.top(options.top)]
        facts = {
            "source": options.source,
            "source_chosen": options.source_chosen,
            "weight": found.weight,
            "delta": found.delta,
            "reached": int(reached.sum()),
            "mean_distance": float((distances[reached] / reached.sum()).sum(dtype=np.float64)),
        }
        edges = int(result.graph.dense_out_degrees()[reached].sum(dtype=np.int64))
        if options.target is not None:
            return path_summary(found, facts, edges, options.top)
        return Summary(facts, "farthest vertices", listing, edges, unfinished=not result.converged)


APPLICATION = ShortestPaths()
