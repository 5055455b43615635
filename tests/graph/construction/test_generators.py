# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Generated edges: independent of the slicing, and distributed as their model says."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lux.errors import ParameterError
from lux.graph.construction.generators import RMAT, GeneratedEdges, Grid, Kronecker, Uniform, is_spec, parse_spec

GENERATORS = [
    Kronecker(6, 4, weights=(1, 255)),
    Kronecker(7, 3, seed=5),
    RMAT(5, 8, 0.45, 0.2, 0.15, seed=2, weights=(-3, 3)),
    RMAT(1, 4, shuffled=False),
    Uniform(37, 300, seed=3, weights=(-(2**31), 2**31 - 1)),
    Grid(7, 5),
    Grid(1, 9, weights=None),
    Grid(9, 1),
]


def edges(graph: GeneratedEdges, lo: int = 0, hi: int | None = None, dtype: type = np.uint32) -> tuple[np.ndarray, ...]:
    n = (graph.n_edges if hi is None else hi) - lo
    properties = {name: np.empty(n, kind) for name, kind in graph.property_types.items()}
    u, v = np.empty(n, dtype), np.empty(n, dtype)
    graph.fill(lo, lo + n, u, v, properties)
    return u, v, *properties.values()


@given(graph=st.sampled_from(GENERATORS), cuts=st.lists(st.floats(0, 1), max_size=4), seed=st.integers(0, 2**63 - 1))
def test_slices_agree(graph, cuts, seed):
    places = [0, *sorted(int(cut * graph.n_edges) for cut in cuts), graph.n_edges]
    parts = [edges(graph, lo, hi) for lo, hi in itertools.pairwise(places)]
    for whole, *pieces in zip(edges(graph), *parts, strict=True):
        np.testing.assert_array_equal(whole, np.concatenate(pieces))
    u, v, *_ = edges(Kronecker(5, 2, seed=seed), dtype=np.uint64)
    assert max(u.max(), v.max()) < 32


@pytest.mark.check
@pytest.mark.parametrize("graph", GENERATORS)
def test_ranges(graph):
    u, v, *weights = edges(graph)
    assert max(u.max(), v.max()) < graph.n_vertices == len(graph.ids)
    if weights:
        assert graph.weights[0] <= weights[0].min() <= weights[0].max() <= graph.weights[1]


def test_seeds_differ():
    assert (edges(Kronecker(8, seed=1))[0] != edges(Kronecker(8, seed=2))[0]).mean() > 0.9
    assert (edges(Uniform(1000, 1000, seed=1))[0] != edges(Uniform(1000, 1000, seed=2))[0]).mean() > 0.9


@pytest.mark.parametrize("scale", [9, 10])
def test_quadrants_of_rmat(scale):
    u, v, *_ = edges(RMAT(scale, 64, 0.5, 0.25, 0.15, shuffled=False))
    for bit in range(scale):
        row, column = (u >> bit) & 1, (v >> bit) & 1
        found = np.bincount(2 * row + column, minlength=4) / len(u)
        np.testing.assert_allclose(found, [0.5, 0.25, 0.15, 0.1], atol=0.02)


def test_kronecker_is_skewed_and_its_hubs_are_anywhere():
    graph = Kronecker(14)
    plain = RMAT(14, 16, directed=False, shuffled=False)
    degrees, straight = (np.bincount(np.concatenate(edges(g)[:2]), minlength=g.n_vertices) for g in (graph, plain))
    np.testing.assert_array_equal(np.sort(degrees), np.sort(straight))
    assert degrees.max() > 100 * degrees.mean()
    assert (degrees == 0).mean() > 0.2
    hubs = np.argsort(degrees)[-1000:]
    quarters = np.bincount(hubs * 4 // graph.n_vertices, minlength=4)
    assert quarters.min() > 150


@pytest.mark.parametrize("scale", [1, 2, 3, 7, 12])
def test_shuffling_is_a_bijection(scale):
    from lux.graph.construction.generate_kernels import ONE, scramble

    k = [np.uint64(key) for key in (0x123456789ABCDEF1, 0xFEDCBA9876543210, 0x0F1E2D3C4B5A6978)]
    mask, half = (ONE << np.uint64(scale)) - ONE, np.uint64((scale + 1) // 2)
    found = {int(scramble(np.uint64(v), half, mask, *k)) for v in range(1 << scale)}
    assert found == set(range(1 << scale))


def test_uniform_by_chi_square():
    graph = Uniform(100, 100_000, weights=(1, 100))
    u, v, w = edges(graph)
    for counts in (np.bincount(u, minlength=100), np.bincount(v, minlength=100), np.bincount(w, minlength=101)[1:]):
        assert 50 < ((counts - 1000) ** 2 / 1000).sum() < 165
    assert abs(np.corrcoef(u, v)[0, 1]) < 0.02


@settings(max_examples=20)
@given(rows=st.integers(1, 8), columns=st.integers(1, 8))
def test_grid_is_the_lattice(rows, columns):
    u, v, *_ = edges(Grid(rows, columns))
    found = {frozenset(pair) for pair in zip(u.tolist(), v.tolist(), strict=True)}
    lattice = nx.grid_2d_graph(rows, columns)
    assert found == {frozenset(r * columns + c for r, c in edge) for edge in lattice.edges}
    assert len(found) == len(u)


@pytest.mark.check
def test_specs():
    assert (parse_spec("kronecker:18").n_vertices, parse_spec("kronecker:18,8").n_edges) == (1 << 18, 8 << 18)
    assert parse_spec("rmat:16,8").directed
    assert parse_spec("Uniform:20").n_edges == 16 << 20
    assert parse_spec("grid:3x4").weights is None
    assert parse_spec("grid:3x4", weights=(2, 3)).weights == (2, 3)
    assert is_spec("grid:3x4")
    assert not is_spec("/data/grid.el")


@pytest.mark.parametrize(
    "text,message",
    [
        ("kronecker", "is no synthetic graph: pass kronecker:SCALE"),
        ("kron:18", "is no synthetic graph"),
        ("grid:3", "is no synthetic graph"),
        ("rmat:1,2,3", "is no synthetic graph"),
        ("rmat:-1", "is no synthetic graph"),
        ("kronecker:0", "scale 0 is out of range: pass 1 to 40"),
        ("kronecker:" + "9" * 5000, r"a number of 'kronecker:9+\.\.\.' is out of range"),
        ("grid:3x" + "9" * 5000, "is out of range"),
        ("uniform:41", "scale 41 is out of range: pass 1 to 40"),
        ("rmat:5,0", "edge factor 0 is out of range"),
        ("grid:0x4", "number of rows 0 is out of range"),
    ],
)
def test_wrong_specs(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_spec(text)


@pytest.mark.parametrize(
    "make,message",
    [
        (lambda: Kronecker(8, seed=-1), "seed -1 is out of range"),
        (lambda: Kronecker(8, seed=10**5000), "seed of 16610 bits is out of range"),
        (lambda: Kronecker(8.0), "scale 8.0 is no integer"),
        (lambda: Kronecker(8, weights=(5, 4)), "highest weight 4 is out of range: pass 5 to"),
        (lambda: Kronecker(8, weights=(0, 2**31)), "highest weight"),
        (lambda: RMAT(8, a=0.9, b=0.2), "whose sum is at most 1"),
        (lambda: RMAT(8, a=float("nan")), "whose sum is at most 1"),
        (lambda: Uniform(0, 1), "number of vertices 0"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
