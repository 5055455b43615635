# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``lux completion``: a script by which a shell completes the commands of Lux, their options and file names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lux.app import arguments as flags
from lux.errors import ConfigurationError

SHELLS = ("bash", "zsh", "tcsh")
"""Shells that shtab writes scripts for."""


class _Captured(Exception):  # noqa: N818  # it ends a command before it begins, and is no error
    """End of a command that has made its parser and is about to parse its words."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def script(shell: str, commands: Mapping[str, tuple[str, Callable[[Sequence[str]], int]]]) -> str:
    """Return the script of a shell.

    Parameters
    ----------
    shell : str
        One of `SHELLS`.
    commands : mapping of str to tuple
        For each command its sentence, and the function that runs it.

    Raises
    ------
    ConfigurationError
        The package shtab is missing.
    """
    try:
        import shtab
    except ModuleNotFoundError:
        raise ConfigurationError("completion needs the package shtab: pip install 'lux-graph[completion]'") from None
    whole = argparse.ArgumentParser(prog="lux")
    found = whole.add_subparsers()
    for name, (sentence, run) in commands.items():
        command: Any = found.add_parser(name, help=sentence, add_help=False, conflict_handler="resolve")
        for action in _parser(run)._actions:  # noqa: SLF001  # argparse has no public list of options
            if action.help != argparse.SUPPRESS:
                command._add_action(action)  # noqa: SLF001
                action.choices = None if action.choices is None else list(action.choices)  # shtab: dicts are commands
                if not action.choices and _takes_a_file(action):
                    action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(whole, shell))


def _parser(run: Callable[[Sequence[str]], int]) -> argparse.ArgumentParser:
    """Return the parser of a command, which is stopped when it begins to parse."""
    parse = argparse.ArgumentParser.parse_args

    def stop(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> Any:
        raise _Captured(parser)

    argparse.ArgumentParser.parse_args = stop  # type: ignore[method-assign, assignment]
    try:
        run([])
    except _Captured as captured:
        return captured.parser
    finally:
        argparse.ArgumentParser.parse_args = parse  # type: ignore[method-assign]
    return argparse.ArgumentParser(add_help=False)


def _takes_a_file(action: argparse.Action) -> bool:
    return action.metavar in {"GRAPH", "TARGET", "FILE"}


def main(words: Sequence[str], commands: Mapping[str, tuple[str, Callable[[Sequence[str]], int]]]) -> int:
    """Print the script of the shell that ``words`` name."""
    parser = flags.Parser(
        "lux completion",
        "Print a script by which a shell completes commands and options of lux.",
        usage="lux completion SHELL",
        epilog="For bash: lux completion bash > ~/.local/share/bash-completion/completions/lux",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    sys.stdout.write(script(parser.parse_args(words).shell, commands) + "\n")
    return 0
