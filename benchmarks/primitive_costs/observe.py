# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Observation of a run: counts of vertices that cross borders, from the frontiers that its launches read.

Before each launch of an iteration another one makes every partition look up all partitions' frontier vertices in its
own INS. The counts belong to the observed run, whose times mean nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.primitive_costs import kernels
from lux import runtime
from lux.engine.cpu.partitioned_run import PartitionedRun, observed
from lux.results.result import Result
from lux.runtime import Launcher, Store

Waiting = tuple[str, int]
"""Field that only its owner sees, and its value in unreached vertices."""


@dataclass(frozen=True)
class Observation:
    """Observation of the reads of partitions in each superstep; arrays are int64.

    Attributes
    ----------
    result : Result
    active : np.ndarray of shape (supersteps, parts)
        Vertices of each partition in the frontier.
    pushed : np.ndarray of shape (supersteps, parts)
        Edges from the frontier (of all partitions) into each partition.
    leading : np.ndarray of shape (supersteps, parts)
        Edges out of the frontier's vertices of each partition; zero where a program has no frontier.
    read : np.ndarray of shape (supersteps, parts, parts)
        Entry (s, i, j): vertices of partition i in the frontier that partition j reads.
    waiting, scanned : np.ndarray of shape (supersteps, parts)
        Unreached vertices, and edges into them up to the first from the frontier: the scans of a pull. Zero unless
        `observe` was passed a `Waiting`.
    value_bytes : int
        Bytes of the fields that are read of a neighbour.
    """

    result: Result
    active: NDArray[np.int64]
    pushed: NDArray[np.int64]
    leading: NDArray[np.int64]
    read: NDArray[np.int64]
    waiting: NDArray[np.int64]
    scanned: NDArray[np.int64]
    value_bytes: int

    @property
    def sent(self) -> NDArray[np.int64]:
        """Return the active vertices of other partitions that partitions read, of shape (supersteps,)."""
        return np.asarray(self.read.sum(axis=(1, 2)) - np.einsum("sii->s", self.read))


def observe(run: Callable[[], Result], waiting: Waiting | None = None) -> Observation:
    """Run a program on two partitions or more, and count before each iteration.

    Examples
    --------
    A search along a path of four vertices: the border is crossed once, from the second vertex to the third.

    >>> import lux
    >>> from benchmarks.primitive_costs import observe
    >>> path = lux.toy.path(4)
    >>> seen = observe(lambda: lux.bfs(path, 0, parts=2, model="push"))
    >>> seen.active.sum(axis=1).tolist(), seen.read[:, 0, 1].tolist(), seen.read[:, 1, 0].tolist()
    ([1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0])
    """
    counter = _Counter(waiting)
    with observed(counter):
        result = run()
    return counter.observation(result)


class _Counter:
    """Counter that launches a count before each launch of one run."""

    def __init__(self, waiting: Waiting | None) -> None:
        self.waiting, self.rows, self.value_bytes = waiting, list[Store](), 0

    def __call__(self, runner: PartitionedRun) -> None:
        layout, spec = runner.layout, runner.spec
        by_source = layout.by_source((), listed=True)
        words = runner.a["words"] if spec.frontier else runtime.from_array(np.zeros(1, np.uint64))
        stores = {"state": runner.a["state"], "words": words, "ins": by_source.ins, "by_offsets_of": by_source.offsets}
        splits = dict(by_source.splits)
        if self.waiting is not None:
            stores |= {"in_offsets": layout.graph.offsets, "sources": layout.graph.sources}
            stores |= {"values": runner.owned[self.waiting[0]]}
            splits |= {name: layout.splits[name] for name in ("offsets", "edges", "vertices")}
        width = kernels.READ + layout.parts
        rows = runtime.new_store(np.int64, layout.parts * width)
        shared = layout.points, layout.queue_at, layout.word_at, layout.graph.id_dtype, self.waiting
        key = runtime.register(shared)
        _counting(self.waiting is not None)(
            layout.parts, **stores, rows=rows, row=layout.rows(width), **splits, key=key
        )
        runtime.finish()
        runtime.unregister(key)
        self.rows.append(rows)
        read = [f for f in spec.state if spec.read_from_neighbours(f.name)]
        self.value_bytes = sum(f.numpy_dtype(layout.graph.id_dtype).itemsize * (f.length or 1) for f in read)

    def observation(self, result: Result) -> Observation:
        parts = result.parts
        rows = [runtime.to_array(row).reshape(parts, -1) for row in self.rows[: result.iterations]]
        table = np.stack(rows) if rows else np.zeros((0, parts, kernels.READ + parts), np.int64)
        names = ("active", "pushed", "leading", "waiting", "scanned")
        columns = {name: table[:, :, getattr(kernels, name.upper())] for name in names}
        read = table[:, :, kernels.READ :].transpose(0, 2, 1)
        return Observation(result, read=read, value_bytes=self.value_bytes, **columns)


@functools.cache
def _counting(waits: bool) -> Launcher:
    def count(point: int, state: Any, words: Any, ins: Any, offsets: Any, *rest: Any) -> None:
        row, key = rest[-2:]
        points, queue_at, word_at, ids, waiting = runtime.context(key)
        frontier = (state, points, queue_at, word_at, words.view(ids), words)
        kernels.count(point, *frontier, ins, offsets, row)
        if waits:
            in_offsets, sources, values = rest[:3]
            kernels.scan(*frontier, in_offsets, sources, values, waiting[1], row)

    inputs: dict[str, str | None] = {"state": None, "words": None, "ins": "ins_rows", "by_offsets_of": "by_offsets"}
    if waits:
        inputs |= {"in_offsets": "offsets", "sources": "edges", "values": "vertices"}
    return Launcher(count, inputs=inputs, outputs={"rows": "row"}, scalars={"key": int})
