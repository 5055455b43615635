# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux: graph programs on CPU cores and GPUs, in one process or several, through Legion.

``import lux`` starts nothing; Legion's runtime starts with the first graph. Any thread may call Lux, and calls run one
at a time; a process that was forked when the runtime had started may not. Every mistake raises a `LuxError` that says
what was passed, what is allowed and what to do.
"""

import gc as _gc
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

__version__ = "0.1.0"

if _TYPE_CHECKING:
    from lux import errors as errors
    from lux import toy as toy
    from lux.algorithms.betweenness.betweenness import betweenness as betweenness
    from lux.algorithms.bfs.bfs import bfs as bfs
    from lux.algorithms.components.components import components as components
    from lux.algorithms.factorization.factorization import factorize as factorize
    from lux.algorithms.pagerank.pagerank import pagerank as pagerank
    from lux.algorithms.sssp.sssp import sssp as sssp
    from lux.api import run as run
    from lux.errors import LuxError as LuxError
    from lux.graph.graph import Graph as Graph
    from lux.io.from_objects import from_edges as from_edges
    from lux.io.from_objects import from_networkx as from_networkx
    from lux.io.from_objects import from_scipy as from_scipy
    from lux.io.from_tables import from_pandas as from_pandas
    from lux.io.from_tables import from_table as from_table
    from lux.io.load import generate as generate
    from lux.io.load import load_graph as load_graph
    from lux.io.load import read_graph as read_graph
    from lux.program.arguments import Edge as Edge
    from lux.program.arguments import Params as Params
    from lux.program.arguments import Vertex as Vertex
    from lux.program.fields import PLACE as PLACE
    from lux.program.fields import VERTEX as VERTEX
    from lux.program.fields import Edges, Reduction
    from lux.program.fields import aggregate as aggregate
    from lux.program.fields import field as field
    from lux.program.program import Program as Program
    from lux.program.vector_expressions import dot as dot
    from lux.results.explain import explain as explain
    from lux.results.result import Result as Result
    from lux.results.table import table as table
    from lux.settings import using as using

    ADD: Reduction
    MIN: Reduction
    MAX: Reduction
    OR: Reduction
    AND: Reduction
    CUSTOM: Reduction
    IN: Edges
    OUT: Edges
    BOTH: Edges

_WHERE = {
    "lux.program.program": ("Program",),
    "lux.program.arguments": ("Vertex", "Edge", "Params"),
    "lux.program.fields": ("field", "aggregate", "VERTEX", "PLACE"),
    "lux.program.fields:Reduction": ("ADD", "MIN", "MAX", "OR", "AND", "CUSTOM"),
    "lux.program.fields:Edges": ("IN", "OUT", "BOTH"),
    "lux.algorithms.pagerank.pagerank": ("pagerank",),
    "lux.algorithms.betweenness.betweenness": ("betweenness",),
    "lux.algorithms.components.components": ("components",),
    "lux.algorithms.factorization.factorization": ("factorize",),
    "lux.algorithms.bfs.bfs": ("bfs",),
    "lux.algorithms.sssp.sssp": ("sssp",),
    "lux.api": ("run",),
    "lux.errors": ("LuxError",),
    "lux.results.explain": ("explain",),
    "lux.graph.graph": ("Graph",),
    "lux.io.from_objects": ("from_edges", "from_networkx", "from_scipy"),
    "lux.io.from_tables": ("from_pandas", "from_table"),
    "lux.io.load": ("read_graph", "load_graph", "generate"),
    "lux.results.result": ("Result",),
    "lux.results.table": ("table",),
    "lux.settings": ("using",),
    "lux.program.vector_expressions": ("dot",),
}
_HOME = {name: home for home, names in _WHERE.items() for name in names}

_MODULES = ("errors", "toy")

__all__ = sorted([*_HOME, *_MODULES])  # noqa: PLE0605  # pydoc and dir() read it


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _imported(module: str) -> _Any:
    """Import a module, without a search for garbage among what its modules make (`lux.runtime.garbage`)."""
    searched = _gc.isenabled()
    _gc.disable()
    try:
        return _importlib.import_module(module)
    finally:
        if searched:
            if not _gc.get_freeze_count():  # else the program's frozen objects would be thawed
                _gc.freeze()
                _gc.unfreeze()
            _gc.enable()


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _imported(f"lux.{name}")
    if name.startswith("__"):  # Python probes for dunder names
        raise AttributeError(f"module 'lux' has no attribute {name!r}")
    if name not in _HOME:
        from lux.names import FUNCTIONS, no_such_name

        raise no_such_name("module 'lux'", name, __all__, FUNCTIONS)
    module, _, inside = _HOME[name].partition(":")
    home = _imported(module)
    value = getattr(getattr(home, inside) if inside else home, name)
    globals()[name] = value
    return value
