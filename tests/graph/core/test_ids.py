# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""User ids to dense ids and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux.errors import GraphError, ParameterError
from lux.graph.core import compact_ids
from lux.graph.core.compact_ids import compact
from lux.graph.core.ids import Bipartite, Identity, Integers, Offset, Strings, VertexIds

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
COLUMNS = st.one_of(
    st.lists(st.tuples(st.integers(-5, 9), st.integers(-5, 9)), min_size=1),
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**63 - 1)), min_size=1),
    st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), min_size=1),
    st.lists(st.tuples(NAMES, NAMES), min_size=1),
)


@given(pairs=COLUMNS, bipartite=st.booleans())
def test_compact_numbers_exactly_what_occurs(pairs, bipartite):
    u, v = map(list, zip(*pairs, strict=True))
    sources, destinations, ids = compact(_array(u), _array(v), bipartite=bipartite)
    labels = ids.labels(0, len(ids))
    assert sources.dtype == destinations.dtype == np.uint32
    if bipartite:
        assert labels[sources].tolist() == [f"left:{name}" for name in u]
        assert labels[destinations].tolist() == [f"right:{name}" for name in v]
    else:
        assert (labels[sources].tolist(), labels[destinations].tolist()) == (u, v)
        assert labels.tolist() == sorted({*u, *v})
    np.testing.assert_array_equal(ids.dense_array(labels), np.arange(len(ids)))
    assert [ids.dense(name) for name in labels.tolist()] == list(range(len(ids)))
    middle = len(ids) // 2
    assert ids.labels(0, middle).tolist() + ids.labels(middle, len(ids)).tolist() == labels.tolist()


def _array(values: list) -> np.ndarray:
    return np.array(values, object if isinstance(values[0], str) else np.uint64 if max(values) >= 2**63 else np.int64)


@pytest.mark.check
def test_compact_finds_identity_and_offset():
    assert compact([2, 0], [1, 2])[2] == Identity(3)
    assert compact([2, 3], [1, 2])[2] == Offset(3, 1)
    wide = np.array([2**62, 2**62 + 1])
    assert compact(wide, wide[::-1])[2] == Offset(2, 2**62)
    assert len(compact([], [])[2]) == 0


def test_compact_refuses_other_ids():
    for u, v, message in (
        ([1.5], [2], "these are float64"),
        ([True], [False], "the bool"),
        (["a"], [1], "one kind of id"),
        ([[1]], [[2]], "one-dimensional"),
        ([-1], np.array([2**63], np.uint64), "negative and some above"),
    ):
        with pytest.raises(ParameterError, match=message):
            compact(u, v)


@pytest.mark.check
@pytest.mark.parametrize(
    "ids,unknown,message",
    [
        (Identity(3), 3, "vertex 3 is not in the graph: its 3 ids run from 0 to 2"),
        (Offset(62586, 1), 0, "vertex 0 is not in the graph: its 62586 ids run from 1 to 62586"),
        (Offset(3, 1), "x", "vertex 'x' is not in the graph"),
        (Integers(np.array([3, 30])), 4, "its 2 ids are integers with gaps, from 3 to 30"),
        (Integers(np.array([3, 30])), 2**64, "vertex 18446744073709551616"),
        (Integers(np.array([3, 2**63], np.uint64)), -1, "vertex -1"),
        (Strings.of(["ada", "bob"]), "eve", "its 2 ids are strings, in order from 'ada' to 'bob'"),
        (Bipartite(Offset(2, 1), Identity(3)), "1", "write left:ID or right:ID; left: its 2 ids"),
        (Bipartite(Offset(2, 1), Identity(3)), "left:3", "vertex 'left:3' is not in the graph"),
        (Identity(0), 0, "it has no vertices"),
    ],
)
def test_unknown_vertices(ids: VertexIds, unknown, message):
    with pytest.raises(GraphError, match=message):
        ids.dense(unknown)
    with pytest.raises(GraphError, match=message):
        ids.dense_array([unknown])


@pytest.mark.parametrize("wrong", [1.0, None, True, (1, 2)])
def test_ids_are_integers_or_strings(wrong):
    with pytest.raises(ParameterError, match="a vertex id is an integer or a string"):
        Identity(3).dense(wrong)


def test_many_strings_are_looked_up_as_one_by_one():
    names = sorted([*(f"v{k}" for k in range(300)), "é", "a\tb", ""])
    ids = Strings.of(names)
    for wanted in (
        names[::-1],
        ["v7"],
        np.array([["v1", "v2"], ["é", "v299"]]),
        np.array(names[:5], object),
        ["", "a\tb"],
    ):
        expected = [names.index(name) for name in np.asarray(wanted).ravel().tolist()]
        assert ids.dense_array(wanted).ravel().tolist() == expected
        assert ids.dense_array(wanted).shape == np.shape(wanted)
    for unknown in ("v300", "\ud800"):
        with pytest.raises(GraphError, match="is not in the graph: its 303 ids are strings"):
            ids.dense_array([*names, unknown])
    with pytest.raises(ParameterError, match="a vertex id is an integer or a string"):
        ids.dense_array([*names, 1.5])


def test_ids_are_a_collection():
    ids = Integers(np.array([3, 5, 30]))
    assert list(ids) == [3, 5, 30]
    assert (5 in ids, 6 in ids, None in ids) == (True, False, False)
    ids.to_numpy()[0] = 9
    assert ids.to_numpy().tolist() == [3, 5, 30]


def test_digits_and_numpy_integers():
    assert Offset(3, -1).dense("-1") == 0
    assert Integers(np.array([3, 30])).dense(np.uint8(30)) == 1
    assert Strings.of(["10", "9"]).dense(9) == 1


def test_equality():
    assert Identity(3) != Offset(3, 1)
    assert Offset(3, 1) != Offset(4, 1)
    assert Strings.of(["a"]) != "a"
    assert Bipartite(Identity(1), Identity(2)) == Bipartite(Identity(1), Identity(2))


def test_numbers_of_any_length():
    long = "9" * 5000
    for ids in (Offset(3, 1), Integers(np.array([3, 30])), Strings.of(["a"]), Bipartite(Offset(2, 1), Identity(3))):
        for unknown in (long, f"left:{long}", 10**5000, "\udc80"):
            with pytest.raises(GraphError, match=r"vertex .{1,70} is not in the graph"):
                ids.dense(unknown)
    assert Offset(3, 1).dense("0" * 5000 + "3") == 2
    assert Strings.of([long]).dense(long) == 0


@given(
    ends=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=30),
    base=st.sampled_from([-30, 0, 5, 2**31 - 20, 2**40, 2**63 - 60, 2**64 - 200]),
    step=st.sampled_from([1, 3]),
    kinds=st.tuples(*[st.sampled_from([np.int16, np.int32, ">i4", np.int64, np.uint32, np.uint64])] * 2),
    in_place=st.booleans(),
)
def test_integers_of_any_types_are_numbered_in_pieces(ends, base, step, kinds, in_place):
    values = [[base + step * end[side] for end in ends] for side in (0, 1)]
    fitting = [
        kind if np.iinfo(kind).min <= min(column) and max(column) <= np.iinfo(kind).max else
        (np.int64 if max(column) < 2**63 else np.uint64)
        for column, kind in zip(values, kinds, strict=True)
    ]  # fmt: skip
    given_arrays = [np.array(column, kind) for column, kind in zip(values, fitting, strict=True)]
    before = [column.copy() for column in given_arrays]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact_ids, "PIECE", 4)
        sources, destinations, ids = compact_ids.compact(*given_arrays, in_place=in_place)
    labels = sorted({*values[0], *values[1]})
    assert ids.labels(0, len(ids)).tolist() == labels
    assert [labels[k] for k in sources] == values[0]
    assert [labels[k] for k in destinations] == values[1]
    assert sources.dtype == destinations.dtype == np.uint32
    if not in_place:
        for column, earlier in zip(given_arrays, before, strict=True):
            np.testing.assert_array_equal(column, earlier)
