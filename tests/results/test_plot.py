# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Pictures have the numbers of what they draw."""

import sys

import numpy as np
import pytest

import lux
from lux.errors import ConfigurationError, ParameterError
from lux.results import plot
from lux_cases.stores import values_of

KITE = lux.toy.kite()


def heights(ax):
    return {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches}


def points(ax):
    return [line.get_xydata().tolist() for line in ax.lines]


@pytest.mark.check
def test_distances_are_bars():
    ax = lux.bfs(KITE, 0).plot()
    assert heights(ax) == {0: 1, 1: 4, 2: 3, 3: 1, 4: 1}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("distance", "vertices")


def test_ranks_and_sizes_are_cumulative():
    result = lux.pagerank(KITE)
    (drawn,) = points(result.plot())
    ranks = result.ranks.to_numpy()
    assert [count for _, count in drawn] == [(ranks >= x).sum() for x, _ in drawn]
    two = lux.components(lux.from_edges([0, 1, 3], [1, 2, 4]))
    assert points(two.plot()) == [[[2, 2], [3, 1]]]
    assert heights(lux.table(KITE.in_degrees()).plot()) == {1: 1, 2: 1, 3: 3, 4: 2, 5: 2, 6: 1}


def test_frontier_and_balance():
    result = lux.bfs(KITE, 0, model="push")
    ax = result.plot("frontier")
    assert heights(ax) == {n: step.frontier for n, step in enumerate(result.statistics, 1)}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["push"]
    parts = lux.pagerank(KITE, parts=3)
    drawn = heights(parts.plot("balance"))
    assert list(drawn) == [0, 1, 2]
    assert sum(drawn.values()) == pytest.approx(1000 * sum(step.seconds.sum() for step in parts.statistics))


def test_degrees():
    graph = lux.from_edges([0, 0, 1], [1, 2, 2], n_vertices=4)
    assert sorted(points(plot.degrees(graph))) == [[[1, 2], [2, 1]], [[1, 2], [2, 1]]]
    assert len(points(plot.degrees(KITE))) == 1


def test_scaling_has_the_line_of_perfect_scaling():
    measured, perfect = points(plot.scaling([1, 2, 4], [0.4, 0.25, 0.2], "bfs"))
    assert measured == [[1, 400], [2, 250], [4, 200]]
    np.testing.assert_allclose(perfect, [[1, 400], [2, 200], [4, 100]])


def test_given_axes_are_drawn_on():
    ax = plot.axes()
    assert lux.bfs(KITE, 0).plot(ax=ax) is ax
    assert plot.svg(ax).startswith("<svg")


def test_odd_values():
    for array in (np.array([np.inf, 1.0, np.nan]), np.zeros(3), np.array([-1.5, 2, 0]), np.arange(3) > 1):
        lux.table(values_of(lux.toy.path(3), array)).plot()
    lux.table(values_of(lux.toy.path(500), np.arange(500))).plot()


def test_what_cannot_be_drawn(monkeypatch):
    with pytest.raises(ParameterError, match="holds vectors, which have no order"):
        lux.table(values_of(lux.toy.path(2), np.arange(4.0), length=2)).plot()
    with pytest.raises(ParameterError, match="there is no column 'quux'"):
        lux.bfs(KITE, 0).plot("quux")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigurationError, match=r"pictures need Matplotlib: pip install 'lux-graph\[plots\]'"):
        lux.bfs(KITE, 0).plot()
