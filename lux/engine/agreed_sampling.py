# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Agreed sampling: random choices that are the same on every process."""

from __future__ import annotations

import random
import secrets

import numpy as np
from numpy.typing import NDArray

from lux import runtime


def sample(n: int, k: int, seed: int | None) -> NDArray[np.int64]:
    """Draw ``k`` of the numbers 0 to ``n - 1`` in random order, as Python's `random.Random(seed).sample` does.

    Without a seed one process chooses the seed.

    >>> sample(10, 3, 1).tolist()
    [2, 1, 4]
    """
    if seed is None:
        seed = _common_seed()
    return np.array(random.Random(seed).sample(range(n), k), np.int64)  # noqa: S311  # no secrets


def _common_seed() -> int:
    """Draw a new seed, by the process of the first point task."""
    key, total = runtime.register(secrets.randbits(62)), runtime.new_scalar()
    _add_seed(runtime.processors(), total=total, key=key)
    seed = runtime.read_scalar(total)
    runtime.unregister(key)
    return seed


@runtime.task(sums={"total": None}, scalars={"key": int})
def _add_seed(point: int, total: NDArray[np.int64], key: int) -> None:
    if point == 0:
        total[0] += runtime.context(key)
