# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The program ``lux``: algorithms, and commands for graph files."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lux.app import interrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``lux`` and return its exit code; a mistake in the command line raises `SystemExit` with 2."""
    interrupt.watch()  # before NumPy is imported, whose threads must inherit the blocked signals
    from lux.app import commands, terminal

    terminal.reopen_closed()
    return commands.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
