# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""From a program's fields to what users see."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph import Graph


def sentinel_to_minus_one(graph: Graph, store: Store, dtype: Any) -> Store:
    """A new store of a signed type, in which -1 stands for the largest value of the old type."""
    layout = graph.layout()
    out = runtime.new_store(dtype, graph.n_vertices)
    _launcher()(layout.parts, before=store, after=out, vertices=layout.splits["vertices"])
    return out


@functools.cache
def _launcher() -> Launcher:
    from lux.kernels.scalars import signed

    def largest_to_minus_one(_point: int, before: NDArray[Any], after: NDArray[np.signedinteger[Any]]) -> None:
        signed(before, after)

    return Launcher(largest_to_minus_one, inputs={"before": "vertices"}, outputs={"after": "vertices"})
