# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Choice of the GPUs that run an algorithm by kernels side by side: several or one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lux import runtime, settings
from lux.algorithms.multi_gpu import id_order
from lux.engine.gpu.placement import device_selection

if TYPE_CHECKING:
    from lux.graph.graph import Graph

MOST_GPUS = 16
"""Greatest number of GPUs; `peer_exchange.cuh` has the same."""
MESSAGE_BYTES = 2 * MOST_GPUS * 64
"""Room for ``PeerInbox`` of `peer_exchange.cuh`."""
PLACEMENTS = ("auto", "peer")
"""Placements with which these GPUs may write to one another's memory."""


def gpus_of(graph: Graph, parts: int | None, *, named: bool = False) -> int:
    """Count the GPUs that a run takes: ``parts``, or all where that pays or where it is asked for by ``named``."""
    if parts is None and named:
        return min(runtime.gpus(), MOST_GPUS, graph.n_vertices)
    return device_selection.partitions(graph, parts)


def why_not_several(
    graph: Graph, parts: int | None, alone: Callable[[], int], worth_several: int, *, named: bool = False
) -> str:
    """Say why several GPUs are not to run an algorithm; empty if they are to.

    Parameters
    ----------
    graph : Graph
    parts : int or None
        Partitions that were asked for.
    alone : callable
        Returns the bytes that one GPU needs alone.
    worth_several : int
        Edges from which on several GPUs are faster than one that has room.
    named : bool
        The strategy was asked for by name, so that one GPU that holds the graph is no reason against it.
    """
    if why := device_selection.why_not_wanted(graph) or device_selection.why_too_many(graph):
        return why
    if device_selection.mixed():
        return f"device={device_selection.MIXED!r} is asked for, which only vertex programs take"
    if (placement := settings.current().placement) not in PLACEMENTS:
        return f"placement={placement!r} is asked for, and these GPUs write to each other's memory"
    if parts is None and runtime.gpus() == 1:
        return "it takes several GPUs, and there is one"
    small = parts is None and not named and graph.n_edges < worth_several
    if small and device_selection.on_one_gpu(graph, None, alone):
        return f"one GPU holds the graph, which has fewer than {worth_several:,} edges"
    count = gpus_of(graph, parts, named=named)
    if count == 1:
        return "it takes several GPUs, and one is to be used"
    if count > (most := min(runtime.gpus(), MOST_GPUS)):
        return f"it takes a GPU for each of {count} partitions, and may have {most}"
    return device_selection.why_not_side_by_side(count)


def host_bytes(graph: Graph, count: int, name: str) -> int:
    """Count the bytes of the order's lists on the host; 0 where a run has made them, kept under ``name``."""
    return 0 if graph.layout(count).has_cached(name) else id_order.host_bytes(graph, count)


def why_no_lists(graph: Graph, parts: int | None, name: str, *, named: bool = False) -> str:
    """Say why there is no room for the order's lists on the host; empty if there is, on every process."""
    needed = host_bytes(graph, gpus_of(graph, parts, named=named), name)
    if needed == 0 or runtime.fits_memory(needed):
        return ""
    return "its lists have no room in Legate's memory: start it with more --sysmem"
