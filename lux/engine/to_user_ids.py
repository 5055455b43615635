# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""From a program's fields to the values that users see: in the order of dense ids, and with -1 for "none"."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu import to_user_ids as on_gpu
from lux.graph.ordering import in_dense_order
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.run.run import Run
    from lux.graph.graph import Graph


def to_user_ids(
    graph: Graph, store: Store, dtype: Any = None, *, places: bool = False, length: int = 1, run: Run | None = None
) -> Store:
    """Convert a field to the values that users see.

    Parameters
    ----------
    store : Store of shape (n_vertices,)
        A field, in the stored order, unless the run has converted it.
    dtype : signed type, optional
        Type of the result, in which -1 stands for the largest value of the old type. By default the field's type.
    places : bool
        True if the values are positions in the stored order, and the result has dense ids; needs ``dtype``.
    length : int
        Elements of each vertex's vector.
    run : Run, optional
        The run of the field; a GPU converts fields in its memory, if there is room.

    Returns
    -------
    Store of shape (n_vertices,), in the order of dense ids
        The store that was given, if there is nothing to do.
    """
    if run is not None and run.finished:
        return store
    order = graph.order
    anything = order is not None or dtype is not None
    if run is not None and run.device == "gpu" and anything and on_gpu.fits(graph, store, dtype, run.fields.values()):
        return on_gpu.to_user_ids(graph, store, dtype, places=places, length=length)
    if dtype is None:
        return in_dense_order(graph, store, length)
    layout = graph.whole_layout()
    out = runtime.new_store(dtype, graph.n_vertices, written_whole=True, of_graph=True)
    vertices = {"vertices": layout.splits["vertices"]}
    if order is None:
        _signed_launcher()(layout.parts, before=store, after=out, **vertices)
    else:
        names = {"names": order.vertices} if places else {}
        _take_launcher(places)(layout.parts, before=store, at=order.places, after=out, **names, **vertices)
    return out


@functools.cache
def _signed_launcher() -> Launcher:
    from lux.kernels.scalars import signed

    def largest_to_minus_one(_point: int, before: NDArray[Any], after: NDArray[np.signedinteger[Any]]) -> None:
        signed(before, after)

    return Launcher(largest_to_minus_one, inputs={"before": "vertices"}, outputs={"after": "vertices"})


@functools.cache
def _take_launcher(named: bool) -> Launcher:
    from lux.kernels.scalars import take_signed

    def take_in_dense_order(_point: int, before: NDArray[Any], at: NDArray[Any], *rest: Any) -> None:
        take_signed(before, at, rest[0] if named else at[:0], rest[-1])

    inputs: dict[str, str | None] = {"before": None, "at": "vertices"} | ({"names": None} if named else {})
    return Launcher(take_in_dense_order, inputs=inputs, outputs={"after": "vertices"})
