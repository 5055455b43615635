# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lux.kernels import vertex_set as vs
from lux_cases.examples import QUICK

BORDERS = (0, 1, 63, 64, 2**31, 2**32, 2**40, 2**62)
FAR = 2**57 if QUICK else 2**62
FARTHEST = [0, 5, FAR - 1, FAR, FAR + 70]
"""Members so far apart that their list has 2^25 buckets, or by ``make test-all`` 2^30, which take 4 GiB: tried once."""


@st.composite
def vertices(draw):
    """Vertices near one place or several, close together or not, some of them twice."""
    near = draw(st.lists(st.sampled_from(BORDERS[:-1]), min_size=1, max_size=3))
    spread = draw(st.sampled_from([3, 200, 2**20, 2**33]))
    pairs = draw(st.lists(st.tuples(st.sampled_from(near), st.integers(-spread, spread)), max_size=150))
    return [max(place + offset, 0) for place, offset in pairs]


def positions(members, wanted):
    out = np.empty(len(wanted), np.int64)
    vs.positions_of(members, np.array(wanted, np.uint64), out)
    return out.tolist()


@pytest.mark.check
@given(vertices(), st.randoms())
@example(FARTHEST.copy(), random.Random(1))
def test_members_and_positions(found, shuffler):
    wanted = sorted(set(found))
    shuffler.shuffle(found)
    members = vs.vertex_set(np.array(found, np.uint64))
    listed = np.empty(len(wanted), np.uint64)
    vs.list_members(members, listed)
    assert listed.tolist() == wanted
    assert positions(members, wanted) == list(range(len(wanted)))
    others = sorted({max(v + d, 0) for v in [*wanted, *BORDERS] for d in (-65, -1, 1, 64, 2**32)} - set(wanted))
    assert positions(members, others) == [-1] * len(others)
    sizes = np.empty(3, np.int64)
    for first, end in zip(others, others[len(others) // 2 :], strict=False):
        vs.sizes_of(members, first, end, sizes)
        assert sizes.tolist() == [len(wanted), sum(first <= v < end for v in wanted), len(members)]


@given(vertices())
@example(FARTHEST)
def test_no_longer_than_a_bitmap_and_than_a_list(found):
    members, distinct = vs.vertex_set(np.array(found, np.uint64)), sorted(set(found))
    if distinct:
        bitmap = 2 * -(-(distinct[-1] - distinct[0] + 1) // 64)
        assert len(members) <= vs.HEAD + min(bitmap, len(distinct) + 1 + (distinct[-1] >> 33))


@given(vertices())
def test_32_bit_ids_give_the_same(found):
    small = np.array(found, np.uint64) & np.uint64(2**32 - 1)
    assert vs.vertex_set(small.astype(np.uint32)).tolist() == vs.vertex_set(small).tolist()


def test_rows_of_a_frontier():
    members = vs.vertex_set(np.array([5, 2**33, 9], np.uint64))
    frontier, rows = np.array([9, 7, 2**33, 2**33 + 1, 5], np.int64), np.empty(5, np.int64)
    size = vs.rows_of(members, frontier, 5, rows)
    assert frontier[:size].tolist() == [9, 2**33, 5]
    assert rows[:size].tolist() == [1, 2, 0]
