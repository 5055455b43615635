# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Applications: the parts of a program that belong to one algorithm, by name in `NAMES`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.results.result import Result
    from lux.results.search import SearchResult
    from perfmodel import Factors

NAMES = ("pagerank", "components", "bfs", "sssp", "betweenness", "factorize")


@dataclass
class Summary:
    """Summary of a result for the report.

    Attributes
    ----------
    facts : dict
        Single values, by name.
    title : str
        Title of the listing.
    listing : list of dict
        Rows with the same keys: the table at the end of the report.
    edges : int
        Edges that were processed, for edges/s.
    more : int
        Rows that the listing leaves out.
    tables : dict of str to list of dict
        Further tables, before the listing.
    unfinished : bool
        The iteration limit ended the run, so values are not final.
    """

    facts: dict[str, Any]
    title: str
    listing: list[dict[str, Any]]
    edges: int
    more: int = field(default=0)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    unfinished: bool = False


class Application:
    """Application: one algorithm on the command line.

    Attributes
    ----------
    name, description : str
    refused : dict of str to str
        Flags of other algorithms that this one refuses, with the reason.
    flag_help : dict of str to str
        Help texts of shared flags, for this algorithm.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    refused: ClassVar[dict[str, str]] = {}
    flag_help: ClassVar[dict[str, str]] = {}

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse contradictory flags before Legate starts."""

    def factors(self, options: argparse.Namespace) -> Factors | None:
        """Return a factorization's parameters for the performance model; None for all other algorithms."""

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Refuse a graph that does not fit the options, or complete the options, before anything runs."""

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Build the run's partitions, so that their time is reported apart."""
        graph.layout(options.parts).splits  # noqa: B018  # made on first use

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        raise NotImplementedError

    def model(self, options: argparse.Namespace) -> str:
        """Choose the model: a configuration may have one, which only the program uses."""
        tuned = options.config is not None and options.strategy not in ("auto", "program")
        model: str = "auto" if tuned else options.model
        return model

    def verify(self, result: Result) -> None:
        """Raise `LuxError` unless the result has its defining properties."""
        import_module(f"lux.algorithms.{self.name}.{self.name}").verify(result)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Summarise the result for the report."""
        raise NotImplementedError


class SingleSource(Application):
    """Single-source application: a search from the vertex that ``--source`` names."""

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Require ``--source`` for a file, whose vertices only the user knows."""
        if options.source is None and options.generate is None:
            parser.error("a search needs --source ID, a vertex of the graph (lux info GRAPH says which ids it has)")

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Find the source and the target; in a synthetic graph, by default, the vertex with the most out-edges."""
        options.source_chosen = options.source is None
        if options.source is None:
            options.source = graph.out_degrees().top(1)[0][0]
        place = graph.ids.dense(options.source)
        options.source = graph.ids.labels(place, place + 1).tolist()[0]  # of the type of the graph's ids
        if options.target is not None:
            place = graph.ids.dense(options.target)
            options.target = graph.ids.labels(place, place + 1).tolist()[0]


def add_target(group: Any) -> None:
    """Add the flag of a search's target."""
    group.add_argument("--target", metavar="ID", help="end when this vertex is reached, and list a path to it")


def path_summary(result: SearchResult, facts: dict[str, Any], edges: int, top: int) -> Summary:
    """Summarise a search for a target: its distance, and the path, of which ``top`` vertices are listed.

    Facts have the whole path. Without a path both are None.
    """
    target, reached = result.target, bool(result.reached[result.target])
    path = result.path_to() if reached else None
    facts |= {"target": target, "distance": result.distances[target] if reached else None, "path": path}
    ways = path or []
    lengths = result.distances[ways[:top]].tolist() if ways else []
    listing = [{"vertex": v, "distance": distance} for v, distance in zip(ways[:top], lengths, strict=True)]
    return Summary(facts, "path", listing, edges, len(ways) - len(listing), unfinished=not result.converged)


def asked(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return the values of some flags as a function's arguments."""
    return {name: getattr(options, name) for name in names}


def application(name: str) -> Application:
    """Return the application of an algorithm, one of `NAMES`."""
    made: Application = import_module(f"lux.app.{name}").APPLICATION
    return made
