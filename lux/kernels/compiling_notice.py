# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Line on stderr that says what is being compiled, once that has taken a second."""

from __future__ import annotations

import math
import re
import sys
import threading
import time
from typing import Any

from numba.core import event

from legate_config import rank_info, shipped
from lux.kernels import shipped_kernels

PATIENCE_S = 1.0
"""Seconds of compiling, of one program's kernels or of Lux's own, before the line is written."""


def show() -> None:
    """Have this process write the line where somebody waits: on a terminal or in a notebook, for the first process."""
    if rank_info().rank == 0 and ("ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())):
        event.register("numba:compile", Notice())


def line(module: str) -> str:
    """Write the line for a module of kernels."""
    if program := re.match(r"lux_(\w+)_[0-9a-f]{20}$", module):
        what = f"program {program[1]}" if program[1] != "body" else "the launches of a program"
        return f"lux: compiling {what} for this graph's types; later calls and processes load it from a cache\n"
    if not (shipped.folder / "kernels").exists():
        why = "this installation has none that are compiled (python -m lux.app.precompile makes them)"
    else:
        why = "this installation has none for these types and this processor"
    return f"lux: compiling kernels: {why}; later calls and processes load them from a cache\n"


class Notice(event.Listener):
    """Listener to Numba, which compiles one function at a time, and meanwhile those that it calls."""

    def __init__(self) -> None:
        self._left: dict[str, float] = {}
        self._depth, self._began, self._line = 0, 0.0, ""
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Begin to wait, with the outermost function."""
        module = getattr(event.data["dispatcher"].py_func, "__module__", None) or ""
        self._depth += 1
        if self._depth == 1 and module.startswith(shipped_kernels.OWN):
            self._began, self._line = time.monotonic(), line(module)
            if (left := self._left.setdefault(self._line, PATIENCE_S)) < math.inf:
                self._timer = threading.Timer(left, self._write)
                self._timer.daemon = True
                self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stop waiting, with the outermost function."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left[self._line] -= time.monotonic() - self._began

    def _write(self) -> None:
        self._left[self._line] = math.inf
        if shipped.filling:
            return
        sys.stderr.write(self._line)
        sys.stderr.flush()
