# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The plan of a factorization on GPUs: how many of them, or why none, and the memory that it needs there."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.algorithms.factorization.gpu_rows import FEW, RowAssignment
from lux.algorithms.factorization.gpu_text import MOST_BLOCKS, MOST_WORKING, SEGMENT, Shape
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.errors import ConfigurationError
from lux.launch.memory import Scratch
from lux.partition.split_points import check_parts

if TYPE_CHECKING:
    from lux.algorithms.factorization.rating_matrix import Problem
    from lux.graph.graph import Graph

CONTROL_BYTES, RUN_BYTES = 16, 128
"""Bytes of ``Control`` and, with room, of ``Run`` in `factors.cu`."""
BLOCK_MEMORY = 227 << 10
"""Shared memory of a block where no GPU says otherwise."""
MAX_PEERS = 64
"""GPUs that meet; `HEADER` has room for what so many tell each other."""
SOLVING = 3
"""Cost of solving a row's equations, in ratings for each of its K unknowns; as on CPU cores."""


class FactorPlan:
    """A factorization on GPUs: the kernel, the rows of each GPU, and the memory.

    Parameters
    ----------
    graph : Graph
        With both directions.
    name : str
        The edge property that holds the ratings.
    sides : np.ndarray of shape (n_vertices,), uint8
        In the order in which the graph is stored.
    problem : Problem
    method : {"als", "gd"}
    parts : int
        GPUs.

    Attributes
    ----------
    moved : bool
        Legion moves factors between the GPUs (`lux.algorithms.factorization.gpu_repartition`); else they write to each
        other's memory.
    """

    def __init__(
        self, graph: Graph, name: str, sides: NDArray[np.uint8], problem: Problem, method: str, parts: int
    ) -> None:
        self.graph, self.name, self.sides, self.problem, self.method, self.parts = (
            graph,
            name,
            sides,
            problem,
            method,
            parts,
        )
        given = runtime.block_memory() if runtime.gpus() else BLOCK_MEMORY
        rating, count = graph.property_types[name], graph.degree_dtype
        self.moved = _moved(parts)
        how = {"moved": True, "placed": bool((np.diff(sides.view(np.int8)) < 0).any())} if self.moved else {}
        self.shape = Shape(problem.k, problem.dtype, method, 1 if self.moved else parts, rating, count, given, **how)

    @cached_property
    def assignment(self) -> RowAssignment:
        """The rows of each GPU."""
        offsets = runtime.to_array(self.graph.offsets)[: self.graph.n_vertices + 1]
        cost = SOLVING * self.problem.k if self.method == "als" else 1
        few = FEW if self.method == "gd" and self.shape.lanes < 32 else -1
        return RowAssignment(offsets, self.sides, self.parts, cost, SEGMENT[self.method], few)

    @cached_property
    def result_points(self) -> NDArray[np.int64]:
        """Vertices whose factors each GPU writes at the end."""
        return np.arange(self.parts + 1, dtype=np.int64) * self.graph.n_vertices // self.parts

    @cached_property
    def scratch(self) -> Scratch:
        """A GPU's scratch memory."""
        shape, assignment = self.shape, self.assignment
        segments = assignment.most("n_segments") if self.method == "als" else assignment.most_segments
        others = {
            "block_sums": 8 * 3 * MOST_BLOCKS,
            "partial": shape.partial_bytes * max(segments, 1),
            "workspace": max(MOST_WORKING * shape.matrix_bytes, 8),
        }
        return Scratch({"control": CONTROL_BYTES, "run": RUN_BYTES}, others)

    def memory_bytes(self) -> int:
        """Count the bytes on the GPU that needs most."""
        graph, shape, n, size = self.graph, self.shape, self.graph.n_vertices, self.problem.dtype.itemsize
        edges = int(self.assignment.edges.max()) * (4 + shape.rating.itemsize + 1)
        lists = 4 * int(np.diff(self.assignment.lists()[1]).max())
        first, result = n * self.problem.k * size, int(np.diff(self.result_points).max()) * self.problem.k * size
        vertices = 8 * (n + 1) + graph.degree_dtype.itemsize * n + 4 * n * shape.placed
        own = -(-self.parts // (runtime.gpus() or self.parts)) * (edges + lists + result + self.scratch.nbytes)
        return own + first + vertices + shape.memory_of_slots(n)


def planned(
    graph: Graph, name: str, sides: NDArray[np.uint8], problem: Problem, method: str, parts: int | None
) -> FactorPlan | str:
    """Plan a run on as many GPUs as have room, if there are, or say why CPU cores are to be used.

    Raises
    ------
    ConfigurationError
        ``device="gpu"`` was asked for, and cannot be had.
    """
    if why := device_selection.why_not_wanted(graph):
        return why
    must = settings.current().device == "gpu"
    asked = check_parts(parts, graph.n_vertices) if parts is not None else None
    count = asked or _default(graph, problem)
    error = device_selection.why_too_many(graph) or _refusal(count)
    if error:
        if must:
            raise ConfigurationError(f"device='gpu' was asked for factorize, but {error}")
        return error

    def plan(gpus: int) -> FactorPlan:
        return FactorPlan(graph, name, sides, problem, method, gpus)

    more = runtime.gpus() if asked is None and not _refusal(runtime.gpus()) else count
    for gpus in sorted({count, max(count, min(more, graph.n_vertices))}):
        found = plan(gpus)
        if allocation_ledger.fits(graph, found.memory_bytes()):
            return found
    return plan(count)


def _default(graph: Graph, problem: Problem) -> int:
    """GPUs unless a number is asked for: all where their work is worth it, and those of all processes."""
    gpus = runtime.gpus()
    worth = runtime.ranks() > 1 or graph.n_edges * problem.k >= device_selection.WORTH_SPREADING
    return gpus if worth and gpus <= graph.n_vertices and not _refusal(gpus) else 1


def _moved(parts: int) -> bool:
    """Return True if Legion moves factors: between processes, on request, or where GPUs do not reach each other."""
    if runtime.ranks() > 1:
        return True
    return parts > 1 and (settings.current().placement == "device" or not runtime.peer_access())


def _refusal(parts: int) -> str:
    """Say why so many GPUs cannot share the work; empty if they can."""
    wanted, gpus = settings.current().placement, runtime.gpus()
    most = min(gpus, MAX_PEERS)
    if wanted == "zero-copy":
        return (
            f"placement={wanted!r} was, too, and it keeps all factors in the memory of each GPU: leave placement= out"
        )
    if parts > most and not _moved(parts):
        return f"parts={parts} is more than its {most} GPUs, which each take one: pass less, or placement='device'"
    if wanted == "peer" and parts > 1 and _moved(parts):
        why = "there are several processes" if runtime.ranks() > 1 else "these GPUs cannot write to each other's memory"
        return f"placement={wanted!r} was, too, and {why}: leave placement= out"
    return device_selection.why_no_barrier()
