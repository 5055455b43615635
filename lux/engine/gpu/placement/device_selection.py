# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Device selection: CPU cores or GPUs for a run, and how many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import legate_config
from lux import runtime, settings
from lux.checks import warn
from lux.engine.gpu.placement import allocation_ledger
from lux.errors import ConfigurationError
from lux.graph.core.stored_graph import MOST_ON_GPUS
from lux.launch import peer_memory
from lux.partition.split_points import check_parts

if TYPE_CHECKING:
    from lux.graph.graph import Graph


MIXED = "gpu+cpu"
"""The device of programs that take GPUs and CPU cores in each iteration."""
MOST_VERTICES = MOST_ON_GPUS
"""Bound of vertices of vertex programs on partitions: kernels number them in 32 bits."""
MOST_SIGNED = 1 << 31
"""Bound of vertices of all other kernels, which number them in 31 bits."""
WORTH_SPREADING = 1 << 27
"""Edges from which on a program takes all GPUs by default: below, launches cost more than the work saved."""
MEETING_BYTES = 1 << 20
"""Bytes of zero-copy memory: more than GPUs exchange when they meet."""


def wanted(graph: Graph) -> bool:
    """Tell whether GPUs may be used; `ConfigurationError` if they must and cannot."""
    return not why_not_wanted(graph)


def why_not_wanted(graph: Graph) -> str:
    """Say why GPUs are not to be used; empty if they may. `ConfigurationError` if they must and cannot."""
    device = settings.current().device
    if device == "cpu":
        return "device='cpu' is asked for"
    why = None
    if runtime.gpus() == 0:
        why = "Legate was given no GPU: start it with --gpus 1 on a machine that has one"
    elif graph.n_vertices >= MOST_VERTICES:
        why = f"GPUs take graphs of fewer than {MOST_VERTICES:,} vertices, and this one has {graph.n_vertices:,}"
    elif mixed():
        why = _why_not_mixed()
    if why is not None and device != "auto":
        raise ConfigurationError(f"device={device!r} was asked for, but {why}")
    return why or ""


def tell_cores(what: str, why: str) -> None:
    """Warn that ``what`` takes CPU cores although there are GPUs, if the device is ``auto``; all processes call it.

    Python shows the same warning once for a line of the user's program.
    """
    if settings.current().device == "auto" and runtime.gpus():
        warn(f"{what} takes CPU cores and no GPU: {why} (device='cpu' asks for cores, device='gpu' refuses them)")


def no_room(needed: int) -> str:
    """Say that GPUs have no room for a run of so many bytes on each."""
    return f"it needs {-(-needed // 2**20)} MiB of each, and there is no room for that"


def why_too_many(graph: Graph) -> str:
    """Say why only vertex programs on partitions of GPUs take a graph of so many vertices; empty if all kernels do."""
    if graph.n_vertices < MOST_SIGNED:
        return ""
    return f"its kernels take fewer than {MOST_SIGNED:,} vertices, and this graph has {graph.n_vertices:,}"


def mixed() -> bool:
    """Tell whether vertex programs run on GPUs and CPU cores at once."""
    return settings.current().device == MIXED


def _why_not_mixed() -> str | None:
    """Say why programs cannot run on GPUs and CPU cores at once."""
    if runtime.ranks() > 1:
        return "there are several processes: start one, or use device='gpu'"
    if (placement := settings.current().placement) not in ("auto", "zero-copy"):
        return f"CPU cores do not reach the memory of GPUs: leave placement={placement!r} out, or use device='gpu'"
    return None


def why_not_mixed() -> str:
    """Say that GPUs and CPU cores at once are for vertex programs, where they are asked for; empty otherwise."""
    return f"device={MIXED!r} is asked for, which only vertex programs take" if mixed() else ""


def why_no_barrier() -> str:
    """Say why GPUs cannot meet in a kernel; empty if they can."""
    if legate_config.settings().zcmem_bytes >= MEETING_BYTES:
        return ""
    return "GPUs meet in zero-copy memory, of which Legate was given less than 1 MiB: start it with --zcmem 1"


def why_not_side_by_side(parts: int) -> str:
    """Say why kernels of so many partitions cannot run side by side and read one another's memory; empty if they can.

    All processes must call this at the same place.
    """
    if parts == 1 and runtime.ranks() == 1:
        return ""
    if runtime.ranks() > 1:
        if parts != runtime.gpus():
            every = f"all {runtime.gpus()} GPUs of {runtime.ranks()} processes"
            return f"parts={parts} is asked for, and it takes {every}: leave parts out"
        return peer_memory.why_gpus_do_not_share()
    if not runtime.peer_access():
        return "these GPUs cannot read each other's memory: pass parts=1"
    if not runtime.on_distinct_gpus(parts):
        return "Legate puts several partitions on a GPU: start it with --min-gpu-chunk 1"
    return ""


def on_one_gpu(graph: Graph, parts: int | None, needed: Callable[[], int]) -> bool:
    """Tell whether one GPU holds the whole graph for a run.

    Parameters
    ----------
    graph : Graph
    parts : int or None
        Partitions that the user asked for.
    needed : callable
        Returns the bytes in the GPU's memory: edges, fields and scratch.

    Raises
    ------
    ConfigurationError
        ``device="gpu"`` was asked for, and there is none.
    """
    return not why_not_one_gpu(graph, parts) and allocation_ledger.fits(graph, needed())


def why_not_one_gpu(graph: Graph, parts: int | None) -> str:
    """Say why a run does not take one GPU, which has room for the whole graph; empty if it does."""
    if why := why_not_wanted(graph) or why_not_mixed() or why_too_many(graph):
        return why
    if parts not in (None, 1):
        return f"it takes one GPU, and parts={parts} is asked for"
    if (ranks := runtime.ranks()) > 1:
        return f"it takes one GPU, and there are {ranks} processes"
    if settings.current().placement == "zero-copy":
        return "placement='zero-copy' is asked for, which only vertex programs have"
    return ""


def partitions(graph: Graph, parts: int | None) -> int:
    """Count the partitions of a program's run on GPUs, and on CPU cores beside them; 0 if it takes CPU cores alone.

    Raises
    ------
    ConfigurationError
        ``device="gpu"`` was asked for, and there is none; or ``"gpu+cpu"``, and there are not enough partitions.
    """
    if not wanted(graph):
        return 0
    if not mixed():
        return check_parts(parts or default_partitions(graph), graph.n_vertices)
    gpus = runtime.gpus()
    count = check_parts(parts or min(gpus + runtime.processors(), graph.n_vertices), graph.n_vertices)
    if count <= gpus:
        raise ConfigurationError(
            f"device={MIXED!r} was asked for with {count} partition{'s' * (count > 1)}, of which each of {gpus} "
            f"GPU{'s' * (gpus > 1)} takes one: pass parts={gpus + 1} or more, or use device='gpu'"
        )
    return count


def default_partitions(graph: Graph) -> int:
    """Count the partitions by default: one for each GPU if that pays, and one for each process at least."""
    spread = graph.n_edges >= WORTH_SPREADING
    return min(runtime.gpus() if spread or runtime.ranks() > 1 else 1, graph.n_vertices)


def edges_bytes(graph: Graph, properties: int, *, both: bool) -> int:
    """Count the bytes of a graph's edges in a GPU's memory.

    Parameters
    ----------
    properties : int
        Bytes of an edge's properties.
    both : bool
        True for edges by destination and, if they differ, by source.
    """
    each = 8 * (graph.n_vertices + 1) + (4 + properties) * graph.n_edges
    return each * (2 if both and graph.directed else 1) + 4 * graph.n_vertices
