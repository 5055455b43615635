# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Grouping by destination in one process, against sorted lists."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lux.graph.construction import grouping

N = 40


def expected(pairs, *, mirror, drop_loops, drop_repeats):
    """(destination, source, number of the edge) of all that is left, in order."""
    rows, seen = [], set()
    for k, (u, v) in enumerate(pairs):
        for a, b in [(u, v), (v, u)] if mirror and u != v else [(u, v)]:
            if (drop_loops and a == b) or (drop_repeats and (a, b) in seen):
                continue
            seen.add((a, b))
            rows.append((b, a, k))
    return sorted(rows, key=lambda row: row[:2])


@settings(max_examples=60)
@given(
    pairs=st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=120),
    cuts=st.lists(st.integers(0, 120), max_size=3),
    ids=st.sampled_from([(0, N), (0, 1 << 22), ((1 << 22) - N, 1 << 22), ((1 << 33) - N, 1 << 33)]),
    edges_of_a_bucket=st.sampled_from([1, 7, 1 << 15]),
    granules=st.sampled_from([1, 4, 1 << 14]),
    numbered=st.booleans(),
    kinds=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    threads=st.sampled_from([1, 2]),
)
def test_any_slices_and_buckets_give_the_same_edges(
    pairs, cuts, ids, edges_of_a_bucket, granules, numbered, kinds, threads
):
    lo, hi = (ids[0], min(ids[0] + N, ids[1]))
    kinds = dict(zip(("mirror", "drop_loops", "drop_repeats"), kinds, strict=True))
    dtype = np.uint32 if ids[1] <= 2**32 else np.uint64
    ends = np.array(pairs, np.int64).reshape(-1, 2).T.astype(dtype) + dtype(lo)
    points = [0, *sorted(min(cut, len(pairs)) for cut in cuts), len(pairs)]
    slices = [
        lambda a=a, b=b: [(ends[0, a:m], ends[1, a:m]) for a, m in ((a, (a + b) // 2), ((a + b) // 2, b))]
        for a, b in pairwise(points)
    ]
    offsets = np.full(hi - lo + 1, -1, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "BUCKET_EDGES", edges_of_a_bucket)
        patch.setattr(grouping, "GRANULES", granules)
        made = grouping.group(slices, lo, hi, ids[1], offsets, numbered=numbered, threads=threads, **kinds)
    sources = np.empty(made.n_edges, dtype)
    made.place(sources, offsets)
    rows = expected(pairs, **kinds)
    assert (sources - dtype(lo)).tolist() == [u for _, u, _ in rows]
    assert np.repeat(np.arange(hi - lo), np.diff(offsets)).tolist() == [v for v, _, _ in rows]
    assert (offsets[0], offsets[-1]) == (0, len(rows))
    if numbered:
        values, out = np.arange(len(pairs)) * 3, np.empty(made.n_edges, np.int64)
        made.place_values(values, out)
        assert out.tolist() == [3 * k for _, _, k in rows]


def test_one_vertex_with_all_edges_among_many():
    n = 1 << 20
    sources = np.random.default_rng(1).permutation(n).astype(np.uint32)
    offsets = np.empty(n + 1, np.int64)
    made = grouping.group([lambda: [(sources, np.full(n, 5, np.uint32))]], 0, n, n, offsets, threads=2)
    out = np.empty(n, np.uint32)
    made.place(out, offsets)
    np.testing.assert_array_equal(out, np.arange(n))
    np.testing.assert_array_equal(offsets, np.where(np.arange(n + 1) <= 5, 0, n))


def test_no_destinations():
    offsets = np.empty(1, np.int64)
    made = grouping.group([], 7, 7, 10, offsets)
    made.place(np.empty(0, np.uint32), offsets)
    assert offsets.tolist() == [0]
