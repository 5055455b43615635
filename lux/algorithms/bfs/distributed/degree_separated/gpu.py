# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategy ``degree-separated`` on GPUs of one host, each a processor (``separated.cu``).

A search is one launch: a persistent kernel on each GPU. The kernels meet after every level's visits and then read one
another's memory. The host maps the stores before the search.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.algorithms.bfs.distributed.degree_separated import gpu_memory as memory
from lux.algorithms.bfs.distributed.degree_separated import gpu_plan as plan
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DD, DN, KINDS, ND, NN
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import starts_of
from lux.algorithms.bfs.distributed.degree_separated.gpu_memory import Shape, at_least, shapes
from lux.algorithms.bfs.distributed.degree_separated.levels import did
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import by_kind
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores
from lux.algorithms.multi_gpu.launch import MultiGpuKernel
from lux.engine.executor import Run
from lux.engine.gpu.parts import MAX_PEERS
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.engine.run.statistics import Iteration
from lux.errors import ConfigurationError, MemoryNeededError
from lux.graph.core.partitions import cut
from lux.partition.split_points import starts
from perfmodel.direction import SEPARATED_GPU

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.degree_separated import Options
    from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import DegreeSeparatedGraph
    from lux.engine.executor import Progress
    from lux.graph.graph import Graph

__all__ = ["GpuSearch", "at_least", "check", "processors", "shapes", "takes"]

NAME = "degree-separated"
TO_BACKWARD, TO_FORWARD = by_kind(SEPARATED_GPU)
"""By kind of edges (nn, nd, dn, dd), as in `state_kernels`."""
LONGEST = 1 << 27
"""Bound of the edges of a row of nn or nd: a warp counts the edges of 32 such rows in 32 bits."""


def processors(graph: Graph, parts: int | None, options: Options) -> int:
    """Count the GPUs that are to search; 0 where CPU cores are.

    Raises
    ------
    ConfigurationError
        ``device="gpu"`` was asked for, and cannot be had.
    """
    count = device_selection.partitions(graph, parts)
    if count == 0:
        device_selection.tell_cores(f"strategy={NAME!r}", device_selection.why_not_wanted(graph))
        return 0
    why = device_selection.why_too_many(graph) or _why_not(count, options)
    if why and settings.current().device == "gpu":
        raise ConfigurationError(f"device='gpu' was asked for strategy={NAME!r}, but {why}, or use device='cpu'")
    if why:
        device_selection.tell_cores(f"strategy={NAME!r}", why)
    return 0 if why else count


def _why_not(parts: int, options: Options) -> str:
    """Say why GPUs cannot search, and what to do; empty if they can."""
    if parts > min(runtime.gpus(), MAX_PEERS):
        most = min(runtime.gpus(), MAX_PEERS)
        return (
            f"parts={parts}, and each processor needs a GPU for itself: pass parts= 1 to {most}, or give Legate "
            f"{parts} GPUs (--gpus; {MAX_PEERS} at most)"
        )
    if options.local_all_to_all:
        return "Options(local_all_to_all=True) is for CPU cores, as GPUs read messages where they lie: leave it out"
    if not options.direction_optimized:
        return "Options(direction_optimized=False) is for CPU cores: leave it out"
    return device_selection.why_not_side_by_side(parts)


def check(graph: Graph, parts: int, needed: int, mine: Collection[str], least: str = "") -> bool:
    """Return True where GPUs have room for a search of so many bytes each, beside the memory that others hold there.

    Raises
    ------
    MemoryNeededError
        There is no room, and ``device="gpu"`` was asked for.
    """
    what = f"bfs by strategy={NAME!r} on {parts} GPU{'s' * (parts > 1)}"
    if settings.current().device != "gpu":
        fits = allocation_ledger.fits(graph, needed, parts=parts, mine=mine)
        if not fits:
            device_selection.tell_cores(f"strategy={NAME!r}", device_selection.no_room(needed))
        return fits
    try:
        allocation_ledger.check(graph, needed, what, parts, mine)
    except MemoryNeededError as error:
        raise MemoryNeededError(str(error).replace("needs ", f"needs {least}", 1)) from None
    return True


def takes(shapes: list[Shape]) -> bool:
    """Return True where the kernel takes rows as long as these.

    Raises
    ------
    ConfigurationError
        Rows are too long, and ``device="gpu"`` was asked for.
    """
    longest = max(shape.longest for shape in shapes)
    if longest < LONGEST:
        return True
    why = f"a normal vertex has {longest:,} edges of a kind, and fewer than {LONGEST:,} are allowed"
    if settings.current().device == "gpu":
        raise ConfigurationError(
            f"device='gpu' was asked for strategy={NAME!r}, but {why}: pass a lower threshold, or use device='cpu'"
        )
    device_selection.tell_cores(f"strategy={NAME!r}", why)
    return False


class GpuSearch:
    """Stores for searching a separated graph on GPUs, which searches use one after the other.

    Parameters
    ----------
    graph : Graph
    separation : DegreeSeparatedGraph
    shapes : list of Shape
    unique : bool
        A GPU names no vertex twice to another in a search.
    """

    def __init__(self, graph: Graph, separation: DegreeSeparatedGraph, shapes: list[Shape], *, unique: bool) -> None:
        self.separation, self.parts = separation, separation.parts
        named = memory.bins(separation, shapes, unique=unique)
        scratch = memory.scratch(graph, separation, named)
        self._arguments, given = Arguments(self.parts, plan.members(self.parts)), _given(separation, shapes)
        in_scratch = {name: at for name, at in scratch.at.items() if name != "control"}
        self._set_numbers(shapes, named, in_scratch, unique)
        self._searches = MultiGpuKernel(
            graph,
            plan.compiled(self.parts, wide=bool(separation.sections.types["nn_offsets"].itemsize == 8)),
            separation.points,
            self._arguments,
            given,
            scratch,
            in_scratch,
            own=plan.control_bytes(self.parts),
            noted=plan.LEVELS_NOTED,
            columns=plan.COLUMNS,
        )

    def _set_numbers(self, shapes: list[Shape], named: NDArray[np.int64], at: dict[str, int], unique: bool) -> None:
        """Set the arguments that are alike in all searches."""
        separation, parts = self.separation, self.parts
        points, own = separation.points, np.diff(separation.points)
        bin_at = starts_of(named)
        every = {
            "low": points[:-1],
            "own": own,
            "own_words": 2 * -(-own // 64),
            "far_words": 2 * -(-separation.far.sum(axis=1) // 64),
            "mask_words": 2 * separation.mask_words,
            "first_own": separation.own_delegates[:-1],
            "end_own": separation.own_delegates[1:],
            "n_long_dd": [len(shape.long[0]) for shape in shapes],
            "n_long_dn": [len(shape.long[1]) for shape in shapes],
            "found_at": at["found"],
            "parents_at": at["delegate_parents"],
            "bins_at": at["bins"],
            "unique": int(unique),
            "n_rows": np.stack([shape.rows for shape in shapes]),
            "n_edges": separation.edges,
            "points": np.tile(points, (parts, 1)),
            "far_at": starts_of(separation.far),
            "bin_at": bin_at[:, :-1],
            "theirs_at": bin_at[:, :-1].T,
        }
        self._arguments.set(**every)

    def search(self, source: int, limit: int, progress: Progress | None) -> Run:
        """Search from the place ``source``, at most ``limit`` levels; see `SearchModule`."""
        factors = {"to_backward": TO_BACKWARD, "to_forward": TO_FORWARD}
        found = self._searches.run(
            source=source,
            source_delegate=self.separation.delegate(source),
            limit=limit,
            **{name: np.tile(np.array(each), (self.parts, 1)) for name, each in factors.items()},
        )
        statistics = [_iteration(found.notes[:, level]) for level in range(found.notes.shape[1])]
        converged = not found.outcome["left"].any()
        return found.as_run(min(found.levels, limit), statistics, progress, converged=converged)


def _given(separation: DegreeSeparatedGraph, shapes: list[Shape]) -> InputStores:
    """Return the stores that kernels read: subgraphs, lists of long rows, and of far vertices where there are any."""
    sections, far = separation.sections, separation.far_places.words.sum(axis=1)
    lists = [np.concatenate([*shape.long, np.zeros(1, np.uint64)]) for shape in shapes]
    stores = {"graph": separation.store, "long": runtime.from_array(np.concatenate(lists))}
    cuts = {"graph_rows": cut(sections.at), "long_rows": cut(starts(np.array([len(x) for x in lists])))}
    arguments = dict.fromkeys(plan.SECTIONS, "graph") | dict.fromkeys(("long_dd", "long_dn"), "long")
    before = {name: 4 * (sections.at[:-1] - sections.first[name]) for name in plan.SECTIONS}
    before["long_dn"] = np.array([-8 * len(shape.long[0]) for shape in shapes], np.int64)
    found = InputStores(stores, {"graph": "graph_rows", "long": "long_rows"}, cuts, arguments, before)
    if far.any():
        found.cuts["far_rows"] = cut(starts(far))
        found.add("far_places", separation.far_places.store, "far_rows")
    return found


def _iteration(rows: NDArray[np.int64]) -> Iteration:
    """Make a level's statistics from the rows of all GPUs: see ``record`` in ``separated.cu``."""
    edges, backward = rows[:, 3 : 3 + KINDS], (rows[:, 7, None] >> np.arange(KINDS) & 1).astype(bool)
    pulled = edges[backward].sum() > edges[~backward].sum()
    why = ", ".join(did(kind, edges[:, kind], backward[:, kind]) for kind in (NN, ND, DN, DD))
    return Iteration(
        "pull" if pulled else "push",
        int(rows[:, 0].sum() + rows[0, 1]),
        int(rows[:, 2].sum()),
        (1e-9 * (rows[:, 9] + rows[:, 11])).astype(np.float64),
        why=why,
        exchanged=int(rows[:, 8].sum()),
    )
