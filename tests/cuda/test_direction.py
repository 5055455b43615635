# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Pull or push in C++ and compiled by Numba, against Python."""

import ctypes

import numba
import numpy as np
import pytest

from lux.codegen import direction as compiled
from lux_on_cores.compiled import _built
from perfmodel import direction

COUNTS = (0, 1, 5, 17, 18, 19, 20, 90, 100, 101, 360, 2**33)
TEXT = """
#include "cores.h"
#include "direction.cuh"
#define OPEN extern "C" __attribute__((visibility("default"))) bool
OPEN share(bool p, u64 v, u64 e, u64 n, u64 m) { return by_share(p, v, e, n, m, PULL_ABOVE, PUSH_BELOW); }
OPEN unreached(bool p, u64 v, u64 e, u64 b, u64 r, u64 n)
{
  return by_unreached(p, v, e, b, r, n, PULL_ABOVE, PUSH_BELOW);
}
OPEN workload(bool p, double f, double b, double x, double y) { return by_workload(p, f, b, x, y); }
"""


@numba.njit
def share_on_cores(pulled, vertices, edges, n_vertices, n_edges):
    return compiled.by_share(pulled, vertices, edges, n_vertices, n_edges)


@numba.njit
def workload_on_cores(pulled, forward, backward, pull_above, push_below):
    return compiled.by_workload(pulled, forward, backward, pull_above, push_below)


def library(thresholds):
    defined = "".join(f"#define {name} {value}\n" for name, value in direction.macros(thresholds).items())
    return ctypes.CDLL(str(_built("direction.so", defined + TEXT, "-shared")))


@pytest.fixture(scope="module")
def drawn():
    return np.random.default_rng(3).choice(COUNTS, (3000, 5)).tolist()


@pytest.mark.parametrize("pulled", [False, True])
def test_by_share(drawn, pulled):
    of_gpus = library(direction.LUX).share
    of_gpus.argtypes, of_gpus.restype = [ctypes.c_bool, *[ctypes.c_uint64] * 4], ctypes.c_bool
    found = [direction.by_share(pulled, *given[:4]) for given in drawn]
    assert found == [of_gpus(pulled, *given[:4]) for given in drawn]
    assert found == [share_on_cores(pulled, *given[:4]) for given in drawn]
    assert {*found} == {False, True}
    # Ligra divides all edges.
    heavy = [v + e > m // 20 for v, e, _, m, _ in drawn]
    assert found == [h or (pulled and v > n // 18) for h, (v, _, n, *_) in zip(heavy, drawn, strict=True)]


@pytest.mark.parametrize("pulled", [False, True])
@pytest.mark.parametrize("thresholds", [direction.BEAMER, direction.GPU_BFS, direction.GPU_BRANDES])
def test_by_unreached(drawn, pulled, thresholds):
    of_gpus = library(thresholds).unreached
    of_gpus.argtypes, of_gpus.restype = [ctypes.c_bool, *[ctypes.c_uint64] * 5], ctypes.c_bool
    found = [direction.by_unreached(pulled, *given, *thresholds) for given in drawn]
    assert found == [of_gpus(pulled, *given) for given in drawn]
    assert {*found} == {False, True}


@pytest.mark.parametrize("pulled", [False, True])
@pytest.mark.parametrize("thresholds", [direction.PAN, direction.SEPARATED_CPU, direction.SEPARATED_GPU])
def test_by_workload(drawn, pulled, thresholds):
    of_gpus = library(direction.LUX).workload
    of_gpus.argtypes, of_gpus.restype = [ctypes.c_bool, *[ctypes.c_double] * 4], ctypes.c_bool
    pairs = [(float(f), float(b)) for f, b, *_ in drawn]
    found = [direction.by_workload(pulled, *pair, *thresholds) for pair in pairs]
    assert found == [of_gpus(pulled, *pair, *thresholds) for pair in pairs]
    assert found == [workload_on_cores(pulled, *pair, *thresholds) for pair in pairs]
    assert {*found} == {False, True}
