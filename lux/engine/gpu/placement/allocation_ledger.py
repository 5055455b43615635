# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Allocation ledger: memory of GPUs held beside a run, by other graphs, results, and other runs of its graph.

A run states its demand on a GPU for its graph and all else. Stores of the run's graph that lie there already are part
of the demand, except for exclusive caches of searches (`lux.graph.layout.PartitionedGraph.cached_exclusive`); all other
stores that are alive (`lux.runtime.allocations`) must fit beside it.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime
from lux.graph.graph import Graph, graphs
from lux.launch.memory import FILLED
from lux.runtime import Store, allocations

NAMED = 3
"""Holders that a message names."""


@dataclass(frozen=True)
class OtherAllocations:
    """Bytes that other graphs, results and runs take.

    Attributes
    ----------
    on_gpu : int
        Bytes on the GPU where they hold most.
    zero_copy : int
        Bytes of zero-copy memory in the process where they hold most.
    """

    on_gpu: int
    zero_copy: int


def other_allocations(graph: Graph, parts: int = 1, mine: Collection[str] = ()) -> OtherAllocations:
    """Measure the stores beside a run on a graph cut into ``parts``; alike on every process, which must all ask.

    ``mine`` are the names of a search's exclusive caches.
    """
    runtime.give_spare_back()
    return OtherAllocations(*_agreed(allocations.placed(_others(graph, parts, mine))))


def fits(
    graph: Graph, on_gpu: int, zero_copy: int = 0, parts: int = 1, filled: float = 1.0, mine: Collection[str] = ()
) -> bool:
    """Tell whether a run fits beside other stores; unreachable stores are given back before the answer is no.

    Parameters
    ----------
    on_gpu, zero_copy : int
        Bytes that the run needs on a GPU, and of zero-copy memory.
    filled : float
        Fraction of the GPU's memory that may be filled.
    mine : collection of str
        Names as in `other_allocations`.
    """
    zcmem = legate_config.settings().zcmem_bytes

    def beside(gpu: int, shared: int) -> bool:
        return on_gpu + gpu <= runtime.gpu_room(gpu, filled) and (zero_copy == 0 or zero_copy + shared <= zcmem)

    if not beside(0, 0):
        return False
    if beside(*_agreed(allocations.placed())):
        return True
    for again in (False, True):
        if again:
            gc.collect()
        held = other_allocations(graph, parts, mine)
        if beside(held.on_gpu, held.zero_copy):
            return True
    return False


def room_for(on_gpu: int, zero_copy: int) -> bool:
    """Tell whether so many bytes fit beside all stores there are; alike on every process, which must all ask."""
    gpu, shared = _agreed(allocations.placed())
    zcmem = legate_config.settings().zcmem_bytes
    return on_gpu + gpu <= runtime.gpu_room(gpu, FILLED) and zero_copy + shared <= zcmem


def check(graph: Graph, needed: int, what: str, parts: int = 1, mine: Collection[str] = ()) -> None:
    """Refuse a demand that does not fit a GPU beside other stores."""
    if not fits(graph, needed, parts=parts, mine=mine):
        there = other_allocations(graph, parts, mine).on_gpu
        runtime.check_gpu_memory(needed, what, there, lambda: describe_holders(graph, parts, mine))


def _agreed(taken: NDArray[np.int64]) -> tuple[int, int]:
    """Return `_most` over all processes, which drop stores at times of their own; all must ask."""
    on_gpu, zero_copy = runtime.allreduce_max(np.array(_most(taken), np.float64))
    return int(on_gpu), int(zero_copy)


def _most(taken: NDArray[np.int64]) -> tuple[int, int]:
    """Return the largest bytes of stores on one GPU, and in the zero-copy memory of one process."""
    on_gpu, shared = taken
    if runtime.ranks() == 1:
        return int(on_gpu.max()), int(shared.sum())
    return int(on_gpu.max()), int(max(each.sum() for each in np.array_split(shared, runtime.ranks())))


def _stores_of(graph: Graph, parts: int | None, mine: Collection[str]) -> list[Store]:
    """List the stores of a graph and of one way to cut it, or of all; exclusive caches only if named in ``mine``."""
    own = {name: y for name, y in vars(graph).items() if name not in ("_layouts", "_reweighted")}
    cut = [layout for count, layout in graph._layouts.items() if parts in (None, count)]  # noqa: SLF001  # what it keeps
    apart = [layout.exclusive.get(name) for layout in cut for name in mine]
    return _reached([{n: y for n, y in own.items() if not isinstance(y, Graph)}, cut, apart])


def _reached(waiting: list[Any]) -> list[Store]:
    """List the stores that Lux's objects hold, except for exclusive caches of layouts."""
    found: dict[int, Store] = {}
    seen: set[int] = set()

    def look(x: Any) -> Iterator[Any]:
        if isinstance(x, Store):
            found[id(x)] = x
        elif isinstance(x, dict):
            yield from x.values()
        elif isinstance(x, list | tuple):
            yield from x
        elif type(x).__module__.partition(".")[0] == "lux" and hasattr(x, "__dict__"):
            # Layouts refer to a copy of their graph. Graphs that were made from this one are graphs of their own.
            held = {name: y for name, y in vars(x).items() if name != "exclusive"}
            yield from (y for name, y in held.items() if name == "graph" or not isinstance(y, Graph))

    while waiting:
        x = waiting.pop()
        if id(x) not in seen:
            seen.add(id(x))
            waiting += look(x)
    return list(found.values())


def _others(graph: Graph, parts: int, mine: Collection[str]) -> list[Store]:
    own = {id(store) for store in _stores_of(graph, parts, mine)}
    return [store for store in allocations.alive() if id(store) not in own]


def describe_holders(graph: Graph, parts: int = 1, mine: Collection[str] = ()) -> str:
    """Describe the largest local holders, for messages: other graphs, this one's searches and cuts, and the rest."""
    left = {id(store): store for store in _others(graph, parts, mine)}
    sizes: dict[str, int] = {}

    def add(name: str, stores: list[Store]) -> None:
        here = [left.pop(id(store)) for store in stores if id(store) in left]
        sizes[name] = sizes.get(name, 0) + max(_most(allocations.placed(here)))

    for other in graphs():
        name = f"a graph of {other.n_vertices:,} vertices and {other.n_edges:,} edges"
        add("other partitions of the graph" if other is graph else name, _stores_of(other, None, ()))
        for kept, apart in [item for layout in other._layouts.values() for item in layout.exclusive.items()]:  # noqa: SLF001
            add(f"{kept} of the graph" if other is graph else name, _reached([apart]))
    sizes["results and other values"] = max(_most(allocations.placed(list(left.values()))))
    named = sorted(((size, name) for name, size in sizes.items() if size), reverse=True)[:NAMED]
    return ", ".join(f"{name} ({-(-size // 2**20)} MiB)" for size, name in named)
