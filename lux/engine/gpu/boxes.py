# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Boxes: a piece of memory on each GPU, into which it copies what GPUs of other processes read of its results.

GPUs of one process read one another's stores. Those of other processes cannot, as Legion's memory is its process's
alone. A graph keeps its boxes for later calls.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from lux.codegen.cuda_functions import C_TYPES
from lux.errors import MemoryNeededError
from lux.launch.call import NULL, kernel
from lux.launch.peer_call import Argument, PeerCall, Placed
from lux.launch.peer_memory import PeerMemory

if TYPE_CHECKING:
    from lux.graph.graph import Graph

THREADS = 1024
_kept: weakref.WeakKeyDictionary[Graph, PeerMemory] = weakref.WeakKeyDictionary()


def take(graph: Graph, gpus: int, nbytes: int) -> PeerMemory | None:
    """Return a box of so many bytes on each GPU of all processes; None if a GPU has no room for it.

    All processes must call this at the same place.
    """
    if graph in _kept and (_kept[graph].nbytes < nbytes or len(_kept[graph].addresses) != gpus):
        del _kept[graph]  # before others are made, which then take the place of it
    if graph not in _kept:
        try:
            _kept[graph] = PeerMemory.on_gpus(gpus, nbytes)
        except MemoryNeededError:
            return None
    return _kept[graph]


def give_up() -> None:
    """Forget all boxes that graphs have kept. All processes must call this at the same place."""
    _kept.clear()


def fill(boxes: PeerMemory, placed: Placed, name: str) -> None:
    """Copy each GPU's part of a store to its box."""
    store, points = placed.parts[name]
    word = C_TYPES[f"uint{8 * np.dtype(store.dtype).itemsize}"]
    copy = kernel("to_user_ids.cu", "lux_take", THREADS, BEFORE=word, AFTER=word, SIGNED=0)
    assert points is not None
    own = boxes.addresses.diagonal().copy()
    arguments: list[Argument] = [name, NULL, np.uint32(1), NULL, NULL, own, np.int64(0), np.diff(points)]
    PeerCall(copy, placed, [*arguments, np.int64(1), "control"], {"control": 8}).run("fill", boxes.points)
