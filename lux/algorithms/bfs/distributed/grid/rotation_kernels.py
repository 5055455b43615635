# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Bottom-up levels of a search by a grid of processors: bitmaps of vertices go round each grid row.

Edges of a grid row's vertices lie with its C processors, so a level has C substeps. In each a processor looks for
parents of one block of its row, beginning with its own, then hands the bitmap of the vertices that have one to its
right, and gets the next block's from its left (figure 6 of Ueno et al.). No processor looks at a vertex that another
has completed. The owners receive the vertices that were found once, after the last substep (section 4.3.1).

In one piece (`bottom_up`) a block crosses in an exchange of all processors, which wait for it. In several
(`bottom_up_in_pieces`) a piece is put to the next processor as soon as it is done, and travels while its sender and its
receiver work at other pieces (section 4.3.2); of two ways round (section 5.2) odd pieces go to the left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.bfs.distributed.grid import hybrid_kernels as hybrid
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import EXPANSION, ROTATION, WORDS
from lux.algorithms.bfs.distributed.message_kernels import write_new
from lux.algorithms.bfs.distributed.slot_exchange_kernels import swap
from lux.kernels.frontier import seconds
from lux.kernels.inlined import inner
from lux.kernels.threads import atomic_store, put, wait_for_flag

ROTATING = 3
"""First of the kinds of slots that rotate in one piece: bitmaps of even substeps, and after them of odd ones."""


class Rotation(NamedTuple):
    """Rotation of bitmaps in the grid rows: its slots, pieces and ways.

    Attributes
    ----------
    bitmaps : np.ndarray, uint64
        The slots, which have a bitmap for each substep and processor from ``at`` on.
    at : int
    pieces : int
        Pieces of each block.
    both_ways : int
        1 if odd pieces go to the left.
    flags : np.ndarray of shape (parts * pieces,), int64
        Substeps of all bottom-up levels so far in which a processor has handed on a piece.
    left_process, right_process : int
        The processes of the next processors, or -1 if it is this one.
    """

    bitmaps: Any
    at: Any
    pieces: Any
    both_ways: Any
    flags: Any
    left_process: Any
    right_process: Any


@inner
def bottom_up(processor, mail, rotation, bits, before, begins, columns, names, between):
    """Look for parents: the substeps of a level, in each of which all exchange a block's bitmap."""
    column, n_columns, rows, bitmaps = processor.column, processor.columns, processor.rows, rotation.bitmaps
    state, visited, folds, words = processor.state, processor.visited, processor.folds, processor.words
    each, parts = processor.stride >> 6, rows * n_columns
    left = np.empty(each, np.uint64)
    for step in range(n_columns):
        if processor.point >= 0:
            block = (column - step) % n_columns
            at, mine = block * each, rotation.at + ((step & 1) * parts + processor.point) * each
            come = rotation.at + (((step - 1) & 1) * parts + (processor.point - rows) % parts) * each
            for w in range(each):
                left[w] = visited[at + w] if step == 0 else bitmaps[come + w]
            state[WORDS] += 2 * each * np.int64(step > 0)
            out = bitmaps[mine : mine + each]
            began = seconds()
            hybrid.bottom_up(
                processor.front, at, bits, before, begins, columns, names, left, out, visited, processor.preds
            )  # fmt: skip
            write_new(left, out, folds, block * words, words)
            state[EXPANSION] += np.int64((seconds() - began) * 1e9)
        if step + 1 < n_columns:
            began = seconds()
            swap(mail, ROTATING + (step & 1), between)
            state[ROTATION] += np.int64(1e9 * (seconds() - began))


@inner
def bottom_up_in_pieces(processor, rotation, rotated, bits, before, begins, columns, names, between):
    """Look for parents: the substeps of a level, each piece of which is handed on at once.

    ``rotated`` are the substeps of the bottom-up levels before.
    """
    column, n_columns, rows, bitmaps = processor.column, processor.columns, processor.rows, rotation.bitmaps
    state, visited, point, pieces = processor.state, processor.visited, processor.point, rotation.pieces
    each, parts, flags = processor.stride >> 6, rows * n_columns, rotation.flags
    last, found, none = np.empty(each, np.uint64), np.empty(n_columns * each, np.uint64), np.zeros(each, np.uint64)
    for step in range(n_columns):
        for piece in range(pieces):
            to_left = rotation.both_ways != 0 and piece & 1 != 0
            way = np.int64(-1 if to_left else 1)
            low, high = each * piece // pieces, each * (piece + 1) // pieces
            at = (column - way * step) % n_columns * each
            mine, come = rotation.at + (step * parts + point) * each, at
            if step > 0:
                neighbour = (point - way * rows) % parts
                come = rotation.at + ((step - 1) * parts + neighbour) * each
                of = rotation.right_process if to_left else rotation.left_process
                began = seconds()
                wait_for_flag(between, flags, neighbour * pieces + piece, rotated + step, of >= 0)
                state[ROTATION] += np.int64(1e9 * (seconds() - began))
                state[WORDS] += 2 * (high - low)
            began = seconds()
            done = bitmaps[come + low : come + high] if step > 0 else visited[at + low : at + high].copy()
            out = bitmaps[mine + low : mine + high] if step + 1 < n_columns else last[low:high]
            hybrid.bottom_up(
                processor.front, at + low, bits, before, begins, columns, names, done, out, visited, processor.preds
            )  # fmt: skip
            for w in range(high - low):
                found[at + low + w] = out[w] & ~done[w]
            state[EXPANSION] += np.int64((seconds() - began) * 1e9)
            if step + 1 < n_columns:
                to = rotation.left_process if to_left else rotation.right_process
                flag = point * pieces + piece
                if to >= 0:
                    put(between, to, bitmaps, mine + low, high - low, mine + low, flag, rotated + step + 1)
                else:
                    atomic_store(flags, flag, rotated + step + 1)
    began = seconds()
    for m in range(n_columns):
        write_new(none, found[m * each : (m + 1) * each], processor.folds, m * processor.words, processor.words)
    state[EXPANSION] += np.int64((seconds() - began) * 1e9)
