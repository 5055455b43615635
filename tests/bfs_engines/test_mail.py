# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.errors import ParameterError
from lux.kernels import messages


@given(n=st.integers(1, 200), first=st.integers(0, 2**20), data=st.data())
def test_a_message_names_what_was_posted(n, first, data):
    ids = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    slot = np.full(messages.slot_words(n), 12345, np.uint32)
    messages.post(np.array(ids, np.uint32) + first, first, slot)
    out = np.zeros(n, np.uint32)
    assert messages.read(slot, first, out) == len(ids)
    assert sorted(out[: len(ids)].tolist()) == sorted(first + i for i in ids)
    assert messages.message_words(slot) == min(1 + len(ids), len(slot))


def test_engines_that_there_are_not():
    with pytest.raises(ParameterError, match="engine='fast' was passed; allowed are auto"):
        lux.bfs(lux.toy.path(3), 0, engine="fast")
