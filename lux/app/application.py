# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs have of their own: an `Application` for each algorithm, by name in `NAMES`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.results.result import Result
    from perfmodel import Factors

NAMES = ("pagerank", "components", "bfs", "sssp", "betweenness", "factorize")


@dataclass
class Summary:
    """What a program says about its result.

    Attributes
    ----------
    facts : dict
        Single values, by name.
    title : str
        Of the listing.
    listing : list of dict
        Rows with the same keys: the table at the end of the report.
    edges : int
        Edges that were worked on, for edges/s.
    more : int
        Rows that the listing leaves out.
    tables : dict of str to list of dict
        Further tables, before the listing.
    unfinished : bool
        Whether the iteration limit ended the run, so that values are not final.
    """

    facts: dict[str, Any]
    title: str
    listing: list[dict[str, Any]]
    edges: int
    more: int = field(default=0)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    unfinished: bool = False


class Application:
    """One algorithm on the command line.

    Attributes
    ----------
    name, description : str
    refused : dict of str to str
        Flags of other algorithms that have no meaning for this one, and why.
    told : dict of str to str
        What flags that it shares with others mean for it.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    refused: ClassVar[dict[str, str]] = {}
    told: ClassVar[dict[str, str]] = {}

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse what contradicts itself, before Legate starts."""

    def factors(self, options: argparse.Namespace) -> Factors | None:
        """What the performance model has to know of a factorization; None for all else."""

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Refuse a graph that the options do not fit, or complete the options, before anything runs."""

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Make what the run needs of the partitions, so that its time is seen apart."""
        graph.layout(options.parts).splits  # noqa: B018  # made on first use

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        raise NotImplementedError

    def verify(self, result: Result) -> None:
        """Raise `LuxError` unless the result has its defining properties."""
        import_module(f"lux.algorithms.{self.name}.{self.name}").verify(result)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """What to report."""
        raise NotImplementedError


def application(name: str) -> Application:
    """The application of an algorithm, one of `NAMES`."""
    made: Application = import_module(f"lux.app.{name}").APPLICATION
    return made
