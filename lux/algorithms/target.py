# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Targets of searches: farther vertices count as unreached, whether or not the search went on to them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.runtime import Store


def cut(graph: Graph, distance: Store, parent: Store, target: int, unreached: float) -> float:
    """Mark vertices that are farther than a target as unreached; without effect if the target is unreached itself.

    Parameters
    ----------
    distance, parent : Store of shape (n_vertices,)
        As users see them, in the order of dense ids; changed in place.
    target : int
        A dense id.
    unreached : scalar
        The distance of unreached vertices.

    Returns
    -------
    float
        The distance of the target.
    """
    found: np.number[Any] = runtime.slice_to_array(distance, target, target + 1)[0]
    if found != unreached:
        bits = int(np.float64(found).view(np.int64) if found.dtype.kind == "f" else found)
        layout = graph.whole_layout()
        _cut(layout.parts, distance=distance, parent=parent, vertices=layout.splits["vertices"], bits=bits)
    return float(found)


@runtime.task(updates={"distance": "vertices", "parent": "vertices"}, scalars={"bits": int})
def _cut(_point: int, distance: NDArray[Any], parent: NDArray[Any], bits: int) -> None:
    floats = distance.dtype.kind == "f"
    most = np.int64(bits).view(np.float64) if floats else np.int64(bits)
    far = distance > most
    distance[far], parent[far] = math.inf if floats else -1, -1
