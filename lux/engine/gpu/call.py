# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""One launch of a hand-written kernel that does all of an algorithm."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu.memory import Scratch
from lux.kernels.cuda import build
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

NULL = np.int64(0)
STATISTICS = "statistics"
"""The argument that lies in the report: rows that the kernel writes there while it runs."""


@dataclass(frozen=True)
class Call:
    """What is launched.

    Attributes
    ----------
    kernel : Kernel
    arguments : sequence of str or np.generic
        The kernel's, in order: names of stores or of scratch memory, or numbers of the parameters' own types.
    inputs, outputs, updates : mapping of name to Store
    scratch : Scratch
    reported : int
        Bytes of ``control``, in the scratch memory, that are read when the kernel has ended.
    statistics_bytes : int
    report : callable
        Takes those bytes, and the statistics (both np.ndarray of uint8), and returns what the caller wants to know.
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

    def run(self, name: str) -> tuple[Any, float]:
        """Launch and wait; returns the report and the seconds that it took."""
        return next(self.run_each(name))

    def run_each(self, name: str, argument: str = "", values: Iterable[np.generic] = ()) -> Iterator[tuple[Any, float]]:
        """One launch after the other, with each of the ``values`` for an argument of that name; yields as `run`."""
        memory = runtime.new_store(np.uint8, self.scratch.nbytes, touched=False)
        launch = _launcher(name, tuple(self.inputs), tuple(self.outputs), tuple(self.updates))
        plan, words = self._plan(launch, argument)
        stores = {**self.inputs, **self.outputs, **self.updates, "scratch": memory}
        runtime.finish()
        key = runtime.share(plan)
        plan.share(key)
        running = False
        try:
            for value in values if argument else [np.int64(0)]:
                words[:] = value
                began, running = time.perf_counter(), True
                launch(1, **stores, key=key, number=0)
                runtime.finish()
                running = False
                seconds = time.perf_counter() - began
                report = plan.report(key)
                yield self.report(report[: self.reported], report[_rounded(self.reported) :]), seconds
        finally:
            if running:  # interrupted
                runtime.finish()
            plan.forget(key)
            runtime.unshare(key)

    def _plan(self, launch: GpuLauncher, varied: str) -> tuple[GpuPlan, NDArray[np.int64]]:
        """The plan, and those of its words that vary from launch to launch."""
        words = np.zeros((1, len(self.arguments)), np.int64)
        stores, scratch = [], []
        written: list[tuple[int, int]] = []
        for k, argument in enumerate(self.arguments):
            if isinstance(argument, np.generic):
                words[0, k : k + 1].view(np.uint8)[: argument.nbytes] = np.frombuffer(argument.tobytes(), np.uint8)
            elif argument == varied:
                pass
            elif argument == STATISTICS:
                written.append((k, _rounded(self.reported)))
            elif argument in self.scratch.at:
                scratch.append((k, self.scratch.at[argument]))
            else:
                stores.append((k, launch.arrays.index(argument)))
        plan = GpuPlan(
            self.kernel,
            words,
            stores=stores,
            scratch=launch.arrays.index("scratch"),
            in_scratch=scratch,
            zeroed=self.scratch.zeroed,
            reported=(self.scratch.at["control"], self.reported),
            written=written,
            report_bytes=_rounded(self.reported) + self.statistics_bytes,
        )
        at = [k for k, argument in enumerate(self.arguments) if isinstance(argument, str) and argument == varied]
        return plan, words[0, at[0] : at[0] + 1] if at else words[0, :0]


def _rounded(nbytes: int) -> int:
    return -(-nbytes // 64) * 64


@functools.lru_cache(256)
def _launcher(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...], updates: tuple[str, ...]) -> GpuLauncher:
    whole = dict.fromkeys
    return GpuLauncher(name, whole(inputs), whole([*outputs, "scratch"]), whole(updates))


@functools.cache
def kernel(file: str, name: str, threads: int, **macros: object) -> Kernel:
    """A kernel of a file in `lux.kernels.cuda`, compiled or loaded from disk."""
    text = build.source(file, **macros)
    return Kernel(build.cubin(text, runtime.capability()), name, threads)
