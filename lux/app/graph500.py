# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux graph500``: the benchmark."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from lux import settings
from lux.app import arguments as flags
from lux.app.console import interrupt, terminal
from lux.app.main import FAILED, complain, guarded
from lux.errors import ValidationError
from lux.graph.construction.generators import MAX_SCALE

DESCRIPTION = "The Graph500 benchmark: searches from random roots of a Kronecker graph, validated."


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code: 1 for a wrong result, 2 after a message about a mistake."""
    interrupt.watch()
    terminal.reopen_closed()
    options = _parser().parse_args(arguments)

    def body() -> int:
        with settings.using(device=options.device):
            return _run(options)

    return guarded("lux graph500", body)


def _parser() -> flags.Parser:
    from lux.graph.ordering import ORDERS

    parser = flags.Parser("lux graph500", DESCRIPTION, usage="lux graph500 --scale S [options]")
    add = parser.add_argument
    add("--scale", type=flags.number(1, MAX_SCALE), required=True, metavar="S", help="2^S vertices")
    add("--edge-factor", type=flags.number(1), default=16, metavar="F", help="edge tuples per vertex (16)")
    add("--roots", type=flags.number(1), default=64, metavar="N", help="searches of each kernel (64)")
    add("--kernel", choices=("bfs", "sssp", "both"), default="both", help="kernel 2, kernel 3 or both (both)")
    flags.add_strategy(parser, "lux.algorithms.bfs.strategies", "strategy of kernel 2 (kernel 3 is lux.sssp)")
    add("--order", choices=ORDERS, default="given", help="order in which kernel 1 stores the vertices (given)")
    add("--seed", type=flags.number(0, 2**63 - 1), default=1, help="seed of the graph and the roots (1)")
    add("--skip-validation", action="store_true", help="do not check the results: no official run")
    add("--device", choices=settings.ALLOWED["device"], default="auto", help="CPU cores or GPUs that Legate has (auto)")
    add("--output", metavar="FILE", help="also write every search and the statistics to a file, as JSON")
    flags.add_report(parser)
    return parser


def _run(options: argparse.Namespace) -> int:
    from lux import runtime
    from lux.app.console.live import Live
    from lux.graph500 import benchmark, report
    from lux.io.files.atomic import check_writable, part_path, write_text

    kernels = benchmark.KERNELS if options.kernel == "both" else (options.kernel,)
    plan = benchmark.Plan(
        scale=options.scale,
        edge_factor=options.edge_factor,
        roots=options.roots,
        seed=options.seed,
        kernels=kernels,
        validated=not options.skip_validation,
        strategy=options.strategy,
        order=options.order,
    )
    if options.output:
        runtime.on_first_rank(lambda: check_writable(options.output))
    live = Live()
    try:
        with live.phase("graph500", "graph500"):
            outcome = benchmark.run(plan, live.steps)
    except ValidationError as error:
        complain("lux graph500", f"No results printed for invalid run: {error}")
        return FAILED
    entries = report.lines(outcome, runtime.ranks())
    further = report.further_lines(outcome)
    text = json.dumps(report.fields(outcome, runtime.ranks()))
    if runtime.rank() == 0:
        sys.stdout.write(f"{text}\n" if options.json else f"{report.block(entries)}\n{report.block(further)}\n")
    if options.output:

        def write() -> None:
            with interrupt.temporary(part_path(options.output)):
                write_text(options.output, text + "\n")

        runtime.on_first_rank(write)
    return 0
