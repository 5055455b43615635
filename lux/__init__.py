# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux: graph programs on CPU cores and GPUs, in one process or several, through Legion.

``import lux`` starts nothing; Legion's runtime starts with the first graph. From then on only the thread that made it
may call Lux, and no process forked from its process. Every mistake raises a `LuxError` that says what was passed, what
is allowed and what to do.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

__version__ = "0.1.0"

if _TYPE_CHECKING:
    from lux import errors as errors
    from lux import toy as toy
    from lux.algorithms.betweenness import betweenness as betweenness
    from lux.algorithms.bfs import bfs as bfs
    from lux.algorithms.components import components as components
    from lux.algorithms.factorization import factorize as factorize
    from lux.algorithms.pagerank import pagerank as pagerank
    from lux.algorithms.sssp import sssp as sssp
    from lux.api import run as run
    from lux.declarations import PLACE as PLACE
    from lux.declarations import VERTEX as VERTEX
    from lux.declarations import Edges, Reduction
    from lux.declarations import field as field
    from lux.declarations import total as total
    from lux.errors import LuxError as LuxError
    from lux.explanation import explain as explain
    from lux.graph import Graph as Graph
    from lux.interop import from_edges as from_edges
    from lux.interop import from_networkx as from_networkx
    from lux.interop import from_pandas as from_pandas
    from lux.interop import from_scipy as from_scipy
    from lux.load import generate as generate
    from lux.load import read_graph as read_graph
    from lux.program import Program as Program
    from lux.result import Result as Result
    from lux.saved import load_graph as load_graph
    from lux.settings import using as using
    from lux.vectors import dot as dot

    ADD: Reduction
    MIN: Reduction
    MAX: Reduction
    OR: Reduction
    AND: Reduction
    OWN: Reduction
    IN: Edges
    OUT: Edges
    BOTH: Edges

_WHERE = {
    "lux.program": ("Program",),
    "lux.declarations": ("field", "total", "VERTEX", "PLACE"),
    "lux.declarations:Reduction": ("ADD", "MIN", "MAX", "OR", "AND", "OWN"),
    "lux.declarations:Edges": ("IN", "OUT", "BOTH"),
    "lux.algorithms.pagerank": ("pagerank",),
    "lux.algorithms.betweenness": ("betweenness",),
    "lux.algorithms.components": ("components",),
    "lux.algorithms.factorization": ("factorize",),
    "lux.algorithms.bfs": ("bfs",),
    "lux.algorithms.sssp": ("sssp",),
    "lux.api": ("run",),
    "lux.errors": ("LuxError",),
    "lux.explanation": ("explain",),
    "lux.graph": ("Graph",),
    "lux.interop": ("from_edges", "from_networkx", "from_pandas", "from_scipy"),
    "lux.load": ("read_graph", "generate"),
    "lux.result": ("Result",),
    "lux.saved": ("load_graph",),
    "lux.settings": ("using",),
    "lux.vectors": ("dot",),
}
_HOME = {name: home for home, names in _WHERE.items() for name in names}

_MODULES = ("errors", "toy")

__all__ = sorted([*_HOME, *_MODULES])  # noqa: PLE0605  # pydoc and dir() read it


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _importlib.import_module(f"lux.{name}")
    if name.startswith("__"):  # Python looks for some
        raise AttributeError(f"module 'lux' has no attribute {name!r}")
    if name not in _HOME:
        from lux.names import FUNCTIONS, no_such_name

        raise no_such_name("module 'lux'", name, __all__, FUNCTIONS)
    module, _, inside = _HOME[name].partition(":")
    home = _importlib.import_module(module)
    value = getattr(getattr(home, inside) if inside else home, name)
    globals()[name] = value
    return value
