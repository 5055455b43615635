# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Grids of processors that are GPUs: when a search takes them, and the memory that it needs on each.

A processor is a GPU of this host that no other processor uses, so that the kernels of all run side by side and read one
another's memory (`grid.cu`). With one GPU the same kernel runs without the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lux import runtime, settings
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.algorithms.multi_gpu import id_order
from lux.algorithms.multi_gpu.launch import arrivals
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.errors import ConfigurationError
from lux.launch.memory import Scratch, bitmap_bytes

if TYPE_CHECKING:
    from lux.graph.graph import Graph

MOST_PROCESSORS = 64
"""Processors, at most; the constant of `grid_state.cuh`."""
MOST_COLUMNS = 1 << 28
"""Local columns from which on the places in a queue have too few bits (``EDGE_BITS`` of `grid_state.cuh`)."""
UNEVEN = 1.25
"""Most memory that one GPU may need, relative to an even share of the edges."""
CONTROL_BYTES = 512
"""Room for ``Control`` of `grid_state.cuh`."""
DEFER_EDGES = 4096
"""The constant of `warps.cuh`."""


def processors(graph: Graph, parts: int | None, strategy: str, needed: Callable[[Graph, int], int]) -> int:
    """Count the GPUs that a search takes, each a processor of the grid; 0 where it takes CPU cores.

    Parameters
    ----------
    graph : Graph
    parts : int or None
        Processors that were asked for.
    strategy : str
    needed : callable ``needed(graph, parts)``
        Bytes on a GPU, at least, before edges are distributed.

    Raises
    ------
    ConfigurationError, MemoryNeededError
        ``device="gpu"`` was asked for, and cannot be had.
    """
    count = device_selection.partitions(graph, parts)
    if count == 0:
        device_selection.tell_cores(f"strategy={strategy!r}", device_selection.why_not_wanted(graph))
        return 0
    must = settings.current().device == "gpu"
    why = device_selection.why_too_many(graph) or why_not(count, runtime.gpus())
    why = why or device_selection.why_not_side_by_side(count)
    columns = Grid.over(graph.n_vertices, count).local_columns
    if not why and columns >= MOST_COLUMNS:
        why = f"a GPU has edges from {columns:,} vertices (allowed are {MOST_COLUMNS - 1:,}): use more, or device='cpu'"
    if why and must:
        raise ConfigurationError(f"device='gpu' was asked for, but with strategy={strategy!r} {why}")
    if why:
        device_selection.tell_cores(f"strategy={strategy!r}", why)
        return 0
    if graph.layout(count).has_cached(cache_name(strategy)):
        return count  # the bytes that they need are known
    if must:
        allocation_ledger.check(
            graph, needed(graph, count), describe(strategy, count), count, mine=[cache_name(strategy)]
        )
    else:
        about = int(needed(graph, count) * (UNEVEN if count > 1 else 1))
        if not allocation_ledger.fits(graph, about, parts=count, mine=[cache_name(strategy)]):
            device_selection.tell_cores(f"strategy={strategy!r}", device_selection.no_room(about))
            return 0
    return count


def describe(strategy: str, parts: int) -> str:
    """Name the search that needs memory, in messages."""
    return f"strategy={strategy!r} with {parts} processors"


def cache_name(strategy: str) -> str:
    """Return the name under which a layout keeps the stores of searches on GPUs, and messages report their memory."""
    return f"searches by strategy={strategy!r}"


def why_not(parts: int, gpus: int) -> str:
    """Say why so many processors cannot be GPUs; empty if they can.

    >>> why_not(4, 2)
    'each processor is a GPU, and parts=4 was asked for where Legate was given 2: pass parts=1 to 2, or --gpus 4'
    >>> why_not(2, 2)
    ''
    """
    if parts > min(gpus, MOST_PROCESSORS):
        more = f", or --gpus {parts}" if parts <= MOST_PROCESSORS else ""
        most = min(gpus, MOST_PROCESSORS)
        return (
            f"each processor is a GPU, and parts={parts} was asked for where Legate was given {gpus}: pass parts=1"
            f"{f' to {most}' if most > 1 else ''}{more}"
        )
    return ""


def scratch(graph: Graph, grid: Grid, most_edges: int, *, hybrid: bool, both: bool) -> Scratch:
    """Lay out the memory that a processor's kernel works in, alike on all (``Args`` of `grid_state.cuh`).

    Parameters
    ----------
    graph : Graph
    grid : Grid
    most_edges : int
        Most edges of any processor.
    hybrid : bool
        The strategy is ``hybrid``, not ``two-dimensional``.
    both : bool
        There are bottom-up levels.

    Examples
    --------
    >>> import lux
    >>> from lux.algorithms.bfs.distributed.processor_grid import Grid
    >>> scratch(lux.toy.path(100), Grid.over(100, 1), 500, hybrid=False, both=False).nbytes
    3072
    """
    several, bits, ordered = grid.columns > 1, bitmap_bytes(grid.stride), graph.order is not None
    others = dict.fromkeys(("visited", "sent"), grid.columns * bits) | dict.fromkeys(("front", "front_lists"), 2 * bits)
    others |= {"queue_at": 8 * grid.local_columns, "queue": 4 * grid.local_columns}
    if several:
        others |= dict.fromkeys(("fresh", "lists"), grid.columns * bits) | {"finders": grid.stride}
    if grid.rows > 1:
        others["front_all"] = grid.rows * bits
    if several or hybrid or ordered:
        others["preds"] = 4 * grid.local_rows
    if hybrid or ordered:
        others["levels"] = 4 * grid.stride
    others |= id_order.scratch_for_order(graph, grid.parts, grid.block)
    if both:
        others |= {"deferred": 4 * (most_edges // DEFER_EDGES + 1)} | ({"rotating": 2 * bits} if several else {})
    return Scratch({"control": CONTROL_BYTES} | arrivals(grid.parts), others)
