# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import inspect

import pytest

from lux.app.installation import calls


@pytest.mark.check
def test_usual_calls_are_the_first_of_all():
    usual, every = ([name for name, _ in of()] for of in (calls.usual, calls.all_calls))
    assert every[: len(usual)] == usual
    assert len({*usual}) == len(usual) < len(every)


@pytest.mark.parametrize("kernel, kinds", calls.KERNELS)
def test_kernels_of_several_processes_have_a_kind_for_each_argument(kernel, kinds):
    assert len(inspect.signature(kernel.py_func).parameters) == len(kinds)
