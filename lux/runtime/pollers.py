# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Priority of the threads in which Realm looks for messages of other processes without ever sleeping.

At equal priority such a thread takes half of a process's only core, and kernels there take twice as long. At a low
priority it runs where a core is idle, and now and then.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

NICE = 19
"""Niceness of pollers: 1.5 % of a core that a thread of the usual priority wants, too."""
_SECONDS, _SHARE = 0.02, 0.7


def lower_priority() -> list[int]:
    """Lower the priority of this process's threads that are always runnable, except the caller's; return their ids.

    Meant for a time at which no other thread works. Where the system does not count how long threads run, do nothing.
    """
    found = _always_runnable() & _always_runnable()
    for thread in found:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, NICE)
        except OSError:  # it has ended, or a lower priority was set
            continue
    return sorted(found)


def _always_runnable() -> set[int]:
    before, began = _runnable_ns(), time.monotonic_ns()
    time.sleep(_SECONDS)
    after, passed = _runnable_ns(), time.monotonic_ns() - began
    return {t for t, ns in after.items() if t in before and ns - before[t] > _SHARE * passed}


def _runnable_ns() -> dict[int, int]:
    """Return for how long each other thread has run or waited for a core, in nanoseconds."""
    found = {}
    for task in Path("/proc/self/task").glob("[0-9]*"):
        try:
            ran, waited = (task / "schedstat").read_text().split()[:2]
        except OSError:
            continue
        found[int(task.name)] = int(ran) + int(waited)
    found.pop(threading.get_native_id(), None)
    return found
