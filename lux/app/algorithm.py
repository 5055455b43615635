# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Run of an algorithm's command: load, partition, run, verify, write, report."""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lux import runtime, settings
from lux.app import graphs, html_report, report
from lux.app.application import Application, Summary
from lux.app.console import interrupt
from lux.app.console.live import Live
from lux.app.main import FAILED, complain
from lux.autotune import tuning
from lux.engine.gpu.placement import device_selection
from lux.errors import LuxError
from lux.io.files.atomic import part_path
from lux.results.explain import launch_lines
from lux.results.write import check_output, check_target, write_result

if TYPE_CHECKING:
    from lux.results.result import Result


def run_algorithm(app: Application, options: argparse.Namespace) -> int:
    """Run an application and return its exit code.

    Raises
    ------
    LuxError
        Raised alike on every process.
    """
    graphs.check(options)
    graphs.check_not_overwritten(options)
    names = ("device", "cpu_share", "placement", "loading", "repartition", "exchange")
    given = {name: getattr(options, name) for name in names}
    if options.checkpoint is not None:
        given |= {"checkpoint": options.checkpoint} | ({} if options.every is None else {"every": options.every})
    with settings.using(**given):
        return _run(app, options)


def _run(app: Application, options: argparse.Namespace) -> int:
    live = Live()
    with interrupt.temporary(*(part_path(file) for file in (options.output, options.report) if file)):
        if options.output:
            check_output(options.output)
        if options.report:
            check_target(Path(options.report))
        graph = graphs.loaded(options, live)
        app.check_graph(graph, options)
        if options.order != "given":
            with live.phase("order", "ordering the vertices"):
                graph = graph.reordered(options.order)
                runtime.finish()
        elif options.partitioner != "contiguous":
            with live.phase("order", "choosing partitions"):
                graph = graph.partitioned(options.partitioner, options.parts)
        options.parts, options.model = tuning.apply(
            app.name, graph, options.config, options.parts, options.model, app.factors(options)
        )
        with live.phase("partition", "partitioning"):
            if not device_selection.mixed():  # only a run knows the split points of mixed partitions
                app.partition(graph, options)
            runtime.finish()
        began = time.perf_counter()
        with live.phase("run", app.name), runtime.recorded() as launches:
            result = app.run(graph, options, live.iterations)
        live.seconds["compile"] = max(time.perf_counter() - began - result.seconds, 0.0)
        if options.verify:
            try:
                with live.phase("verify", "verifying"):
                    app.verify(result)
            except LuxError as error:
                complain(f"lux {app.name}", f"verification failed: {error}")
                return FAILED
        if options.output:
            with live.phase("write", f"writing {options.output}"):
                write_result(result, options.output)
    summary = app.summary(result, options)
    named = report.describe(graph, graphs.name(options))
    found = report.facts(app.name, named, result, summary, live.seconds, verbose=options.verbose)
    found |= {"launches": launch_lines(launches)} if options.verbose else {}
    found |= {"verified": True} if options.verify else {}
    found |= {"output": options.output} if options.output else {}
    if options.report:
        _write_page(app, options, named, result, summary, live.seconds)
        found |= {"report": options.report}
    runtime.finish()
    if runtime.rank() == 0:
        if options.json:
            report.print_json(found)
        else:
            report.print_tables(found, summary)
    return 0


def _write_page(
    app: Application,
    options: argparse.Namespace,
    named: dict[str, Any],
    result: Result,
    summary: Summary,
    seconds: dict[str, float],
) -> None:
    """Write the report as a page; every process calls this."""
    drawn = html_report.pictures(result)
    found = report.facts(app.name, named, result, summary, seconds, verbose=True)
    runtime.on_first_rank(functools.partial(html_report.write, options.report, found, summary, drawn))
