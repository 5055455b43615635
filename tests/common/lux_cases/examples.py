# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How many random examples tests take that are long, and in how many ways each of them runs."""

import itertools
import os
import random
from collections import Counter

import pytest
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


def covering(first, *others, times=1):
    """All combinations for ``pytest.mark.parametrize``, of which ``make test`` runs few; the others are marked slow.

    Each value of ``first`` is in ``times`` of those few, with values that it was not with before, and rare ones.
    """
    factors = [first, *others]
    ways = [*itertools.product(*(range(len(factor)) for factor in factors))]
    kept, met = set(), Counter()

    def use(way):
        pairs = [*itertools.combinations(enumerate(way), 2)]
        return sum(pair in met for pair in pairs), sum(met[value] for value in enumerate(way))

    for k in range(times * len(first)):
        chosen = min((way for way in ways if way[0] == k % len(first) and way not in kept), key=use)
        kept.add(chosen)
        met.update([*itertools.combinations(enumerate(chosen), 2), *enumerate(chosen)])
    return [
        pytest.param(
            *(factor[place] for factor, place in zip(factors, way, strict=True)),
            marks=[] if way in kept else [pytest.mark.slow],
        )
        for way in ways
    ]


def one_order(chance):
    """The order of vertices for what is compiled for each: one for all tests of a run, by ``make test``."""
    return some(["given", "degree"], f"order {chance}", 1)
