# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""All iterations of a matrix factorization by a thread, together with the other threads and processes.

Factors are in slots, which have the rows of all vertices: those of other processes are there where ratings need them.
Every thread adds up the sums of all threads in the same order, and so all decide alike, by the rules of
`lux.algorithms.factorization.minimize`.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.factorization.kernels import (
    CHUNK,
    PENALTY,
    SUMS,
    TEST_ERROR,
    TRAIN_ERROR,
    Penalty,
    Ratings,
    gradient_step,
    least_squares,
)
from lux.algorithms.factorization.steps import (
    BEST,
    ERROR,
    FINISHED,
    ITERATION,
    LAST,
    LOWEST,
    NOW,
    OBJECTIVE,
    RATE,
    REFERENCE,
    SINCE,
)
from lux.graph.sides import LEFT, RIGHT
from lux.kernels import njit
from lux.kernels.frontier import seconds
from lux.kernels.inlined import inlined
from lux.kernels.threads import barrier, exchange

SECONDS, ELAPSED = SUMS, SUMS + 1
COLUMNS = SUMS + 2
"""Columns of a thread's numbers: sums of its chunks, seconds of the sweep, and those since the launch began."""
SLOT, ACCEPTED, BEST_SLOT = SUMS, SUMS + 1, SUMS + 2
REPORT = SUMS + 3
"""Columns of the report of an iteration before the threads' seconds: its sums, the slot of the last factors that were
accepted, whether they are new, and the slot of the best."""
TAKEN = 16
"""Distance of the two counters of chunks, which take turns."""


@njit(nogil=True, error_model="numpy", cache=True)
def run(
    row, member, team, meeting, taken, by_chunk,
    lo_0, offsets_0, neighbours_0, values_0, held_out_0, lo_1, offsets_1, neighbours_1, values_1, held_out_1,
    counts, sides, mean, factor, by_degree, k, slots, numbers, other_numbers, state, reports, reported, limits,
    patience, kept, longest, faster, slower, rounding, between,
):  # fmt: skip
    """Iterate until the run has ended, the launch has taken its time, or its reports are full; returns 0.

    The thread has a ``row`` of the numbers and is a ``member`` of the team of a partition, whose ratings are ``_0`` for
    the left side or both, and ``_1`` for the right side. ``limits`` are the last iteration, how many ratings are held
    out, whether least squares are solved, whether steps are scaled, and how many threads there are.
    """
    left = Ratings(offsets_0, neighbours_0, values_0, held_out_0, counts, sides, mean)
    right = Ratings(offsets_1, neighbours_1, values_1, held_out_1, counts, sides, mean)
    penalty = Penalty(factor, by_degree != 0)
    max_iter, n_test, solving, scaled, threads = limits[0], limits[1], limits[2] != 0, limits[3] != 0, limits[4]
    size, width = len(counts) * k, REPORT + threads
    began, done, parity = seconds(), 0, 0
    left_side, right_side = np.int64(LEFT), np.int64(RIGHT)  # Numba would compile `least_squares` for each constant
    while state[FINISHED] == 0.0 and (done + 1) * width <= len(reports):
        now, last, best = int(state[NOW]), int(state[LAST]), int(state[BEST])
        report = reports[done * width : (done + 1) * width] if row == reported else np.empty(width)
        report[:] = 0.0
        if solving:
            ahead = 1 - now if now == best else now
            old, new = slots[now * size : (now + 1) * size], slots[ahead * size : (ahead + 1) * size]
            start = seconds()
            least_squares(lo_0, left, penalty, left_side, old, new[lo_0 * k :], k, taken[:1], by_chunk)
            taken[TAKEN] = 0
            _close(row, member, team, meeting, len(offsets_0) - 1, by_chunk, numbers, start, began)
            exchange(between, 4 * ahead)
            _add(numbers, threads, report)
            of_left = report[PENALTY]
            start = seconds()
            least_squares(lo_1, right, penalty, right_side, new, new[lo_1 * k :], k, taken[TAKEN:], by_chunk)
            taken[0] = 0
            _close(row, member, team, meeting, len(offsets_1) - 1, by_chunk, other_numbers, start, began)
            exchange(between, 4 * ahead + 3)
            _add(other_numbers, threads, report)
            report[PENALTY] += of_left
            elapsed = other_numbers[ELAPSED]
        else:
            ahead = 0
            while ahead in (now, last, best):
                ahead += 1
            old, new = slots[now * size : (now + 1) * size], slots[ahead * size : (ahead + 1) * size]
            here = numbers if parity == 0 else other_numbers
            start = seconds()
            gradient_step(
                lo_0, left, penalty, state[RATE], scaled, old, new[lo_0 * k :], k, taken[TAKEN * parity :], by_chunk
            )
            taken[TAKEN * (1 - parity)] = 0
            _close(row, member, team, meeting, len(offsets_0) - 1, by_chunk, here, start, began)
            exchange(between, 2 * ahead + parity)
            _add(here, threads, report)
            elapsed = here[ELAPSED]
            parity = 1 - parity
        objective = report[TRAIN_ERROR] + report[PENALTY]
        accepted = solving or not scaled or objective <= state[OBJECTIVE] * (1 + rounding)
        if solving:
            state[NOW] = state[LAST] = ahead
        elif accepted:
            state[LAST], state[NOW] = now, ahead
            state[RATE] *= faster if scaled else 1.0
        else:
            state[NOW] = last
            state[RATE] *= slower
        if accepted:
            state[OBJECTIVE] = objective
        report[SLOT], report[ACCEPTED] = state[LAST], accepted
        _watch(report, n_test, max_iter, patience, kept, accepted, objective, state)
        report[BEST_SLOT] = state[BEST]
        done += 1
        if elapsed > longest:
            break
    if row == reported:
        limits[5] = done
    return 0


@inlined
def _close(row, member, team, meeting, n, by_chunk, numbers, start, began):
    """Write a thread's numbers of a sweep over ``n`` vertices: its share of the sums of chunks, and times."""
    numbers[row * COLUMNS + SECONDS] = seconds() - start
    barrier(meeting, team)
    chunks = (n + CHUNK - 1) // CHUNK
    for c in range(SUMS):
        numbers[row * COLUMNS + c] = 0.0
    for chunk in range(chunks * member // team, chunks * (member + 1) // team):
        for c in range(SUMS):
            numbers[row * COLUMNS + c] += by_chunk[chunk * SUMS + c]
    numbers[row * COLUMNS + ELAPSED] = seconds() - began


@inlined
def _add(numbers, threads, report):
    """Set a report's sums to those of all threads, and add their seconds to it."""
    for c in range(SUMS):
        report[c] = 0.0
        for thread in range(threads):
            report[c] += numbers[thread * COLUMNS + c]
    for thread in range(threads):
        report[REPORT + thread] += numbers[thread * COLUMNS + SECONDS]


@inlined
def _watch(report, n_test, max_iter, patience, kept, accepted, objective, state):
    """Keep the best factors, and end the run if its error stays (`lux.algorithms.factorization.minimize.follow`)."""
    error = state[ERROR]
    if accepted:
        error = np.sqrt(report[TEST_ERROR] / n_test) if n_test else objective
        state[ERROR] = error
    state[SINCE] += 1
    if error < state[REFERENCE] * kept:
        state[REFERENCE], state[SINCE] = error, 0
    if error < state[LOWEST] or state[BEST] < 0:
        state[BEST] = state[LAST]
    state[LOWEST] = min(error, state[LOWEST])
    ended = state[ITERATION] >= max_iter or (kept < 1.0 and state[SINCE] >= patience)
    state[FINISHED] = ended or not np.isfinite(objective)
    state[ITERATION] += 1
