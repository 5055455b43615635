# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the reference pages, from docstrings and help texts: public names, strategies, commands of ``lux``."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import lux
from benchmarks.tables import table
from lux import algorithms
from lux.algorithms.bfs.bfs import BFSResult
from lux.algorithms.gpu_strategy import GpuStrategy
from lux.graph.values import Values

ALGORITHMS = Path(algorithms.__path__[0])
HOMES: dict[str, Any] = {"Graph": lux.Graph, "Result": lux.Result, "Values": Values, "BFSResult": BFSResult}


def functions(*names: str) -> str:
    """Make the table of some public functions: how they are called, and the first line of their docstrings."""
    return table(["call", "what it does"], [[_call(f"lux.{name}", getattr(lux, name)), _line(name)] for name in names])


def members(home: str, *names: str) -> str:
    """Make the table of methods and properties of a class."""
    found = [(name, inspect.getattr_static(HOMES[home], name)) for name in names]
    rows = [[_call(f".{name}", member, skip=1), _first(member)] for name, member in found]
    return table([f"of a `{home}`", "what it does"], rows)


def module(name: str) -> str:
    """Make the table of a public module's functions and classes."""
    home: ModuleType = getattr(lux, name)
    own = {what: each for what, each in vars(home).items() if getattr(each, "__module__", "") == home.__name__}
    public = {what: each for what, each in own.items() if not what.startswith("_")}
    rows = []
    for what, each in public.items():
        title = f"lux.{name}.{what}"
        rows.append([f"`{title}`" if inspect.isclass(each) else _call(title, each), _first(each)])
    return table(["name", "what it is"], rows)


def strategies() -> str:
    """Make the table of the strategies of all algorithms, in the order of preference, and the file of each."""
    rows = []
    for file in sorted(ALGORITHMS.glob("*/strategies.py")):
        found = importlib.import_module(f"lux.algorithms.{file.parent.name}.strategies")
        for listed in found.STRATEGIES:
            each = listed.loaded if isinstance(listed, GpuStrategy) else listed
            code = type(each).__module__.replace(".", "/") + ".py"
            rows.append([file.parent.name, f"`{each.name}`", getattr(each, "summary", "") or _first(each), f"`{code}`"])
    return table(["algorithm", "strategy", "what it is", "code"], rows)


def commands() -> str:
    """Make the table of the commands of the program ``lux``."""
    from lux.app.commands import COMMANDS

    return table(["command", "what it does"], [[f"`lux {name}`", f"{text}"] for name, text in COMMANDS.items()])


def _line(name: str) -> str:
    return _first(getattr(lux, name))


def _call(title: str, what: Any, skip: int = 0) -> str:
    """Return the name with its parameters: the values of most are in the docstring."""
    if isinstance(what, property) or not callable(what):
        return f"`{title}`"
    given = list(inspect.signature(what).parameters.values())[skip:]
    shown, keywords = [], False
    for parameter in given:
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            keywords = True
            shown.append("*")
        keywords = keywords or parameter.kind is parameter.VAR_POSITIONAL
        shown.append(str(parameter.replace(annotation=parameter.empty, default=parameter.empty)))
    return f"`{title}({', '.join(shown)})`"


def _first(what: Any) -> str:
    """Return the first line of a docstring, as Markdown."""
    text = inspect.getdoc(what) or ""
    return text.partition("\n")[0].replace("``", "`").replace("|", r"\|")
