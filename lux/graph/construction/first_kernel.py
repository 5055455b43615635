# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Start of Legate and of Numba, side by side."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lux import runtime


@functools.cache
def load() -> None:
    """Start Legate, and load a first kernel while Legate's threads prepare for their first task: each takes 0.1 s."""
    runtime.new_store(np.int64, 1)
    with runtime.unsearched(), _without_yaml():
        from lux.graph.construction import sort_kernels

        sort_kernels.rows_sorted(np.zeros(1, np.int64), np.zeros(0, np.uint32))


@contextmanager
def _without_yaml() -> Iterator[None]:
    """Have Numba believe that there is no PyYAML, which it loads for a file of settings in the working folder alone."""
    if "yaml" in sys.modules or Path(".numba_config.yaml").exists():
        yield
        return
    sys.modules["yaml"] = None  # type: ignore[assignment]  # as Python documents it
    try:
        yield
    finally:
        del sys.modules["yaml"]
