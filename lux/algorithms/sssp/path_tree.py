# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Parents on shortest paths where a nearer vertex does not do: through edges of weight zero, and negative ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import lux

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.runtime import Store

NO_LEVEL = 2**31 - 1


class PathTree(lux.Program):
    """A breadth-first search along the edges of shortest paths, so that parents make a tree.

    The search begins at all vertices whose parent is ``known``. Of the vertices of the level before, the parent is the
    one that is stored first.
    """

    length = lux.field(np.int64, constant=True)
    known = lux.field(lux.PLACE, constant=True)
    level = lux.field(np.int32, reduce=lux.MIN)
    parent = lux.field(lux.PLACE, arg_of="level")

    def start(v, params):
        v.parent = v.known
        if v.known != params.none or v.length == params.unreached:
            v.level = 0  # the parent is known
        return v.known != params.none

    def compute(v, u, edge, params):
        return params.iteration + 1 if u.length + np.int64(edge.weight) <= v.length else NO_LEVEL, u.place

    def update(v, old, params):
        return v.level < old.level

    def done(v, old):
        return v.level < NO_LEVEL


class PathTreeFloat64(PathTree):
    """The search for a tree along floats."""

    length = lux.field(np.float64, constant=True)

    def compute(v, u, edge, params):
        return params.iteration + 1 if u.length + edge.weight <= v.length else NO_LEVEL, u.place


PathTreeFloat32 = PathTreeFloat64.typed("PathTreeFloat32", length=np.float32)


PROGRAMS: dict[str, type[lux.Program]] = {"int64": PathTree, "float64": PathTreeFloat64, "float32": PathTreeFloat32}


def complete(graph: Graph, distance: Store, known: Store, unreached: float, parts: int | None) -> Store:
    """Find the parents of all vertices, in the order of places.

    Parameters
    ----------
    distance : Store of shape (n_vertices,)
        Distances in the order of dense ids.
    known : Store of shape (n_vertices,)
        Parents that are known, in the order of places; the largest number elsewhere.
    """
    from lux.engine.executor import execute
    from lux.graph.ordering import in_dense_order

    kind: Any = distance.dtype
    params = {"none": int(np.iinfo(graph.id_dtype).max), "unreached": unreached}
    given = {"length": distance, "known": in_dense_order(graph, known)}
    return execute(PROGRAMS[kind.name], graph, params, constants=given, parts=parts).fields["parent"]
