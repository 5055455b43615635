# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ids of vertices as arrays in files: what was written is read, and damage is refused."""

import numpy as np
import pytest

from lux.errors import FormatError
from lux.io.files.stored_ids import from_arrays
from lux_cases.edges import Bipartite, Identity, Integers, Offset, Strings


def changed(ids, **arrays):
    kept = {**ids.to_arrays(), **{name.replace("_", "."): value for name, value in arrays.items()}}
    return {name: np.asarray(value) for name, value in kept.items() if value is not None}


NUMBERS, WORDS = Integers(np.array([3, 30])), Strings.of(["ada", "bob"])
NAMES = Strings.of(["", "a\0b", "é", "\U0001f600"])


@pytest.mark.parametrize(
    "ids",
    [
        *(Identity(0), Identity(3), Offset(3, -1), Offset(2, 2**62), Integers(np.array([0, 2**64 - 1], np.uint64))),
        *(NUMBERS, WORDS, NAMES, Bipartite(NUMBERS, WORDS), Bipartite(Offset(2, 1), Identity(3))),
    ],
)
def test_stored_ids_are_read_as_they_were(ids):
    assert from_arrays(ids.to_arrays()) == ids


@pytest.mark.parametrize(
    "arrays,message",
    [
        ({}, "the array 'kind' of vertex ids is missing"),
        (changed(Identity(3), kind=3), "'kind' of vertex ids has type int64"),
        (changed(Identity(3), kind="x"), "'x' is no kind of vertex ids"),
        (changed(Identity(3), kind=["identity"]), r"shape \(1,\)"),
        (changed(Identity(3), n=None), "'n' of vertex ids is missing"),
        (changed(Identity(3), n=[3]), r"'n' of vertex ids has type int64 and shape \(1,\)"),
        (changed(Identity(3), n=-1), "-1 consecutive ids"),
        (changed(Identity(3), n=2.0), "float64"),
        (changed(Offset(3, 1), base=2**63 - 2), None),
        (changed(Offset(3, 1), base=np.uint64(2**64 - 2)), "no integers of 64 bits"),
        (changed(Offset(3, 1), base=-(2**63), n=np.uint64(2**64 - 1)), "no integers of 64 bits"),
        (changed(NUMBERS, values=[30, 3]), "not in ascending order: 3 follows 30"),
        (changed(NUMBERS, values=[3, 3]), "not in ascending order: 3 follows 3"),
        (changed(NUMBERS, values=[[3, 30]]), r"shape \(1, 2\)"),
        (changed(NUMBERS, values=[3.0, 30.0]), "float64"),
        (changed(WORDS, offsets=[0, 3]), "offsets of vertices' names"),
        (changed(WORDS, offsets=[1, 3, 6]), "offsets of vertices' names"),
        (changed(WORDS, offsets=[0, 7, 6]), "offsets of vertices' names"),
        (changed(WORDS, offsets=np.zeros(0, np.int64)), "offsets of vertices' names"),
        (changed(WORDS, offsets=np.array([0, 3, 6], np.int32)), "not uint8 and int32"),
        (changed(WORDS, offsets=[0, 0, 6]), None),
        (changed(WORDS, text=np.frombuffer(b"bobada", np.uint8)), "'ada' follows 'bob'"),
        (changed(WORDS, text=np.frombuffer(b"adaada", np.uint8)), "'ada' follows 'ada'"),
        (changed(WORDS, text=np.frombuffer("adéé".encode(), np.uint8)), "not UTF-8"),
        (changed(Bipartite(NUMBERS, WORDS), left_values=[3, 3]), "3 follows 3"),
        (changed(Bipartite(NUMBERS, WORDS), right_kind="bipartite"), "'bipartite' is no kind"),
        (changed(Bipartite(NUMBERS, WORDS), right_kind=None), "'kind' of vertex ids is missing"),
    ],
)
def test_stored_ids_are_checked(arrays, message):
    if message is None:
        assert len(from_arrays(arrays)) in {2, 3}
        return
    with pytest.raises(FormatError, match=message):
        from_arrays(arrays)
