# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Split points, and the vertex sets of partitions and nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.errors import ParameterError
from lux.partition.split_points import balanced_points, check_parts, nodes_of


def offsets_of(degrees):
    return np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)


def check(degrees, parts):
    offsets, n = offsets_of(degrees), len(degrees)
    points = balanced_points(offsets, parts)
    assert points.dtype == np.int64
    assert points.shape == (parts + 1,)
    assert (points[0], points[-1]) == (0, n)
    assert (np.diff(points) >= 0).all()
    # Work is edges and vertices; a split point is at most half a vertex's work from where it should be.
    work = np.diff(offsets[points]) + np.diff(points)
    ideal, heaviest = (offsets[-1] + n) / parts, max(degrees) + 1
    assert work.max() <= ideal + heaviest


@pytest.mark.check
@given(degrees=st.lists(st.integers(0, 50), min_size=1, max_size=40), data=st.data())
def test_any_degrees(degrees, data):
    check(degrees, data.draw(st.integers(1, len(degrees))))


@pytest.mark.parametrize("degrees", [[999, *[0] * 99], [0] * 100, [*[0] * 99, 999], [1] * 100, [0] * 50 + [99] * 50])
def test_skewed_degrees_and_any_number_of_parts(degrees):
    for parts in range(1, 101):
        check(degrees, parts)


@pytest.mark.parametrize("wrong", [0, -1, 11, True, False, 1.5, 2.0, "2", None])
def test_wrong_numbers_of_parts(wrong):
    with pytest.raises(ParameterError, match="parts"):
        check_parts(wrong, 10)


def test_the_limit_is_named():
    with pytest.raises(ParameterError, match=r"parts=65537 was passed; allowed are 1 to 65536 \(the engine's limit\)"):
        check_parts(65537, 10**6)
    with pytest.raises(
        ParameterError, match=r"parts=11 was passed; allowed are 1 to 10 \(one partition for each vertex\)"
    ):
        check_parts(11, 10)
    assert check_parts(np.int32(10), 10) == 10
    assert check_parts(65536, 10**6) == 65536


@pytest.mark.parametrize("parts,nodes", [(1, 1), (5, 2), (8, 4), (7, 3), (3, 5)])
def test_nodes_own_runs_of_partitions(parts, nodes):
    owner = nodes_of(parts, nodes)
    assert (np.diff(owner) >= 0).all()
    assert owner.max() < nodes
    assert np.bincount(owner).max() == -(-parts // nodes)


@settings(max_examples=20)
@given(
    n=st.integers(1, 200),
    pairs=st.lists(st.tuples(st.integers(0, 199), st.integers(0, 199)), max_size=80),
    parts=st.sampled_from([2, 3, 7]),
    nodes=st.sampled_from([1, 2, 3]),
)
def test_vertex_sets_by_brute_force(n, pairs, parts, nodes):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T % n
    parts = min(parts, n)
    graph = lux.from_edges(u, v, n_vertices=n)
    layout = graph.layout(parts)
    points = layout.points
    owned = [set(range(points[p], points[p + 1])) for p in range(parts)]
    ins = [{a for a, b in zip(u.tolist(), v.tolist(), strict=True) if b in mine} for mine in owned]
    owner = nodes_of(parts, nodes).tolist()
    uds = [
        len(
            set().union(*(s for s, o in zip(ins, owner, strict=True) if o == k))
            - set().union(*(s for s, o in zip(owned, owner, strict=True) if o == k))
        )
        for k in range(nodes)
    ]
    sets = layout.vertex_sets(nodes)
    assert sets.ins.tolist() == [len(s) for s in ins]
    assert sets.ons.tolist() == [len(s) for s in owned]
    assert sets.uds.tolist() == uds


@pytest.mark.check
def test_vertex_sets_of_one_partition():
    sets = lux.toy.path(130).layout(1).vertex_sets(1)
    assert (sets.ins.tolist(), sets.ons.tolist(), sets.uds.tolist()) == ([129], [130], [0])
