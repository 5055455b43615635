# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux: graph programs on CPU cores and GPUs of one or many nodes, through Legion.

``import lux`` starts nothing; Legion's runtime starts with the first graph.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lux import toy as toy
    from lux.program import VERTEX as VERTEX
    from lux.program import Edges, Reduction
    from lux.program import Program as Program
    from lux.program import field as field
    from lux.program import total as total

    ADD, MIN, MAX, OR, AND = Reduction.ADD, Reduction.MIN, Reduction.MAX, Reduction.OR, Reduction.AND
    IN, OUT, BOTH = Edges.IN, Edges.OUT, Edges.BOTH

_WHERE = {
    "lux.program": ("Program", "field", "total", "VERTEX"),
    "lux.program:Reduction": ("ADD", "MIN", "MAX", "OR", "AND"),
    "lux.program:Edges": ("IN", "OUT", "BOTH"),
}
_HOME = {name: home for home, names in _WHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lux' has no attribute {name!r}")
    module, _, inside = _HOME[name].partition(":")
    home = importlib.import_module(module)
    value = getattr(getattr(home, inside) if inside else home, name)
    globals()[name] = value
    return value
