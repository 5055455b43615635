# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Placement selection for ``auto``: the placement whose exchange before an iteration is predicted to take least.

Predictions use rates that were measured on this machine (`lux.engine.gpu.placement.bandwidths`) and the equations of
the performance model, for iterations in which all vertices are active. The vertices that partitions read of others need
not be counted: a sample of their edges bounds the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from lux import runtime
from lux.engine.gpu.placement import allocation_ledger, bandwidth_probe, bandwidths
from lux.engine.gpu.placement.bandwidths import Rates
from lux.engine.gpu.placement.remote_reads import read_of_others
from perfmodel.equations import load_device, load_peer, load_shared

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph


class PlacedRun(Protocol):
    """A run on partitions of GPUs in one placement, as far as choosing among placements needs to know it.

    Attributes
    ----------
    placed_by : str
        Why the run has its placement; `best` sets it.
    """

    placed_by: str

    @property
    def graph(self) -> Graph:
        """The graph."""

    @property
    def layout(self) -> PartitionedGraph:
        """Its partitions."""

    @property
    def parts(self) -> int:
        """Number of partitions."""

    @property
    def placement(self) -> str:
        """Name of the placement."""

    @property
    def iterations_per_launch(self) -> int:
        """Iterations of a launch."""

    @property
    def crossing_bytes(self) -> int:
        """Bytes of a vertex that neighbours read."""


R = TypeVar("R", bound=PlacedRun)


@dataclass(frozen=True)
class Exchange:
    """Exchange between GPUs before an iteration.

    Attributes
    ----------
    value_bytes : int
        Bytes of a vertex that neighbours read.
    n_vertices, own, elsewhere : int
        Vertices of the graph; and for a GPU at most, its own vertices, and those it reads of others.
    gpus, processes : int
        GPUs and processes that take part.
    """

    value_bytes: int
    n_vertices: int
    own: int
    elsewhere: int
    gpus: int
    processes: int = 1

    def seconds(self, placement: str, found: Rates, *, launches: bool = True) -> float:
        """Predict the seconds of the exchange in a placement.

        Parameters
        ----------
        launches : bool
            True if an iteration has a launch of its own.

        Examples
        --------
        Two GPUs that reach each other over NVLink, each reading most of what the other has:

        >>> all_at_once = Exchange(4, 2**25, own=2**24, elsewhere=2**23, gpus=2)
        >>> nvlink = Rates(peer=3.4e-12, zero_copy=2e-11, device=2.5e-12, between=0, launch=1e-4, device_launch=1.4e-4)
        >>> times = {p: all_at_once.seconds(p, nvlink, launches=p != "peer") for p in ("peer", "device", "zero-copy")}
        >>> {p: f"{1e3 * t:.2f} ms" for p, t in times.items()}
        {'peer': '0.11 ms', 'device': '0.17 ms', 'zero-copy': '3.46 ms'}

        Two whose way to each other is slower than that to the host's memory, reading a little of it:

        >>> few = Exchange(4, 2**25, own=2**24, elsewhere=2**22, gpus=2)
        >>> slow = Rates(peer=1e-9, zero_copy=4e-11, device=4e-10, between=0, launch=1e-4, device_launch=1.4e-4)
        >>> times = {p: few.seconds(p, slow, launches=p != "peer") for p in ("peer", "device", "zero-copy")}
        >>> {p: f"{1e3 * t:.2f} ms" for p, t in times.items()}
        {'peer': '16.78 ms', 'device': '26.84 ms', 'zero-copy': '6.14 ms'}

        Two in processes of their own, where nobody reads what others have, and half of that is read elsewhere:

        >>> apart = Exchange(4, 2**25, own=2**24, elsewhere=2**23, gpus=2, processes=2)
        >>> cluster = Rates(peer=None, zero_copy=2e-11, device=3e-11, between=5e-11, launch=2e-4, device_launch=2e-4)
        >>> {p: f"{1e3 * apart.seconds(p, cluster):.2f} ms" for p in ("device", "zero-copy")}
        {'device': '1.01 ms', 'zero-copy': '6.91 ms'}
        """
        size = self.value_bytes
        launch = (found.device_launch if placement == "device" else found.launch) if launches else 0.0
        if placement == "device":  # between processes Legion copies only values that are read elsewhere
            whole = load_device(found.device, size, self.n_vertices, 1, self.gpus)
            return max(launch, whole if self.processes == 1 else load_peer(found.device, size, self.elsewhere))
        if placement == "peer":
            assert found.peer is not None
            return launch + load_peer(found.peer, size, self.elsewhere)
        # A GPU reads and writes back its own vertices there; rates are of all GPUs at once, so none waits for another.
        crossing = self.elsewhere + 2 * self.own
        moved = load_device(found.between, size, self.n_vertices, 1, self.processes)
        return launch + load_shared(found.zero_copy, size, self.gpus * crossing, crossing, 1, 0.0) + moved


def exchange_of(run: PlacedRun) -> Exchange:
    """Describe the exchange of a run; ``elsewhere`` is a bound."""
    layout, gpus = run.layout, runtime.gpus()
    each, taking = -(-run.parts // gpus), min(run.parts, gpus)
    n, own = run.graph.n_vertices, each * int(np.diff(layout.points).max())
    elsewhere = min(each * layout.cached("vertices read of others, at most", read_of_others), n)
    return Exchange(run.crossing_bytes, n, own, elsewhere, taking, runtime.ranks())


def predicted(runs: Sequence[PlacedRun]) -> dict[str, float]:
    """Predict seconds of each run's exchange, by placement; none if rates are unknown and cannot be measured now."""
    found = bandwidths.rates(lambda: allocation_ledger.room_for(*bandwidth_probe.room()))
    if found is None:
        return {}
    exchange = exchange_of(runs[0])
    return {
        run.placement: exchange.seconds(run.placement, found, launches=run.iterations_per_launch == 1) for run in runs
    }


def best(runs: Sequence[R]) -> R | None:
    """Choose the run whose exchange takes least, among possible ones that fit; the first if rates are unknown."""
    if len(runs) < 2:
        return runs[0] if runs else None
    seconds = predicted(runs)
    if not seconds:
        return runs[0]
    chosen = min(runs, key=lambda run: seconds[run.placement])
    others = ", ".join(f"{p} {1e3 * t:.3g}" for p, t in seconds.items() if p != chosen.placement)
    ms = 1e3 * seconds[chosen.placement]
    chosen.placed_by = f"; {chosen.placement} placement: exchange {ms:.3g} ms by measured rates ({others})"
    return chosen
