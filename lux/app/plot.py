# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux plot``: pictures of a graph's degrees, and of a run's frontier, balance, prediction and scaling."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lux
from lux import runtime
from lux.app import graphs
from lux.app.commands import PICTURES
from lux.app.console import interrupt
from lux.app.console.live import Live
from lux.app.report import print_json
from lux.autotune import tuning
from lux.io.files.atomic import atomic_output, part_path
from lux.results import plot
from lux.results.write import check_target

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.results.result import Result

MOST = 12
"""Configurations that the picture of predictions has."""
REPEATS = 3
"""Runs of which the fastest counts; the first also compiles."""


def draw(options: argparse.Namespace) -> int:
    """Load a graph, draw what was asked for, and write the picture; returns the exit code.

    Raises
    ------
    LuxError
        Raised alike on every process.
    """
    graphs.check(options)
    target = Path(options.output or f"{options.what}.svg")
    check_target(target)
    plot.axes()  # refuses before the graph is read
    live = Live()
    with interrupt.temporary(part_path(target)):
        graph = graphs.loaded(options, live)
        with live.phase("run", f"plot {options.what}"):
            ax = _DRAW[options.what](graph, options)

        def write() -> None:
            with atomic_output(target) as part:
                plot.save(ax, part, target.suffix)

        runtime.on_first_rank(write)
    if runtime.rank() == 0:
        if options.json:
            print_json({"plot": options.what, "output": str(target), "seconds": live.seconds})
        else:
            sys.stdout.write(f"{target}: written ({PICTURES[options.what]})\n")
    return 0


def _run(graph: Graph, options: argparse.Namespace, **how: Any) -> Result:
    """Run the program that was asked for; the fastest of some runs."""
    function: Callable[..., Result] = getattr(lux, options.program)
    if options.program in ("bfs", "sssp"):
        source = options.source
        how["source"] = graph.out_degrees().top(1)[0][0] if source is None else source
    return min((function(graph, **how) for _ in range(REPEATS)), key=lambda result: result.seconds)


def _scaling(graph: Graph, options: argparse.Namespace) -> Any:
    most = runtime.processors() if options.parts is None else options.parts
    parts = sorted({*(2**k for k in range(most.bit_length()) if 2**k <= most), most})
    seconds = [_run(graph, options, parts=n).seconds for n in parts]
    return plot.scaling(parts, seconds, options.program)


def _model(graph: Graph, options: argparse.Namespace) -> Any:
    found = tuning.choice(_modelled(options.program), graph, tuning.profile_here("gpu" if runtime.gpus() else "cpu"))
    best = found.configuration
    result = _run(graph, options, parts=best.parts, model=best.model)
    measured = result.seconds / result.iterations if result.iterations else None
    rows = [found.best, *(p for p in found.predictions if p is not found.best)]
    return plot.predictions(rows[:MOST], measured)


def _modelled(name: str) -> str:
    return "labels" if name == "components" else name


_DRAW: dict[str, Callable[[Graph, argparse.Namespace], Any]] = {
    "degrees": lambda graph, _: plot.degrees(graph),
    "frontier": lambda graph, options: plot.frontier(_run(graph, options, parts=options.parts)),
    "balance": lambda graph, options: plot.balance(_run(graph, options, parts=options.parts)),
    "model": _model,
    "scaling": _scaling,
}
