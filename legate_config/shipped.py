# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled code that is part of the package: made when it was installed, or when its wheel was built."""

from __future__ import annotations

from pathlib import Path

folder = Path(__file__).with_name("compiled")
"""Folder of shipped code, which is as safe as the sources beside it; ``python -m lux.app.precompile`` fills it."""

filling = False
"""True if this process fills the folder: what it compiles is kept there, and not in the user's cache."""


def fill(into: Path) -> None:
    """Have this process keep the code that it compiles in a folder, and use no other compiled code."""
    global folder, filling
    folder, filling = into, True
