# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What DLPack says of an array is what NumPy says of it."""

import numpy as np
import pytest

from lux.graph.construction.device_arrays import described_by_dlpack


@pytest.mark.parametrize("values", [np.arange(6, dtype=np.int32)[2:], np.arange(8.0)[::2], np.array([True, False])])
def test_dlpack_is_described_as_numpy_describes_it(values):
    found, _ = described_by_dlpack(values)
    expected = values.__array_interface__
    assert found["data"][0] == expected["data"][0]
    assert (found["typestr"], found["shape"]) == (expected["typestr"], expected["shape"])
    assert found["strides"] in (values.strides, expected["strides"])
