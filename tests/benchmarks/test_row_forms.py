# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""All forms of rows give the same edges, and take the bytes that the paper says."""

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import row_forms


def block(degrees):
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    return offsets, (np.arange(offsets[-1]) * 7 % 31 + 1).astype(np.uint32)


@given(degrees=st.lists(st.sampled_from([0, 0, 0, 1, 5]), min_size=1, max_size=300))
def test_every_row_is_read(degrees):
    offsets, columns = block(degrees)
    for name, (build, read) in row_forms.FORMS.items():
        arrays = build(offsets, columns)
        more = (len(degrees),) if name == "DCSR" else ()
        for v in range(len(degrees)):
            wanted = int(columns[offsets[v] : offsets[v + 1]].sum())
            assert read(np.array([v]), *arrays, *more) == wanted, name


def test_bytes_are_table_3_s():
    degrees = [0, 3, 0, 0] * 64
    rows, occupied, edges = 256, 64, 192
    found = {row["form"]: row["bytes"] - 4 * edges for row in row_forms.compare([block(degrees)], 1)}
    assert found["CSR"] == 8 * (rows + 1)
    assert found["bitmap-based CSR"] == 8 * (4 + 5 + occupied + 1)
    assert found["DCSR"] == 8 * (65 + 64 + 65)
    assert found["coarse index and skip list"] == 8 * (4 + 1) + 4 * occupied


def test_forms_that_differ_are_seen(monkeypatch):
    monkeypatch.setitem(row_forms.FORMS, "CSR", (row_forms.csr_form, lambda *_: 0))
    with pytest.raises(AssertionError, match="forms differ"):
        row_forms.compare([block([0, 2, 1])], 1, share=1)


def test_examples():
    assert doctest.testmod(row_forms).failed == 0
