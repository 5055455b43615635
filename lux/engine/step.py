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


@dataclass(frozen=True)
class Step:
    """Launches of one program, and the names of what its kernels are given."""

    start: Launcher
    run: Launcher
    writer: Writer


@functools.cache
def step(program: type[Program], one_partition: bool, push: bool) -> Step:
    """The launches of ``program``; ``push`` says whether edges by source are given too."""
    writer = Writer(program.spec)
    (start, start_names), (run, run_names) = writer.signatures(kernels(program))
    static: dict[str, str | None] = {"in_offsets": "offsets"}
    static |= {"out_degree": _split(writer, "out_degree")} if writer.wants_out_degree() else {}
    static |= {f"given_{n}": _split(writer, n) for n in writer.constant}
    edges: dict[str, str | None] = {"sources": "edges"} | {f"in_{n}": "edges" for n in writer.edge}
    if push:
        edges |= {} if one_partition else {"ins": "ins_rows"}
        edges |= {"out_offsets": "by_offsets", "destinations": "edges"} | {f"out_{n}": "edges" for n in writer.edge}
    others: dict[str, str | None] = {f"other_{n}": "vertices" for n in writer.state}
    start_launcher = Launcher(
        _body(start, start_names, [*static, *_fields(writer, "new"), *_progress(writer, "new"), *others]),
        inputs=static,
        outputs=_fields(writer, "new") | _progress(writer, "new") | others,
        scalars={"key": int},
    )
    # Only touched vertices are written where that is possible, so the copy written two iterations ago is kept.
    kept = one_partition or writer.spec.sparse
    inputs, updates, outputs = static | edges, {}, _progress(writer, "b")
    if one_partition:
        updates = _fields(writer, "a") | _progress(writer, "a") | _fields(writer, "b") | outputs
        outputs = {}
    else:
        inputs |= _fields(writer, "a", read=True) | {n: None for n in _progress(writer, "a")}
        if kept:
            updates = _fields(writer, "b")
        else:
            outputs = _fields(writer, "b") | outputs
    run_launcher = Launcher(
        _body(run, run_names, [*inputs, *outputs, *updates], counts=True),
        inputs=inputs,
        outputs=outputs,
        updates=updates,
        sums={"ran": None},
        scalars={"key": int},
    )
    return Step(start_launcher, run_launcher, writer)


def _split(writer: Writer, name: str) -> str | None:
    """A partition sees the whole of what neighbours' values need, and its own part of everything else."""
    return None if writer.spec.read_from_neighbours(name) else "vertices"


def _fields(writer: Writer, which: str, read: bool = False) -> dict[str, str | None]:
    return {f"{which}_{n}": _split(writer, n) if read else "vertices" for n in writer.state}


def _progress(writer: Writer, which: str) -> dict[str, str | None]:
    """The stores that say how far the run has come."""
    return ({f"{which}_words": "words"} if writer.spec.frontier else {}) | {f"{which}_state": "rows"}


def _body(kernel: Any, names: list[str], stores: list[str], counts: bool = False) -> Any:
    """A task body that gives a kernel its arguments by name."""

    def body(point: int, *values: Any) -> None:
        shared: Shared = runtime.shared(values[-1])
        given = shared.values | dict(zip(stores, values, strict=False))
        given |= {"lo": shared.points[point], "hi": shared.points[point + 1], "part": point}
        for which in ("a", "b", "new"):
            state = given.get(f"{which}_state")
            if state is not None:
                words = given.get(f"{which}_words", _NO_WORDS)
                given[f"{which}_totals"] = state.view(np.float64)
                given[f"{which}_bits"], given[f"{which}_queue"] = words, words.view(shared.values["queue_type"])
        if counts:
            statistics = given["statistics"] = np.empty(given["limit"] * fr.STATISTICS_COLUMNS)
        ran = kernel(*[given[name] for name in names])
        if counts:
            values[-2][0] += ran
            if ran:
                shared.statistics[point].append(statistics[: ran * fr.STATISTICS_COLUMNS])

    body.__name__ = f"lux_{kernel.__name__}"
    return body


_NO_WORDS = np.empty(0, np.uint64)


@functools.cache
def collect() -> Launcher:
    """The launch that brings every partition's statistics together, one row of the store a partition."""

    def collect_statistics(point: int, out: NDArray[np.float64], key: int) -> None:
        rows = runtime.shared(key).statistics[point]
        taken = np.concatenate(rows) if rows else out[:0]
        out[:] = 0
        out[: len(taken)] = taken[: len(out)]

    return Launcher(collect_statistics, outputs={"out": "statistics_rows"}, scalars={"key": int})
