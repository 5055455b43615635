# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from numba import carray, cfunc, types

from lux import runtime
from lux.codegen.native_entry import array_of
from lux.engine.gpu.host_gather_kernels import address

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
    launcher = runtime.NativeLauncher(
        "add", inputs={"given": "rows"}, updates={"changed": "rows"}, sums={"seen": None} if counted else {}
    )
    assert launcher.arrays == [
        "split rows", "given", "changed before", "changed", *(["seen"] if counted else []),
    ]  # fmt: skip
    given = runtime.from_array(np.arange(10, dtype=np.float32))
    changed = runtime.from_array(np.full(10, 100))
    more = {"seen": runtime.new_scalar()} if counted else {}
    key, tables, parts = runtime.register(None), (np.array([7]), np.array([8])), len(points) - 1
    runtime.register_body(key, add.address, tables, parts)
    rows = runtime.ranges(np.array(points))
    with runtime.recorded() as launches:
        for number in range(2):
            launcher(parts, given=given, changed=changed, rows=rows, key=key, number=number, **more)
    assert [(launch.task, launch.points) for launch in launches] == [("add", parts)] * 2
    assert runtime.to_array(changed).tolist() == [100 + 2 * (7 + i) + 1 for i in range(10)]
    if counted:
        assert runtime.read_scalar(more["seen"]) == 20
    for point, size in enumerate(np.diff(points).tolist()):
        assert runtime.records(key, point).tolist() == ([point, size] * 2 if size else [])
    runtime.unregister_body(key)
    runtime.unregister(key)


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
    launcher = runtime.NativeLauncher("ends", inputs={"one": "first", "other": "second"})
    store = runtime.from_array(np.arange(100, dtype=np.float32))
    key, tables = runtime.register(None), (np.zeros(1, np.int64),) * 2
    runtime.register_body(key, ends.address, tables, 2)
    splits = {"first": runtime.ranges(np.array([0, 20, 50])), "second": runtime.rectangles([40, 7], [69, 6])}
    launcher(2, one=store, other=store, **splits, key=key)
    runtime.finish()
    assert runtime.records(key, 0).tolist() == [0, 40, 20, 30]
    assert runtime.records(key, 1).tolist() == [20, -1, 30, 0]
    runtime.unregister_body(key)
    runtime.unregister(key)


@cfunc(types.int64(INTEGERS, types.int64, INTEGERS, types.int64, NUMBERS))
def first_of_lists(tables, point, stores, n_stores, record):
    """The first element of each of a point's two rectangles; the table says how far the second is from the first."""
    seen = carray(address(stores[2 * (n_stores - 2)]), (100,), np.float32)
    record[0], record[1] = seen[0], seen[tables[point]]
    return 2


def test_a_point_sees_several_rectangles():
    launcher = runtime.NativeLauncher("lists", {"given": "lists", "own": "rows"}, grouped={"lists": "lists_of"})
    assert launcher.arrays == ["split rows", "split lists_of", "split lists", "given", "own"]
    store, own = runtime.from_array(np.arange(100, dtype=np.float32)), runtime.from_array(np.arange(2))
    firsts, sizes = np.array([10, 40, 0, 95]), np.array([10, 3, 5, 5])
    key, table = runtime.register(None), np.array([30, 95])
    runtime.register_body(key, first_of_lists.address, (table, table), 2)
    splits = {"lists": runtime.rectangles(firsts, firsts + sizes - 1), "lists_of": runtime.ranges(np.array([0, 2, 4]))}
    launcher(2, own=own, given=store, rows=runtime.ranges(np.arange(3)), **splits, key=key)
    runtime.finish()
    assert [runtime.records(key, point).tolist() for point in (0, 1)] == [[10, 40], [0, 95]]
    runtime.unregister_body(key)
    runtime.unregister(key)
