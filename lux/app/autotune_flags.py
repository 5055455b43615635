# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Flags of ``lux autotune``."""

from __future__ import annotations

import argparse
from typing import Any

from lux.app.arguments import add_report, check_graph, number, real


def rate(text: str) -> tuple[str, float]:
    """Parse ``--rate NAME=GB/S``."""
    name, _, value = text.partition("=")
    names = ("zero-copy", "overflow", "peer", "device", "network", "bisection")
    if name not in names:
        raise argparse.ArgumentTypeError(f"{text!r} names no rate: pass one of {', '.join(names)}, as in network=50")
    return name, real(1e-6)(value)


def program_name(text: str) -> str:
    """Parse ``--program``: a name that the model knows, or ``FILE.py:CLASS``."""
    from perfmodel.programs import PROGRAMS

    if text not in PROGRAMS and not is_own(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no program: pass one of {', '.join(PROGRAMS)}, or FILE.py:CLASS")
    return text


def is_own(program: str) -> bool:
    """Return True if ``--program`` names a class in a file."""
    return program.partition(":")[0].endswith(".py")


def parameter(text: str) -> tuple[str, Any]:
    """Parse ``--param NAME=X``: a number if it can be one, else the name of a vertex."""
    name, equals, value = text.partition("=")
    if not (name.isidentifier() and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is no parameter: pass NAME=X")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def add(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``lux autotune``."""
    from perfmodel.factors import METHODS, SIZES
    from perfmodel.programs import PROGRAMS

    limits = parser.add_argument_group("limits")
    names = f"program to run: {', '.join(PROGRAMS)}, or FILE.py:CLASS of a program of your own (pagerank)"
    limits.add_argument("--program", type=program_name, default="pagerank", metavar="NAME", help=names)
    limits.add_argument("--sources", type=number(1), metavar="K", help="of betweenness: a sample of so many (all)")
    limits.add_argument("--param", type=parameter, action="append", metavar="NAME=X", help="of a program of your own")
    limits.add_argument("--nodes", type=number(1), default=1, metavar="X", help="1 to X nodes (1)")
    limits.add_argument("--gpus", type=number(1), metavar="Y", help="1 to Y GPUs on each node (all of the machine's)")
    cores = "1 to Y CPU cores on each (all); of a machine of GPUs: Y beside these, where the graph does not fit them"
    limits.add_argument("--cpus", type=number(1), metavar="Y", help=cores)
    model = parser.add_argument_group("model")
    model.add_argument("--profile", metavar="NAME", help="a machine: a shipped profile or a file (this machine's)")
    model.add_argument("--summary", metavar="FILE", help="a graph's summary instead of a graph: nothing is loaded")
    model.add_argument("--edges", type=real(1), metavar="E", help="a graph like this one with E stored edges")
    rates = "zero-copy, overflow, peer, device, network or bisection"
    model.add_argument("--rate", type=rate, action="append", metavar="NAME=GB/S", help=rates)
    model.add_argument("--measure", action="store_true", help="run the program once, for its frontier")
    own = parser.add_argument_group("factorize")
    own.add_argument("--k", type=number(1), metavar="K", help="length of the factors (20)")
    own.add_argument("--method", choices=METHODS, help="least squares or gradient descent (als)")
    own.add_argument("--dtype", choices=tuple(SIZES), help="type of factors (float32)")
    price = "in dollars, to buy or an hour; the table gets iterations per second and 1,000 dollars"
    model.add_argument("--price-node", type=real(0), metavar="D", help=f"price of a node without GPUs, {price}")
    model.add_argument("--price-gpu", type=real(0), metavar="D", help="price of each GPU, likewise")
    out = parser.add_argument_group("output")
    out.add_argument("--output", metavar="FILE", help="write the configuration, for --config of the apps")
    out.add_argument("--save-summary", metavar="FILE", help="write the graph's summary there too")
    out.add_argument("--launcher", choices=("mpirun", "srun"), default="mpirun", help="for several nodes (mpirun)")
    add_report(out)


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse no graph, and flags that contradict a summary or the program."""
    if options.param and not is_own(options.program):
        parser.error("--param is for a program of your own, --program FILE.py:CLASS: leave it out")
    if options.sources and options.program != "betweenness":
        parser.error("--sources is for --program betweenness: leave it out")
    if (is_own(options.program) or options.program == "betweenness") and options.summary is not None:
        parser.error(f"{options.program} runs for a moment: pass a graph, and leave --summary out")
    for name, default in (("k", 20), ("method", "als"), ("dtype", "float32")):
        if options.program == "factorize":
            setattr(options, name, default if getattr(options, name) is None else getattr(options, name))
        elif getattr(options, name) is not None:
            parser.error(f"--{name} is for --program factorize: leave it out")
    if options.summary is None:
        check_graph(parser, options)
        return
    for name in ("graph", "generate", "measure", "save_summary"):
        if getattr(options, name):
            parser.error(f"--summary stands for a graph: leave {name.replace('_', '-')} out")
