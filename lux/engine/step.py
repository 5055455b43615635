# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The index launches of a program: ``start``, and ``run`` (one iteration, or several with one partition).

A launch costs about 20 microseconds for each store, so it is given few: what never changes and is small (split
points, parameters) reaches the point tasks through `lux.runtime.share`, alike on every rank, and each partition
keeps its statistics in its own process until the run is over.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.kernels import frontier as fr
from lux.kernels.codegen import Writer
from lux.kernels.compile import kernels
from lux.program import Program
from lux.runtime import Launcher


@dataclass
class Shared:
    """What the point tasks of one run find in their process.

    Attributes
    ----------
    points : list of int
        Split points.
    values : dict of str to object
        Arguments of the kernels that are not stores.
    statistics : dict of int to list of np.ndarray
        For each partition that ran here, the statistics rows of its iterations.
    """

    points: list[int]
    values: dict[str, Any]
    statistics: dict[int, list[NDArray[np.float64]]] = field(default_factory=lambda: defaultdict(list))
    _templates: dict[int, list[Any]] = field(default_factory=dict)

    def template(self, names: list[str]) -> list[Any]:
        """A list of a kernel's arguments with all that are the same in every launch; the rest is None."""
        if id(names) not in self._templates:
            self._templates[id(names)] = [self.values.get(name) for name in names]
        return self._templates[id(names)].copy()


@dataclass(frozen=True)
class Step:
    """Launches of one program, and the names of what its kernels are given.

    ``run_counted`` also adds up the iterations that the partitions ran, which costs twice as much as all else.
    """

    start: Launcher
    run: Launcher
    run_counted: Launcher
    writer: Writer


@functools.cache
def step(program: type[Program], one_partition: bool, push: bool) -> Step:
    """The launches of ``program``; ``push`` says whether edges by source are given too."""
    writer = Writer(program.spec)
    (start, start_names), (run, run_names) = writer.signatures(kernels(program))  # type: ignore[arg-type]  # a class is hashable
    static: dict[str, str | None] = {"in_offsets": "offsets"}
    static |= {"out_degree": _split(writer, "out_degree")} if writer.wants_out_degree() else {}
    static |= {f"given_{n}": _split(writer, n) for n in writer.constant}
    edges: dict[str, str | None] = dict.fromkeys(["sources", *(f"in_edge_{n}" for n in writer.edge)], "edges")
    if push:
        edges |= {} if one_partition else {"ins": "ins_rows"}
        edges |= {"out_offsets": "by_offsets", "destinations": "edges"} | {
            f"out_edge_{n}": "edges" for n in writer.edge
        }
    others: dict[str, str | None] = {f"other_{n}": "vertices" for n in writer.state}
    start_launcher = Launcher(
        _body(start, start_names, [*static, *_fields(writer, "new"), *_progress(writer, "new"), *others]),
        inputs=static,
        outputs=_fields(writer, "new") | _progress(writer, "new") | others,
        scalars={"key": int},
    )
    # Only touched vertices are written where that is possible, so the copy written two iterations ago is kept.
    kept = one_partition or writer.spec.sparse
    inputs, updates, outputs = static | edges, dict[str, str | None](), _progress(writer, "b")
    if one_partition:
        updates = _fields(writer, "a") | _progress(writer, "a") | _fields(writer, "b") | outputs
        outputs = {}
    else:
        inputs |= _fields(writer, "a", read=True) | dict.fromkeys(_progress(writer, "a"))
        if kept:
            updates = _fields(writer, "b")
        else:
            outputs = _fields(writer, "b") | outputs
    stores = [*inputs, *outputs, *updates]
    split: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "updates": updates, "scalars": {"key": int}}
    return Step(
        start_launcher,
        Launcher(_body(run, run_names, stores, iterates=True), **split),
        Launcher(_body(run, run_names, [*stores, "ran"], iterates=True), sums={"ran": None}, **split),
        writer,
    )


def _split(writer: Writer, name: str) -> str | None:
    """A partition sees the whole of what neighbours' values need, and its own part of everything else."""
    return None if writer.spec.read_from_neighbours(name) else "vertices"


def _fields(writer: Writer, which: str, *, read: bool = False) -> dict[str, str | None]:
    return {f"{which}_{n}": _split(writer, n) if read else "vertices" for n in writer.state}


def _progress(writer: Writer, which: str) -> dict[str, str | None]:
    """The stores that say how far the run has come."""
    words: dict[str, str | None] = {f"{which}_words": "words"} if writer.spec.frontier else {}
    return words | {f"{which}_state": "rows"}


def _body(kernel: Any, names: list[str], stores: list[str], *, iterates: bool = False) -> Any:
    """A task body that gives a kernel its arguments by name."""
    position = {name: k for k, name in enumerate(stores)}
    # Where each argument comes from: a store's array, or what the run shares (places filled once a run).
    from_stores = [(k, position[name]) for k, name in enumerate(names) if name in position]
    at = {name: k for k, name in enumerate(names)}
    views = [which for which in ("a", "b", "new") if f"{which}_state" in position]
    counted = position.get("ran")

    def body(point: int, *values: Any) -> None:
        shared: Shared = runtime.shared(values[-1])
        arguments = shared.template(names)
        for k, place in from_stores:
            arguments[k] = values[place]
        arguments[at["lo"]], arguments[at["hi"]] = shared.points[point], shared.points[point + 1]
        arguments[at["part"]] = point
        for which in views:
            arguments[at[f"{which}_totals"]] = values[position[f"{which}_state"]].view(np.float64)
            if f"{which}_words" in position:
                words = values[position[f"{which}_words"]]
                arguments[at[f"{which}_bits"]] = words
                arguments[at[f"{which}_queue"]] = words.view(shared.values["queue_type"])
        if not iterates:
            kernel(*arguments)
            return
        statistics = arguments[at["statistics"]] = np.empty(shared.values["limit"] * fr.STATISTICS_COLUMNS)
        ran = kernel(*arguments)
        if ran:
            shared.statistics[point].append(statistics[: ran * fr.STATISTICS_COLUMNS])
        if counted is not None:
            values[counted][0] += ran

    body.__name__ = f"lux_{kernel.__name__}"
    return body


@functools.cache
def collect() -> Launcher:
    """The launch that brings every partition's statistics together, one row of the store a partition."""

    def collect_statistics(point: int, out: NDArray[np.float64], key: int) -> None:
        rows = runtime.shared(key).statistics[point]
        taken = np.concatenate(rows) if rows else out[:0]
        out[:] = 0
        out[: len(taken)] = taken[: len(out)]

    return Launcher(collect_statistics, outputs={"out": "statistics_rows"}, scalars={"key": int})
