# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel calls on several GPUs: a launch of one kernel on each, which may use the others' memory.

A first launch has Legion place all stores, and tells where. The kernels are then given addresses alone, of their own
memory and of the other GPUs'. They do not wait for one another: steps that depend on other GPUs are calls of their own.
Addresses of other processes' stores are not known, and zero: what their GPUs read is in a `PeerMemory`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import ConfigurationError
from lux.launch.memory import Scratch
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store


class Parts(NamedTuple):
    """A store, and the part of it that each GPU has.

    Attributes
    ----------
    store : Store
    points : np.ndarray of shape (gpus + 1,), int64, or None
        First element of each GPU's part, and the end; None: every GPU has all of it, to read.
    """

    store: Store
    points: NDArray[np.int64] | None = None


class Table(NamedTuple):
    """An argument that is the address of numbers, of shape (gpus, ...), int64: a row for each GPU."""

    numbers: NDArray[np.int64]


Argument = str | np.generic | NDArray[np.generic] | Table
"""The name of a store or of scratch memory, a number, one for each GPU, or a table."""


@dataclass(frozen=True)
class Placed:
    """Stores on GPUs, and where they are.

    Attributes
    ----------
    gpus : int
    parts : mapping of name to Parts
    addresses : mapping of name to np.ndarray of shape (gpus,), int64
        Of each GPU's part.
    """

    gpus: int
    parts: Mapping[str, Parts]
    addresses: Mapping[str, NDArray[np.int64]]

    def __or__(self, other: Placed) -> Placed:
        """Join the stores of two, on the same GPUs."""
        return Placed(self.gpus, {**self.parts, **other.parts}, {**self.addresses, **other.addresses})

    def from_start(self, name: str) -> NDArray[np.int64]:
        """Return addresses that are moved back, so that all count from the first element of the store."""
        store, points = self.parts[name]
        assert store.dtype is not None
        return self.addresses[name] - (0 if points is None else store.dtype.itemsize * points[:-1])


def place(gpus: int, inputs: Mapping[str, Parts], outputs: Mapping[str, Parts]) -> Placed:
    """Have Legion place stores on GPUs: ``inputs`` with their values, and ``outputs`` with any."""
    parts = {**inputs, **outputs}
    rows = {f"{name}_rows": runtime.ranges(points) for name, (_, points) in parts.items() if points is not None}
    alone = gpus == 1
    splits = {name: None if alone or points is None else f"{name}_rows" for name, (_, points) in parts.items()}
    launcher = GpuLauncher(
        "place_on_gpus", {n: splits[n] for n in inputs}, {n: splits[n] for n in outputs}, single_point=alone
    )
    kept = np.zeros((gpus, len(launcher.arrays)), np.int64)
    stores = {name: store for name, (store, _) in parts.items()}
    with runtime.addresses_kept(kept) as key:
        launcher(gpus, **stores, **rows, key=key, number=runtime.WARM_UP)
        runtime.finish()
    return Placed(gpus, parts, {name: kept[:, launcher.arrays.index(name)].copy() for name in parts})


def spread_table(placed: Placed, name: str) -> Table:
    """Describe a store of which each GPU has a part (``spread_array.cuh``)."""
    points = placed.parts[name].points
    assert points is not None
    row = np.concatenate([placed.from_start(name), points[1:]])
    return Table(np.tile(row, (placed.gpus, 1)))


@dataclass(frozen=True)
class PeerCall:
    """One launch of a kernel on each of several GPUs.

    Attributes
    ----------
    kernel : Kernel
    placed : Placed
    arguments : sequence of Argument
        The kernel's arguments, in order.
    zeroed, others : mapping of name to int
        Bytes of arrays in scratch memory, alike on all GPUs: those that are zero before, and all others.
    reported : str, optional
        The array in scratch memory that is read when the kernels have ended.
    """

    kernel: Kernel
    placed: Placed
    arguments: Sequence[Argument]
    zeroed: dict[str, int]
    others: dict[str, int] = field(default_factory=dict)
    reported: str | None = None

    def run(self, name: str, points: Sequence[int] | None = None) -> NDArray[np.uint8]:
        """Launch and wait; returns the reports, of shape (gpus, bytes), which are zero for GPUs of other processes.

        Parameters
        ----------
        name : str
        points : sequence of int, optional
            The GPUs of this process, where there are several; all processes then wait for one another.
        """
        gpus, tables = self.placed.gpus, [argument for argument in self.arguments if isinstance(argument, Table)]
        given = [np.ascontiguousarray(table.numbers, np.int64).reshape(gpus, -1) for table in tables]
        table_at = np.cumsum([0, *(8 * table.shape[1] for table in given)])
        scratch = Scratch(self.zeroed, {**self.others, "tables": max(int(table_at[-1]), 8)})
        memory = runtime.new_store(np.uint8, gpus * scratch.nbytes, touched=False)
        launcher = _launcher(name, alone=gpus == 1)
        words, in_scratch = self._words(scratch, [scratch.at["tables"] + int(at) for at in table_at[:-1]])
        report = (scratch.at[self.reported], self.zeroed[self.reported]) if self.reported else (0, 0)
        plan = GpuPlan(
            self.kernel,
            words,
            scratch=launcher.arrays.index("scratch"),
            in_scratch=in_scratch,
            zeroed=scratch.zeroed,
            reported=report,
            given=np.concatenate([*given, np.zeros((gpus, 1), np.int64)], axis=1).view(np.uint8),
            given_at=scratch.at["tables"],
            report_bytes=max(report[1], 8),
        )
        rows = {} if gpus == 1 else {"scratch_rows": runtime.ranges(np.arange(gpus + 1) * scratch.nbytes)}
        runtime.finish()
        key = runtime.register(plan)
        plan.register(key)
        running = True
        try:
            launcher(gpus, scratch=memory, **rows, key=key, number=0)
            if points is None:
                plan.wait(key)
            else:
                plan.wait_on_all_ranks(key, points)
            reports = [plan.report(key, point) for point in range(gpus)]
            runtime.all_has_run()
            running = False
        finally:
            if running:  # after an interrupt, kernels use memory that Legion believes idle
                runtime.finish()
            plan.unregister(key)
            runtime.unregister(key)
        if runtime.ranks() == 1 and not all(map(len, reports)):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        found = np.zeros((gpus, report[1]), np.uint8)
        for row, reported in zip(found, reports, strict=True):
            row[: len(reported)] = reported[: report[1]]
        return found

    def _words(self, scratch: Scratch, tables: list[int]) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
        """Return arguments as words, of shape (gpus, arguments), and the places of those in scratch memory."""
        words = np.zeros((self.placed.gpus, len(self.arguments), 8), np.uint8)
        in_scratch, at = [], iter(tables)
        for k, argument in enumerate(self.arguments):
            if isinstance(argument, Table):
                in_scratch.append((k, next(at)))
            elif isinstance(argument, str) and argument in scratch.at:
                in_scratch.append((k, scratch.at[argument]))
            else:
                values = self.placed.addresses[argument] if isinstance(argument, str) else np.asarray(argument)
                each = np.ascontiguousarray(np.broadcast_to(values, len(words)))
                words[:, k, : each.itemsize] = each.view(np.uint8).reshape(len(words), -1)
        return words.view(np.int64)[..., 0], in_scratch


@functools.lru_cache(64)
def _launcher(name: str, *, alone: bool) -> GpuLauncher:
    return GpuLauncher(name, outputs={"scratch": None if alone else "scratch_rows"}, single_point=alone)
