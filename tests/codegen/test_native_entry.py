# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from numba import cfunc, types

from lux.codegen.native_entry import array_of
from lux_cases.launches import NativeLauncher, body, new_scalar, ranges, read_scalar, records, rectangles
from lux_cases.stores import finish, from_array, recorded, to_array

float32s, int64s = array_of("float32"), array_of("int64")
INTEGERS, NUMBERS = types.CPointer(types.int64), types.CPointer(types.float64)


@cfunc(types.int64(INTEGERS, types.int64, INTEGERS, types.int64, NUMBERS))
def add(tables, point, stores, n_stores, record):
    """To what is updated add the input and the table's number; to the sum the elements."""
    size = stores[2 * 3 + 1]
    given = float32s(stores, 2 * 1, 4)
    changed = int64s(stores, 2 * 3, 8)
    for i in range(size):
        changed[i] += tables[0] + np.int64(given[i])
    if n_stores > 4:
        int64s(stores, 2 * 4, 8)[0] += size
    record[0], record[1] = point, size
    return 2 if size else 0


@pytest.mark.parametrize("points", [[0, 4, 10], [0, 0, 10], [0, 10]])
@pytest.mark.parametrize("counted", [True, False])
def test_a_compiled_body_sees_its_parts(points, counted):
    launcher = NativeLauncher(
        "add", inputs={"given": "rows"}, updates={"changed": "rows"}, sums={"seen": None} if counted else {}
    )
    assert launcher.arrays == [
        "split rows", "given", "changed before", "changed", *(["seen"] if counted else []),
    ]  # fmt: skip
    given = from_array(np.arange(10, dtype=np.float32))
    changed = from_array(np.full(10, 100))
    more = {"seen": new_scalar()} if counted else {}
    tables, parts = (np.array([7]), np.array([8])), len(points) - 1
    rows = ranges(np.array(points))
    with body(add.address, tables, parts) as key:
        with recorded() as launches:
            for number in range(2):
                launcher(parts, given=given, changed=changed, rows=rows, key=key, number=number, **more)
        assert [(launch.task, launch.points) for launch in launches] == [("add", parts)] * 2
        assert to_array(changed).tolist() == [100 + 2 * (7 + i) + 1 for i in range(10)]
        if counted:
            assert read_scalar(more["seen"]) == 20
        for point, size in enumerate(np.diff(points).tolist()):
            assert records(key, point).tolist() == ([point, size] * 2 if size else [])


@cfunc(types.int64(INTEGERS, types.int64, INTEGERS, types.int64, NUMBERS))
def ends(tables, point, stores, n_stores, record):
    """The first elements and the sizes of two parts of a store."""
    for k in range(2):
        size = stores[2 * (2 + k) + 1]
        record[k] = float32s(stores, 2 * (2 + k), 4)[0] if size else -1
        record[2 + k] = size
    return 4


@pytest.mark.check
def test_a_store_that_is_given_twice_has_parts_of_its_own():
    launcher = NativeLauncher("ends", inputs={"one": "first", "other": "second"})
    store = from_array(np.arange(100, dtype=np.float32))
    splits = {"first": ranges(np.array([0, 20, 50])), "second": rectangles([40, 7], [69, 6])}
    with body(ends.address, (np.zeros(1, np.int64),) * 2, 2) as key:
        launcher(2, one=store, other=store, **splits, key=key)
        finish()
        assert records(key, 0).tolist() == [0, 40, 20, 30]
        assert records(key, 1).tolist() == [20, -1, 30, 0]


@cfunc(types.int64(INTEGERS, types.int64, INTEGERS, types.int64, NUMBERS))
def first_of_lists(tables, point, stores, n_stores, record):
    """The first element of each of a point's two rectangles; the table says how far the second is from the first."""
    seen = float32s(stores, 2 * (n_stores - 2), 4)
    record[0], record[1] = seen[0], seen[tables[point]]
    return 2


def test_a_point_sees_several_rectangles():
    launcher = NativeLauncher("lists", {"given": "lists", "own": "rows"}, grouped={"lists": "lists_of"})
    assert launcher.arrays == ["split rows", "split lists_of", "split lists", "given", "own"]
    store, own = from_array(np.arange(100, dtype=np.float32)), from_array(np.arange(2))
    firsts, sizes = np.array([10, 40, 0, 95]), np.array([10, 3, 5, 5])
    table = np.array([30, 95])
    splits = {"lists": rectangles(firsts, firsts + sizes - 1), "lists_of": ranges(np.array([0, 2, 4]))}
    with body(first_of_lists.address, (table, table), 2) as key:
        launcher(2, own=own, given=store, rows=ranges(np.arange(3)), **splits, key=key)
        finish()
        assert [records(key, point).tolist() for point in (0, 1)] == [[10, 40], [0, 95]]
