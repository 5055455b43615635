# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NetworkX's own tests, run with the backend: those that Lux is expected to fail, and why.

    NETWORKX_TEST_BACKEND=lux NETWORKX_FALLBACK_TO_NX=True python -m pytest --pyargs networkx

NetworkX's own expected failures come on top: ``make networkx-suite`` tells them apart. Without
``NETWORKX_FALLBACK_TO_NX`` tests that call functions the backend does not have count as expected failures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

OTHER_PATH = "of several paths of the same length Lux takes another, and the test wants the cycles of NetworkX's"
EXPECTED = {
    "test_cycles.py::TestMinimumCycleBasis::test_weighted_diamond": OTHER_PATH,
    "test_cycles.py::TestMinimumCycleBasis::test_gh6787_and_edge_attribute_names": OTHER_PATH,
    "cycles.py::networkx.algorithms.cycles.minimum_cycle_basis": OTHER_PATH,
}
"""Reasons by the name of the file and of the test in it."""


def mark(items: Sequence[Any]) -> None:
    """Mark the tests that are expected to fail; pytest leaves folders, or the file, out of the names of some."""
    for item in items:
        reason = EXPECTED.get(f"{item.path.name}::{item.nodeid.partition('::')[2]}")
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
