# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments."""

import pytest

from lux.checks import checked_count, checked_real, described
from lux.errors import ParameterError


@pytest.mark.check
def test_integers_of_more_digits_than_python_shows():
    with pytest.raises(ParameterError, match=r"tol=\(an integer of 16610 bits\) was passed; allowed are finite"):
        checked_real("tol", 10**5000)
    with pytest.raises(ParameterError, match=r"k=9223372036854775808 .* from 1 to 2\^63 - 1"):
        checked_count("k", 2**63, 1)
    assert checked_count("k", 2**63 - 1) == 2**63 - 1
    assert described(10**5000) == "the int (an integer of 16610 bits)"
