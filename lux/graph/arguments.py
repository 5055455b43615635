# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Check the graphs that are passed to public functions."""

from __future__ import annotations

from typing import Any

from lux import runtime, settings
from lux.checks import described, warn
from lux.errors import ParameterError
from lux.graph.graph import Graph

_MAKERS = {
    "networkx": "lux.from_networkx makes one of it",
    "scipy": "lux.from_scipy makes one of it",
    "pandas": "lux.from_table makes one of it",
    "polars": "lux.from_table makes one of it",
    "pyarrow": "lux.from_table makes one of it",
    "duckdb": "lux.from_table makes one of it",
    "builtins.str": "lux.read_graph reads a file, lux.generate makes 'kronecker:SCALE'",
}


def checked_graph(graph: Any, function: str) -> Graph:
    """Return the graph passed to a public function, or raise `ParameterError`; warns of settings without effect.

    >>> checked_graph(3, "pagerank")
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: lux.pagerank takes a graph of Lux, not the int 3: lux.read_graph, ...
    """
    if isinstance(graph, Graph):
        _warn_without_gpus()
        return graph
    kind = type(graph)
    names = kind.__module__.partition(".")[0], f"{kind.__module__}.{kind.__qualname__}"
    how = next((_MAKERS[name] for name in names if name in _MAKERS), None)
    how = how or "lux.read_graph, lux.generate and lux.from_edges make one"
    raise ParameterError(f"lux.{function} takes a graph of Lux, not {described(graph)}: {how}")


def _warn_without_gpus() -> None:
    wanted = settings.current()
    asked = settings.asked_of_gpus(vars(wanted))
    if asked and wanted.device == "auto" and runtime.gpus() == 0:
        warn(f"{asked} has no effect: Legate was given no GPU; start it with --gpus 1 on a machine that has one")
