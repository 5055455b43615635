# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel calls: one launch of a hand-written kernel that does all of an algorithm."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen import cuda_build
from lux.launch.memory import Scratch
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

NULL = np.int64(0)
STATISTICS = "statistics"
"""The argument in the report whose rows the kernel writes while it runs."""


@dataclass(frozen=True)
class KernelCall:
    """One launch of a kernel: arguments, stores, scratch memory and report.

    Attributes
    ----------
    kernel : Kernel
    arguments : sequence of str or np.generic
        The kernel's arguments in order: names of stores or of scratch memory, or numbers of the parameters' own types.
    inputs, outputs, updates : mapping of name to Store
    scratch : Scratch
    reported : int
        Bytes of ``control``, in the scratch memory, that are read when the kernel has ended.
    statistics_bytes : int
        Bytes of statistics, at most.
    report : callable
        Takes the bytes of ``control`` and the statistics (both np.ndarray of uint8), and returns the call's report.
    written : callable, optional
        Takes the bytes of ``control``, and returns how many bytes of statistics the kernel has written: only these are
        read.
    """

    kernel: Kernel
    arguments: Sequence[str | np.generic]
    inputs: Mapping[str, Store]
    outputs: Mapping[str, Store]
    scratch: Scratch
    reported: int
    statistics_bytes: int
    report: Callable[[NDArray[np.uint8], NDArray[np.uint8]], Any]
    updates: Mapping[str, Store] = field(default_factory=dict)
    written: Callable[[NDArray[np.uint8]], int] | None = None

    def run(self, name: str) -> tuple[Any, float]:
        """Launch and wait; returns the report and the seconds that it took."""
        memory = runtime.new_store(np.uint8, self.scratch.nbytes, touched=False)
        launch = _launcher(name, tuple(self.inputs), tuple(self.outputs), tuple(self.updates))
        plan = self._plan(launch)
        stores = {**self.inputs, **self.outputs, **self.updates, "scratch": memory}
        runtime.finish()
        key = runtime.register(plan)
        plan.register(key)
        running = True
        try:
            began = time.perf_counter()
            launch(1, **stores, key=key, number=0)
            plan.wait(key)
            runtime.all_has_run()
            running = False
            seconds = time.perf_counter() - began
            return self._report(plan, key), seconds
        finally:
            if running:  # after an interrupt
                runtime.finish()
            plan.unregister(key)
            runtime.unregister(key)

    def _report(self, plan: GpuPlan, key: int) -> Any:
        control = plan.report(key, nbytes=self.reported)
        used = self.statistics_bytes if self.written is None else min(self.written(control), self.statistics_bytes)
        begin = _rounded(self.reported)
        return self.report(control, plan.report(key, nbytes=begin + used)[begin:])

    def _plan(self, launch: GpuLauncher) -> GpuPlan:
        words, stores, scratch = [], [], []
        written: list[tuple[int, int]] = []
        for k, argument in enumerate(self.arguments):
            words.append(argument.tobytes().ljust(8, b"\0") if isinstance(argument, np.generic) else bytes(8))
            if isinstance(argument, np.generic):
                continue
            if argument == STATISTICS:
                written.append((k, _rounded(self.reported)))
            elif argument in self.scratch.at:
                scratch.append((k, self.scratch.at[argument]))
            else:
                stores.append((k, launch.arrays.index(argument)))
        return GpuPlan(
            self.kernel,
            np.frombuffer(bytearray(b"".join(words)), np.int64).reshape(1, -1),
            stores=stores,
            scratch=launch.arrays.index("scratch"),
            in_scratch=scratch,
            zeroed=self.scratch.zeroed,
            reported=(self.scratch.at["control"], self.reported),
            written=written,
            report_bytes=max(_rounded(self.reported) + self.statistics_bytes, 8),
            cleared=None if self.written is None else _rounded(self.reported),
        )


def _rounded(nbytes: int) -> int:
    return -(-nbytes // 64) * 64


@functools.lru_cache(256)
def _launcher(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...], updates: tuple[str, ...]) -> GpuLauncher:
    whole = dict.fromkeys
    return GpuLauncher(name, whole(inputs), whole([*outputs, "scratch"]), whole(updates))


def text(file: str, struct: str = "", **macros: object) -> str:
    """Return the text of a CUDA file with macros; ``struct`` is written in front of the file."""
    return (f'#include "common.cuh"\n{struct}' if struct else "") + cuda_build.source(file, **macros)


@functools.cache
def kernel(file: str, name: str, threads: int, struct: str = "", **macros: object) -> Kernel:
    """Return a kernel of a CUDA file's `text`, compiled or loaded from disk."""
    return Kernel(cuda_build.cubin(text(file, struct, **macros), runtime.capability()), name, threads)
