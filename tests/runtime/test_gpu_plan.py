# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Plans of launches on GPUs, as far as no GPU is needed."""

from types import SimpleNamespace

import numpy as np
import pytest

from lux.runtime import GpuPlan
from lux_cases.plans import table

KERNEL = SimpleNamespace(handle=0)


@pytest.mark.parametrize("points", [1, 3])
def test_places_in_scratch_memory(points):
    """They are numbers, or have one for each point."""
    each = 8 * np.arange(points)
    plan = GpuPlan(KERNEL, np.zeros((points, 2), np.int64), in_scratch=[(0, 256), (1, each)])
    assert table(plan, "scratch_at", points, 2).tolist() == [[256, offset] for offset in each]


@pytest.mark.parametrize("addresses", ["stores", "in_scratch", "written"])
def test_an_argument_is_a_number_or_an_address(addresses):
    words = np.array([[1, 0, 3]])
    GpuPlan(KERNEL, words, **{addresses: [(1, 0)]})
    with pytest.raises(ValueError, match="two have one name"):
        GpuPlan(KERNEL, words, **{addresses: [(2, 0)]})
