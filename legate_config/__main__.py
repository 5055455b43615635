# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m legate_config doctor`` and ``python -m legate_config command``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from legate_config.command import LAUNCHERS, Layout, command
from legate_config.errors import ConfigError


def main(arguments: list[str] | None = None) -> int:
    """Run one of the two commands; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m legate_config", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    doctor = commands.add_parser("doctor", help="say what works here; exit code 1 if something essential does not")
    doctor.add_argument("--quick", action="store_true", help="build nothing and do not start Legate")
    launch = commands.add_parser("command", help="print the command that runs a program on several nodes")
    launch.add_argument("--nodes", type=int, default=1, metavar="N", help="machines (default: 1)")
    launch.add_argument("--cpus", type=int, metavar="N", help="CPU processors on each machine")
    launch.add_argument("--gpus", type=int, metavar="N", help="GPUs on each machine")
    launch.add_argument("--ranks-per-node", type=int, default=1, metavar="N", help="processes on each machine")
    launch.add_argument("--launcher", choices=LAUNCHERS, default="mpirun")
    launch.add_argument("--hosts", default="", metavar="A,B", help="names of the machines, for mpirun")
    launch.add_argument("--config", type=Path, metavar="FILE", help="nodes and processors from lux autotune's file")
    launch.add_argument("program", nargs=argparse.REMAINDER, help="program and its arguments")
    options = parser.parse_args(arguments)
    try:
        return _doctor(quick=options.quick) if options.name == "doctor" else _command(options)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2


def _command(options: argparse.Namespace) -> int:
    if not options.program:
        raise ConfigError("no program was named: put it last, for example apps/pagerank.py graph.lux")
    hosts = tuple(host for host in options.hosts.split(",") if host)
    if options.config is not None:
        if (options.nodes, options.cpus, options.gpus, options.ranks_per_node) != (1, None, None, 1):
            raise ConfigError("--config says how many nodes and processors: leave --nodes, --cpus and --gpus out")
        layout = Layout.of_file(options.config, options.launcher, hosts)
        print(command(layout, [*options.program, "--config", str(options.config)]))
        return 0
    layout = Layout(options.nodes, options.cpus, options.gpus, options.ranks_per_node, options.launcher, hosts)
    print(command(layout, options.program))
    return 0


def _doctor(*, quick: bool) -> int:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    from legate_config.doctor import State, checks, launch_check

    sources = Path(__file__).parent.with_name("lux") / "runtime" / "mapper"
    rows = list(checks(None if quick or not sources.is_dir() else sources))
    if not quick:
        rows.append(launch_check())
    colours = {State.WORKS: "green", State.MISSING: "yellow", State.BROKEN: "red"}
    long = (Column(name, overflow="fold") for name in ("found", "what to do"))  # paths and commands lose nothing
    table = Table("", "state", *long, title="Lux on this machine")
    for row in rows:
        remedy = "" if row.state is State.WORKS else row.remedy
        table.add_row(row.subject, f"[{colours[row.state]}]{row.state.value}[/]", escape(row.found), escape(remedy))
    Console().print(table)
    return 1 if any(row.state is State.BROKEN for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
