# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Teams of threads: all cores of a process inside one task.

A launch costs 0.1 to 0.6 ms, and a road network has thousands of levels. So where one point task holds a whole graph,
its own threads divide the work and meet at barriers (`lux.kernels.threads`), which cost microseconds. Realm pins the
thread of a CPU task to one core; a team's other threads may use all other cores of the process.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import legate_config
from lux.runtime.driver_thread import works_for_driver
from lux.runtime.start import processors, ranks


def team_size() -> int:
    """Return the threads that a team may have: the CPU cores that Legate was given in each process."""
    return max(processors() // ranks(), 1)


class _Team:
    """Threads that wait for work; the caller of `run` is one more."""

    def __init__(self) -> None:
        self._work: list[queue.SimpleQueue[Callable[[], None]]] = []
        self._done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._one_at_a_time = threading.Lock()

    def run(self, functions: Sequence[Callable[[], None]]) -> None:
        with self._one_at_a_time:
            self._grow(len(functions) - 1)
            for work, function in zip(self._work, functions[1:], strict=False):
                work.put(function)
            functions[0]()
            errors = [self._done.get() for _ in functions[1:]]
        for error in errors:
            if error is not None:
                raise error

    def _grow(self, size: int) -> None:
        others = legate_config.rank_cores() - os.sched_getaffinity(0)
        while len(self._work) < size:
            work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(work, others), name="lux-team", daemon=True).start()
            self._work.append(work)

    def _serve(self, work: queue.SimpleQueue[Callable[[], None]], cores: frozenset[int]) -> None:
        works_for_driver()
        if cores:
            os.sched_setaffinity(0, cores)
        while True:
            function = work.get()
            try:
                function()
            except BaseException as error:  # noqa: BLE001  # the caller of run raises it
                self._done.put(error)
            else:
                self._done.put(None)


_team = _Team()


def run_team(functions: Sequence[Callable[[], None]]) -> None:
    """Run all functions at the same time, each on a thread of its own, the first on the caller's; wait for all.

    Bodies of tasks call this function. Each function should be one call of a kernel that releases the GIL. They may
    meet at a `lux.kernels.threads.barrier`, as all are sure to run at once.

    >>> done = []
    >>> run_team([lambda: done.append(1), lambda: done.append(2)])
    >>> sorted(done)
    [1, 2]
    """
    if len(functions) == 1:
        functions[0]()
    else:
        _team.run(functions)


def run_pool(count: int, work: Callable[[int], None]) -> None:
    """Call ``work`` with 0 to ``count - 1`` on as many threads as there are cores, outside of tasks; wait for all.

    >>> done = []
    >>> run_pool(3, done.append)
    >>> sorted(done)
    [0, 1, 2]
    """
    threads = min(len(os.sched_getaffinity(0)), count)
    if threads < 2:
        for k in range(count):
            work(k)
        return
    with ThreadPoolExecutor(threads, initializer=works_for_driver) as pool:
        for _ in pool.map(work, range(count)):
            pass
