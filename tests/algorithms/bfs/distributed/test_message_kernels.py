# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.algorithms.bfs.distributed import message_kernels
from lux.errors import ParameterError


@pytest.mark.check
@given(n=st.integers(1, 200), first=st.integers(0, 2**20), data=st.data())
def test_messages_that_are_added_to_or_made_of_bitmaps(n, first, data):
    ids = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    words, at = message_kernels.slot_words(n), 7
    out, slots = np.zeros(n, np.uint32), np.full(300, 12345, np.uint32)
    slots[at] = 0
    for k, v in enumerate(ids):
        message_kernels.add(slots, at, words, v)
        slot = slots[at : at + words]
        assert message_kernels.read(slot, first, out) == k + 1
        assert sorted(out[: k + 1].tolist()) == sorted(first + i for i in ids[: k + 1])
        assert message_kernels.message_words(slot) == min(2 + k, words)
    before, after = np.zeros((2, 4), np.uint64)
    for v in range(n):
        word, bit = divmod(v, 64)
        before[word] |= np.uint64((v not in ids and v % 3 == 0) << bit)
        after[word] |= np.uint64((v in ids) << bit)
    words = message_kernels.slot_words(256)
    message_kernels.write_new(before, after | before, slots, at, words)
    assert message_kernels.read(slots[at : at + words], 0, out) == len(ids)
    assert out[: len(ids)].tolist() == sorted(ids)


@pytest.mark.check
def test_engines_that_there_are_not():
    with pytest.raises(ParameterError, match="strategy='fast' was passed; allowed are auto"):
        lux.bfs(lux.toy.path(3), 0, strategy="fast")
