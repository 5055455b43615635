# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Flags of compilations are equal where Numba takes them for equal."""

import itertools

import pytest
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig

from lux.kernels.deferred import prepare_numba
from lux.kernels.quick_flags import use


@pytest.fixture(scope="module", autouse=True)
def settings():
    prepare_numba()


def flags(**options):
    made = Flags()
    for name, value in options.items():
        setattr(made, name, value)
    return made


@pytest.mark.check
def test_those_are_equal_whose_values_are():
    some = [
        flags(),
        flags(nrt=True),
        flags(nrt=False),  # as by default
        flags(nrt=True, error_model="numpy"),
        flags(error_model="numpy", nrt=True),
        flags(error_model="python"),  # as by default
        flags(boundscheck=True),
    ]
    equal = 0
    for one, other in itertools.product(some, some):
        assert (one == other) == (one.values() == other.values())
        assert (one != other) == (one.values() != other.values())
        assert one != other or hash(one) == hash(other)
        equal += one == other
    assert equal == len(some) + 2 * 3 + 2


def test_others_are_compared_by_numba():
    class Others(TargetConfig):
        pass

    assert Others() == Others()
    assert Others() != flags()
    assert flags() != "flags"


def test_a_look_up_finds_flags_that_have_changed_since():
    made = flags()
    found = {made: 1}
    made.nrt = True
    assert found[flags(nrt=True)] == 1
    assert flags() not in found


def test_numbas_own_comparison_is_kept_once():
    before = TargetConfig.__eq__
    use()
    assert TargetConfig.__eq__ is before
