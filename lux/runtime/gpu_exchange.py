# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Launches with one point for each GPU of all processes, which run many iterations (``gpu_exchange.cc``).

Between iterations NCCL moves messages between partitions; neither Legion nor Python does anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lux.runtime import mapper_library
from lux.runtime.launcher import record
from lux.runtime.start import driver, finish, gpus, launched

_ITERATE_ON_GPUS = 4  # number of the task in Lux's library


class GpuExchange:
    """The exchange of messages between launches of a plan.

    Parameters
    ----------
    key : int
        Key under which the plan is registered.
    first_key : int
        Key of the plan that sets first values, which is then launched before; 0 where it is launched otherwise.
    words : np.ndarray of shape (parts, parts), int64
        Words of the slot of each partition (row) for each other one (column).
    outbox_at, inbox_at : int
        Where each partition's scratch memory has the slots that it writes, and those that it reads, one after another.
    frontier : bool
        True if messages may be shorter than their slots.
    """

    def __init__(
        self, key: int, first_key: int, words: NDArray[np.int64], outbox_at: int, inbox_at: int, *, frontier: bool
    ) -> None:
        self._native, self._key = mapper_library.functions(), key
        words = np.ascontiguousarray(words, np.int64)
        self._native.lux_gpu_messages(key, first_key, len(words), words.ctypes.data, outbox_at, inbox_at, frontier)

    def launch(self, first: int, count: int) -> None:
        """Run so many launches of the plan, the first with this number, or all until the end; wait for them.

        All processes must call this at the same place, while no launch is under way: this one takes no stores, by which
        Legion would order it.
        """
        iterate(self._key, first, count)
        finish()

    def received(self) -> int:
        """Count the bytes of messages to this process's partitions."""
        return 8 * int(self._native.lux_gpu_received(self._key))

    def close(self) -> None:
        """Forget the exchange, of which no launch is under way."""
        self._native.lux_forget_gpu_messages(self._key)


def iterate(key: int, first: int, count: int) -> None:
    """Issue a launch with a point for each GPU."""
    from legate.core import types

    record("run_iterations", gpus(), ())
    launch = driver().create_manual_task(mapper_library.library(), _ITERATE_ON_GPUS, (gpus(),))
    for number in (key, first, count):
        launch.add_scalar_arg(number, types.int64)
    launch.add_nccl_communicator()
    launch.execute()
    launched()
