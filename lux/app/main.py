# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Main function of every program: from a command line to an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import legate_config
from lux.app.console import interrupt
from lux.errors import LuxError, LuxWarning

_FLAGS = (
    "alpha", "bipartite", "by_degree", "config", "cpu_share", "cutoff", "delta", "deterministic", "device", "directed",
    "drop_loops", "drop_repeats", "dtype", "endpoints", "engine", "exchange", "format", "header", "ids", "k",
    "learning_rate", "loading", "max_iter", "method", "model", "normalized", "order", "partitioner", "parts",
    "placement", "properties", "regularization", "repartition", "stop", "test", "tol", "weight", "weighted", "weights",
)  # fmt: skip
_KEYWORD = re.compile(rf"(?<![\w.-])(?P<name>{'|'.join(_FLAGS)})=(?P<value>'[^']*'|\[\.\.\.\]|[\w.+-]*\w|)")
"""Pattern of a Python function's argument in a message."""

USAGE, FAILED = 2, 1
"""Exit codes: a mistake in what was asked for; a result that failed its verification, or a fault of Lux itself."""


def run(name: str, arguments: Sequence[str] | None = None) -> int:
    """Run the program of an algorithm.

    Parameters
    ----------
    name : str
        One of `lux.app.application.NAMES`.
    arguments : sequence of str, optional
        The command line without the program; `sys.argv` by default.

    Returns
    -------
    int
        Exit code: 0, or 2 after a message about a mistake, or 1 if ``--verify`` found a wrong result. Mistakes in
        ``arguments`` raise `SystemExit` with 2.
    """
    interrupt.watch()
    from lux.app import arguments as flags
    from lux.app.application import application
    from lux.app.console import terminal

    terminal.reopen_closed()
    app = application(name)
    parser = flags.Parser(f"lux {name}", app.description, usage=f"lux {name} [options] [GRAPH]")
    flags.add_graph(parser, app.flag_help)
    flags.add_common(parser, app.refused, app.flag_help)
    app.add_arguments(parser)
    options = parser.parse_args(arguments)
    flags.check_graph(parser, options, app.flag_help)
    flags.check_run(parser, options)
    app.check_arguments(parser, options)

    def body() -> int:
        from lux.app.algorithm import run_algorithm

        return run_algorithm(app, options)

    return guarded(f"lux {name}", body)


def guarded(program: str, body: Callable[[], int]) -> int:
    """Run ``body``; a `LuxError` becomes one message of the first process, and exit code 2 of all."""
    try:
        with _warnings_of(program):
            code = body()
        sys.stdout.flush()
    except LuxError as error:
        complain(program, as_flags(str(error)))
        return USAGE
    except OSError as error:
        if error.filename is not None or error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        # The reader of the output has gone, or the disk is full: discard the interpreter's last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.ENOSPC:
            complain(program, f"cannot write standard output: {error.strerror}")
        return FAILED
    except Exception:
        if legate_config.rank_info().ranks == 1:
            raise
        # The other processes wait for this one: end the job instead.
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(FAILED)
    return code


def as_flags(message: str) -> str:
    """Rewrite a Python function's message with its arguments as flags of the command line.

    >>> as_flags("leave out weighted=True, or pass ids='strings', directed=False or properties=[...]")
    'leave out --weighted, or pass --ids strings, --undirected or --properties A,B'
    """
    return _KEYWORD.sub(_as_flag, message).replace(" as format", " as --format")


def _as_flag(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    flag = "--" + name.replace("_", "-")
    if value == "[...]":
        return f"{flag} A,B"
    if value == "True":
        return flag
    if value == "False":
        return "--undirected" if name == "directed" else flag.replace("--", "--no-", 1)
    return f"{flag} {value.strip(chr(39)).lower() if value == 'None' else value.strip(chr(39))}".rstrip()


@contextmanager
def _warnings_of(program: str) -> Iterator[None]:
    """Show Lux's warnings as messages of the program."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", LuxWarning)
        show = warnings.showwarning

        def shown(
            message: Warning | str, category: type[Warning], filename: str, lineno: int, *more: Any, **named: Any
        ) -> None:
            if issubclass(category, LuxWarning):
                complain(program, as_flags(str(message)), "warning")
            else:
                show(message, category, filename, lineno, *more, **named)

        warnings.showwarning = shown
        yield


def complain(program: str, message: str, kind: str = "error") -> None:
    """Print a message on standard error, once."""
    if legate_config.rank_info().rank == 0:
        sys.stdout.flush()
        sys.stderr.write(f"{program}: {kind}: {message}\n")
        sys.stderr.flush()
