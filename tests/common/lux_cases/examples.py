# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How many random examples tests take that are long, and in how many ways each of them runs."""

import os
import random

from hypothesis import settings

QUICK = bool(os.environ.get("LUX_TEST_QUICK"))
"""Set by ``make test``, but not by ``make test-all``."""


def examples(number):
    """Settings for so many examples, or half as many by ``make test``."""
    return settings(max_examples=-(-number // 2) if QUICK else number)


def some(ways, chance, number=5):
    """All ways to run an example, or so many of them by ``make test``, chosen by a number that the example draws.

    More graphs in fewer ways each find more than few graphs in all ways.
    """
    return random.Random(chance).sample(ways, min(number, len(ways))) if QUICK else ways
