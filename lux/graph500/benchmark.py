# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Run of the benchmark: edges, graph (kernel 1), roots, searches (kernels 2 and 3), validation."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from lux import runtime
from lux.errors import ParameterError
from lux.graph import build
from lux.graph.construction.generators import Kronecker
from lux.graph.core.stored_graph import graph_bytes
from lux.graph.ordering import ORDERS
from lux.graph500 import on_gpu
from lux.graph500.counting import distinct_edges, input_edges, neighbour_counts
from lux.graph500.edge_list import WeightedKronecker, made_on_gpus, stored, tuple_bytes
from lux.graph500.roots import sample
from lux.graph500.searches import SEARCHES, Search
from lux.graph500.validation import validate

if TYPE_CHECKING:
    from lux.graph.construction.edge_stores import StoredEdges
    from lux.graph.graph import Graph
    from lux.runtime import Store

KERNELS = ("bfs", "sssp")
COMPILED_AT = 5
"""Scale of the graph on which everything but the searches is compiled before anything is timed."""

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with the name of the step, the amount done, and the total."""


@dataclass(frozen=True)
class Plan:
    """Plan of a run.

    Attributes
    ----------
    scale, edge_factor : int
        2^scale vertices, and edge tuples per vertex.
    roots : int
        Searches of each kernel, at most.
    seed : int
    kernels : tuple of str
        Kernels to run, of `KERNELS`.
    validated : bool
    strategy : str
        One of `lux.graph500.searches.SEARCHES`, for kernel 2.
    order : str
        As in `lux.Graph.reordered`; part of kernel 1.

    Raises
    ------
    ParameterError
        A value is out of its range; nothing has started.
    """

    scale: int
    edge_factor: int = 16
    roots: int = 64
    seed: int = 1
    kernels: tuple[str, ...] = KERNELS
    validated: bool = True
    strategy: str = "auto"
    order: str = "given"

    def __post_init__(self) -> None:
        self.edges(self.scale)
        if self.roots < 1:
            raise ParameterError(f"roots={self.roots} was passed; allowed are whole numbers from 1 (64 by the rules)")
        for name, value, allowed in (("strategy", self.strategy, tuple(SEARCHES)), ("order", self.order, ORDERS)):
            if value not in allowed:
                raise ParameterError(f"{name}={value!r} was passed; allowed are {', '.join(allowed)}")
        if not self.kernels or not set(self.kernels) <= set(KERNELS):
            raise ParameterError(f"kernels={self.kernels!r} was passed; allowed are {', '.join(KERNELS)}, or both")

    @property
    def weighted(self) -> bool:
        """True if edges have weights: only kernel 3 reads them."""
        return "sssp" in self.kernels

    def edges(self, scale: int) -> Kronecker:
        """Return the generator of the edge list."""
        return (WeightedKronecker if self.weighted else Kronecker)(scale, self.edge_factor, self.seed)


@dataclass
class Runs:
    """Runs of one kernel's searches, in the order of the roots.

    Attributes
    ----------
    seconds, validation : list of float
        Times of the search and of its validation, in seconds; -1 without validation.
    edges, distinct : list of int
        Input edges of the component (`input_edges`), and undirected edges counted once (`distinct_edges`).
    """

    seconds: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    distinct: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run: what was measured; times in seconds.

    Attributes
    ----------
    roots : list of int
    generation, construction : float
    runs : dict of str to Runs
        Searches by kernel.
    """

    plan: Plan
    roots: list[int]
    generation: float
    construction: float
    runs: dict[str, Runs]


def run(plan: Plan, progress: Progress = lambda _what, _done, _total: None) -> Outcome:
    """Run the benchmark.

    Raises
    ------
    MemoryNeededError
        The edge list and the graph do not fit the memory that Legate was given; raised before anything is launched.
    ValidationError
        A search's result is wrong.
    """
    check_memory(plan)
    progress("compiling", 0, 1)
    construct(stored(plan.edges(COMPILED_AT)), plan)
    progress("generating edges", 0, 1)
    generation, tuples = timed(lambda: stored(plan.edges(plan.scale)))
    progress("constructing the graph", 0, 1)
    construction, graph = timed(lambda: construct(tuples, plan))
    roots = sample(graph, plan.roots, plan.seed).tolist()
    neighbours = neighbour_counts(graph, simple=not plan.weighted)
    runs = {}
    for kernel in plan.kernels:
        search = SEARCHES[plan.strategy].by_kernel[kernel]
        search(graph, roots[0])  # untimed, as in the reference code: it compiles, and touches all memory
        runs[kernel] = Runs()
        for done, root in enumerate(roots):
            progress(kernel, done, len(roots))
            _search(runs[kernel], tuples, graph, neighbours, search, root, plan, kernel == "sssp")
    return Outcome(plan, roots, generation, construction, runs)


def check_memory(plan: Plan) -> None:
    """Refuse a graph that does not fit Legate's memory, together with its construction and validation.

    GPUs that have room for the construction have room for the validation.
    """
    source = plan.edges(plan.scale)
    if made_on_gpus(source) is not None:
        return
    vertices, in_edges = source.n_vertices, 2 * source.n_edges
    making = 2 * graph_bytes(vertices, in_edges, source.property_types)  # in the order of ids, and in its own
    trees = 40 * vertices  # parents, distances, marks, ancestors and neighbours, twice
    what = f"Graph500 of scale {plan.scale} and edge factor {plan.edge_factor}"
    runtime.check_memory(tuple_bytes(source) + making + trees, what)


def construct(tuples: StoredEdges, plan: Plan) -> Graph:
    """Run kernel 1: build the graph without self-loops; repeated edges stay, as their weights may differ."""
    graph = build.build(tuples, drop_loops=True, drop_repeats=not plan.weighted).reordered(plan.order)
    SEARCHES[plan.strategy].prepare(graph, plan.kernels)
    return graph


def _search(
    runs: Runs,
    tuples: StoredEdges,
    graph: Graph,
    neighbours: Store,
    search: Search,
    root: int,
    plan: Plan,
    weighted: bool,
) -> None:
    validated = plan.validated
    seconds, tree = timed(lambda: search(graph, root))
    if gpus := on_gpu.gpus_for(graph, tuples, plan.strategy):
        how = {"weighted": weighted, "validated": validated}
        checking, (inside, distinct) = timed(lambda: on_gpu.examine(tuples, neighbours, tree, **how, gpus=gpus))
    else:
        checking = timed(lambda: validate(tuples, tree, weighted=weighted))[0] if validated else 0.0
        inside, distinct = input_edges(tuples, tree.parent), distinct_edges(neighbours, tree.parent, graph.n_vertices)
    runs.seconds.append(seconds)
    runs.validation.append(checking if validated else -1.0)
    runs.edges.append(inside)
    runs.distinct.append(distinct)


def timed(make: Callable[[], T]) -> tuple[float, T]:
    """Return the wall-clock seconds until everything that ``make`` launched has run, and its result."""
    runtime.finish()
    began = time.perf_counter()
    made = make()
    runtime.finish()
    return time.perf_counter() - began, made
