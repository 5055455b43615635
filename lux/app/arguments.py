# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command line: shared flags of all algorithms, and clear refusals of flags without meaning.

Nothing here starts Legate, so ``--help`` and error messages appear at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import lux
from lux import settings
from lux.graph.ordering import ORDERS
from lux.graph.partitioners import PARTITIONERS

WEIGHTS_HELP = "weights of the synthetic graph's edges: uniform integers from LO to HI (none; 1,255 for sssp)"
MODELS = ("auto", "pull", "push")
MODEL_HELP = "vertices pull from in-neighbours, the frontier pushes, or what is faster in each iteration (auto)"
GRAPH_HELP = "a graph file, or tables of edges: a folder, or a pattern in quotes"
FILE_FLAGS = ("format", "directed", "weighted", "header", "bipartite", "ids", "properties")


class Parser(argparse.ArgumentParser):
    """Parser that prints on the first of several processes only."""

    def __init__(self, prog: str, description: str, **more: Any) -> None:
        super().__init__(prog=prog, description=description, allow_abbrev=False, **more)

    def _print_message(self, message: str, file: Any = None) -> None:
        import legate_config

        if message and legate_config.rank_info().rank == 0:
            with suppress(AttributeError, OSError):  # the stream is closed or full
                (file or sys.stderr).write(message)
                (file or sys.stderr).flush()

    def error(self, message: str) -> NoReturn:
        """Print one line and end with exit code 2."""
        self.exit(2, f"{self.prog}: error: {message} (try --help)\n")


class Plain(argparse.RawDescriptionHelpFormatter):
    """Plain formatter: keeps the lines of a description."""


class _Refused(argparse.Action):
    """Refused flag of another algorithm: its use is an error with the reason."""

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: argparse.Namespace, _values: Any, option: str | None = None
    ) -> NoReturn:
        parser.error(f"{option} has no meaning here: {self.const}; leave it out")


def number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return the type of a flag that takes a whole number from ``least`` to ``most``."""
    allowed = f"from {least}" + ("" if most is None else f" to {most}")

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number: pass one {allowed}") from None
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text} is out of range: pass a whole number {allowed}")
        return value

    return parse


def real(least: float, most: float | None = None) -> Callable[[str], float]:
    """Return the type of a flag that takes a finite number from ``least`` to ``most``."""
    allowed = f"from {least:g}" + ("" if most is None else f" to {most:g}")

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number: pass one {allowed}") from None
        if not least <= value <= (sys.float_info.max if most is None else most):
            raise argparse.ArgumentTypeError(f"{text} is out of range: pass a number {allowed}")
        return value

    return parse


def _output(text: str) -> str:
    from lux.results.write import FORMATS

    if Path(text).suffix.lower() not in FORMATS:
        raise argparse.ArgumentTypeError(f"{text!r} names no known format: end it in {', '.join(FORMATS)}")
    return text


def _page(text: str) -> str:
    if Path(text).suffix.lower() not in (".html", ".htm"):
        raise argparse.ArgumentTypeError(f"{text!r} is no page: end it in .html")
    return text


def picture(text: str) -> str:
    """Parse the name of a picture to write."""
    if Path(text).suffix.lower() not in (".svg", ".png", ".pdf"):
        raise argparse.ArgumentTypeError(f"{text!r} names no known format: end it in .svg, .png or .pdf")
    return text


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def weights(text: str) -> tuple[int, int]:
    """Parse ``--weights LO,HI``."""
    low, _, high = text.partition(",")
    try:
        pair = int(low), int(high)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: pass two whole numbers, as in 1,255") from None
    if pair[0] > pair[1]:
        raise argparse.ArgumentTypeError(f"{text!r}: pass the smaller number first")
    return pair


NOTHING: Mapping[str, str] = MappingProxyType({})


def add_graph(parser: argparse.ArgumentParser, flag_help: Mapping[str, str] = NOTHING) -> None:
    """Add the flags of the graph: a file and how to read it, or a generator; ``flag_help`` as in `add_common`."""
    from lux.graph.construction.generators import SPECS

    which = parser.add_argument_group("graph")
    which.add_argument("graph", nargs="?", metavar="GRAPH", help=GRAPH_HELP)
    which.add_argument("--generate", metavar="SPEC", help=f"a synthetic graph instead: {SPECS}")
    seed_help = flag_help.get("--seed", "seed of the synthetic graph (1)")
    which.add_argument("--seed", type=number(0, 2**63 - 1), metavar="S", help=seed_help)
    which.add_argument("--weights", type=weights, metavar="LO,HI", help=WEIGHTS_HELP)
    add_reading(which)
    add_dropping(which)


def add_dropping(group: Any) -> None:
    """Add the flags that leave out edges; synthetic graphs lose loops and repeats by default."""
    toggle = argparse.BooleanOptionalAction
    group.add_argument("--drop-loops", action=toggle, help="leave out self-loops (default for synthetic graphs)")
    group.add_argument(
        "--drop-repeats", action=toggle, help="keep one of repeated edges (default for synthetic graphs)"
    )


def add_reading(group: Any) -> None:
    """Add the flags of reading a graph file."""
    toggle = argparse.BooleanOptionalAction
    group.add_argument("--format", metavar="NAME", help="format of the file (by its extension)")
    ways = group.add_mutually_exclusive_group()
    ways.add_argument("--directed", action="store_true", default=None, help="each line is one directed edge")
    ways.add_argument(
        "--undirected", dest="directed", action="store_false", help="each line stands for both directions"
    )
    group.add_argument("--weighted", action=toggle, help="require weights, or leave them out")
    group.add_argument("--bipartite", action="store_true", help="two id spaces: vertices are left:ID and right:ID")
    group.add_argument("--header", action=toggle, help="the first line names the columns")
    group.add_argument("--ids", choices=("auto", "as-is", "strings"), help="kind of the file's vertex ids (auto)")
    group.add_argument("--properties", type=_names, metavar="A,B", help="the columns to read as edge properties (all)")


def add_common(parser: argparse.ArgumentParser, refused: Mapping[str, str], flag_help: Mapping[str, str]) -> None:
    """Add the flags that every algorithm has.

    Parameters
    ----------
    refused : mapping of flag to reason
        Flags among ``--model``, ``--config``, ``--source``, ``--tol``, ``--max-iter`` without meaning for the
        algorithm: they are not in its help, and are refused with the reason.
    flag_help : mapping of flag to help
        Help texts of the other flags.
    """
    from lux.results.write import FORMATS

    run = parser.add_argument_group("run")
    parts_help = "number of partitions (one for each processor, one in all for a small graph)"
    run.add_argument("--parts", type=number(1), metavar="P", help=parts_help)
    _add_setting(run, "device", "auto", "CPU cores, GPUs, or both in each iteration (GPUs that Legate has)")
    run.add_argument(
        "--cpu-share",
        type=real(0, 1),
        metavar="X",
        help="with --device gpu+cpu: part of the edges, from 0 to 1, on CPU cores (by room and measured seconds)",
    )
    placement_help = "memory in which vertex programs on GPUs keep vertex values (auto)"
    _add_setting(run, "placement", "auto", placement_help)
    loading_help = "with --placement zero-copy: processor that gathers a GPU's values; auto measures both (kernel)"
    _add_setting(run, "loading", "kernel", loading_help)
    repartition_help = "move split points while running: never, within nodes, or between nodes too (global, if it pays)"
    _add_setting(run, "repartition", "global", repartition_help)
    exchange_help = "what CPU cores of a process tell another: the values that are read there, or all (selective)"
    _add_setting(run, "exchange", "selective", exchange_help)
    run.add_argument(
        "--order",
        choices=ORDERS,
        default="given",
        help="store vertices in the order of their ids, of falling degree, or the faster by measurement (given)",
    )
    run.add_argument(
        "--partitioner",
        choices=PARTITIONERS,
        default="contiguous",
        help="partitioner that assigns vertices to the --parts partitions (contiguous ranges of ids)",
    )
    checkpoint_help = "folder of checkpoints, from which the same run goes on after its end by a fault (none)"
    run.add_argument("--checkpoint", metavar="DIR", help=checkpoint_help)
    every_help = "seconds between two checkpoints, at least (60)"
    run.add_argument("--every", type=real(0), metavar="SECONDS", help=every_help)
    own: dict[str, dict[str, Any]] = {
        "--model": {"choices": MODELS, "default": "auto", "help": MODEL_HELP},
        "--config": {"metavar": "FILE", "help": "partitions and model from lux autotune's file; auto predicts them"},
        "--source": {"metavar": "ID", "help": "the vertex to start from, by its id in the file"},
        "--tol": {"type": real(0), "metavar": "T"},
        "--max-iter": {"type": number(0), "metavar": "N", "help": "most iterations (no limit)"},
    }
    for flag, given in own.items():
        if flag in refused:
            hidden: dict[str, Any] = {
                "const": refused[flag],
                "help": argparse.SUPPRESS,
                "default": given.get("default"),
            }
            run.add_argument(flag, action=_Refused, **hidden)
        else:
            run.add_argument(flag, **given | ({"help": flag_help[flag]} if flag in flag_help else {}))
    out = parser.add_argument_group("output")
    out.add_argument("--output", type=_output, metavar="FILE", help=f"write the values: {', '.join(FORMATS)}")
    out.add_argument(
        "--report", type=_page, metavar="FILE", help="write the report as a page, FILE.html, with pictures"
    )
    out.add_argument("--top", type=number(0), default=10, metavar="N", help="rows of the report's last table (10)")
    out.add_argument(
        "--verify", action="store_true", help="check the result's defining properties; exit code 1 if not met"
    )
    add_report(out, "also show every iteration")


def _add_setting(group: Any, name: str, default: str, text: str) -> None:
    group.add_argument(f"--{name}", choices=settings.ALLOWED[name], default=default, help=text)


class StrategyNames:
    """The names of an algorithm's strategies, for ``choices=``: imported when help shows them or one is given."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __iter__(self) -> Iterator[str]:
        yield "auto"
        yield from (strategy.name for strategy in import_module(self._module).STRATEGIES)

    def __contains__(self, name: object) -> bool:
        return name == "auto" or name in [*self]


def add_strategy(group: Any, module: str, purpose: str = "the way to run") -> None:
    """Add ``--strategy``, with the names of the ``STRATEGIES`` of a module."""
    group.add_argument(
        "--strategy",
        choices=StrategyNames(module),
        default="auto",
        metavar="NAME",
        help=f"{purpose}: %(choices)s (auto: the first that can run and suits the graph)",
    )


def add_report(group: Any, verbose: str | None = None) -> None:
    """Add ``--json``, ``--verbose`` and ``--version``."""
    group.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    if verbose:
        group.add_argument("--verbose", action="store_true", help=verbose)
    group.add_argument("--version", action="version", version=f"Lux {lux.__version__}")


def check_graph(
    parser: argparse.ArgumentParser, options: argparse.Namespace, flag_help: Mapping[str, str] = NOTHING
) -> None:
    """Refuse no graph, two graphs, and flags of files with generators or the reverse."""
    if options.graph is None and options.generate is None:
        parser.error("there is no graph: pass a graph file, or --generate SPEC")
    if options.graph is not None and options.generate is not None:
        parser.error(f"two graphs, {options.graph} and --generate {options.generate}: pass one")
    if options.generate is None:
        for name in ("seed", "weights"):
            if getattr(options, name) is not None and f"--{name}" not in flag_help:
                parser.error(f"--{name} is for --generate, and a file was passed: leave it out")
        return
    for name in FILE_FLAGS:
        if getattr(options, name) not in (None, False) or (name == "directed" and options.directed is False):
            flag = "undirected" if name == "directed" and not options.directed else name
            parser.error(f"--{flag} says how to read a file, and --generate was passed: leave it out")


def check_run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse a share without two kinds of processors; a partitioner without --parts, or with another order."""
    if options.cpu_share is not None and options.device != "gpu+cpu":
        parser.error(f"--cpu-share is for --device gpu+cpu, and --device {options.device} runs: leave one out")
    if options.every is not None and options.checkpoint is None:
        parser.error("--every was passed without a folder of checkpoints: pass --checkpoint too")
    if options.partitioner == "contiguous":
        return
    if options.parts is None:
        parser.error(f"--partitioner {options.partitioner} was passed without a number of partitions: pass --parts too")
    if options.order != "given":
        parser.error(
            f"--partitioner {options.partitioner} stores the vertices of each partition together, and --order "
            f"{options.order} was passed: leave one out"
        )
