# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a run on partitions has ready when it begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.kernels import frontier as fr
from lux.runtime import GpuLauncher, GpuPlan, Store

if TYPE_CHECKING:
    from lux.engine.gpu.messages import MessageExchange
    from lux.engine.gpu.placement.memory import Scratch
    from lux.graph.layout import PartitionedGraph


@dataclass(frozen=True)
class PreparedLaunches:
    """What a run launches: the first launch and later ones, their plans and keys, and the stores that they take.

    The first plan is that of the first launch, the second that of later ones. ``kept`` has the addresses that the first
    launch notes, ``scratch`` says what lies where in ``memory``, and ``post`` has the messages, where there are any.
    """

    launchers: tuple[GpuLauncher, GpuLauncher]
    plans: list[GpuPlan]
    keys: list[int]
    static: dict[str, Store]
    splits: dict[str, str | None]
    rectangles: dict[str, Store]
    meeting: dict[str, Store]
    fields: dict[str, Store]
    told: dict[str, Store]
    memory: Store | None
    scratch: Scratch
    kept: NDArray[np.int64]
    post: MessageExchange | None

    def forget(self) -> None:
        """Take the plans back."""
        for plan, key in zip(self.plans, self.keys, strict=True):
            plan.forget(key)
            runtime.unregister(key)


class NoCpuPartitions:
    """What `lux.engine.cpu_cores.CpuPartitions` does, where all partitions are on GPUs: nothing."""

    def start(self) -> None:
        """Launch nothing."""

    def resume(self, before: PartitionedGraph, told: Mapping[str, Store]) -> None:
        """Launch nothing."""

    def launch(self) -> None:
        """Launch nothing."""

    def rows(self, first: int, end: int) -> NDArray[np.float64]:
        """Statistics of no partition."""
        return np.zeros((0, (end - first) * fr.STATISTICS_COLUMNS))

    def close(self) -> None:
        """Forget nothing."""
