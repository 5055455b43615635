# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Progress reports of a task of many rounds to the driver, and its result."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lux.engine.run.run import Progress

T = TypeVar("T")

SECONDS_PER_REPORT = 0.2
"""Seconds between two calls of ``progress``."""


def wait(reports: queue.SimpleQueue[T], progress: Progress | None, done: Callable[[], int]) -> T:
    """Wait for the object that the task puts into the queue; ``progress`` is called now and then with ``done()``."""
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
