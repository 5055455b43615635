# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux components``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import lux
from lux.app.application import Application, Summary, asked
from lux.app.arguments import add_strategy

if TYPE_CHECKING:
    from lux.algorithms.components.components import ComponentsResult
    from lux.graph.graph import Graph
    from lux.results.result import Result


class Components(Application):
    """Components: each vertex's label is the smallest id in its component."""

    name = "components"
    description = "Find the connected components of a graph (weakly connected ones of a directed graph)."
    refused: ClassVar[dict[str, str]] = {
        "--source": "components cover all vertices",
        "--tol": "components are exact",
    }

    flag_help: ClassVar[dict[str, str]] = {
        "--max-iter": "most iterations of label propagation, which may end before labels are final (no limit)",
        "--model": "the program pulls, pushes, or does what is faster in each iteration (auto)",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        add_strategy(parser.add_argument_group("components"), "lux.algorithms.components.strategies")

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse to verify an interrupted run, which has no components yet."""
        if options.verify and options.max_iter is not None:
            parser.error("--verify needs final labels, and --max-iter may end before them: leave one out")

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Make what the strategy needs of the graph."""
        from lux.algorithms.components.components import prepare

        prepare(graph, **asked(options, "strategy", "parts", "max_iter"), model=self.model(options))

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        given = asked(options, "strategy", "parts", "max_iter")
        return lux.components(graph, model=self.model(options), progress=progress, **given)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Report the number of components, and the largest."""
        found = cast("ComponentsResult", result)
        listing = [{"label": label, "vertices": size} for label, size in found.top(options.top)]
        facts = {"components": found.n_components}
        more = max(found.n_components - len(listing), 0)
        unfinished = not found.converged
        return Summary(facts, "largest components", listing, result.graph.n_edges, more, unfinished=unfinished)


APPLICATION = Components()
