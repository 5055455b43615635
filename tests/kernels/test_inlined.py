# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that only kernels call."""

import pytest
from numba import njit

from lux.kernels.inlined import inlined, inner


@pytest.mark.check
@pytest.mark.parametrize("decorator", [inner, inlined, inner(error_model="numpy"), inlined(fastmath=True)])
def test_kernels_call_them_and_python_does_not(decorator):
    @decorator
    def twice(x):
        return 2 * x

    @njit
    def kernel(x):
        return twice(x) + 1

    assert kernel(4) == 9
    with pytest.raises(TypeError, match="twice is compiled for other compiled functions"):
        twice(4)
