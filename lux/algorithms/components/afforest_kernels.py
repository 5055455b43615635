# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Components by the partitions of one process or several, of which each process links in a forest over all vertices.

The threads of a process link the in-edges of its vertices as those of one task do (`threads_kernels`): first some edges
of each. Then each process tells every other one which of its vertices that are read there have its most frequent label,
a root, which the others join with them. They link the rest of their edges, and tell one another all labels of vertices
that are read: a bit says whether it is the most frequent one, and labels follow where it is not. From then on a process
tells all others which of the labels that it has told or was told (``spread``) are no longer roots in its forest, with
their roots, which take their place; it is told the same, and joins them. The run ends when no process has any to tell.
A process whose vertices' first in-neighbours lie elsewhere has only small trees before it is told the first labels.

Then the roots of the two ends of every edge are the same, each in its owner's forest. Let v and its in-neighbour u be
owned by P and Q, which has told P the label a of u. Both have had a in ``spread``, so each has told the other what a's
root is in its own forest: neither's root is larger than the other's, and they are the same. If P has linked the edge,
then v has the root of u in P's forest, which is that of a, which is that of u in Q's forest.

An undirected graph has every edge in both directions, and a process skips the remaining edges of vertices that have the
root of a certain label r. All processes take the same r: each proposes its most frequent label with its number of
vertices, and the largest number wins. An edge is not linked at all only if both its ends were skipped, so that u has
the root of r in Q's forest and v has it in P's. All processes have r in ``spread``, so its root is the same in both.

Every vertex points to a smaller one or to itself, so that roots are smallest members. In a graph with an order these
are places: processes tell one another the smallest vertices of the components in which ``spread`` has a label, as only
these may lie in several processes.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.components.threads_kernels import (
    GRAIN,
    find_root,
    flatten,
    flatten_again,
    link,
    link_others,
    link_roots,
    most_frequent,
    point_to_first,
)
from lux.kernels import njit
from lux.kernels.frontier import popcount, seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.threads import BARRIER_WORDS, atomic_add, atomic_min, barrier, exchange, peek

# Words (int64) that the threads of a process share, after those of the barrier.
TOLD = BARRIER_WORDS  # pairs told in a round
CONTROL = TOLD + 16

# Words of the head of a message.
HEAD = 4
WORDS = 0  # of the message
COUNT = 1  # labels or pairs in it
MOST = 2  # the sender's most frequent label
VOTES = 3  # vertices that may have it


@njit(nogil=True, error_model="numpy", cache=True)
def run(
    me, size, both, lo, own, in_offsets, sources, dense_ids, forest, spread, smallest, sent, sent_at, received,
    received_at, begins, out, out_ids, out_at, arrived, arrived_ids, in_at, room, counts, control, work, between,
):  # fmt: skip
    """Do the share of thread ``me`` of ``size`` of this process in labelling every vertex of its partition; returns 0.

    Parameters
    ----------
    both : int
        1 if edges are there in both directions.
    lo : int
        The partition's first vertex.
    own : np.ndarray of shape (2,), int64
        Where the process's vertices begin and end.
    in_offsets, sources : np.ndarray
        The partition's in-edges.
    dense_ids : np.ndarray
        The dense id of each of the partition's places; empty where these are the same.
    forest : np.ndarray of shape (n_vertices,), of the type of ids
        Receives labels of the process's vertices, as places.
    spread : np.ndarray of shape (n_vertices,), uint8
        Zero at first. 1 for labels of which other processes have to know the root.
    smallest : np.ndarray of shape (n_vertices,), of the type of ids
        Receives the smallest vertex of each component with vertices of this process, by its root; with ``dense_ids``.
    sent, sent_at, received, received_at : np.ndarray
        For each other process this process's vertices that it reads, and its vertices that are read here, counted from
        the owner's first vertex, and where the lists begin and end.
    begins : np.ndarray, int64
        First vertex of each other process.
    out, out_at, arrived, in_at : np.ndarray, int64
        Messages to each other process and from it, as of `lux.runtime.exchange.MessageExchange`; ``out_ids`` and
        ``arrived_ids`` are the same as ids.
    room : int
        Most pairs that are told in a round.
    counts : np.ndarray, int64
        Scratch for each other process and thread.
    control : np.ndarray of shape (CONTROL,), int64
        Zero at first.
    work : np.ndarray of shape (2,), float64
        Receives edges that were looked at, and seconds spent linking.
    """
    n, rows, peers = len(forest), len(in_offsets) - 1, len(begins)
    began = seconds()
    for v in range(n * me // size, n * (me + 1) // size):
        if v < own[0] or v >= own[1]:
            forest[v] = v
    seen, mine = point_to_first(0, rows, lo, in_offsets, sources, forest)
    barrier(control, size)
    seen += link_roots(mine, 0, len(mine), lo, in_offsets, sources, forest)
    if not both:
        seen += _link_others(-1, lo, in_offsets, sources, forest)
    barrier(control, size)
    flatten(lo, lo + rows, forest)
    barrier(control, size)
    most, votes = np.int64(-1), np.int64(0)
    if own[0] < own[1]:
        most, votes = most_frequent(forest[own[0] : own[1]])
    if peers and both:
        _put_labels(
            0, me, size, most, votes, own[0], sent, sent_at, forest, spread, out, out_ids, out_at, counts, control
        )
        work[1] = seconds() - began
        exchange(between, 0)
        began = seconds()
        _join_labels(0, me, size, begins, received, received_at, arrived, arrived_ids, in_at, forest, spread)
        for k in range(peers):
            head = arrived[in_at[k] : in_at[k] + HEAD]
            if head[VOTES] > votes or (head[VOTES] == votes and head[MOST] < most):
                most, votes = head[MOST], head[VOTES]
        barrier(control, size)
        flatten_again(lo, lo + rows, forest)
        most = find_root(most, forest) if most >= 0 else most
        barrier(control, size)
    if both:
        seen += _link_others(most, lo, in_offsets, sources, forest)
        barrier(control, size)
        flatten_again(lo, lo + rows, forest)
        most = find_root(most, forest) if most >= 0 else most
        barrier(control, size)
    work[0], work[1] = seen, work[1] + seconds() - began
    if peers:
        _put_labels(1, me, size, most, 0, own[0], sent, sent_at, forest, spread, out, out_ids, out_at, counts, control)
        exchange(between, 0)
        _join_labels(1, me, size, begins, received, received_at, arrived, arrived_ids, in_at, forest, spread)
    barrier(control, size)
    more = peers > 0
    while more:
        _put_roots(me, size, forest, spread, room, control, out, out_ids, out_at)
        more = _tell(me, size, room, control, out, out_ids, out_at, arrived, in_at, between)
        for k in range(peers):
            at, count = _entries(arrived_ids, arrived, in_at[k]), arrived[in_at[k] + COUNT]
            for i in range(count * me // size, count * (me + 1) // size):
                link(forest, np.int64(arrived_ids[at + 2 * i]), np.int64(arrived_ids[at + 2 * i + 1]))
        barrier(control, size)
    if peers:
        flatten_again(lo, lo + rows, forest)
    if len(smallest):
        _name(
            me, size, lo, dense_ids, forest, spread, smallest, out, out_ids, out_at, arrived, arrived_ids, in_at,
            room, control, between,
        )  # fmt: skip
    return 0


@inner
def _link_others(most, lo, offsets, sources, forest):
    """Link all edges of the vertices that do not point to ``most``; returns how many."""
    seen, others = np.int64(0), np.empty(GRAIN, np.int64)
    for i in range(0, len(offsets) - 1, GRAIN):
        seen += link_others(i, min(i + GRAIN, len(offsets) - 1), most, others, lo, offsets, sources, forest)
    return seen


@inlined
def _entries(ids, words, at):
    """Return where the entries of the message that begins at a word begin among ids."""
    return (at + HEAD) * (len(ids) // len(words))


@inlined
def _spread(label, spread):
    """Note a label. Most are noted already: unwritten entries stay in the other cores' caches."""
    if spread[label] == 0:
        spread[label] = 1


@inner
def _put_labels(
    every, me, size, most, votes, first, sent, sent_at, forest, spread, out, out_ids, out_at, counts, control
):
    """Write a thread's share of the labels of the vertices that are read elsewhere, as bits: 1 if it is ``most``.

    With ``every``, the labels follow whose bits are 0. ``counts`` receives how many, by process and thread.
    """
    if most >= 0:
        spread[most] = 1
    for k in range(len(sent_at) - 1):
        at, end, others = sent_at[k], sent_at[k + 1], np.int64(0)
        words = (end - at + 63) // 64
        for w in range(words * me // size, words * (me + 1) // size):
            bits, begin = np.int64(0), at + 64 * w
            for i in range(begin, min(begin + 64, end)):
                is_most = np.int64(forest[first + sent[i]]) == most
                bits |= np.int64(is_most) << (i - begin)
                others += not is_most
            out[out_at[k] + HEAD + w] = bits
        counts[k * size + me] = others * every
    barrier(control, size)
    for k in range(len(sent_at) - 1):
        at, end = sent_at[k], sent_at[k + 1]
        words = (end - at + 63) // 64
        to = _entries(out_ids, out, out_at[k] + words)
        for other in range(me):
            to += counts[k * size + other]
        for i in range(at + 64 * (words * me // size), min(at + 64 * (words * (me + 1) // size), end)):
            label = forest[first + sent[i]]
            if every and np.int64(label) != most:
                out_ids[to] = label
                _spread(np.int64(label), spread)
                to += 1
        if me == 0:
            others = np.int64(0)
            for other in range(size):
                others += counts[k * size + other]
            _put_head(end - at, words, others, most, votes, out, out_ids, out_at[k])


@inner
def _put_head(count, words, ids, most, votes, out, out_ids, at):
    """Write the head of a message of ``count`` entries, which take so many words and ids."""
    per_word = len(out_ids) // len(out)
    out[at + WORDS] = HEAD + words + (ids + per_word - 1) // per_word
    out[at + COUNT], out[at + MOST], out[at + VOTES] = count, most, votes


@inner
def _join_labels(every, me, size, begins, received, received_at, arrived, arrived_ids, in_at, forest, spread):
    """Join a thread's share of the vertices of other processes with their labels there."""
    for k in range(len(begins)):
        head, at, end = in_at[k], received_at[k], received_at[k + 1]
        words, most = (end - at + 63) // 64, arrived[head + MOST]
        own = words * me // size
        source = _entries(arrived_ids, arrived, head + words) + 64 * own
        for w in range(own):
            source -= np.int64(popcount(np.uint64(arrived[head + HEAD + w])))
        for w in range(own, words * (me + 1) // size):
            bits, begin = arrived[head + HEAD + w], at + 64 * w
            for i in range(begin, min(begin + 64, end)):
                label = most
                if not bits >> (i - begin) & 1:
                    if not every:
                        continue
                    label = np.int64(arrived_ids[source])
                    _spread(label, spread)
                    source += 1
                link(forest, begins[k] + np.int64(received[i]), label)
        if most >= 0:
            _spread(most, spread)


@inlined
def _put(a, value, room, control, out, out_ids, out_at):
    """Write a pair for all other processes; returns False if there is no room for it in this round."""
    pair = atomic_add(control, TOLD, np.int64(1))
    if pair >= room:
        return False
    for k in range(len(out_at) - 1):
        at = _entries(out_ids, out, out_at[k]) + 2 * pair
        out_ids[at], out_ids[at + 1] = a, value
    return True


@inner
def _put_roots(me, size, forest, spread, room, control, out, out_ids, out_at):
    """Write a thread's share of the noted labels that are no longer roots, with their roots, now noted instead."""
    n = len(forest)
    for a in range(n * me // size, n * (me + 1) // size):
        if spread[a] and np.int64(forest[a]) != a:
            root = find_root(a, forest)
            if not _put(a, root, room, control, out, out_ids, out_at):
                return
            spread[a] = 0
            _spread(root, spread)


@inner
def _put_smallest(me, size, smallest, spread, room, control, out, out_ids, out_at):
    """Write a thread's share of the noted labels, all roots, with their smallest vertices, if any are here."""
    n = len(spread)
    for a in range(n * me // size, n * (me + 1) // size):
        if spread[a] and np.int64(smallest[a]) < n:
            if not _put(a, smallest[a], room, control, out, out_ids, out_at):
                return
            spread[a] = 0


@inner
def _tell(me, size, room, control, out, out_ids, out_at, arrived, in_at, between):
    """Exchange the pairs that the threads have written; returns False if no process had any."""
    barrier(control, size)
    if me == 0:
        count = min(control[TOLD], room)
        control[TOLD] = 0
        for k in range(len(out_at) - 1):
            _put_head(count, 0, 2 * count, -1, 0, out, out_ids, out_at[k])
    exchange(between, 0)
    more = out[out_at[0] + COUNT] > 0
    for k in range(len(in_at) - 1):
        more |= arrived[in_at[k] + COUNT] > 0
    return more


@inner
def _name(
    me, size, lo, dense_ids, forest, spread, smallest, out, out_ids, out_at, arrived, arrived_ids, in_at, room,
    control, between,
):  # fmt: skip
    """Find the smallest vertex of each component, by its root."""
    n, rows = len(forest), len(dense_ids)
    for v in range(n * me // size, n * (me + 1) // size):
        smallest[v] = n
    barrier(control, size)
    for i in range(rows):
        root = np.int64(forest[lo + i])
        if dense_ids[i] < peek(smallest, root):
            atomic_min(smallest, root, dense_ids[i])
    barrier(control, size)
    more = len(in_at) > 1
    while more:
        _put_smallest(me, size, smallest, spread, room, control, out, out_ids, out_at)
        more = _tell(me, size, room, control, out, out_ids, out_at, arrived, in_at, between)
        for k in range(len(in_at) - 1):
            at, count = _entries(arrived_ids, arrived, in_at[k]), arrived[in_at[k] + COUNT]
            for i in range(count * me // size, count * (me + 1) // size):
                atomic_min(smallest, np.int64(arrived_ids[at + 2 * i]), arrived_ids[at + 2 * i + 1])
        barrier(control, size)
