# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A GPU makes the same graphs as CPU cores, bit for bit, also from arrays in its own memory."""

import sys

import numpy as np
import pytest

import lux
from lux.graph.construction.generators import Kronecker
from lux.graph.construction.gpu import choice, generated
from lux.graph.construction.gpu import edges as gpu_edges
from lux_cases.processes import start
from lux_cases.stores import to_array

pytestmark = pytest.mark.gpu

DROP = {"drop_loops": True, "drop_repeats": True}


def raw_edges(n=1 << 17, m=1 << 20, low=0, kind=np.int32):
    """Edges with loops, repeats and hubs."""
    ends = (n * np.random.default_rng(3).random((2, m)) ** 3).astype(kind) + kind(low)
    ends[1, ::1000] = ends[0, ::1000]
    return ends


def assert_same(made, expected):
    assert (made.n_vertices, made.n_edges, made.ids) == (expected.n_vertices, expected.n_edges, expected.ids)
    sizes = {"offsets": made.n_vertices + 1, "sources": made.n_edges}
    for name, size in sizes.items():
        np.testing.assert_array_equal(to_array(getattr(made, name))[:size], to_array(getattr(expected, name))[:size])
    for name, values in expected.properties.items():
        found = to_array(made.properties[name])[: made.n_edges]
        np.testing.assert_array_equal(found, to_array(values)[: made.n_edges])


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("drop", [{}, DROP])
@pytest.mark.parametrize("weighted", [True, False])
def test_edges_are_sorted_as_on_cores(directed, drop, weighted):
    u, v = raw_edges()
    given = {"weight": np.arange(len(u), dtype=np.float32)} if weighted else {}
    made = lux.from_edges(u, v, directed=directed, **drop, **given)
    with lux.using(device="cpu"):
        expected = lux.from_edges(u, v, directed=directed, **drop, **given)
    assert_same(made, expected)
    ordered = made.reordered("degree")
    assert_same(ordered.reordered("given"), expected)
    degrees = expected.dense_in_degrees() + (expected.dense_out_degrees() if directed else 0)
    if ordered.order.ranges == 1:
        np.testing.assert_array_equal(to_array(ordered.order.vertices), np.argsort(-degrees, kind="stable"))
    if directed:
        assert_same(made.reverse(), expected.reverse())
        assert_same(made.symmetrized(), expected.symmetrized())


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("pieces", [1, 3])
def test_several_gpus_and_pieces(monkeypatch, directed, weighted, pieces):
    """All GPUs there are, or one, make the graph in pieces."""
    gpus = choice.several()
    monkeypatch.setattr(choice, "way", lambda *_, **__: choice.Way(gpus, pieces))
    u, v = raw_edges()
    given = {"weight": np.arange(len(u), dtype=np.float32)} if weighted else {}
    made = lux.from_edges(u, v, directed=directed, **DROP, **given)
    ordered = made.reordered("degree")
    with lux.using(device="cpu"):
        expected = lux.from_edges(u, v, directed=directed, **DROP, **given)
    assert_same(made, expected)
    assert_same(ordered.reordered("given"), expected)
    if (gpus, pieces) != (1, 1):
        np.testing.assert_array_equal(made.edge_points, to_array(made.offsets)[made.points])
    if directed:
        assert_same(made.reverse(), expected.reverse())
    elif not weighted:
        wanted = lux.bfs(expected, int(u[0])).distances.to_numpy()
        np.testing.assert_array_equal(lux.bfs(ordered, int(u[0]), parts=gpus).distances.to_numpy(), wanted)


@pytest.mark.parametrize("gpus", [1, 2])
def test_generated_edges(gpus):
    if gpus > choice.several():
        pytest.skip("there are fewer GPUs")
    source, n = Kronecker(16), 16 << 16
    expected = {end: np.empty(n, np.uint32) for end in ("sources", "destinations")}
    source.fill(0, n, *expected.values(), {})
    for end, store in generated.generated(source, gpus).items():
        np.testing.assert_array_equal(to_array(store), expected[end])


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("low", [0, 1, 10**6])
def test_arrays_in_the_memory_of_the_gpu(kind, low):
    cupy = pytest.importorskip("cupy")
    u, v = raw_edges(low=low, kind=kind)
    made = lux.from_edges(cupy.asarray(u), cupy.asarray(v), directed=False)
    with lux.using(device="cpu"):
        assert_same(made, lux.from_edges(u, v, directed=False))
        few = lux.from_edges(cupy.asarray(u[:100]), cupy.asarray(v[:100]))
        assert_same(few, lux.from_edges(u[:100], v[:100]))


def test_columns_that_are_refused():
    cupy = pytest.importorskip("cupy")
    ends = cupy.arange(12)
    with pytest.raises(lux.LuxError, match="gaps between its elements"):
        lux.from_edges(ends[::2], ends[::2])
    with pytest.raises(lux.LuxError, match="one-dimensional"):
        lux.from_edges(ends.reshape(3, 4), ends.reshape(3, 4))


def test_without_room_cores_make_the_graph(monkeypatch):
    monkeypatch.setattr(gpu_edges, "has_room", lambda _nbytes: False)
    u, v = raw_edges()
    made = lux.from_edges(u, v)
    monkeypatch.undo()
    assert_same(lux.from_edges(u, v), made)


@pytest.mark.parametrize("fbmem", [100, 140, 180, 220, 300])
def test_little_memory(tmp_path, fbmem):
    """Whatever memory a GPU has, the graph is made: at once, in pieces, or by CPU cores."""
    program = """
import lux
made = lux.generate("kronecker:18")
ordered = made.reordered("degree")
with lux.using(device="cpu"):
    expected = lux.generate("kronecker:18")
    again = expected.reordered("degree")
    assert (made.in_degrees().dense() == expected.in_degrees().dense()).all()
    assert made.n_edges == expected.n_edges
    assert (lux.bfs(ordered, 1).distances.dense() == lux.bfs(again, 1).distances.dense()).all()
"""
    flags = f"--cpus 2 --gpus 1 --fbmem {fbmem} --zcmem 256 --sysmem 2000"
    run = start(tmp_path, program, [sys.executable], LEGATE_CONFIG=flags)
    assert run.returncode == 0, run.stderr
