# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Prepared launches: everything that a run on partitions has ready when it begins."""

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
    from lux.graph.layout import PartitionedGraph
    from lux.launch.memory import Scratch
    from lux.runtime.gpu_exchange import GpuExchange


@dataclass(frozen=True)
class PreparedLaunches:
    """The first launch and later ones of a run, their plans and keys, and the stores that they take.

    The first plan belongs to the first launch, the second to later ones. ``kept`` has the addresses that the first
    launch writes, ``scratch`` the offsets of arrays in ``memory``. ``exchange`` is for partitions that send messages.
    """

    launchers: tuple[GpuLauncher, GpuLauncher]
    plans: list[GpuPlan]
    keys: list[int]
    static: dict[str, Store]
    splits: dict[str, str | None]
    rectangles: dict[str, Store]
    barrier_stores: dict[str, Store]
    fields: dict[str, Store]
    control_stores: dict[str, Store]
    memory: Store | None
    scratch: Scratch
    kept: NDArray[np.int64]
    exchange: GpuExchange | None

    def unregister(self) -> None:
        """Unregister the plans and the exchange."""
        if self.exchange is not None:
            self.exchange.close()
        for plan, key in zip(self.plans, self.keys, strict=True):
            plan.unregister(key)
            runtime.unregister(key)


class NoCpuPartitions:
    """Stand-in for `lux.engine.cpu.beside_gpus.CpuPartitions` if all partitions are on GPUs; does nothing."""

    def start(self) -> None:
        """Launch nothing."""

    def resume(self, before: PartitionedGraph, control_stores: Mapping[str, Store]) -> None:
        """Launch nothing."""

    def launch(self) -> None:
        """Launch nothing."""

    def rows(self, first: int, end: int) -> NDArray[np.float64]:
        """Return statistics of no partition."""
        return np.zeros((0, (end - first) * fr.STATISTICS_COLUMNS))

    def close(self) -> None:
        """Forget nothing."""
