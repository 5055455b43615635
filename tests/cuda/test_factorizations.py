# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Factorizations: kernels that meet, and those between which Legion moves factors, make the same ones bit for bit."""

from functools import cache

import numpy as np
import pytest

import lux
from lux_cases.builtin import verify


@cache
def graph(name, order="given"):
    rng = np.random.default_rng(5)
    if name == "directed":  # vertices of both sides lie among each other, and some have no rating
        u, v = 2 * rng.integers(0, 40, 300), 2 * rng.integers(0, 20, 300) + 1
        return lux.from_edges(u, v, weight=rng.integers(1, 6, 300) / 1.0, directed=True, n_vertices=90).reordered(order)
    n, users, items = {"hubs": (20000, 4000, 3), "uniform": (300, 40, 25), "one user": (60, 1, 80)}[name]
    pairs = np.unique(rng.integers(0, users, n) * items + rng.integers(0, items, n))
    values = np.clip(np.round(3 + rng.normal(size=len(pairs))), 1, 5)
    return lux.from_edges(pairs // items, pairs % items, weight=values, bipartite=True).reordered(order)


CASES = [
    ("uniform", "given", 3, np.float32, 2),
    ("uniform", "degree", 5, np.float64, 3),
    ("directed", "degree", 3, np.float32, 2),
    ("one user", "given", 3, np.float32, 2),
    ("hubs", "given", 3, np.float32, 2),
]
"""Few numbers of factors, as kernels are compiled for each."""


@pytest.mark.parametrize("method", ["als", "gd"])
@pytest.mark.parametrize("name, order, k, dtype, gpus", CASES)
def test_the_same_factors_either_way(machine, name, order, k, dtype, gpus, method):
    given, options = graph(name, order), {"method": method, "max_iter": 3, "tol": 0, "dtype": dtype}
    with lux.using(device="cpu"):
        cpu = lux.factorize(given, k, **options)
    found = {}
    for placement, parts in (("auto", 1), ("auto", gpus), ("device", gpus)):
        with machine(gpus, blocks=2, block_memory=1 << 16) as m, lux.using(device="gpu", placement=placement):
            run = lux.factorize(given, k, parts=parts, **options)
            assert (run.device, run.parts, run.iterations, run.best) == ("gpu", parts, cpu.iterations, cpu.best)
            assert all(len(s.seconds) == parts for s in run.statistics)
        if placement == "device":  # the first factors, a launch for each side and iteration, and the result
            assert len(m.launched) == 1 + (2 * 3 if method == "als" else 4) + 1
        verify(run)
        found[placement, parts] = run.factors.dense()
        expected, slack = cpu.factors.dense(), 1e-4 if dtype == np.float32 else 1e-11
        np.testing.assert_allclose(found[placement, parts], expected, rtol=0, atol=slack * np.abs(expected).max())
        np.testing.assert_allclose(run.train_rmse, cpu.train_rmse, rtol=slack)
    for each in found.values():
        np.testing.assert_array_equal(each, found["auto", 1])
