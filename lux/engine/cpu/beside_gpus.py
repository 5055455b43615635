# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""CPU partitions of a run that uses GPUs and CPU cores together.

All partitions read the state that all of them wrote in the iteration before, and each writes its own row of the next
one, so Legion runs iterations one after the other, and the launches of one iteration side by side. All other values
that cross partitions lie in memory that both sides reach.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.compile import kernels
from lux.engine.cpu import repartition
from lux.engine.cpu.cpu_run import Runner
from lux.engine.cpu.native import register_body
from lux.engine.run.check import argument_kinds, compile_kernels
from lux.engine.run.instance_addresses import arrays_of
from lux.engine.run.program_launches import PartitionLaunches, point_step, start_of_parts
from lux.graph.core.partitions import points_for, rectangles_of
from lux.kernels import frontier as fr
from lux.runtime import Launcher, NativeLauncher, Store

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph
    from lux.program.program import Program


class CpuPartitions(Runner):
    """Launches over some partitions of a layout, by a driver that launches the rest itself.

    Parameters
    ----------
    program, layout, given, values, model, max_iterations
        Arguments of the run; see `lux.engine.executor.execute`.
    some : range
        The partitions.
    stores : (dict, dict, dict)
        The fields that only their owner reads, and two copies of all other stores, by name; the first copy is written
        when the run starts.
    arrays : mapping of name to np.ndarray
        Views of stores of the copies, ``a_NAME`` of the first and ``b_NAME`` of the second, in memory that all
        partitions reach: fields that neighbours read, and words. Other fields are made in the memory of CPU cores, and
        their values are lost, unless the run goes on.
    zero_copy : bool
        True if the copies of the state are placed in zero-copy memory.
    goes_on : bool
        True if the run has begun on other partitions, which have left values in all fields: `resume` comes before
        `launch`.
    """

    limit = 1
    launches: PartitionLaunches

    def __init__(
        self,
        program: type[Program],
        layout: PartitionedGraph,
        given: Mapping[str, Store],
        values: Mapping[str, Any],
        model: str,
        max_iterations: int,
        *,
        some: range,
        stores: tuple[dict[str, Store], dict[str, Store], dict[str, Store]],
        arrays: Mapping[str, NDArray[Any]],
        zero_copy: bool,
        goes_on: bool = False,
    ) -> None:
        self.some, self._stores, self._goes_on, graph = some, stores, goes_on, layout.graph
        self._point_count, self._number = points_for(len(some)), 0
        push, ordered = model == "push" or (model == "auto" and program.spec.frontier), graph.order is not None
        compile_kernels(program, graph, values)
        launches = point_step(program, ordered, push=push)
        fixed = (dict(given), dict(values), model, max_iterations, push, "CPU cores work beside GPUs")
        super().__init__(launches, layout, program, *fixed)
        runtime.check_points(self._point_count)
        self.key = runtime.register(self.shared)
        self._lean = _placed(launches.run, tuple(launches.lean.split_of.items()), zero_copy)
        cuts, wanted = layout.cuts | self.vector_cuts, set(self._lean.split_of.values())
        self._splits = rectangles_of({n: c for n, c in cuts.items() if n in wanted}, slice(some.start, some.stop))
        even = dict(arrays) | self._own_arrays()
        turned = {"a_": "b_", "b_": "a_"}
        odd = {turned.get(n[:2], n[:2]) + n[2:]: array for n, array in even.items()}
        module = kernels(program, ordered, False).__name__  # type: ignore[arg-type]  # a class is hashable
        kind = argument_kinds(program, graph, values, blocked=False)
        register_body(self.key, replace(launches, lean=self._lean), self.shared, module, kind, (even, odd), some)
        self._even, start = even, functools.partial(start_of_parts(program, ordered), self.shared)
        self._starting = runtime.register((some, start, even))

    def _field_stores(self, _layout: PartitionedGraph) -> tuple[dict[str, Store], dict[str, Store], dict[str, Store]]:
        return self._stores

    def _own_arrays(self) -> dict[str, NDArray[Any]]:
        """Map the arrays in the memory of CPU cores."""
        fields = self.launches.writer.shared_state
        private = [n for n in fields if not self.spec.read_from_neighbours(n)]
        fresh = {n: s for n, s in self.static.items() if n.startswith("own_")}
        fresh |= {f"{c}_{n}": copy[n] for c, copy in (("a", self.a), ("b", self.b)) for n in private}
        given = self._lean.split_of
        read = {n: s for n, s in self.static.items() if n not in given and n not in fresh}
        return arrays_of(read, **{"kept" if self._goes_on else "fresh": fresh})

    def start(self) -> None:
        """Launch the kernels that set the first values, before any iteration."""
        given = {n: s for n, s in self._lean.split_of.items() if n not in ("a_state", "b_state")}
        stores = {n: self.static[n] for n in given} | {"new_state": self.a["state"]}
        _starter(tuple(given))(self._point_count, **stores, **self._splits, key=self._starting)

    def resume(self, before: PartitionedGraph, control_stores: Mapping[str, Store]) -> None:
        """Launch, instead of `start`, the takeover from other partitions, by their layout and last control stores."""
        shared = self.some, before, self.layout, self._even.get("a_words"), self._even.get("out_degree")
        with runtime.registered(shared) as key:
            old, rows = {f"old_{n}": store for n, store in control_stores.items()}, self._splits["rows"]
            _resumer("words" in control_stores)(self._point_count, **old, new_state=self.a["state"], rows=rows, key=key)

    def launch(self) -> None:
        """Launch the next iteration."""
        self._lean(self._point_count, **self.static, **self._splits, **self._next(), key=self.key, number=self._number)
        self._number += 1

    def rows(self, first: int, end: int) -> NDArray[np.float64]:
        """Copy statistics of some iterations, counted from `start` or `resume`, of shape (partitions, numbers).

        No launch of the run is under way.
        """
        found = np.zeros((len(self.some), (end - first) * fr.STATISTICS_COLUMNS))
        for point, row in enumerate(found):
            record = runtime.records(self.key, point)[first * fr.STATISTICS_COLUMNS :][: len(row)]
            row[: len(record)] = record
        return found

    def close(self) -> None:
        """Forget the run, of which no launch is under way any more."""
        runtime.unregister_body(self.key)
        runtime.unregister(self._starting)
        runtime.unregister(self.key)


@functools.lru_cache(256)
def _placed(run: NativeLauncher, splits: tuple[tuple[str, str | None], ...], zero_copy: bool) -> NativeLauncher:
    """Make `PartitionLaunches.lean` with the state in a memory that others reach."""
    reads = {n: s for n, s in splits if n != "b_state"}
    placed = ("a_state", "b_state") if zero_copy else ()
    return NativeLauncher("lux_run", reads, {"b_state": "rows"}, zero_copy=placed, instead_of=run)


@functools.cache
def _starter(given: tuple[str, ...]) -> Launcher:
    def start_on_cores(point: int, *values: Any) -> None:
        some, start, whole = runtime.context(values[-1])
        if point < len(some):
            stores = whole | dict(zip(given, values, strict=False))
            start(some[point], stores, values[len(given)])

    return Launcher(start_on_cores, inputs=dict.fromkeys(given), outputs={"new_state": "rows"}, scalars={"key": int})


@functools.cache
def _resumer(frontier: bool) -> Launcher:
    def resume_on_cores(point: int, old_state: NDArray[np.int64], *values: Any) -> None:
        some, before, after, words, degrees = runtime.context(values[-1])
        if point < len(some):
            part, old, row = some[point], (old_state, values[0] if frontier else None), values[-2]
            new_words = words[after.word_at[part] : after.word_at[part + 1]] if frontier else None
            repartition.take_over(part, before, after, old, (row, new_words))
            repartition.count_anew(part, before, after, old, row, degrees if frontier else None)

    inputs: dict[str, str | None] = dict.fromkeys(["old_state", "old_words"] if frontier else ["old_state"])
    return Launcher(resume_on_cores, inputs=inputs, outputs={"new_state": "rows"}, scalars={"key": int})
