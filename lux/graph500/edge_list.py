# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge list of the benchmark: Kronecker edges with weights, kept in Legion as generated.

Vertices are renumbered by a bijection that depends on the seed. Edges need no permutation: each is drawn independently,
from its number. The list does not depend on the number of partitions and processes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.edge_list import EdgeSource
from lux.graph.construction.edge_stores import StoredEdges
from lux.graph.construction.generators import Kronecker
from lux.graph.core.stored_graph import id_dtype
from lux.runtime import Launcher


class WeightedKronecker(Kronecker):
    """Weighted Kronecker generator of the Graph500: weights are float32, uniform in [0, 1).

    Examples
    --------
    >>> WeightedKronecker(10).property_types
    {'weight': dtype('float32')}
    """

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """Edge properties and their types."""
        return {"weight": np.dtype(np.float32)}

    def _weigh(self, lo: int, hi: int, _sources: NDArray[Any], _destinations: NDArray[Any], out: NDArray[Any]) -> None:
        from lux.graph.construction.generate_kernels import unit_weights

        unit_weights(lo, hi, self.seed, out)


def tuple_bytes(source: EdgeSource) -> int:
    """Return the bytes of the edge list in memory, over all processes.

    >>> tuple_bytes(WeightedKronecker(10)) // 2**14
    12
    """
    per_edge = 2 * id_dtype(source.n_vertices).itemsize + sum(t.itemsize for t in source.property_types.values())
    return per_edge * source.n_edges


def stored(source: EdgeSource, points: int | None = None) -> StoredEdges:
    """Write an edge list into Legion, each point task its slice.

    Parameters
    ----------
    source : EdgeSource
    points : int, optional
        Point tasks; by default one for each processor.
    """
    if points is None and (gpus := made_on_gpus(source)) is not None:
        from lux.graph.construction.gpu.generated import generated

        made = generated(source, gpus)
        u, v = made["sources"], made["destinations"]
        return StoredEdges(source.n_vertices, source.n_edges, u, v, {}, source.directed)
    points = points or runtime.processors()
    types: dict[str, Any] = dict.fromkeys(("sources", "destinations"), id_dtype(source.n_vertices))
    columns = {
        n: runtime.new_store(t, source.n_edges, of_graph=True) for n, t in (types | dict(source.property_types)).items()
    }
    with runtime.registered((source, points)) as key:
        _fill_launcher(tuple(source.property_types))(
            points, **columns, edges=runtime.even_ranges(source.n_edges, points), key=key
        )
    ends = columns.pop("sources"), columns.pop("destinations")
    return StoredEdges(source.n_vertices, source.n_edges, *ends, columns, source.directed)


def made_on_gpus(source: EdgeSource) -> int | None:
    """Count the GPUs that make an edge list, and a graph of it; None: cores do."""
    if not runtime.gpus():
        return None
    from lux.graph.construction.gpu import choice, generated

    found = choice.way_for(source) if generated.can(source) else None
    return None if found is None else found.gpus


@functools.cache
def _fill_launcher(names: tuple[str, ...]) -> Launcher:
    def fill_tuples(point: int, sources: NDArray[Any], destinations: NDArray[Any], *rest: Any) -> None:
        source, points = runtime.context(rest[-1])
        lo, hi = (end * source.n_edges // points for end in (point, point + 1))
        properties = {name: values[: hi - lo] for name, values in zip(names, rest[:-1], strict=True)}
        source.fill(lo, hi, sources[: hi - lo], destinations[: hi - lo], properties)

    outputs = dict.fromkeys(("sources", "destinations", *names), "edges")
    return Launcher(fill_tuples, outputs=outputs, scalars={"key": int})
