# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Lists of places and slots that put results by place into the order of ids (`id_order`)."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.inlined import inlined
from lux.kernels.owner import owner

NOTHING = np.uint32(0xFFFFFFFF)
"""The slot of a vertex without edges, for which no value is sent."""


@inlined
def linked(in_offsets, out_offsets, p):
    """Return True where the vertex at place ``p`` has edges."""
    return in_offsets[p] < in_offsets[p + 1] or out_offsets[p] < out_offsets[p + 1]


@njit(nogil=True, cache=True)
def count_senders(places, in_offsets, out_offsets, points, counts):
    """Count the ids with edges that have their place with each GPU.

    Parameters
    ----------
    places : np.ndarray
        The place of each id.
    in_offsets, out_offsets : np.ndarray of int64
    points : np.ndarray of shape (parts + 1,), int64
        Split points of places.
    counts : np.ndarray of shape (parts,), int64
        Result, to which the numbers are added.
    """
    for i in range(len(places)):
        p = places[i]
        if linked(in_offsets, out_offsets, p):
            counts[owner(points, p)] += 1


@njit(nogil=True, cache=True)
def list_places(places, in_offsets, out_offsets, points, slot_at, send_at, slots, sends):
    """Write the slots of some ids, and the places that each GPU sends for them.

    Parameters
    ----------
    slot_at, send_at : np.ndarray of shape (parts,), int64
        First element of each GPU in the numbers of ``slots``, and in ``sends``; changed.
    slots : np.ndarray of the length of ``places``, uint32
    sends : np.ndarray of uint32
        Places, by GPU.
    """
    for i in range(len(places)):
        p = places[i]
        if not linked(in_offsets, out_offsets, p):
            slots[i] = NOTHING
            continue
        q = owner(points, p)
        slots[i] = slot_at[q]
        sends[send_at[q]] = p
        slot_at[q] += 1
        send_at[q] += 1
