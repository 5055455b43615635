# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""INS of each partition, and its edges grouped by source: made by one point task a partition."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.engine.layout import BySource, Layout


def _words(layout: Layout) -> int:
    return (layout.graph.n_vertices + 63) // 64


@functools.cache
def _ins_launcher() -> Launcher:
    from lux.kernels import grouping

    def ins(point: int, sources: NDArray[Any], bits: NDArray[np.uint64], rank: NDArray[np.uint32], size: NDArray[np.int64]) -> None:
        size[0] = grouping.source_set(sources, bits, rank)

    return Launcher(ins, inputs={"sources": "edges"}, outputs={"bits": "ins", "rank": "ins", "size": "sizes"})


@functools.cache
def _group_launcher(names: tuple[str, ...], whole: bool) -> Launcher:
    from lux.kernels import grouping

    def group(  # the order of a Launcher's body: inputs, then outputs
        point: int, points: NDArray[np.int64], in_offsets: NDArray[np.int64], sources: NDArray[Any], *rest: Any
    ) -> None:
        values = rest[: len(names)]
        bits, rank, offsets, destinations = rest[len(names) : len(names) + 4]
        if whole:
            bits, rank = bits[:0], rank[:0]  # every vertex has a row
        order = grouping.by_source(points[point], in_offsets, sources, bits, rank, offsets, destinations, len(names) > 0)
        for value, out in zip(values, rest[len(names) + 4 :], strict=True):
            np.take(value, order, out=out)

    ins = None if whole else "ins"
    return Launcher(
        group,
        inputs={"points_array": None, "in_offsets": "offsets", "sources": "edges"}
        | {f"in_{n}": "edges" for n in names}
        | {"ins_bits": ins, "ins_rank": ins},
        outputs={"out_offsets": "by_offsets", "destinations": "edges"} | {f"out_{n}": "edges" for n in names},
    )


def _ins(layout: Layout) -> dict[str, Any]:
    words, parts = _words(layout), layout.parts
    stores = {
        "bits": runtime.new_store(np.uint64, words * parts),
        "rank": runtime.new_store(np.uint32, words * parts),
        "size": runtime.new_store(np.int64, parts),
        "ins": layout.rows(words),
    }
    _ins_launcher()(parts, sources=layout.graph.sources, edges=layout.splits["edges"], sizes=layout.rows(1), **stores)
    return stores


def ins_bits(layout: Layout) -> NDArray[np.uint64]:
    """INS of every partition as bits, of shape (parts, ceil(n_vertices / 64))."""
    return runtime.to_array(_ins(layout)["bits"]).reshape(layout.parts, _words(layout))


def make(layout: Layout, names: tuple[str, ...]) -> BySource:
    """Group every partition's edges by source."""
    from lux.engine.layout import BySource

    graph, parts = layout.graph, layout.parts
    whole = parts == 1
    if whole:
        ins: dict[str, Any] = {"bits": runtime.from_array(np.zeros(1, np.uint64)), "rank": runtime.from_array(np.zeros(1, np.uint32))}
        sizes = np.array([graph.n_vertices], np.int64)
    else:
        ins = _ins(layout)
        sizes = runtime.to_array(ins["size"])
    splits = {"ins": ins["ins"]} if not whole else {}
    if whole and not graph.directed:
        splits["by_offsets"] = layout.splits["offsets"]
        properties = {n: graph.properties[n] for n in names}
        return BySource(ins["bits"], ins["rank"], graph.offsets, graph.sources, properties, splits, sizes)
    at = np.concatenate([[0], np.cumsum(sizes + 1)]).astype(np.int64)
    splits["by_offsets"] = runtime.ranges(at)
    by_source = BySource(
        ins["bits"],
        ins["rank"],
        runtime.new_store(np.int64, int(at[-1])),
        runtime.new_store(graph.id_dtype, graph.n_edges),
        {n: runtime.new_store(graph.property_types[n], graph.n_edges) for n in names},
        splits,
        sizes,
    )
    _group_launcher(names, whole)(
        parts,
        points_array=layout.stores["points"],
        in_offsets=graph.offsets,
        sources=graph.sources,
        ins_bits=ins["bits"],
        ins_rank=ins["rank"],
        out_offsets=by_source.offsets,
        destinations=by_source.destinations,
        offsets=layout.splits["offsets"],
        edges=layout.splits["edges"],
        **splits,
        **{f"in_{n}": graph.properties[n] for n in names},
        **{f"out_{n}": p for n, p in by_source.properties.items()},
    )
    return by_source
