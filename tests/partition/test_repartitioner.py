# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Decisions to repartition, beside examples worked by hand."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux.partition import repartitioner as decisions_module
from lux.partition.node_traffic import NodeTraffic
from lux.partition.repartitioner import SENDS_MORE, RepartitionDecision, Repartitioner, remember
from lux.partition.weight_curve import WeightCurve

FREE = np.zeros(4, np.int64)
"""Four partitions of one node."""
TWO_NODES = np.array([0, 0, 1, 1])


def curve(n=100, degree=3):
    """Of n vertices with equal in-degrees."""
    return WeightCurve.by_edges(np.arange(n + 1) * (degree + 1))


def repartitioner(nodes, cost=0.0, scope="global", **more):
    return Repartitioner(curve(), nodes, scope, lambda _before, _after, _nodes: cost, **more)


def decide(it, points, seconds, remaining=10):
    return it.decide(np.array(points), np.array(seconds, float), iteration=1, remaining=remaining)


@pytest.mark.check
def test_figure_8() -> None:
    """Uniform in-degrees; the first two of four partitions take three times as long as the others."""
    it = repartitioner(FREE)
    first = decide(it, [0, 25, 50, 75, 100], [3, 3, 1, 1])
    assert it.curve.at.tolist() == [0, 25, 50, 75, 100]
    assert it.curve.values.tolist() == [0, 3 / 8, 6 / 8, 7 / 8, 1]
    # f = 1/4 at 2/3 of the first partition, 1/2 at 1/3 of the second, 3/4 at its end.
    assert (first.phase, first.after.tolist()) == ("local", [0, 17, 33, 50, 100])
    assert first.gain == 1.0
    # What was measured then stays known inside the new partitions.
    second = decide(it, first.after, [1.0, 2.6, 2.4, 2.0])
    assert it.curve.at.tolist() == [0, 17, 25, 33, 50, 75, 100]
    np.testing.assert_allclose(it.curve.values, [0, 0.125, 0.375, 0.45, 0.75, 0.875, 1])
    # f = 1/4 lies halfway between 17 and 25, 1/2 at 1/6 of the way from 33 to 50, 3/4 at 50.
    assert second.after.tolist() == [0, 21, 36, 50, 100]


def test_in_edges_are_what_f_is_interpolated_by() -> None:
    offsets = np.array([0, 9, 10, 11, 12])  # a hub, and three vertices of one in-edge
    f = WeightCurve.by_edges(offsets + np.arange(5))
    np.testing.assert_allclose(f(np.arange(5)), [0, 10 / 16, 12 / 16, 14 / 16, 1])
    assert f.split(np.array([0, 0.5, 1])).tolist() == [0, 1, 4]


@pytest.mark.check
def test_gain_and_cost_decide() -> None:
    seconds = [4, 2, 1, 1]  # gain: 4 - 2
    for remaining, phase in ((5, "none"), (6, "local")):  # alpha * cost: 11 / remaining
        found = decide(repartitioner(FREE, cost=11), [0, 25, 50, 75, 100], seconds, remaining)
        assert (found.phase, found.gain, found.cost, found.remaining) == (phase, 2, 11, remaining)
    assert decide(repartitioner(FREE), [0, 25, 50, 75, 100], seconds, 0).phase == "none"


def test_little_differences_are_chance() -> None:
    assert decide(repartitioner(FREE), [0, 25, 50, 75, 100], [1.07, 0.93, 1, 1]).why == "balanced"
    assert decide(repartitioner(FREE), [0, 25, 50, 75, 100], [1.2, 0.8, 1, 1]).phase == "local"
    assert decide(repartitioner(FREE), [0, 25, 50, 75, 100], [0, 0, 0, 0]).why == "balanced"


def test_moves_in_vain_become_dear() -> None:
    it = repartitioner(np.array([0, 0]), cost=3.0)
    points, moved = [0, 50, 100], []
    for seconds in ([3, 1], [1, 3]) * 4:
        found = decide(it, points, seconds)  # gain 1, which counts ten times
        moved.append(found.phase != "none")
        points = found.after
    assert moved == [True, True] + 6 * [False]
    assert found.why == "the moves before did not help"
    for _ in range(2):
        decide(it, points, [2, 2])
    assert [decide(it, points, [3, 1]).phase for _ in range(2)] == ["none", "local"]


def test_moves_that_help_stay_cheap() -> None:
    it, points = repartitioner(np.array([0, 0]), cost=3.0), [0, 50, 100]
    for gain in (1.0, 0.8, 0.6, 0.4):
        found = decide(it, points, [2 - gain, 2 + gain])
        assert found.phase == "local"
        points = found.after


def test_nodes_first_then_processors() -> None:
    points = [0, 25, 50, 75, 100]
    found = decide(repartitioner(TWO_NODES), points, [4, 2, 1, 1])  # nodes: 3 and 1
    assert (found.phase, found.gain) == ("global", 1)
    assert found.after.tolist() == [0, 13, 25, 50, 100]
    # Only within nodes: the first node's point moves to where f is half of the node's 6/8, the second is balanced.
    found = decide(repartitioner(TWO_NODES, scope="local"), points, [4, 2, 1, 1])
    assert (found.phase, found.gain, found.after.tolist()) == ("local", 1, [0, 19, 50, 75, 100])
    # Equal nodes with unequal processors: no point between nodes moves.
    found = decide(repartitioner(TWO_NODES), points, [3, 1, 2, 2])
    assert (found.phase, found.after.tolist()) == ("local", [0, 17, 50, 75, 100])
    # Between nodes it costs too much, within one it does not.
    dear = Repartitioner(curve(), TWO_NODES, "global", lambda _b, _a, nodes: 50.0 if len(nodes) > 1 else 1.0)
    found = decide(dear, points, [4, 2, 1, 1])
    assert (found.phase, found.cost, found.after.tolist()) == ("local", 1, [0, 19, 50, 75, 100])


def exchange_of(seconds, points, read=None, vertex=0.0):
    """Traffic of nodes that read all of one another's vertices, or ``read`` of them."""
    sizes = np.diff(points)
    read = np.where(np.eye(len(sizes)), 0.0, sizes[:, None] if read is None else read)
    return lambda: NodeTraffic(np.array(points), read, seconds, vertex, slowest=0)


@pytest.mark.check
def test_what_nodes_send_counts() -> None:
    """The first of two nodes takes 3 s and the second 1: f = 1/2 at 33, where the second sends 67 instead of 50."""
    points, two = [0, 50, 100], np.array([0, 1])
    for seconds, phase, gain in ((0.0, "global", 1.0), (1.0, "global", 1 - 17 / 50), (4.0, "none", 0.0)):
        found = decide(repartitioner(two, traffic=exchange_of(seconds, points)), points, [3, 1])
        assert (found.phase, found.exchange_seconds) == (phase, seconds)
        assert found.gain == pytest.approx(gain)
        assert found.exchange_seconds_after == pytest.approx(seconds * (67 / 50 if phase == "global" else 1))
    assert found.why == f"nodes: {SENDS_MORE}"
    assert found.after.tolist() == points
    # The gain of an iteration is compared with the cost: 0.66 s against 7 s / 10 iterations.
    dear = repartitioner(two, cost=7.0, traffic=exchange_of(1.0, points))
    assert decide(dear, points, [3, 1]).why.endswith("a move costs more than it gains")
    # Nobody asks what balanced nodes send.
    assert decide(repartitioner(two, traffic=lambda: 1 / 0), points, [1, 1]).why == "balanced"


def test_exchanges_hide_behind_a_slow_node() -> None:
    """The second node sends 50 vertices while the first one computes; balanced nodes have to wait for its values."""
    points, two = [0, 50, 100], np.array([0, 1])
    read = np.array([[0.0, 5.0], [50.0, 0.0]])
    for vertex, gain in ((0.01, 1 - 0.467), (0.03, 0.0)):  # 17 of its 67 vertices are read by a tenth
        late = exchange_of(5 * vertex, points, read, vertex)
        assert late().hidden == pytest.approx(45 * vertex)
        assert not late().travels_early
        found = decide(repartitioner(two, traffic=late), points, [3, 1])
        assert found.gain == pytest.approx(gain)
        assert found.phase == ("global" if gain else "none")


def test_values_travel_while_nodes_compute() -> None:
    """Balanced nodes compute for 2 s, in which 67 vertices travel; if that takes longer, nodes are balanced in part."""
    points, two = [0, 50, 100], np.array([0, 1])
    for vertex, gain in ((0.01, 1.0), (0.029, 1.0), (0.04, 1 / 1.68)):  # 0.04 (50 + 17 s) = 3 - s
        found = decide(repartitioner(two, traffic=exchange_of(0.0, points, vertex=vertex)), points, [3, 1])
        assert (found.phase, found.gain) == ("global", pytest.approx(gain, abs=0.05))


def test_a_part_of_the_way_may_be_best() -> None:
    """Three nodes: the first is slow, and the last receives most until the second sends more."""
    points, three = [0, 40, 60, 100], np.array([0, 1, 2])
    traffic = exchange_of(1.0, points, read=np.array([[0, 1, 40], [40, 0, 20], [1, 1, 0]]))
    found = decide(repartitioner(three, traffic=traffic), points, [6, 2, 4])
    assert found.phase == "global"
    assert 0 < found.gain < 2
    assert 26 < found.after[1] < 40  # f = 1/3 at 26


@given(
    seconds=st.lists(st.floats(0.1, 10), min_size=4, max_size=4),
    exchange=st.floats(0, 10),
    read=st.lists(st.floats(0, 2500), min_size=16, max_size=16),
)
def test_no_move_is_predicted_to_lose(seconds, exchange, read) -> None:
    points = np.array([0, 2500, 5000, 7500, 10000])
    traffic = exchange_of(exchange, points, np.reshape(read, (4, 4)))
    it = Repartitioner(curve(10_000), np.arange(4), "global", lambda _b, _a, _n: 0.0, traffic=traffic)
    found = decide(it, points, seconds)
    if found.phase == "none":
        assert found.after.tolist() == points.tolist()
        return
    after = np.diff(it.curve(found.after)) * sum(seconds)
    lost = max(after) + traffic().predict(found.after) - max(seconds) - exchange
    rounding = sum(seconds) / 2000  # points are whole vertices
    assert lost < rounding - 0.08 * np.mean(seconds)
    assert lost == pytest.approx(-found.gain, abs=rounding)


@given(
    points=st.lists(st.integers(0, 60), min_size=2, max_size=2).map(sorted),
    other=st.lists(st.integers(0, 60), min_size=2, max_size=2).map(sorted),
)
def test_traffic_of_nodes_that_read_everything(points, other) -> None:
    """A node then sends its vertices to two others, and receives all others' vertices."""
    before, after = (np.array([0, *each, 60]) for each in (points, other))
    traffic = exchange_of(1.0, before)()

    def most(of):
        return max(2 * np.diff(of).max(), 60 - np.diff(of).min())

    full = np.diff(before).all()  # nothing is known of the readers of a node without vertices
    if full:
        assert traffic.predict(after) == pytest.approx(most(after) / most(before))
    assert traffic.predict(before) == pytest.approx(1.0)


def test_nodes_that_read_nothing() -> None:
    traffic = exchange_of(0.25, [0, 50, 100], np.zeros((2, 2)))()
    assert traffic.predict(np.array([0, 10, 100])) == 0.25


def test_a_processor_that_becomes_slower() -> None:
    it = repartitioner(np.array([0, 0]))
    decide(it, [0, 20, 100], [1, 4])
    known = it.curve
    assert known.at.tolist() == [0, 20, 100]
    assert not known.contradicted(np.array([0, 20, 100]), np.array([1.2, 4.0]))
    decide(it, [0, 20, 100], [2, 2])
    found = decide(it, [0, 20, 100], [6, 4])  # f(20) was 0.2
    assert found.why == "the next look must confirm it"
    found = decide(it, [0, 20, 100], [6, 4])
    assert it.curve.at.tolist() == [0, 20, 100]
    assert it.curve.values.tolist() == [0, 0.6, 1]
    assert found.after.tolist() == [0, 17, 100]


def test_partitions_say_what_a_vertex_counts_as() -> None:
    degrees = np.concatenate([np.full(10, 30), np.full(90, 1)])
    f = WeightCurve.by_edges(np.concatenate([[0], np.cumsum(degrees)]) + np.arange(101))
    points = np.array([0, 10, 100])
    found = f.fitted(points, np.array([300 + 5 * 10, 90 + 5 * 90.0]))
    assert found.edges_of_vertex == pytest.approx(5)
    assert np.diff(found(found.split(np.array([0, 0.5, 1])))).tolist() == pytest.approx([0.5, 0.5], abs=0.01)
    assert f.fitted(points, np.array([400.0, 1.0])).edges_of_vertex == 1  # vertices would count as less than nothing
    three = f.fitted(np.array([0, 5, 10, 100]), np.array([1.0, 9.0, 1.0]))
    assert three.edges_of_vertex == 1  # no sum over edges and vertices
    alike = curve().fitted(np.array([0, 40, 100]), np.array([3.0, 1.0]))
    assert alike.edges_of_vertex == 1


def test_points_that_newer_measurements_contradict_are_dropped() -> None:
    f = curve().measured(np.array([0, 50, 100]), np.array([3.0, 1.0]))
    assert f.measured(np.array([0, 40, 100]), np.array([7.0, 3.0])).at.tolist() == [0, 40, 50, 100]
    assert f.measured(np.array([0, 40, 100]), np.array([8.0, 2.0])).at.tolist() == [0, 40, 100]


def test_unequal_processors() -> None:
    it = repartitioner(np.array([0, 0]), kinds=np.array([0, 1]))
    found = decide(it, [0, 50, 100], [3, 1])  # the second is three times as fast: f is by in-edges
    assert found.after.tolist() == [0, 25, 100]


def test_what_unequal_processors_gain() -> None:
    """The first is nine times as fast: in 1.9 seconds they would both be done."""
    it = repartitioner(np.array([0, 0]), kinds=np.array([0, 1]))
    found = decide(it, [0, 50, 100], [1, 9])
    assert found.after.tolist() == [0, 90, 100]
    assert found.gain == pytest.approx(9 - 1.8)
    assert decide(it, found.after, [1.8, 1.85]).why == "balanced"


@pytest.mark.parametrize("last, phase", [(6, "local"), (3.1, "none")])
def test_where_fast_processors_have_no_room(last: float, phase: str) -> None:
    """The others share what is left, and gain what that gains."""
    room = mock.Mock(side_effect=lambda points: points[1] <= 40)
    it = repartitioner(np.array([0, 0, 0]), kinds=np.array([0, 1, 1]), has_room=room)
    found = decide(it, [0, 40, 70, 100], [1, 3, last])
    assert room.call_count == 1
    assert found.phase == phase
    assert found.after.tolist() == ([0, 40, 78, 100] if phase == "local" else [0, 40, 70, 100])
    assert found.gain == pytest.approx(1.5 if phase == "local" else 0)
    assert phase == "local" or "no room" in found.why


def test_seconds_of_an_empty_partition_say_nothing_of_f() -> None:
    it = repartitioner(np.array([0, 0, 0]))
    decide(it, [0, 40, 100, 100], [0, 0, 1])
    assert it.curve.at.tolist() == [0, 100]
    decide(it, [0, 40, 100, 100], [3, 1, 9])
    assert (it.curve.at.tolist(), it.curve.values.tolist()) == ([0, 40, 100], [0, 0.75, 1])


@st.composite
def measurements(draw):
    """In-edges of vertices, a number of partitions, and their seconds in some iterations."""
    degrees = draw(st.lists(st.integers(0, 50), min_size=1, max_size=40))
    parts = draw(st.integers(1, min(len(degrees), 6)))
    seconds = st.lists(st.floats(0, 10), min_size=parts, max_size=parts)
    return np.concatenate([[0], np.cumsum(degrees)]), parts, draw(st.lists(seconds, min_size=1, max_size=6))


@given(measured=measurements(), nodes=st.integers(1, 3), scope=st.sampled_from(["local", "global"]))
def test_f_is_monotone_and_points_ascend(measured, nodes, scope) -> None:
    offsets, parts, rows = measured
    f = WeightCurve.by_edges(offsets + np.arange(len(offsets)))
    of = np.sort(np.arange(parts) % nodes)
    it = Repartitioner(f, of, scope, lambda _b, _a, _n: 0.0)
    points = np.linspace(0, len(offsets) - 1, parts + 1).astype(np.int64)
    for seconds in rows:
        found = decide(it, points, seconds)
        values = it.curve(np.arange(len(offsets)))
        assert (np.diff(values) >= 0).all()
        assert (values[0], values[-1]) == (0, 1)
        assert (np.diff(it.curve.at) > 0).all()
        assert (np.diff(found.after) >= 0).all()
        assert (found.after[0], found.after[-1], len(found.after)) == (0, len(offsets) - 1, parts + 1)
        if scope == "local":
            ends = np.flatnonzero(np.diff(of)) + 1
            assert found.after[ends].tolist() == points[ends].tolist()
        points = found.after


def test_decisions_that_moved_are_not_forgotten(monkeypatch):
    monkeypatch.setattr(decisions_module, "MAX_DECISIONS", 10)
    nothing = np.zeros(2)
    decisions = []
    for k in range(100):
        phase = "global" if k % 20 == 7 else "none"
        remember(decisions, RepartitionDecision(k, nothing, phase, 0.0, 0.0, 0, nothing, nothing, 0.0))
    assert [d.iteration for d in decisions] == [0, 1, 2, 3, 4, 7, 27, 47, 67, 87, 99]
