# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Machine code is made of functions that Python calls, however they are called."""

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from lux.kernels.deferred import prepare_numba
from lux_cases import quick_kernels


@pytest.fixture(scope="module", autouse=True)
def settings():
    prepare_numba()


def has_machine_code(function):
    return [compiled.library.has_machine_code for compiled in function.overloads.values()]


@pytest.mark.check
def test_functions_that_compiled_functions_call_get_it_when_python_calls_them():
    @numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    def inner(x):
        return x + 1

    @numba.njit
    def both(x):
        return inner(x) * 2

    @numba.njit
    def outer(x):
        return both(x) + inner(x)

    assert outer(3) == 12
    assert has_machine_code(inner) == [False]
    assert has_machine_code(outer) == [True]
    assert both(4) == 10
    assert both(4.5) == 11.0
    assert outer(4) == 15


def test_recursion_and_errors_of_inner_functions():
    @numba.njit
    def factorial(n):
        if n < 0:
            raise ValueError("negative", 1)
        return 1 if n == 0 else n * factorial(n - 1)

    @numba.njit
    def outer(n):
        return factorial(n) + 1

    assert outer(5) == 121
    assert factorial(4) == 24
    with pytest.raises(ValueError, match="negative"):
        outer(-1)


def test_callbacks_and_parallel_loops():
    @numba.cfunc("float64(float64)")
    def half(x):
        return x / 2

    @numba.njit(parallel=True)
    def total(values):
        result = 0.0
        for i in numba.prange(len(values)):
            result += half(values[i])
        return result

    assert half.ctypes(3.0) == 1.5
    assert total(np.arange(5.0)) == 5.0


def test_kernels_of_quick_tests_have_the_same_answers(monkeypatch):
    made = cpu_target.target_context.codegen()
    monkeypatch.setattr(made, "_library_class", made._library_class)
    quick_kernels.use()

    @numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    def row_sum(values, row):
        total = 0.0
        for value in values[row]:
            total += value
        return total

    @numba.njit
    def largest(values):
        found = -np.inf
        for row in range(len(values)):
            found = max(found, row_sum(values, row))
        return found

    values = np.arange(12.0).reshape(3, 4)
    assert largest(values) == values.sum(axis=1).max()
    assert largest(values.astype(np.int32)) == values.sum(axis=1).max()
    assert has_machine_code(row_sum) == [False, False]
