# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux bfs``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import lux
from lux.app.application import SingleSource, Summary, add_target, asked, path_summary
from lux.app.arguments import add_strategy
from lux.engine.run import directions

if TYPE_CHECKING:
    from lux.algorithms.bfs.bfs import BFSResult
    from lux.graph.graph import Graph
    from lux.results.result import Result


class BreadthFirstSearch(SingleSource):
    """Breadth-first search: distances and parents from one source."""

    name = "bfs"
    description = "Breadth-first search: distances from one vertex, -1 where it does not lead, and parents."
    refused: ClassVar[dict[str, str]] = {"--tol": "distances are exact"}
    flag_help: ClassVar[dict[str, str]] = {"--max-iter": "levels to visit at most (all)"}

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        own = parser.add_argument_group("bfs")
        add_target(own)
        own.add_argument("--deterministic", action="store_true", help="the first of all valid parents")
        add_strategy(own, "lux.algorithms.bfs.strategies", "strategy of the search")
        own.add_argument(
            "--direction",
            choices=directions.RULES,
            default=directions.AUTO,
            help="rule for forward or backward levels: by the frontier's edges, or by estimates from numbers of "
            "vertices (auto: by edges, but sparse graphs forward)",
        )
        own.add_argument("--do-a", type=float, metavar="X", help=f"with estimates: later backward ({directions.DO_A})")
        own.add_argument("--do-b", type=float, metavar="X", help=f"with estimates: sooner forward ({directions.DO_B})")

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse flags that contradict one another; published searches choose directions and parents themselves."""
        super().check_arguments(parser, options)
        self._check_direction(parser, options)
        name = options.strategy
        if name in ("auto", "program"):
            return
        if (options.deterministic and not name.startswith("threads")) or options.model != "auto":
            flag = "--deterministic" if options.deterministic else f"--model {options.model}"
            parser.error(f"--strategy {name} has no {flag}: leave one out")
        if options.device == "gpu+cpu":
            parser.error(
                f"--strategy {name} searches on GPUs or on CPU cores: leave out --device gpu+cpu, or --strategy"
            )

    @staticmethod
    def _check_direction(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        for flag, factor in (("--do-a", options.do_a), ("--do-b", options.do_b)):
            if factor is None:
                continue
            if options.direction != directions.ESTIMATES:
                parser.error(f"{flag} is a factor of --direction {directions.ESTIMATES}: pass both, or neither")
            if not 0 <= factor < math.inf:
                parser.error(f"{flag} {factor} was passed; allowed are finite numbers from 0")
        if options.direction == directions.AUTO:
            return
        others = {"--strategy": options.strategy, "--model": options.model, "--device": options.device}
        for flag, value in others.items():
            if value not in ("auto", "cpu", "program"):
                parser.error(f"--direction {options.direction} has no {flag} {value}: leave one out")

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Split the graph, and group the edges by source unless only pulls are asked for."""
        from lux.algorithms.bfs.bfs import prepare

        prepare(graph, **asked(options, "strategy", "direction", "deterministic", "parts"), model=self.model(options))

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        given = asked(options, "target", "strategy", "direction", "do_a", "do_b", "deterministic", "parts", "max_iter")
        return lux.bfs(graph, options.source, model=self.model(options), progress=progress, **given)

    def model(self, options: argparse.Namespace) -> str:
        """Choose the model: with a rule for directions there is none."""
        return super().model(options) if options.direction == "auto" else "auto"

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Report how far the search came; edges are the out-edges of reached vertices."""
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
        edges = int(result.graph.dense_out_degrees()[reached].sum(dtype=np.int64))
        if options.target is not None:
            return path_summary(cast("BFSResult", result), facts, edges, options.top)
        return Summary(facts, "levels", listing, edges, len(sizes) - len(listing), unfinished=not result.converged)


APPLICATION = BreadthFirstSearch()
