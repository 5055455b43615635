# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""INS index: the members of each partition's INS in a list, and its edges' sources as positions in that list."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.partitions import Partitions
from lux.graph.indexes import ins_sets
from lux.partition import split_points
from lux.runtime import Launcher, Store


@dataclass(frozen=True)
class InsIndex:
    """INS of every partition.

    Attributes
    ----------
    layout : Partitions
    places : Store of shape (sum of sizes,), uint32
        The members of each partition in rising order, one partition after the other.
    sizes : np.ndarray of shape (parts,), int64
    """

    layout: Partitions
    places: Store
    sizes: NDArray[np.int64]
    firsts: dict[tuple[int, ...], NDArray[np.int64]] = field(default_factory=dict, compare=False, repr=False)
    """Answers of `first_of`."""

    @cached_property
    def rows(self) -> Store:
        """Rectangles of ``places``, one for each partition."""
        return runtime.ranges(split_points.starts(self.sizes))

    @cached_property
    def local_sources(self) -> Store:
        """The source of each edge as its position among the members of its partition, of shape (n_edges,), uint32."""
        layout = self.layout
        ins, cuts, _ = ins_sets.stored(layout)
        out = runtime.new_store(np.uint32, layout.graph.n_edges, of_graph=True)
        _localizer()(
            layout.parts,
            sources=layout.graph.sources,
            ins=ins,
            out=out,
            edges=layout.splits["edges"],
            ins_rows=runtime.rectangles(cuts[:, 0], cuts[:, 1] - 1),
        )
        return out

    def of_layout(self, layout: Partitions) -> InsIndex:
        """Select the index of a layout that has some of these partitions."""
        other = replace(self, layout=layout, firsts={})
        vars(other).update({n: made for n, made in vars(self).items() if n in ("rows", "local_sources")})
        return other

    def first_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find the first member from each vertex on, of shape (parts, len(places))."""
        key = tuple(places.tolist())
        if key not in self.firsts:
            self.firsts[key] = self._found(places)
        return self.firsts[key]

    def _found(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        parts = self.layout.parts
        out = runtime.new_store(np.int64, parts * len(places))
        _find(
            parts,
            members=self.places,
            wanted=runtime.from_array(places),
            out=out,
            member_rows=self.rows,
            out_rows=self.layout.rows(len(places)),
        )
        return runtime.to_array(out).reshape(parts, -1)


def make(layout: Partitions) -> InsIndex:
    """List the members of every partition's INS."""
    ins, cuts, sizes = ins_sets.stored(layout)
    members = InsIndex(layout, runtime.new_store(np.uint32, int(sizes.sum()), of_graph=True), sizes)
    rows = runtime.rectangles(cuts[:, 0], cuts[:, 1] - 1)
    _lister()(layout.parts, ins=ins, members=members.places, ins_rows=rows, member_rows=members.rows)
    return members


@functools.cache
def _lister() -> Launcher:
    from lux.kernels import vertex_set as kernels

    def list_members(_point: int, ins: NDArray[np.uint64], members: NDArray[np.uint32]) -> None:
        kernels.list_members(ins, members)

    return Launcher(list_members, inputs={"ins": "ins_rows"}, outputs={"members": "member_rows"})


@functools.cache
def _localizer() -> Launcher:
    from lux.kernels import vertex_set as kernels

    def localize(_point: int, sources: NDArray[Any], ins: NDArray[np.uint64], out: NDArray[np.uint32]) -> None:
        kernels.positions_of(ins, sources, out)

    return Launcher(localize, inputs={"sources": "edges", "ins": "ins_rows"}, outputs={"out": "edges"})


@runtime.task(inputs={"members": "member_rows", "wanted": None}, outputs={"out": "out_rows"})
def _find(_point: int, members: NDArray[np.uint32], wanted: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    out[:] = np.searchsorted(members, wanted)
