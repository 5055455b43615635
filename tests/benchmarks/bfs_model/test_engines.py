# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The model of breadth-first engines: numbers worked out by hand, what must hold for all, and fits that reproduce."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.bfs_model import engines, kronecker, published, scaling
from benchmarks.bfs_model.kronecker import Search
from perfmodel.errors import ModelError

SEARCH = kronecker.search(20)
PARTS = st.sampled_from([1, 2, 3, 4, 6, 16, 60, 64, 1024])


def one_class(fronts, contacts, n, degree):
    """A search on a graph whose n vertices are all alike."""
    column = [np.array(values, float)[:, None] for values in (fronts, contacts)]
    return Search(int(math.log2(n)), degree / 2, np.array([float(n)]), np.array([float(degree)]), *column)


HAND = one_class(fronts=[0.25, 0.5], contacts=[1.0, 2.0], n=1024, degree=4)
"""Frontiers of 256 and 512 vertices, with 1,024 and 2,048 edges."""


def test_a_search_by_hand():
    assert HAND.frontiers.tolist() == [256, 512]
    assert HAND.frontier_edges.tolist() == [1024, 2048]
    # Two owners: the other half of a vertex's edges reach it first with 1 - e^(-1/2), then e^(-1/2) - e^(-3/2).
    expected = [1024 * (1 - math.exp(-0.5)), 1024 * (math.exp(-0.5) - math.exp(-1.5))]
    assert HAND.first_reached(2) == pytest.approx(expected)
    # Only the other half, and not the owner's: e^(-1/2) - e^(-1), then by e^(-1) (e^(-1) - e^(-2)).
    expected = [1024 * (math.exp(-0.5) - math.exp(-1)), 1024 * math.exp(-1) * (math.exp(-1) - math.exp(-2))]
    assert HAND.found_elsewhere(2) == pytest.approx(expected)


def test_one_dimensional_by_hand():
    # 3,072 edges, three quarters of which lead to the other three processors.
    assert engines.every_edge(HAND, 4).volume == pytest.approx(4 * 3072 * 3 / 4)
    work = engines.one_dimensional(HAND, 2)
    named = 1024 * (1 - math.exp(-1.5))
    assert work.volume == pytest.approx(4 * named)
    assert work.edges == 1536
    assert work.vertices == pytest.approx((1024 + named) / 2)


def test_two_dimensional_by_hand():
    work = engines.two_dimensional(HAND, 3, 1, bitmaps=False)
    assert work.sent == {"expand": 4 * 768 * 2, "fold": 0, "parents": 0}
    # With bitmaps each of two partners is sent 1,024 / 8 bytes at most in each level.
    assert engines.two_dimensional(HAND, 3, 1).sent["expand"] == 2 * 2 * 128
    work = engines.two_dimensional(HAND, 1, 2, bitmaps=False)
    assert work.sent["expand"] == 0
    assert work.sent["fold"] == pytest.approx(4 * 1024 * (1 - math.exp(-1.5)))


def test_the_papers_bitmap():
    # Section 5: at scale 21 on each of 4,096 GPUs a bitmap has 256 KB; 63 + 63 of them in a level, at most.
    search = kronecker.search(33)
    work = engines.two_dimensional(search, 64, 64)
    most = search.levels * 63 * 2**21 / 8
    assert 0 < work.sent["expand"] / 4096 <= most
    assert 0 < work.sent["fold"] / 4096 <= most


@pytest.mark.check
def test_hybrid_is_table_5():
    # One bottom-up level (all 2,048 edges from 512 vertices, none of 4,096 - 3,072 left but 1,024) by Beamer's rule.
    assert HAND.bottom_up().tolist() == [True, True]
    work = engines.hybrid(HAND, 3, 5)
    connected = 1024 * (1 - math.exp(-4))
    assert work.sent["gather"] == pytest.approx(2 * connected * 2 / 8)
    assert work.sent["rotate"] == pytest.approx(2 * connected * 4 / 8)
    assert work.sent["parents"] == pytest.approx(16 * 512 * 4 / 5)


def test_bottom_up_looks_at_fewer_edges():
    # (1 - e^-c) d / c: 4 (1 - e^-1) of all 1,024, then 2 (1 - e^-2) of those that e^-1 leaves.
    expected = [1024 * 4 * (1 - math.exp(-1)), 1024 * math.exp(-1) * 2 * (1 - math.exp(-2))]
    assert HAND.looked_at(both_directions=True) == pytest.approx(expected)
    assert SEARCH.looked_at(both_directions=True).sum() < 0.1 * SEARCH.looked_at(both_directions=False).sum()


def test_degree_separated_by_hand():
    # d / 8 = 1 MB, there and back, log2(8) = 3 steps, in half of the 6 levels; 4 bytes for 7/8 of 10 % of the edges.
    work = engines.degree_separated(SEARCH, 32, 4, n_delegates=8e6, normal=0.1)
    assert work.along["masks"] == pytest.approx(2 * 1e6 * 3 * 3)
    assert work.sent["normal"] == pytest.approx(4 * 0.1 * 2**25 * 31 / 32)
    tree = engines.degree_separated(SEARCH, 32, 4, n_delegates=8e6, normal=0.1, tree=True)
    assert tree.sent["parents"] == pytest.approx(4 * 8e6 * 31 + work.sent["normal"])


@pytest.mark.check
def test_framework_is_table_1():
    work = engines.framework(SEARCH, 4)
    assert work.volume == 4 * 3 * 2**20
    assert work.items == 2**20


@pytest.mark.parametrize("engine", scaling.ENGINES)
def test_more_processors_send_more_and_look_at_less(engine):
    works = [scaling.ENGINES[engine](SEARCH, parts) for parts in (1, 4, 16, 64, 256)]
    volumes = [work.volume for work in works]
    assert volumes[0] == 0
    assert volumes == sorted(volumes)
    edges = [work.edges for work in works]
    assert edges == sorted(edges, reverse=True)


@given(PARTS, PARTS)
@settings(max_examples=25)
def test_bitmaps_never_send_more(rows, columns):
    lists = engines.two_dimensional(SEARCH, rows, columns, bitmaps=False)
    bitmaps = engines.two_dimensional(SEARCH, rows, columns)
    assert bitmaps.sent["expand"] <= lists.sent["expand"]
    assert bitmaps.sent["fold"] <= lists.sent["fold"]
    assert bitmaps.items == lists.items


@given(PARTS, st.floats(1e6, 1e12), st.floats(1.1, 10))
@settings(max_examples=25)
def test_a_faster_network_never_takes_longer(parts, far, times):
    work = engines.one_dimensional(SEARCH, parts)
    slow, fast = (engines.Cluster(1e-9, 1e-9, 1e12, rate, 4) for rate in (far, far * times))
    assert engines.seconds(work, parts, fast) <= engines.seconds(work, parts, slow)


def test_names_are_fewer_than_edges():
    for parts in (2, 8, 64, 4096):
        assert engines.one_dimensional(SEARCH, parts).volume <= engines.every_edge(SEARCH, parts).volume


@pytest.mark.parametrize("series", published.SERIES, ids=lambda series: f"{series.name}-{series.processor}")
def test_the_fitted_run_is_reproduced(series):
    found = published.compare(series)
    assert published.fit(series) > 0
    assert found[0].gteps == pytest.approx(series.runs[0].gteps)
    assert found[0].error == pytest.approx(0, abs=1e-9)


def test_errors_of_published_runs():
    """As docs/explanation/distributed-bfs.md has them, in percent."""
    errors = {
        f"{series.name} {series.processor}": [round(100 * found.error) for found in published.compare(series)[1:]]
        for series in published.SERIES
    }
    assert errors == {
        "two-dimensional K20X": [176, 77, 67, 310, 365, 173],
        "one-dimensional K20X": [-5, -38, 126],
        "hybrid SPARC64 VIIIfx": [],
        "degree-separated P100": [20, 76, 128, 41],
        "framework K40": [5, 6, 16],
        "framework P100": [-38, -46],
    }


def test_memory_of_table_3():
    found = [count.modelled / count.published for count in published.counts()[:5]]
    assert found == pytest.approx([1] * 5, rel=0.005)


def test_predictions_add_up():
    for found in scaling.weak_scaling((1, 8, 1024)):
        assert found.seconds == pytest.approx(found.computation + found.transfer + found.latency)
        assert found.gteps == pytest.approx(16 * 2**found.scale / found.seconds / 1e9)


def test_one_gpu_has_the_measured_rate():
    search = kronecker.search(scaling.RATE_SCALE)
    work, cluster = engines.hybrid(search, 1, 1), scaling.cluster_of(1)
    seconds = engines.computation(work, cluster) + scaling.LAUNCH_ALONE
    assert 16 * search.n_vertices / seconds == pytest.approx(scaling.RATE)


def test_what_cannot_be_predicted():
    with pytest.raises(ModelError, match="allowed are one-dimensional"):
        scaling.predict("quick", 2)
    for parts in (0, 3):
        with pytest.raises(ModelError, match="powers of two"):
            scaling.predict("hybrid", parts)
