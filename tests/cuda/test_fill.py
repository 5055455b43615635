# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`fill` of `levels_state.cuh` fills arrays wherever they begin."""

import numpy as np
import pytest

from lux_on_cores.compiled import compiled

TEXT = """
#include "levels_state.cuh"
struct Args { u64 n; i32* array; };
extern "C" __global__ void lux_fill(const __grid_constant__ Args g) { fill(g.array, g.n, -1); }
"""


@pytest.mark.check
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 600])
def test_any_beginning(n):
    launch = compiled(TEXT, "lux_fill")
    for begin in range(5):
        array = np.zeros(n + 10, np.int32)
        words = np.array([[n, array.ctypes.data + 4 * begin]], np.int64)
        assert launch(words.ctypes.data, 2, 1, 2, 32, 0) is None
        np.testing.assert_array_equal(np.flatnonzero(array), begin + np.arange(n))
