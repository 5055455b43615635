# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Commands of the program ``lux``."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import lux
from lux.app import arguments as flags
from lux.app import autotune_flags, graph500
from lux.app.application import NAMES
from lux.app.console import interrupt
from lux.app.main import guarded
from lux.app.main import run as run_app

COMMANDS = {
    "pagerank": "rank the vertices of a graph",
    "components": "find its connected components",
    "bfs": "find the distances from one vertex",
    "sssp": "find the shortest paths along weights from one vertex",
    "betweenness": "find the vertices that most shortest paths pass through",
    "factorize": "predict the ratings of a bipartite graph",
    "info": "say what a graph is, and how it would be partitioned",
    "autotune": "predict a program's time in every configuration, and choose one",
    "generate": "write a synthetic graph to a file",
    "convert": "write a graph file in another format",
    "plot": "draw a graph's degrees, or a run's frontier, balance, prediction or scaling",
    "warm-up": "compile what calls may need, so that none waits for a compiler",
    "graph500": "run the Graph500 benchmark",
    "doctor": "say what works on this machine, and how to mend what does not",
    "completion": "print a script by which a shell completes commands and options",
    "restart": "run a command, and again from its last checkpoint if a fault ends it",
}

PICTURES = {
    "degrees": "how many vertices have at least each degree",
    "frontier": "the active vertices of each iteration, and its model",
    "balance": "the seconds that each partition computes",
    "model": "an iteration's predicted parts in every configuration, and its measured time",
    "scaling": "the time of runs on 1, 2, 4, ... partitions",
}
"""Pictures that ``lux plot`` draws."""
PROGRAMS = ("bfs", "components", "pagerank", "sssp")
"""Algorithms that it runs."""
FINAL = (0, 2, 128 + signal.SIGINT, 128 + signal.SIGTERM)
"""Exit codes that are no fault: done, a mistake in what was asked for, and the user's own end."""
PAUSE_S = 1.0
"""Seconds before the next start: processes of the last one have gone."""
TERMINATE_S = 20.0
"""Seconds for the command to end after this program was told to."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; see `lux.cli.main`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    commands = "\n".join(f"  {name:<12}{text}" for name, text in COMMANDS.items())
    parser = flags.Parser(
        "lux",
        f"Graph analytics on CPU cores and GPUs of one or many nodes.\n\ncommands:\n{commands}",
        usage="lux COMMAND [options] ...",
        epilog="'lux COMMAND --help' shows its options; 'legate --cpus 4 apps/pagerank.py ...' sets the machine.",
        formatter_class=flags.Plain,
    )
    parser.add_argument("--version", action="version", version=f"Lux {lux.__version__}")
    command = words[0] if words else None
    if command is None or (command.startswith("-")):
        parser.parse_args(words)
        parser.error("there is no command: pass one of " + ", ".join(COMMANDS))
    if command not in COMMANDS:
        parser.error(f"{command!r} is no command: pass one of {', '.join(COMMANDS)}")
    return _function(command)(words[1:])


def _function(command: str) -> Callable[[Sequence[str]], int]:
    """Return the function that runs a command, given its words."""
    own: dict[str, Callable[[Sequence[str]], int]] = {
        "info": _info,
        "autotune": _autotune,
        "generate": _generate,
        "convert": _convert,
        "plot": _plot,
        "warm-up": _warm_up,
        "graph500": graph500.run,
        "doctor": _doctor,
        "completion": _completion,
        "restart": _restart,
    }
    return partial(run_app, command) if command in NAMES else own[command]


def _sentence(command: str) -> str:
    text = COMMANDS[command]
    return f"{text[0].upper()}{text[1:]}."


def _target() -> str:
    from lux.io.formats.formats import FORMATS

    endings = ", ".join(form.extensions[0] for form in FORMATS.values() if form.writable)
    return f"file to write ({endings})"


def _info(words: Sequence[str]) -> int:
    parser = flags.Parser("lux info", _sentence("info"), usage="lux info [options] [GRAPH]")
    flags.add_graph(parser)
    parser.add_argument("--parts", type=flags.number(1), metavar="P", help="show P partitions and their vertex sets")
    parser.add_argument("--nodes", type=flags.number(1), metavar="N", help="and each of N nodes' vertex sets (1)")
    parser.add_argument("--gpus", action="store_true", help="show the algorithms' memory needs on GPUs, and exchange")
    flags.add_report(parser)
    options = parser.parse_args(words)
    flags.check_graph(parser, options)
    if options.nodes is not None and options.parts is None:
        parser.error("--nodes needs --parts: it distributes partitions over nodes")
    options.nodes = options.nodes or 1

    def body() -> int:
        from lux.app.info import describe_graph

        return describe_graph(options)

    return guarded("lux info", body)


def _autotune(words: Sequence[str]) -> int:
    parser = flags.Parser("lux autotune", _sentence("autotune"), usage="lux autotune [options] [GRAPH]")
    flags.add_graph(parser)
    autotune_flags.add(parser)
    options = parser.parse_args(words)
    autotune_flags.check(parser, options)

    def body() -> int:
        from lux.app.autotune import autotune

        return autotune(options)

    return guarded("lux autotune", body)


def _generate(words: Sequence[str]) -> int:
    from lux.graph.construction.generators import SPECS

    parser = flags.Parser("lux generate", _sentence("generate"), usage="lux generate [options] SPEC TARGET")
    parser.add_argument("generate", metavar="SPEC", help=f"the synthetic graph: {SPECS}")
    parser.add_argument("target", metavar="TARGET", help=_target())
    parser.add_argument(
        "--seed", type=flags.number(0, 2**63 - 1), default=1, metavar="S", help="equal seeds give equal graphs (1)"
    )
    parser.add_argument("--weights", type=flags.weights, metavar="LO,HI", help="uniform integers from LO to HI (none)")
    flags.add_dropping(parser)
    return _write_graph(parser, words, graph=None)


def _convert(words: Sequence[str]) -> int:
    parser = flags.Parser("lux convert", _sentence("convert"), usage="lux convert [options] GRAPH TARGET")
    parser.add_argument("graph", metavar="GRAPH", help=flags.GRAPH_HELP)
    parser.add_argument("target", metavar="TARGET", help=_target())
    flags.add_reading(parser)
    flags.add_dropping(parser)
    return _write_graph(parser, words, generate=None)


def _write_graph(parser: flags.Parser, words: Sequence[str], **fixed: None) -> int:
    parser.add_argument("--to", metavar="NAME", help="format to write (by TARGET's extension)")
    parser.epilog = (
        "What the format has no room for (ids of vertices, direction) is kept beside TARGET, in TARGET.ids.npz."
    )
    flags.add_report(parser)
    parser.set_defaults(**fixed)
    options = parser.parse_args(words)

    def body() -> int:
        from lux.app.files import write_graph

        return write_graph(options)

    return guarded(parser.prog, body)


def _plot(words: Sequence[str]) -> int:
    parser = flags.Parser(
        "lux plot",
        f"{_sentence('plot')}\n\n" + "\n".join(f"  {name:<10}{text}" for name, text in PICTURES.items()),
        usage="lux plot [options] WHAT [GRAPH]",
        formatter_class=flags.Plain,
    )
    parser.add_argument("what", choices=PICTURES, metavar="WHAT", help=f"the picture: {', '.join(PICTURES)}")
    flags.add_graph(parser)
    run = parser.add_argument_group("run")
    run.add_argument("--program", choices=PROGRAMS, default="bfs", help="algorithm that runs (bfs)")
    run.add_argument("--source", metavar="ID", help="of bfs and sssp: the vertex to start from (the most out-edges)")
    run.add_argument("--parts", type=flags.number(1), metavar="P", help="partitions; with scaling, the most of them")
    out = parser.add_argument_group("output")
    out.add_argument(
        "--output", type=flags.picture, metavar="FILE", help="picture to write: .svg, .png, .pdf (WHAT.svg)"
    )
    flags.add_report(out)
    options = parser.parse_args(words)
    flags.check_graph(parser, options)

    def body() -> int:
        from lux.app.plot import draw

        return draw(options)

    return guarded("lux plot", body)


def _warm_up(words: Sequence[str]) -> int:
    def body() -> int:
        from lux.app.precompile import main

        return main(words)

    return guarded("lux warm-up", body)


def _doctor(words: Sequence[str]) -> int:
    parser = flags.Parser("lux doctor", _sentence("doctor"), usage="lux doctor [options]")
    parser.add_argument("--quick", action="store_true", help="do not start Legate")
    options = parser.parse_args(words)
    from legate_config.__main__ import main

    return main(["doctor", *["--quick"] * options.quick])


def _completion(words: Sequence[str]) -> int:
    from lux.app.completion import main

    commands = {name: (sentence, _function(name)) for name, sentence in COMMANDS.items()}
    return guarded("lux completion", lambda: main(words, commands))


def _restart(words: Sequence[str]) -> int:
    """Run a command up to N + 1 times; return its last exit code if no fault ended it, and otherwise 1."""
    parser = flags.Parser(
        "lux restart",
        "Run a command, and up to N times again where a fault ends it. With --checkpoint the command goes on from its "
        "last checkpoint.",
        usage="lux restart N COMMAND ...",
    )
    parser.add_argument("n", type=flags.number(0), metavar="N", help="restarts, at most")
    parser.add_argument("command", nargs="...", metavar="COMMAND", help="the command, with its arguments")
    options = parser.parse_args(words)
    if not options.command:
        parser.error(
            "there is no command: pass one after N, as in lux restart 3 lux pagerank web.lux --checkpoint kept"
        )
    began, code = time.monotonic(), 0
    for restart in range(options.n + 1):
        if restart:
            sys.stderr.write(
                f"lux restart: the command ended with exit code {code} after {time.monotonic() - began:.0f} s: restart "
                f"{restart} of {options.n}\n"
            )
            sys.stderr.flush()
            time.sleep(PAUSE_S)
        code = _once(options.command)
        if code in FINAL:
            return code
    sys.stderr.write(f"lux restart: the command ended with exit code {code}, and no restart is left\n")
    return 1


def _once(command: list[str]) -> int:
    """Run the command to its end."""
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt.SIGNALS)  # a process inherits what is blocked
    try:
        process = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"lux restart: error: cannot start {command[0]}: {error.strerror or error}\n")
        return 2
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def end() -> None:
        process.terminate()
        process.wait(TERMINATE_S)

    interrupt.on_signal(end)
    code = process.wait()
    return code if code >= 0 else 128 - code
