# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux pagerank``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import lux
from lux.algorithms.pagerank.stopping import RULES
from lux.app.application import Application, Summary, asked
from lux.app.arguments import add_strategy, real
from lux.errors import GraphError

if TYPE_CHECKING:
    from lux.algorithms.pagerank.pagerank import PageRankResult
    from lux.graph.graph import Graph
    from lux.results.result import Result


class PageRank(Application):
    """PageRank: ranks that sum to one."""

    name = "pagerank"
    description = "Rank the vertices of a graph by PageRank."
    refused: ClassVar[dict[str, str]] = {"--source": "PageRank starts at all vertices"}
    flag_help: ClassVar[dict[str, str]] = {
        "--tol": "error of the ranks, in all, at most; 0: run --max-iter iterations (1e-6, in float32 about 1e-5)",
        "--max-iter": "most iterations; with a T above 0, not reaching it is an error (as many as T may need)",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        own = parser.add_argument_group("pagerank")
        add_strategy(own, "lux.algorithms.pagerank.strategies")
        own.add_argument("--alpha", type=real(0, 1), default=0.85, help="damping factor (0.85)")
        own.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="type of ranks (float64)")
        stop_help = "what --tol bounds: the error, or as in NetworkX the mean change of a rank (error)"
        own.add_argument("--stop", choices=RULES, default="error", help=stop_help)
        own.add_argument("--weight", metavar="NAME", help="edge property to use, or none ('weight' if there is one)")

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Refuse a missing weight property."""
        wanted = options.weight
        if wanted not in (None, "none") and wanted not in graph.property_types:
            has = ", ".join(graph.property_types) or "none"
            raise GraphError(f"--weight {wanted}: this graph's edge properties are: {has}; pass one, or --weight none")
        options.weight = None if wanted == "none" else wanted or "weight"

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Split the graph; only a push needs the edges by source."""
        from lux.engine.executor import run_layout

        layout = run_layout(graph, options.parts)
        if options.model == "push":
            layout.by_source((options.weight,) if options.weight in graph.property_types else ())

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        given = asked(options, "alpha", "weight", "stop", "dtype", "strategy", "parts", "model")
        limits = {name: value for name, value in asked(options, "max_iter", "tol").items() if value is not None}
        return lux.pagerank(graph, progress=progress, **given, **limits)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Report the highest ranks."""
        found = cast("PageRankResult", result)
        listing = [{"vertex": vertex, "rank": rank} for vertex, rank in found.ranks.top(options.top)]
        edges = result.graph.n_edges * result.iterations
        facts = {"alpha": options.alpha, "dtype": options.dtype, "weight": found.weight or "none"}
        facts |= {"stop": options.stop, "tol": found.tol, "error": found.error}
        return Summary(facts, "highest ranks", listing, edges)


APPLICATION = PageRank()
