# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How many random examples tests take that are long."""

import os

from hypothesis import settings

QUICK = bool(os.environ.get("LUX_TEST_QUICK"))
"""Set by ``make test``, but not by ``make test-all``."""


def examples(number):
    """Settings for so many examples, or half as many by ``make test``."""
    return settings(max_examples=-(-number // 2) if QUICK else number)
