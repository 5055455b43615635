# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks that hold a whole graph, whose work the threads of their process share (`lux.runtime.team`)."""

from __future__ import annotations

import functools
import queue
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from lux import runtime
from lux.engine.cpu.poll_progress import wait
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.runtime import Store

T = TypeVar("T")


class TeamTask(ABC, Generic[T]):
    """One task whose threads share a whole graph, and each report a ``T``.

    Parameters
    ----------
    threads : int

    Attributes
    ----------
    name : str
        Name of the launch, in `lux.explain`.
    """

    name: ClassVar[str]

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._reports: queue.SimpleQueue[list[T]] = queue.SimpleQueue()

    @abstractmethod
    def work(self, *arrays: Any) -> Callable[[int], T]:
        """Return the work of a thread by its number, from the arrays of the launch: inputs, then outputs."""

    def rounds(self) -> int:
        """Return the rounds that are done, while the threads work."""
        return 0

    def end(self) -> None:
        """Put away what only threads at work need."""

    def body(self, *arrays: Any) -> None:
        """Run all threads, in the task, and report to the driver."""
        work = self.work(*arrays)
        found: list[Any] = [None] * self.threads

        def keep(me: int) -> None:
            found[me] = work(me)

        runtime.run_team([functools.partial(keep, me) for me in range(self.threads)])
        self.end()
        self._reports.put(found)

    def launch(
        self, inputs: Mapping[str, Store], outputs: Mapping[str, Store], progress: Progress | None = None
    ) -> tuple[list[T], float]:
        """Launch the task and wait for it; returns the report of each thread, and the seconds."""
        runtime.finish()
        with runtime.registered(self) as key:
            began = time.perf_counter()
            _launcher(self.name, tuple(inputs), tuple(outputs))(1, **inputs, **outputs, key=key)
            reports = wait(self._reports, progress, self.rounds)
            return reports, time.perf_counter() - began


@functools.cache
def _launcher(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Launcher:
    def body(_point: int, *values: Any) -> None:
        runtime.context(values[-1]).body(*values[:-1])

    body.__name__ = name
    written = dict.fromkeys(outputs)
    return Launcher(body, inputs=dict.fromkeys(inputs), outputs=written, scalars={"key": int}, results=outputs)
