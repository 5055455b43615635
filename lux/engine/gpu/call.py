# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""One launch of a hand-written kernel that does all of an algorithm."""

from __future__ import annotations

import functools
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu.memory import Scratch
from lux.kernels.cuda import build, driver
from lux.runtime import Launcher, Store

NULL = np.int64(0)

Read = Callable[[str, NDArray[Any]], None]
"""Copies scratch memory, from the beginning of the array of that name on, into an array of the host."""


@dataclass(frozen=True)
class Call:
    """What is launched.

    Attributes
    ----------
    kernel : Kernel
    arguments : sequence of str or np.generic
        The kernel's, in order: names of stores or of scratch memory, or numbers of the parameters' own types.
    inputs, outputs : mapping of name to Store
    scratch : Scratch
    report : callable
        Takes a `Read` and returns what the caller wants to know when the kernel has ended.
    """

    kernel: driver.Kernel
    arguments: Sequence[str | np.generic]
    inputs: Mapping[str, Store]
    outputs: Mapping[str, Store]
    scratch: Scratch
    report: Callable[[Read], Any]

    def run(self, name: str) -> tuple[Any, float]:
        """Launch and wait; returns the report and the seconds that it took."""
        memory = runtime.new_store(np.uint8, self.scratch.nbytes, gpu=True)
        task = _Task(self)
        launch = _launcher(name, tuple(self.inputs), tuple(self.outputs))
        runtime.finish()
        key = runtime.share(task)
        began = time.perf_counter()
        launch(1, **self.inputs, **self.outputs, scratch=memory, key=key)
        report = task.reports.get()
        seconds = time.perf_counter() - began
        runtime.finish()
        runtime.unshare(key)
        return report, seconds


class _Task:
    """What the task finds in its process."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.words = np.zeros(len(call.arguments), np.int64)
        names = [*call.inputs, *call.outputs]
        self.from_stores: list[tuple[int, int]] = []
        self.from_scratch: list[tuple[int, int]] = []
        for k, argument in enumerate(call.arguments):
            if isinstance(argument, np.generic):
                self.words[k : k + 1].view(np.uint8)[: argument.nbytes] = np.frombuffer(argument.tobytes(), np.uint8)
            elif argument in call.scratch.at:
                self.from_scratch.append((k, call.scratch.at[argument]))
            else:
                self.from_stores.append((k, names.index(argument)))
        self.reports: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def run(self, stream: int, addresses: tuple[int, ...]) -> None:
        """The body of the task."""
        scratch = addresses[-1]
        for k, store in self.from_stores:
            self.words[k] = addresses[store]
        for k, at in self.from_scratch:
            self.words[k] = scratch + at
        driver.clear(stream, scratch, self.call.scratch.zeroed)
        self.call.kernel.launch(stream, self.words)

        def read(name: str, out: NDArray[Any]) -> None:
            if out.nbytes:
                driver.read(stream, scratch + self.call.scratch.at[name], out)

        self.reports.put(self.call.report(read))


@functools.lru_cache(256)
def _launcher(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Launcher:
    def body(_point: int, stream: int, *values: int) -> None:
        runtime.shared(values[-1]).run(stream, values[:-1])

    body.__name__ = name
    whole = dict.fromkeys
    written = whole([*outputs, "scratch"])
    return Launcher(body, inputs=whole(inputs), outputs=written, scalars={"key": int}, gpu=True)


@functools.cache
def kernel(file: str, name: str, threads: int, **macros: object) -> driver.Kernel:
    """A kernel of a file in `lux.kernels.cuda`, compiled or loaded from disk."""
    text = build.source(file, **macros)
    return driver.Kernel(build.cubin(text, driver.capability()), name, threads)
