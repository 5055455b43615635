# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux betweenness``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import lux
from lux.app.application import Application, Summary, asked
from lux.app.arguments import add_strategy, number

if TYPE_CHECKING:
    from lux.algorithms.betweenness.betweenness import BetweennessResult
    from lux.graph.graph import Graph
    from lux.results.result import Result


class Betweenness(Application):
    """Betweenness: on how many shortest paths each vertex lies."""

    name = "betweenness"
    description = "Betweenness centrality: on how many shortest paths between others each vertex lies."
    refused: ClassVar[dict[str, str]] = {
        "--tol": "shortest paths are exact",
        "--max-iter": "choose --k sources instead",
        "--config": "there is no model of its time",
    }
    flag_help: ClassVar[dict[str, str]] = {
        "--seed": "of the synthetic graph (1), and of the choice of --k vertices",
        "--source": "only shortest paths from this vertex count (from all)",
        "--model": "vertices read from neighbours or write to them, or what visits fewer edges (auto)",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        own = parser.add_argument_group("betweenness")
        add_strategy(own, "lux.algorithms.betweenness.strategies", "who sweeps from the sources")
        own.add_argument("--k", type=number(1), metavar="K", help="estimate from paths from K vertices (all)")
        own.add_argument("--weight", metavar="NAME", help="edge property with the lengths, or none (none)")
        own.add_argument("--endpoints", action="store_true", help="a path counts for its two ends as well")
        own.add_argument(
            "--normalized",
            action=argparse.BooleanOptionalAction,
            default=True,
            help="divide by the number of pairs (yes)",
        )

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse a sample together with one source."""
        if options.k is not None and options.source is not None:
            parser.error("--k samples the sources, and --source names one: pass one of them")
        if options.seed is not None and options.k is None and options.generate is None:
            parser.error("--seed is for --k and --generate, and neither was passed: leave it out")
        if options.weight == "none":
            options.weight = None

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Find the source, and check the edges' lengths."""
        from lux.algorithms.sssp.weights import check_lengths

        if options.source is not None:
            graph.ids.dense(options.source)
        if options.weight is not None:
            check_lengths(graph, options.weight, "betweenness")

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Make what the strategy needs of the graph."""
        from lux.algorithms.betweenness.betweenness import prepare

        sources = None if options.source is None else [options.source]
        prepare(graph, options.k, sources=sources, **asked(options, "weight", "strategy", "parts", "model"))

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        sources = None if options.source is None else [options.source]
        given = asked(options, "k", "normalized", "weight", "endpoints", "seed", "strategy", "parts", "model")
        return lux.betweenness(graph, sources=sources, progress=progress, **given)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Report the highest scores; edges count once for each source."""
        found = cast("BetweennessResult", result)
        listing = [{"vertex": vertex, "score": score} for vertex, score in found.scores.top(options.top)]
        sources = len(found.dense_sources)
        facts = {"sources": sources, "weight": found.weight or "none", "normalized": options.normalized}
        return Summary(facts, "highest scores", listing, result.graph.n_edges * sources)


APPLICATION = Betweenness()
