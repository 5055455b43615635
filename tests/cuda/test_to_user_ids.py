# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`to_user_ids.cu`: results come into the order of the ids, and "none" becomes -1, as NumPy does it."""

import numpy as np
import pytest

import lux
from lux.engine import to_user_ids
from lux.engine.gpu import to_user_ids as on_gpu
from lux.engine.run.run import Run
from lux_cases.stores import from_array, to_array

SIGNED = [
    ("int32", "int32"), ("int32", "int64"), ("uint32", "int32"), ("uint32", "int64"), ("int64", "int64"),
    ("uint64", "int64"), ("float32", "float32"), ("float64", "float64"), ("float32", "float64"),
]  # fmt: skip
MOVED = ["bool", "int8", "uint16", "float32", "int64"]


@pytest.fixture(scope="module")
def graphs():
    """Of a single vertex, of fewer than a block has threads, and of more than all threads take at once."""
    small, large = lux.toy.kite(), lux.from_edges([0, 4, 8999, 70], [1, 8999, 5, 4], n_vertices=9001, directed=False)
    given = {"alone": lux.from_edges([], [], n_vertices=1), "kite": small, "large": large}
    return given | {f"{name}, by degree": g.reordered("degree") for name, g in given.items()}


NAMES = [name + how for name in ("alone", "kite", "large") for how in ("", ", by degree")]


def on_a_gpu(store, points=None):
    """A run of which a store is the only field, of which several GPUs may have parts."""
    parts = 1 if points is None else len(points) - 1
    return Run({"field": store}, 1, True, 0.0, parts, [], device="gpu", points=points)


def none_of(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def order_of(graph):
    """Vertex at each place, and place of each vertex."""
    vertices = np.arange(graph.n_vertices)
    if graph.order is None:
        return vertices, vertices
    return to_array(graph.order.vertices), to_array(graph.order.places)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before, after", SIGNED)
def test_values_that_may_be_none(machine, graphs, name, before, after):
    graph, random = graphs[name], np.random.default_rng(1)
    values = random.integers(-5 if np.dtype(before).kind != "u" else 0, 100, graph.n_vertices).astype(before)
    values[random.random(len(values)) < 0.3] = none_of(values.dtype)
    if values.dtype.kind == "f":
        values[random.random(len(values)) < 0.2] = -np.inf
    store, (_, places) = from_array(values), order_of(graph)
    with machine() as m:
        assert on_gpu.fits(graph, store, after, [store])
        found = to_array(to_user_ids.to_user_ids(graph, store, np.dtype(after), run=on_a_gpu(store)))
        assert m.launched == ["lux_take"]
    assert found.dtype == after
    np.testing.assert_array_equal(found, np.where(values == none_of(values.dtype), -1, values.astype(after))[places])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before, after", [pair for pair in SIGNED if pair[0][0] != "f"])
def test_places(machine, graphs, name, before, after):
    graph, random = graphs[name], np.random.default_rng(2)
    values = random.integers(0, graph.n_vertices, graph.n_vertices).astype(before)
    nobody = random.random(len(values)) < 0.3
    vertices, places = order_of(graph)
    expected = np.where(nobody, -1, vertices[values].astype(np.int64))[places]
    values[nobody] = none_of(values.dtype)
    with machine(blocks=3):
        store = from_array(values)
        found = to_array(to_user_ids.to_user_ids(graph, store, np.dtype(after), places=True, run=on_a_gpu(store)))
    assert found.dtype == after
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", [1, 3, 8])
@pytest.mark.parametrize("dtype", MOVED)
def test_values_that_are_only_moved(machine, graphs, name, dtype, length):
    graph = graphs[name]
    values = np.random.default_rng(3).integers(0, 2**16, (graph.n_vertices, length)).astype(dtype)
    store, (_, places) = from_array(values.ravel()), order_of(graph)
    with machine() as m:
        found = to_user_ids.to_user_ids(graph, store, length=length, run=on_a_gpu(store))
        assert (found is store) == (graph.order is None) == (m.launched == [])
        np.testing.assert_array_equal(to_array(found).reshape(-1, length), values[places])


@pytest.mark.parametrize("name", ["kite, by degree", "large, by degree", "large"])
@pytest.mark.parametrize("gpus", [2, 3])
def test_several_gpus_have_parts_of_the_values(machine, graphs, name, gpus):
    graph, random = graphs[name], np.random.default_rng(4)
    n, (vertices, places) = graph.n_vertices, order_of(graph)
    points = np.array([0, *np.sort(random.integers(0, n, gpus - 1)), n])
    values = random.integers(0, n, n).astype(np.uint32)
    values[random.random(n) < 0.3] = none_of(values.dtype)
    expected = np.where(values == none_of(values.dtype), -1, vertices[values % n].astype(np.int64))[places]
    vectors = random.random(3 * n)
    with machine(gpus, blocks=2) as m:
        store, wide = from_array(values), from_array(vectors)
        run = on_a_gpu(store, points)
        found = to_user_ids.to_user_ids(graph, store, np.dtype(np.int64), places=True, run=run)
        moved = to_user_ids.to_user_ids(graph, wide, length=3, run=on_a_gpu(wide, points))
        assert set(m.launched) == {"lux_take"}
        np.testing.assert_array_equal(to_array(found), expected)
        np.testing.assert_array_equal(to_array(moved).reshape(-1, 3), vectors.reshape(-1, 3)[places])


def test_types_that_gpus_do_not_finish(machine, graphs):
    with machine():
        store = from_array(np.zeros(10, np.int16))
        assert not on_gpu.fits(graphs["kite"], store, np.int32, [store])
        assert on_gpu.fits(graphs["kite"], store, None, [store])
