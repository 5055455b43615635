# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a task of many rounds tells the driver while it runs, and in the end."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lux.engine.run import Progress

T = TypeVar("T")

SECONDS_PER_REPORT = 0.2
"""Between two calls of ``progress``."""


def wait(reports: queue.SimpleQueue[T], progress: Progress | None, done: Callable[[], int]) -> T:
    """What the task puts in the queue; ``progress`` is told every now and then how much is ``done()``."""
    if progress is None:
        return reports.get()
    while True:
        try:
            report = reports.get(timeout=SECONDS_PER_REPORT)
        except queue.Empty:
            progress(done())
        else:
            progress(done())
            return report
