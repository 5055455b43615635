# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic repartitioning (section 5 of the Lux paper): when split points move, and where to.

Numbers only: seconds of partitions go in, split points come out. The caller measures the seconds on any processors,
passes the same on all ranks, and moves the partitions.

Where the text of the paper's step 4 is garbled, the gain on a node is taken to be the maximum of its partitions'
seconds less their mean, as step 2 has it for nodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.partition.node_traffic import NodeTraffic
from lux.partition.weight_curve import WeightCurve

EXPECTED_ITERATIONS = 10
"""Iterations that are expected to follow where the number is unknown: most searches end within twenty."""
LEAST_GAIN = 0.08
"""Largest gain, as a share of the mean, that is taken for noise in the partitions' times."""
HELPED = 0.9
"""Share of the gain that may be left after a move that helped."""
CANDIDATES = 8
"""Split points that are compared between the present ones and those that balance computation, where nodes exchange
values.
"""
BALANCED = "balanced"
SENDS_MORE = "nodes would send longer than they would compute less"
NO_ROOM = "there is no room for more on the fastest processors"

Cost = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], float]
"""Predicted seconds of a move: takes split points before and after, and the nodes on which partitions change."""


@dataclass(frozen=True)
class RepartitionDecision:
    """The decision after an iteration; `lux.explain` and ``--verbose`` show it.

    Attributes
    ----------
    iteration : int
        Iterations that were done when the seconds were taken.
    seconds : np.ndarray of shape (parts,)
        Smoothed seconds of an iteration of each partition.
    phase : {"none", "local", "global"}
        Scope of the move: nothing, split points within nodes, or all.
    gain : float
        Seconds that an iteration may lose (steps 2 and 4), for the phase; the largest of all phases where nothing
        moved. Between nodes it counts what they send as well, where that was measured.
    cost : float
        Predicted seconds of the move that was considered for it.
    remaining : int
        Iterations that are expected to follow; alpha is 1 / remaining.
    before, after : np.ndarray of shape (parts + 1,)
        Split points.
    deciding_seconds : float
        Time of the decision on this rank.
    moving_seconds : float
        Time of the move on the slowest rank while no iteration ran; 0 without a move.
    preparing_seconds : float
        Time of its preparation, while iterations went on.
    moved_after : int
        Iterations that were done when the move was made, if not ``iteration``; else 0.
    exchange_seconds, exchange_seconds_after : float
        Seconds in which nodes exchange values after the longest computation of an iteration: measured with ``before``,
        predicted with the points that were considered. 0 where none were measured.
    why : str
    """

    iteration: int
    seconds: NDArray[np.float64]
    phase: str
    gain: float
    cost: float
    remaining: int
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    deciding_seconds: float
    moving_seconds: float = 0.0
    preparing_seconds: float = 0.0
    moved_after: int = 0
    exchange_seconds: float = 0.0
    exchange_seconds_after: float = 0.0
    why: str = ""

    def facts(self) -> dict[str, Any]:
        """Return all fields as JSON has them."""
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(self).items()}

    def __str__(self) -> str:
        times = " ".join(f"{1e3 * t:.3f}" for t in self.seconds[:8]) + (" ..." if len(self.seconds) > 8 else "")
        text = f"{self.iteration:4} {times} ms; "
        if self.exchange_seconds:
            text += f"exchange {1e3 * self.exchange_seconds:.3f} -> {1e3 * self.exchange_seconds_after:.3f} ms; "
        text += f"gain {1e3 * self.gain:.3f} ms, "
        text += f"cost {1e3 * self.cost:.2f} ms / {self.remaining}: {self.why}"
        if self.phase == "none":
            return text
        points = " -> ".join(" ".join(map(str, p[1:-1][:8])) for p in (self.before, self.after))
        return f"{text}; {points} in {1e3 * self.moving_seconds:.2f} ms"


MAX_DECISIONS = 20_000
"""Decisions of a run that are kept; beyond these, decisions in the middle that moved nothing are dropped."""


def remember(decisions: list[RepartitionDecision], decision: RepartitionDecision) -> None:
    """Append a decision to a run's, of which there are `MAX_DECISIONS`, or as many more as moved partitions."""
    decisions.append(decision)
    if len(decisions) > MAX_DECISIONS:
        forgotten = next(
            (k for k in range(MAX_DECISIONS // 2, len(decisions) - 1) if decisions[k].phase == "none"), None
        )
        if forgotten is not None:
            del decisions[forgotten]


@dataclass
class Repartitioner:
    """The estimate of f, and the decisions that follow from it.

    Attributes
    ----------
    curve : WeightCurve
    nodes : np.ndarray of shape (parts,)
        The node of each partition, ascending from 0.
    scope : {"local", "global"}
        ``local`` moves only points within nodes, ``global`` all.
    cost : callable
        See `Cost`.
    kinds : np.ndarray of shape (parts,), optional
        The kind of processor of each partition. By default all are alike. The speeds of several kinds are measured in
        the first iteration, as in-edges per second.
    has_room : callable, optional
        Tells whether given split points fit into memory. Where the best ones do not, only partitions after those of a
        node's first kind move.
    traffic : callable, optional
        Measures what nodes exchange; asked only if a move would pay without it. Without it exchanges count as equally
        long with all split points.

    Examples
    --------
    Two partitions of equal edges on one node, of which the first took 3 ms and the second 1; a move takes 2 ms, and
    nine iterations follow:

    >>> curve = WeightCurve.by_edges(np.arange(9) * 10)
    >>> repartitioner = Repartitioner(curve, np.array([0, 0]), "global", lambda before, after, nodes: 0.002)
    >>> decision = repartitioner.decide(np.array([0, 4, 8]), np.array([0.003, 0.001]), iteration=1, remaining=9)
    >>> decision.phase, decision.gain, decision.after.tolist()
    ('local', 0.001, [0, 3, 8])
    """

    curve: WeightCurve
    nodes: NDArray[np.int64]
    scope: str
    cost: Cost
    kinds: NDArray[np.int64] | None = None
    has_room: Callable[[NDArray[np.int64]], bool] | None = None
    traffic: Callable[[], NodeTraffic] | None = None
    _speeds: NDArray[np.float64] | None = field(default=None, init=False)
    _in_vain: int = field(default=0, init=False)
    """Moves that left the gain where it was. Each doubles the cost of the next, since moves do not mend seconds that go
    up and down by chance; one is forgotten where partitions are balanced, or a move helped.
    """
    _gain_before: float | None = field(default=None, init=False)
    """The partitions' imbalance (`_gain`) when they moved, until the result of the move is known."""
    _exchanges: tuple[float, float] = field(default=(0.0, 0.0), init=False)
    """Seconds of an exchange, measured and predicted, in the decision that is being made."""

    _unbalanced: int = field(default=0, init=False)
    """Decisions in a row that found partitions unbalanced."""
    _looked_at: NDArray[np.int64] | None = field(default=None, init=False)
    """Split points of the last unbalanced decision."""

    def decide(
        self,
        points: NDArray[np.int64],
        seconds: NDArray[np.float64],
        *,
        iteration: int,
        remaining: int,
        pieces: NDArray[np.float64] | None = None,
    ) -> RepartitionDecision:
        """Decide about the split points of the next iterations, by steps 1 to 5, from what one iteration measured.

        Parameters
        ----------
        points : np.ndarray of shape (parts + 1,), int64
        seconds : np.ndarray of shape (parts,), float64
            Time of each partition.
        iteration, remaining : int
            See `RepartitionDecision`.
        pieces : np.ndarray of shape (parts, k), float64, optional
            Time of the vertices of each partition, in k pieces of equally many vertices, in any unit; see
            `WeightCurve.sampled`.
        """
        began = time.perf_counter()
        if self._speeds is None:
            self._speeds = _speeds(self.kinds, np.diff(self.curve.work[points]), seconds)
        gain, least = _gain(seconds, self._speeds), LEAST_GAIN * float(np.average(seconds, weights=self._speeds))
        imbalance, self._exchanges = gain, (0.0, 0.0)
        self._judge(gain, balanced=gain <= least)
        self._unbalanced = 0 if gain <= least else self._unbalanced + 1
        if gain <= least:
            phase, cost, after, why = "none", 0.0, points, BALANCED
            self._looked_at = points
        else:
            self._learn(points, seconds * self._speeds, pieces)
            phase, gain, cost, after, why = self._choose(points, seconds, least, remaining)
            if phase != "none" and not self._sure(points):
                phase, after, why = "none", points, "the next look must confirm it"
            self._gain_before = imbalance if phase != "none" else None
        took, (exchange, exchange_after) = time.perf_counter() - began, self._exchanges
        return RepartitionDecision(
            iteration, seconds, phase, gain, cost, remaining, points, after, took,
            exchange_seconds=exchange, exchange_seconds_after=exchange_after, why=why,
        )  # fmt: skip

    def _judge(self, gain: float, *, balanced: bool) -> None:
        """Judge the last move by the gain that is left."""
        if balanced or (self._gain_before is not None and gain < HELPED * self._gain_before):
            self._in_vain = max(self._in_vain - 1, 0)
        elif self._gain_before is not None:
            self._in_vain += 1
        self._gain_before = None

    def _sure(self, points: NDArray[np.int64]) -> bool:
        """Tell whether these split points are new, or were found unbalanced before: a single outlier may pass."""
        new = self._looked_at is None or not np.array_equal(points, self._looked_at)
        self._looked_at = points
        return new or self._unbalanced > 1

    def _learn(
        self, points: NDArray[np.int64], weights: NDArray[np.float64], pieces: NDArray[np.float64] | None
    ) -> None:
        """Learn f from an iteration (step 1), by seconds times speeds. Points that it contradicts are dropped."""
        weights = np.where(np.diff(points) == 0, 0.0, weights)  # no vertex of an empty partition can move
        if not weights.any():
            return
        # Where a processor has become slower, or vertices take longer, f is unknown again.
        if len(self.curve.at) == 2 or self.curve.contradicted(points, weights):
            self.curve = self.curve.fitted(points, weights)
        self.curve = self.curve.measured(points, weights)
        if pieces is not None:
            self.curve = self.curve.sampled(points, weights, pieces)

    def _choose(
        self, points: NDArray[np.int64], seconds: NDArray[np.float64], least: float, remaining: int
    ) -> tuple[str, float, float, NDArray[np.int64], str]:
        """Choose phase, gain, cost, split points and a reason (steps 2 to 5); a gain up to ``least`` is none."""
        assert self._speeds is not None
        every, speeds = np.unique(self.nodes), self._speeds
        tried: list[tuple[float, float, str]] = []
        if self.scope == "global" and len(every) > 1:
            here = [self.nodes == node for node in every]
            of_nodes = np.array([np.average(seconds[m], weights=speeds[m]) for m in here])
            gain = _gain(of_nodes, np.array([speeds[m].sum() for m in here]))
            after = self._targets(points, 0, len(seconds))
            cost, why = self._weigh(gain, least, points, after, every, remaining)
            if not why and self.traffic is not None:
                after, gain = self._with_exchange(points, after, gain, float(of_nodes.max()), self.traffic())
                cost, why = self._weigh(gain, least, points, after, every, remaining)
                why = SENDS_MORE if why == BALANCED else why
            if not why:
                return "global", gain, cost, after, "nodes are unequal"
            tried.append((gain, cost, f"nodes: {why}"))
        moved = points.copy()
        gains, costs = [], []
        for node in every:
            mine = np.flatnonzero(self.nodes == node)
            after, gain, all_fit = self._on_node(points, seconds, mine[0], mine[-1] + 1)
            cost, why = self._weigh(gain, least, points, after, np.array([node]), remaining)
            why = NO_ROOM if why and cost == 0 and not all_fit else why
            if not why:
                moved[mine[0] : mine[-1] + 2] = after[mine[0] : mine[-1] + 2]
                gains.append(gain)
                costs.append(cost)
            tried.append((gain, cost, why))
        if gains:
            return "local", max(gains), max(costs), moved, "processors of a node are unequal"
        gain, cost, why = max(tried)
        return "none", gain, cost, points, why

    def _with_exchange(
        self,
        points: NDArray[np.int64],
        balanced: NDArray[np.int64],
        gain: float,
        longest: float,
        traffic: NodeTraffic,
    ) -> tuple[NDArray[np.int64], float]:
        """Return the split points with which an iteration is predicted to take least, and the seconds that it gains.

        An iteration takes the longest computation and the rest of the exchange after it. Candidates lie between the
        present points and the balanced ones, which gain ``gain`` of computation: the same part of the way in f gains
        the same part of it, and nodes wait as much less for the slowest one, which computes for ``longest`` now.
        """
        first = np.searchsorted(self.nodes, np.arange(len(traffic.points)))
        now, target = self.curve(points), self.curve(balanced)
        best, most, self._exchanges = points, 0.0, (traffic.seconds, traffic.seconds)
        for step in np.arange(1, CANDIDATES + 1) / CANDIDATES:
            after = points.copy()
            after[1:-1] = np.maximum.accumulate(self.curve.split(now + step * (target - now))[1:-1])
            for node in np.unique(self.nodes):
                mine = np.flatnonzero(self.nodes == node)
                after = self._targets(after, mine[0], mine[-1] + 1)
            left = 1.0 - float(step)
            exchange = traffic.predict(after[first], waiting=left, computing=longest - float(step) * gain)
            saved = float(step) * gain - (exchange - traffic.seconds)
            if saved > most:
                best, most, self._exchanges = after, saved, (traffic.seconds, exchange)
        return best, most

    def _on_node(
        self, points: NDArray[np.int64], seconds: NDArray[np.float64], first: int, end: int
    ) -> tuple[NDArray[np.int64], float, bool]:
        """Return split points of a node's partitions ``first`` to ``end - 1``, their gain, and whether none is left.

        Where the best points do not fit, points within the node's first kind and at its end stay.
        """
        assert self._speeds is not None
        after, mine = self._targets(points, first, end), slice(first, end)
        if self.kinds is None or self.has_room is None or self.has_room(after):
            return after, _gain(seconds[mine], self._speeds[mine]), True
        rest = first + int(np.count_nonzero(self.kinds[mine] == self.kinds[first]))
        if rest == end:
            return points, 0.0, False
        mean = float(np.average(seconds[rest:end], weights=self._speeds[rest:end]))
        gain = float(seconds[mine].max()) - max(float(seconds[first:rest].max()), mean)
        return self._targets(points, rest, end), gain if gain > LEAST_GAIN * mean else 0.0, False

    def _weigh(
        self,
        gain: float,
        least: float,
        points: NDArray[np.int64],
        after: NDArray[np.int64],
        nodes: NDArray[np.int64],
        remaining: int,
    ) -> tuple[float, str]:
        """Weigh a move by its cost, and say why it is not made (empty if it is): alpha * cost < gain makes it."""
        if gain <= least:
            return 0.0, BALANCED
        if np.array_equal(points, after):
            return 0.0, "no other points are better"
        cost = self.cost(points, after, nodes)
        if cost < gain * remaining < cost * 2**self._in_vain:
            return cost, "the moves before did not help"
        return cost, "" if cost < gain * remaining else "a move costs more than it gains"

    def _targets(self, points: NDArray[np.int64], first: int, end: int) -> NDArray[np.int64]:
        """Compute split points of partitions ``first`` to ``end - 1`` where f grows in proportion to speeds."""
        assert self._speeds is not None
        share = np.cumsum(self._speeds[first:end]) / self._speeds[first:end].sum()
        low, high = self.curve(points[[first, end]])
        after = points.copy()
        inner = self.curve.split(
            low + (high - low) * share[:-1]
        )  # f may be flat: many points are the target of one share
        after[first + 1 : end] = np.maximum.accumulate(np.clip(inner, points[first], points[end]))
        return after


def _gain(seconds: NDArray[np.float64], speeds: NDArray[np.float64]) -> float:
    """Compute Delta_gain of steps 2 and 4: seconds of the slowest beyond the time of all together, each by its speed.

    The time of all together is the mean for equal processors; a second of a fast one counts for more.

    >>> _gain(np.array([3.0, 1.0]), np.array([1.0, 1.0])), _gain(np.array([3.0, 1.0]), np.array([1.0, 3.0]))
    (1.0, 1.5)
    """
    return float(seconds.max() - np.average(seconds, weights=speeds))


def _speeds(
    kinds: NDArray[np.int64] | None, work: NDArray[np.int64], seconds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the speed of each partition's processor, alike within a kind: in-edges per second, where 1 is the mean.

    >>> _speeds(np.array([0, 0, 1]), np.array([50, 50, 50]), np.array([2.0, 3.0, 0.25])).tolist()
    [0.25, 0.25, 2.5]
    """
    if kinds is None:
        return np.ones(len(seconds))
    rates = np.bincount(kinds, work) / np.maximum(np.bincount(kinds, seconds), 1e-9)
    each = rates[kinds]
    return np.asarray(each / each.mean())
