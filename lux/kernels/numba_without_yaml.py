# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numba, imported without PyYAML, which it loads for a file of settings in the working folder alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["numba"]


@contextmanager
def _without_yaml() -> Iterator[None]:
    """Have Numba believe that there is no PyYAML."""
    if "yaml" in sys.modules or Path(".numba_config.yaml").exists():
        yield
        return
    sys.modules["yaml"] = None  # type: ignore[assignment]  # as Python documents it
    try:
        yield
    finally:
        del sys.modules["yaml"]


with _without_yaml():
    import numba
