# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Types of the arguments of a program's functions, for annotations: type checkers and editors read them, Lux does not.

>>> import lux
>>> class Hops(lux.Program):
...     count = lux.field(int, reduce=lux.MIN)
...     @staticmethod
...     def start(v: lux.Vertex, params: lux.Params) -> bool:
...         if v.id == params.source:
...             v.count = 0
...         return v.id == params.source
...     @staticmethod
...     def compute(v: lux.Vertex, u: lux.Vertex) -> int:
...         return u.count + 1
...     @staticmethod
...     def update(v: lux.Vertex, old: lux.Vertex) -> bool:
...         return v.count < old.count
>>> lux.run(Hops, lux.toy.path(3), source=0)["count"].to_numpy()
array([0, 1, 2])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Vertex:
    """Vertex in a program's function: ``v``, ``u``, ``old``, ``a`` or ``b``.

    Attributes
    ----------
    id : int
        Its position in the ascending order of the user's ids.
    place : int
        Its position in the order in which the graph is stored.
    in_degree, out_degree : int
        Its degrees.
    """

    id: int
    place: int
    in_degree: int
    out_degree: int

    if TYPE_CHECKING:  # the program's fields

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


class Edge:
    """Edge in ``compute``: its properties, such as ``edge.weight``."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class Params:
    """Parameters of a run, its totals, the number of vertices and the iteration, 0 in the first."""

    n_vertices: int
    iteration: int

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
