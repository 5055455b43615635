# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Live line on a terminal, and the time of each phase."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lux.app.console import interrupt
from lux.app.console.terminal import is_terminal


class Live:
    """Live line on standard error, if that is a terminal, on the first of several processes.

    Attributes
    ----------
    seconds : dict of str to float
        Wall-clock time of each phase.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._status: Any = None
        self._text = ""
        if is_terminal(sys.stderr):
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            interrupt.on_signal(_show_cursor)

    @contextmanager
    def phase(self, name: str, text: str) -> Iterator[None]:
        """Show ``text`` while the block runs, and record its time."""
        self._text = text
        self._show(text)
        if self._status is not None:
            self._status.start()
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - began
            if self._status is not None:
                self._status.stop()

    def bytes(self, done: int, total: int) -> None:
        """Show the progress of reading."""
        self._show(f"{self._text}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB")

    def iterations(self, done: int) -> None:
        """Show the progress of an algorithm."""
        self._show(f"{self._text}: {done:,} iteration{'s' * (done != 1)}")

    def steps(self, what: str, done: int, total: int) -> None:
        """Show the progress of work in steps of different kinds."""
        self._show(f"{self._text}: {what}" + (f", {done:,} of {total:,}" if total > 1 else ""))

    def _show(self, text: str) -> None:
        if self._status is not None:
            self._status.update(text)


def _show_cursor() -> None:
    sys.stderr.write("\r\x1b[2K\x1b[?25h")
    sys.stderr.flush()
