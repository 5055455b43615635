# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Executor of programs: on GPUs or CPU cores, in one task or in partitions; refuses wrong arguments before a start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import runtime
from lux.checks import warn
from lux.codegen.compile import kernels
from lux.engine.cpu.cpu_run import MODELS, SharedMemoryRun
from lux.engine.gpu.placement import device_selection
from lux.engine.run import checkpoint
from lux.engine.run.check import argument_kinds, compile_kernels, parameter_values
from lux.engine.run.constants import Constants
from lux.engine.run.directions import Directions
from lux.engine.run.program_launches import partition_kernels, step
from lux.engine.run.run import Progress, Run
from lux.errors import ConvergenceError, ParameterError
from lux.graph.indexes import ins_sets
from lux.graph.indexes.edge_tiles import why_not
from lux.graph.layout import PartitionedGraph
from lux.partition.split_points import check_parts
from lux.program.fields import Edges
from lux.program.program import Program
from lux.program.spec import Spec

if TYPE_CHECKING:
    from lux.graph.graph import Graph

__all__ = [
    "NO_LIMIT", "Progress", "Run", "check_model_and_limit", "checked_inputs", "edges_of", "execute", "prepare",
    "process_bytes", "run_layout", "runs_as_team", "store_bytes", "team_threads",
]  # fmt: skip

NO_LIMIT = 2**62
"""Iterations of a run that ends by itself."""
LONG, LONG_EACH = 100_000, 10
"""Iterations of a run without a limit before a warning: so many, and so many for each vertex of the graph."""
ENDLESS = 10
"""Factor on those iterations after which the run is an error."""


def execute(
    program: type[Program],
    graph: Graph,
    params: Mapping[str, Any],
    *,
    constants: Mapping[str, Any] | None = None,
    parts: int | None = None,
    model: str = "auto",
    max_iterations: Any = None,
    expected: int | None = None,
    progress: Progress | None = None,
    directions: Directions | None = None,
    keeps: bool = False,
) -> Run:
    """Run ``program`` on ``graph``; see `lux.run`.

    The run is known to end after ``expected`` iterations. A search whose direction rule the user chose takes CPU cores.
    A run that ``keeps`` checkpoints does so where `lux.using` asks for them.
    """
    limit = check_model_and_limit(model, max_iterations)
    values, graph, given = checked_inputs(program, graph, params, constants, max_iterations)
    if limit == NO_LIMIT:
        progress = _watched(program, graph, progress)
    kept = checkpoint.of_program(program, graph, values, given, limit) if keeps else None
    if not directions and (count := device_selection.partitions(graph, parts)):
        from lux.engine.on_gpus import placed

        of_run = (program, graph, given.stores, values, model, limit)
        ends_after = _ends_after(program, limit, expected)
        on_gpus = placed(*of_run, parts=count, asked=parts is not None, ends_after=ends_after)
        if on_gpus is not None:
            if kept is not None and on_gpus.why_no_checkpoint:
                why = on_gpus.why_no_checkpoint
                warn(f"{program.__name__} keeps no checkpoint, as {why}: it starts anew if it is killed")
            else:
                on_gpus.checkpoint = kept
            return on_gpus.execute(progress)
    device_selection.tell_cores(program.__name__, _why_cores(graph, directions))
    team, layout = runs_as_team(parts), run_layout(graph, parts)
    push = model == "push" or (model == "auto" and program.spec.frontier)
    needed = store_bytes(program.spec, layout, push=push)
    expected = limit if expected is None else min(limit, expected)
    tiled = layout.has_blocks(tuple(program.spec.edge_properties))
    by_rows = "edges are pushed" if push else why_not(program.spec, layout, expected, needed, made=tiled)
    compile_kernels(program, graph, values, blocked=not by_rows)
    kind_of_run = (program, graph.order is not None, layout.parts > 1, push, not by_rows)
    stores, arrays = given.for_one_task() if team else (given.stores, {})
    given_all = (layout, program, stores, values, model, limit, push, by_rows, directions, kept)
    if team:
        launches = step(*kind_of_run, team, tuple(arrays))  # type: ignore[arg-type]  # a class is hashable
        return SharedMemoryRun(launches, *given_all, arrays=[*arrays.values()]).run(progress)
    from lux.engine.cpu.partitioned_run import PartitionedRun

    module = kernels(program, graph.order is not None, not by_rows).__name__  # type: ignore[arg-type]  # a class is hashable
    kind = argument_kinds(program, graph, values, blocked=not by_rows)
    ends_after = _ends_after(program, limit, expected)
    made = partition_kernels(*kind_of_run)  # type: ignore[arg-type]  # a class is hashable
    return PartitionedRun(made, *given_all, body=(module, kind), ends_after=ends_after).run(progress)


def checked_inputs(
    program: type[Program],
    graph: Graph,
    params: Mapping[str, Any],
    constants: Mapping[str, Any] | None,
    max_iterations: Any,
) -> tuple[dict[str, Any], Graph, Constants]:
    """Return the parameters' values, the graph along whose edges contributions go, and the constant fields."""
    if max_iterations is None and not program.spec.ends:
        raise ParameterError(
            f"{program.__name__} has neither a frontier nor converged(), so it never ends: pass max_iter"
        )
    values = parameter_values(program.spec, params)
    graph = edges_of(program, graph)
    return values, graph, Constants(program.spec, graph, constants or {})


def edges_of(program: type[Program], graph: Graph) -> Graph:
    """Return the graph with the edges along which contributions go: turned round, in both directions, or as is."""
    if program.edges is Edges.OUT:
        return graph.reverse()
    return graph.symmetrized() if program.edges is Edges.BOTH else graph


def _watched(program: type[Program], graph: Graph, progress: Progress | None) -> Progress:
    """Add to ``progress`` a warning, once, beyond the iterations that such graphs need, and an end far beyond them.

    All processes are told of the same iterations.
    """
    long = LONG + LONG_EACH * graph.n_vertices
    warned = False

    def tell(done: int) -> None:
        nonlocal warned
        if done <= long:
            pass
        elif done > ENDLESS * long:
            raise ConvergenceError(
                f"{program.__name__} has run for {done:,} iterations on {graph.n_vertices:,} vertices and has not "
                "ended: see to it that the frontier empties or converged() becomes true, or pass max_iter for a limit "
                "of your own (max_iter=3 shows the fields after three iterations)"
            )
        elif not warned:
            warned = True
            warn(
                f"{program.__name__} has run for {done:,} iterations on {graph.n_vertices:,} vertices, has no limit "
                "(max_iter=None), and may never end: pass max_iter, or see to it that the frontier empties or "
                f"converged() becomes true. It is ended after {ENDLESS * long:,}"
            )
        if progress is not None:
            progress(done)

    return tell


def _ends_after(program: type[Program], limit: int, expected: int | None) -> int | None:
    """Return the iterations after which a run ends, if the number is known."""
    most = limit if expected is None else min(limit, expected)
    return None if program.spec.frontier or most >= NO_LIMIT else most


def _why_cores(graph: Graph, directions: Directions | None) -> str:
    """Say why a program does not take GPUs where there are some."""
    if directions:
        return f"direction={directions.rule!r} is asked for, which only CPU cores know"
    return device_selection.why_not_wanted(graph) or (
        f"{graph.n_vertices:,} vertices and {graph.n_edges:,} edges fit neither the GPUs' memory nor, with edges in "
        "zero-copy memory, both: use more GPUs, or start Legate with more --fbmem or --zcmem"
    )


def check_model_and_limit(model: Any, max_iterations: Any) -> int:
    """Refuse an unknown model or a wrong limit of iterations; returns the limit."""
    if not isinstance(model, str) or model not in MODELS:
        raise ParameterError(f"model={model!r} was passed; allowed are {', '.join(MODELS)}")
    limit = NO_LIMIT if max_iterations is None else max_iterations
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 0:
        raise ParameterError(f"max_iter={max_iterations!r} was passed; allowed are whole numbers from 0")
    return min(int(limit), NO_LIMIT)  # kernels count in 64 bits


def runs_as_team(parts: int | None) -> bool:
    """Tell whether one task holds the whole graph: in a single process, unless several partitions are wanted."""
    return runtime.ranks() == 1 and parts in (None, 1)


def team_threads(graph: Graph, parts: int | None) -> int:
    """Return the threads of the task that holds the whole graph: one if a partition was asked for."""
    return graph.default_threads() if parts is None else check_parts(parts, graph.n_vertices)


def run_layout(graph: Graph, parts: int | None) -> PartitionedGraph:
    """Return the layout that a run works on; one task that holds all has a range for each of its threads."""
    return graph.layout(team_threads(graph, parts) if runs_as_team(parts) else parts)


def prepare(graph: Graph, parts: int | None, model: str, properties: tuple[str, ...]) -> None:
    """Prepare a graph for a run with a frontier: partitions, and edges by source unless all is pulled."""
    layout = run_layout(graph, parts)
    if model != "pull":
        layout.by_source(properties)


def store_bytes(spec: Spec, layout: PartitionedGraph, *, push: bool) -> int:
    """Count the bytes of a run's stores: fields, in two copies if needed, and edges by source if still to be made."""
    graph = layout.graph
    copies = {f.name: 1 if spec.owned(f.name) else 2 for f in spec.state}
    fields = sum(f.numpy_dtype(graph.id_dtype).itemsize * (f.length or 1) * copies[f.name] for f in spec.state)
    by_source = by_source_bytes(layout, tuple(spec.edge_properties)) if push else 0
    return (fields + graph.degree_dtype.itemsize) * graph.n_vertices + by_source


def process_bytes(spec: Spec, graph: Graph) -> int:
    """Count the bytes that each of several processes needs beside Legate's memory for a run on CPU cores, at most.

    They are the fields of all vertices, in two copies where neighbours read them; and for every vertex of other
    processes, if it were read here, its place in two lists, and its value in a message that is sent and one received.
    """
    ids = graph.id_dtype.itemsize
    size = {f.name: f.numpy_dtype(graph.id_dtype).itemsize * (f.length or 1) for f in spec.state}
    read = sum(size[f.name] for f in spec.state if spec.read_from_neighbours(f.name))
    shared = sum(2 * size[f.name] for f in spec.state if not spec.owned(f.name))
    owned = sum(size[f.name] for f in spec.state if spec.owned(f.name))
    others = graph.n_vertices - graph.n_vertices // runtime.ranks()
    return (shared + owned) * graph.n_vertices + (2 * ids + 2 * read) * others


def by_source_bytes(layout: PartitionedGraph, names: tuple[str, ...]) -> int:
    """Count the bytes of the edges by source, with the edge properties ``names``; 0 where they need not be made."""
    graph = layout.graph
    if layout.has_by_source(names) or (layout.parts == 1 and not graph.directed):
        return 0
    there = [name for name in names if name in graph.property_types]  # the run refuses a graph without the others
    per_edge = graph.id_dtype.itemsize + sum(graph.property_types[name].itemsize for name in there)
    return per_edge * graph.n_edges + ins_sets.most_bytes(layout)
