# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""From a program's fields to the values that users see: in the order of dense ids, and with -1 for "none"."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from lux import runtime
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
        The run of the field; GPUs convert fields in their memory, if there is room.

    Returns
    -------
    Store of shape (n_vertices,), in the order of dense ids
        The store that was given, if there is nothing to do.
    """
    if run is not None and run.finished:
        return store
    order = graph.order
    anything = order is not None or dtype is not None
    if run is not None and run.device == "gpu" and anything:
        from lux.engine.gpu import to_user_ids as on_gpu

        points = run.points
        if on_gpu.fits(graph, store, dtype, run.fields.values(), points):
            return on_gpu.to_user_ids(graph, store, dtype, places=places, length=length, points=points)
    if dtype is None:
        return in_dense_order(graph, store, length)
    layout = graph.whole_layout()
    out = runtime.new_store(dtype, graph.n_vertices, written_whole=True, of_graph=True)
    vertices = {"vertices": layout.splits["vertices"]}
    if order is None:
        _signed_launcher(1)(layout.parts, before0=store, after0=out, **vertices)
    else:
        names = {"names": order.vertices} if places else {}
        _take_launcher(places)(layout.parts, before=store, at=order.places, after=out, **names, **vertices)
    return out


def both_to_user_ids(graph: Graph, values: Store, dtype: Any, places: Store, run: Run) -> tuple[Store, Store]:
    """Convert values, of which ``dtype`` is the type as in `to_user_ids`, and places in the stored order, of a run.

    On CPU cores one launch does so where the vertices are stored in the order of their ids.
    """
    if dtype is None or graph.order is not None or run.finished or run.device == "gpu":
        found = to_user_ids(graph, values, dtype, run=run)
        return found, to_user_ids(graph, places, graph.signed_dtype, places=True, run=run)
    first, second = (
        runtime.new_store(kind, graph.n_vertices, written_whole=True, of_graph=True)
        for kind in (dtype, graph.signed_dtype)
    )
    layout = graph.whole_layout()
    stores = {"before0": values, "before1": places, "after0": first, "after1": second}
    _signed_launcher(2)(layout.parts, **stores, vertices=layout.splits["vertices"])
    return first, second


@functools.cache
def _signed_launcher(count: int) -> Launcher:
    from lux.kernels.scalars import signed

    def largest_to_minus_one(_point: int, *arrays: NDArray[Any]) -> None:
        for before, after in zip(arrays[:count], arrays[count:], strict=True):
            signed(before, after)

    inputs, outputs = ({f"{name}{k}": "vertices" for k in range(count)} for name in ("before", "after"))
    return Launcher(largest_to_minus_one, inputs=inputs, outputs=outputs, results=outputs)


@functools.cache
def _take_launcher(named: bool) -> Launcher:
    from lux.kernels.scalars import take_signed

    def take_in_dense_order(_point: int, before: NDArray[Any], at: NDArray[Any], *rest: Any) -> None:
        take_signed(before, at, rest[0] if named else at[:0], rest[-1])

    inputs: dict[str, str | None] = {"before": None, "at": "vertices"} | ({"names": None} if named else {})
    return Launcher(take_in_dense_order, inputs=inputs, outputs={"after": "vertices"}, results=("after",))
