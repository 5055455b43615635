# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The program ``lux``: algorithms, and commands for graph files."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from lux.app.console import interrupt

OBJECTS = 100_000
"""New objects between two searches for garbage: imports make far more than Python's 700, and none is garbage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``lux`` and return its exit code; a mistake in the command line raises `SystemExit` with 2."""
    interrupt.watch()  # before NumPy is imported, whose threads must inherit the blocked signals
    gc.set_threshold(OBJECTS)
    from lux.app import commands
    from lux.app.console import terminal

    terminal.reopen_closed()
    code = commands.run(arguments)
    if arguments is None and "lux.runtime" in sys.modules:  # this is the process's program
        sys.modules["lux.runtime"].end_at_once(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
