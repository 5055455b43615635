# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The partitions of a run that CPU cores take, while others take the rest in the same iteration.

All partitions read the state that all of them wrote in the iteration before, and each writes its own row of the next
one, so Legion runs iterations one after the other, and the launches of one iteration side by side. What else crosses
partitions lies where both sides reach it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.check import argument_kinds, compile_kernels
from lux.engine.layout import points_for, rectangles_of
from lux.engine.native import share_body
from lux.engine.resident import arrays_of
from lux.engine.runner import Runner
from lux.engine.step import PointStep, point_step, start_of_parts
from lux.kernels import frontier as fr
from lux.kernels.compile import kernels
from lux.runtime import Launcher, NativeLauncher, Store

if TYPE_CHECKING:
    from lux.engine.layout import Layout
    from lux.program import Program


class Cores(Runner):
    """Launches over some partitions of a layout, by a driver that launches the rest itself.

    Parameters
    ----------
    program, layout, given, values, model, max_iterations
        Of the run; see `lux.engine.loop.execute`.
    some : range
        The partitions.
    stores : (dict, dict, dict)
        The fields that only their owner looks at, and two copies of all else, by name; of the latter the first is
        written when the run starts.
    arrays : mapping of name to np.ndarray
        Views of stores of the copies, ``a_NAME`` of the first and ``b_NAME`` of the second, that lie where all
        partitions reach them: fields that neighbours read, and words. Other fields are made in the memory of CPU cores,
        and what they held is lost.
    zero_copy : bool
        The copies of the state are placed in zero-copy memory.
    """

    limit = 1
    launches: PointStep

    def __init__(
        self,
        program: type[Program],
        layout: Layout,
        given: Mapping[str, Store],
        values: Mapping[str, Any],
        model: str,
        max_iterations: int,
        *,
        some: range,
        stores: tuple[dict[str, Store], dict[str, Store], dict[str, Store]],
        arrays: Mapping[str, NDArray[Any]],
        zero_copy: bool,
    ) -> None:
        self.some, self._stores, graph = some, stores, layout.graph
        self._point_count, self._number = points_for(len(some)), 0
        push, ordered = model == "push" or (model == "auto" and program.spec.frontier), graph.order is not None
        compile_kernels(program, graph, values)
        launches = point_step(program, ordered, push=push)
        degree = graph.out_degree_store if launches.writer.wants_out_degree() else None
        fixed = (dict(given), dict(values), model, max_iterations, push, degree, "CPU cores work beside GPUs")
        super().__init__(launches, layout, program, *fixed)
        runtime.check_points(self._point_count)
        self.key = runtime.share(self.shared)
        self._lean = _placed(launches.run, tuple(launches.lean.split_of.items()), zero_copy)
        cuts, wanted = layout.cuts | self.vector_cuts, set(self._lean.split_of.values())
        self._splits = rectangles_of({n: c for n, c in cuts.items() if n in wanted}, slice(some.start, some.stop))
        even = dict(arrays) | self._own_arrays()
        turned = {"a_": "b_", "b_": "a_"}
        odd = {turned.get(n[:2], n[:2]) + n[2:]: array for n, array in even.items()}
        module = kernels(program, ordered, False).__name__  # type: ignore[arg-type]  # a class is hashable
        kind = argument_kinds(program, graph, values, blocked=False)
        share_body(self.key, replace(launches, lean=self._lean), self.shared, module, kind, (even, odd), some)
        start = functools.partial(start_of_parts(program, ordered), self.shared)
        self._starting = runtime.share((some, start, even))

    def _field_stores(self, _layout: Layout) -> tuple[dict[str, Store], dict[str, Store], dict[str, Store]]:
        return self._stores

    def _own_arrays(self) -> dict[str, NDArray[Any]]:
        """Views of what lies in the memory of CPU cores."""
        fields = self.launches.writer.shared_state
        private = [n for n in fields if not self.spec.read_from_neighbours(n)]
        fresh = {n: s for n, s in self.static.items() if n.startswith("own_")}
        fresh |= {f"{c}_{n}": copy[n] for c, copy in (("a", self.a), ("b", self.b)) for n in private}
        given = self._lean.split_of
        return arrays_of({n: s for n, s in self.static.items() if n not in given and n not in fresh}, fresh)

    def start(self) -> None:
        """Launch what sets the first values, before any iteration."""
        given = {n: s for n, s in self._lean.split_of.items() if n not in ("a_state", "b_state")}
        stores = {n: self.static[n] for n in given} | {"new_state": self.a["state"]}
        _starter(tuple(given))(self._point_count, **stores, **self._splits, key=self._starting)

    def launch(self) -> None:
        """Launch the next iteration."""
        self._lean(self._point_count, **self.static, **self._splits, **self._next(), key=self.key, number=self._number)
        self._number += 1

    def close(self, iterations: int) -> NDArray[np.float64]:
        """Forget the run, of which nothing is under way any more; statistics of shape (partitions, numbers)."""
        found = np.zeros((len(self.some), iterations * fr.STATISTICS_COLUMNS))
        for row, point in zip(found, range(len(self.some)), strict=True):
            record = runtime.records(self.key, point)[: len(row)]
            row[: len(record)] = record
        runtime.unshare_body(self.key)
        runtime.unshare(self._starting)
        runtime.unshare(self.key)
        return found


@functools.lru_cache(256)
def _placed(run: NativeLauncher, splits: tuple[tuple[str, str | None], ...], zero_copy: bool) -> NativeLauncher:
    """`PointStep.lean` with the state in a memory that others reach."""
    reads = {n: s for n, s in splits if n != "b_state"}
    placed = ("a_state", "b_state") if zero_copy else ()
    return NativeLauncher("lux_run", reads, {"b_state": "rows"}, zero_copy=placed, instead_of=run)


@functools.cache
def _starter(given: tuple[str, ...]) -> Launcher:
    def start_on_cores(point: int, *values: Any) -> None:
        some, start, whole = runtime.shared(values[-1])
        if point < len(some):
            stores = whole | dict(zip(given, values, strict=False))
            start(some[point], stores, values[len(given)])

    return Launcher(start_on_cores, inputs=dict.fromkeys(given), outputs={"new_state": "rows"}, scalars={"key": int})
