# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from lux import runtime
from lux.runtime import Launcher
from lux.runtime.one_task import COPIED


def prepare(_point, mask, least):
    mask[:] = 1 << 40
    least[:] = 50


def fold(point, _numbers, mask, least):
    mask[point::7] |= np.uint64(1) << np.uint64(point)
    least[point] = min(least[point], 48 + point)


@pytest.mark.check
@pytest.mark.parametrize("points", [1, 2, 5])
def test_points_fold_into_what_a_store_held(points):
    length = 100
    mask, least = runtime.new_store(np.uint64, length), runtime.new_store(np.uint32, 8)
    rows = {"mask_rows": runtime.even_ranges(length, points), "least_rows": runtime.even_ranges(8, points)}
    Launcher(prepare, outputs={"mask": "mask_rows", "least": "least_rows"})(points, mask=mask, least=least, **rows)
    launcher = Launcher(fold, inputs={"numbers": None}, reductions={"OR": {"mask": None}, "MIN": {"least": None}})
    with runtime.recorded() as launches:
        launcher(points, numbers=runtime.from_array(np.zeros(1)), mask=mask, least=least)
    expected = np.full(length, 1 << 40, np.uint64)
    for point in range(points):
        expected[point::7] |= np.uint64(1) << np.uint64(point)
    assert (runtime.to_array(mask) == expected).all()
    assert runtime.to_array(least).tolist() == [min(50, 48 + k) if k < points else 50 for k in range(8)]
    assert [used for used, *_ in launches[-1].stores] == ["reads", "reduces by OR into", "reduces by MIN into"]


@pytest.mark.parametrize("points", [1, 3])
def test_sums_that_overflow_are_infinite(points):
    total = runtime.new_store(np.float64, 2, 1e308)

    def add(_point, x):
        x += 1e308

    Launcher(add, sums={"x": None})(points, x=total)
    assert runtime.to_array(total).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("one_task", [True, False])
def test_bodies_do_not_see_what_a_store_has_behind_its_elements(one_task):
    """A store of a graph may be longer for Legate, in one process on CPU cores."""
    n, seen = 1001, []

    def body(_point, whole, part, changed, sums):
        seen.append((len(whole), len(part), len(changed), len(sums)))
        sums += whole.sum()
        part[:] = 7
        changed += whole[0]

    stores = {name: runtime.new_store(np.int64, n, of_graph=True) for name in ("whole", "sums", "part", "changed")}
    assert runtime.ranks() > 1 or runtime.gpus() or stores["whole"].spare == 7
    given = np.arange(1, n + 1)
    runtime.Launcher(lambda _point, x: x.__setitem__(slice(None), given[: len(x)]), outputs={"x": None})(
        1, x=stores["whole"]
    )
    fill = runtime.Launcher(lambda _point, x: x.fill(0), outputs={"x": None})
    fill(1, x=stores["sums"])
    fill(1, x=stores["changed"])
    how = {
        "inputs": {"whole": None},
        "outputs": {"part": "rows"},
        "updates": {"changed": "rows"},
        "sums": {"sums": None},
    }
    launcher = runtime.Launcher(body, **how, one_task=one_task)
    launcher(2, **stores, rows=runtime.even_ranges(n, 2))
    found = {name: runtime.to_array(store) for name, store in stores.items()}
    assert sorted(seen) == [(n, 500, 500, n), (n, 501, 501, n)]
    np.testing.assert_array_equal(found["sums"], np.full(n, 2 * given.sum()))
    np.testing.assert_array_equal(found["part"], np.full(n, 7))
    np.testing.assert_array_equal(found["changed"], np.full(n, 1))
    assert stores["whole"].without_spare.shape == (n,)


def raise_by_one(_point, x):
    x += 1


@pytest.mark.check
@pytest.mark.parametrize("length", [3, 1001, COPIED // 8, COPIED // 8 + 1])
def test_small_results_are_read_without_a_launch_and_are_always_the_newest(length):
    """A store of a graph has elements behind its own, which belong to no result."""
    x = runtime.new_store(np.int64, length, of_graph=True)
    plain, copied = (Launcher(raise_by_one, updates={"x": None}, results=names) for names in ((), ("x",)))
    small, wanted = length <= COPIED // 8, 40
    x.fill(wanted)
    for launch, reads in ((copied, not small), (plain, True), (copied, not small), (copied, not small)):
        launch(1, x=x)
        wanted += 1
        with runtime.recorded() as launches:
            values = runtime.to_array(x)
            values[:] = 0  # the caller's own
            again = runtime.to_array(x)
        assert again.tolist() == [wanted] * length
        assert len(launches) == 2 * reads
    x.fill(7)
    assert runtime.to_array(x).tolist() == [7] * length
