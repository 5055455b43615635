# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Commands ``lux generate`` and ``lux convert``: graphs into files."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from lux import runtime
from lux.app import graphs, report
from lux.app.console import interrupt
from lux.app.console.live import Live
from lux.io.files.atomic import part_path
from lux.io.files.sidecar import abandon, ids_path
from lux.io.formats.formats import format_to_write
from lux.results.write import check_target


def write_graph(options: argparse.Namespace) -> int:
    """Load or generate a graph and write it; returns the exit code.

    Parameters
    ----------
    options : argparse.Namespace
        Options of `lux.app.graphs.load`, ``target`` and ``to``, the target's format if its name does not say it.

    Raises
    ------
    LuxError
        Raised alike on every process.
    """
    graphs.check(options)
    target = Path(options.target)
    format_to_write(target, options.to)
    check_target(target)
    interrupt.on_signal(functools.partial(abandon, target))
    live = Live()
    with interrupt.temporary(part_path(target)):
        graph = graphs.loaded(options, live)
        with live.phase("write", f"writing {target}"):
            graph.write(target, options.to)
            runtime.finish()
    found, beside = report.describe(graph, graphs.name(options)), ids_path(target).exists()
    if runtime.rank() == 0:
        if options.json:
            files = {"output": str(target)} | ({"beside": str(ids_path(target))} if beside else {})
            report.print_json({"graph": found, **files, "seconds": live.seconds})
        else:
            times = ", ".join(f"{phase} {report.time_words(seconds)}" for phase, seconds in live.seconds.items())
            sys.stdout.write(f"{report.graph_words(found)}\n{target}: written ({times})\n")
            if beside:
                sys.stdout.write(
                    f"{ids_path(target)}: written (ids of vertices, direction); keep it beside {target.name}\n"
                )
    return 0
