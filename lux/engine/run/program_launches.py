# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The launches of a program on CPU cores: ``start``, which sets first values, and ``run``, which iterates.

There are three kinds. Where one task holds all partitions (`step` with ``team``), it sees whole stores, and a thread
for each partition takes its parts; it runs many iterations, the first task after it has set first values. Where
partitions are spread over processes (`partition_kernels`), Legate's part ends when each process has located its
partitions' parts of the graph's stores: iterations run in launches with a point for each process
(`lux.runtime.exchange`). CPU cores beside GPUs (`point_step`) have a launch for each iteration, with a point task for
each partition and no Python in it (`lux.engine.cpu.native`).

A launch costs about 20 microseconds for each store, so it is given few: small constants (split points, parameters)
reach the tasks through `lux.runtime.register`, alike on every rank, and so do constant fields where one task holds all
partitions; each partition keeps its statistics in its own process until the run is over.
"""

from __future__ import annotations

import functools
import queue
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.compile import kernels
from lux.codegen.cpu_writer import Writer
from lux.engine.run.statistics import Rows
from lux.kernels import frontier as fr
from lux.kernels.threads import BARRIER_WORDS
from lux.program.program import Program
from lux.runtime import Launcher, NativeLauncher


@dataclass
class TaskContext:
    """Objects that the point tasks of one run find in their process.

    Attributes
    ----------
    points : list of int
        Split points.
    cuts : dict of str to list of (int, int)
        The part of whole stores that each partition sees.
    values : dict of str to object
        Arguments of the kernels that are not stores.
    statistics : dict of int to Rows
        For each partition that ran here, the statistics of its iterations; known when a task or the run is over.
    reports : queue.SimpleQueue of (int, np.ndarray)
        Iterations that a task ran, and the state after it, if one task holds all partitions.
    tables : list of np.ndarray
        Arrays that a compiled body finds by address.
    arrays : sequence of np.ndarray
        Whole constant fields that one task takes after its stores.
    """

    points: list[int]
    cuts: dict[str, list[tuple[int, int]]]
    values: dict[str, Any]
    statistics: dict[int, Rows] = field(default_factory=lambda: defaultdict(Rows))
    reports: queue.SimpleQueue[tuple[int, NDArray[np.int64]]] = field(default_factory=queue.SimpleQueue)
    tables: list[NDArray[Any]] = field(default_factory=list)
    arrays: Sequence[NDArray[Any]] = ()
    _templates: dict[int, list[Any]] = field(default_factory=dict)

    def template(self, names: list[str]) -> list[Any]:
        """Return a list of a kernel's arguments with all that are the same in every launch; the rest is None."""
        if id(names) not in self._templates:
            self._templates[id(names)] = [self.values.get(name) for name in names]
        return self._templates[id(names)].copy()


@dataclass(frozen=True)
class ProgramLaunches:
    """Launches of one program, and the names of its kernels' arguments.

    ``arguments`` are the names for the kernel ``run``. Where one task holds all partitions, ``start`` runs the first
    iterations, too, and is given the stores of ``run``.
    """

    start: Launcher
    run: Launcher | NativeLauncher
    writer: Writer
    arguments: _Arguments


@dataclass(frozen=True)
class PartitionLaunches(ProgramLaunches):
    """Launches with one point task per partition; ``lean`` omits the stores whose addresses are known."""

    run: NativeLauncher
    lean: NativeLauncher


@functools.cache
def step(
    program: type[Program],
    ordered: bool,
    has_ins: bool,
    push: bool,
    blocked: bool,
    team: bool,
    arrays: tuple[str, ...] = (),
) -> ProgramLaunches:
    """Make the launches of ``program``.

    Parameters
    ----------
    ordered : bool
        True if the graph's vertices are stored in another order than that of their ids.
    has_ins : bool
        True if partitions know their INS: there are several.
    push : bool
        True if edges by source are given too.
    blocked : bool
        True if edges in tiles are given, and no others.
    team : bool
        True if one task holds all partitions.
    arrays : tuple of str
        Constant fields that this task finds in its context (`TaskContext.arrays`), and no launch has a store of.
    """
    writer = Writer(program.spec, ordered=ordered, blocked=blocked)
    (start, start_names), (run, run_names) = writer.signatures(kernels(program, ordered, blocked))  # type: ignore[arg-type]  # a class is hashable
    static, edges = _graph_stores(writer, has_ins=has_ins, push=push)
    others = _fields(writer, "other")
    written = {which: _fields(writer, which) | _progress(writer, which) for which in ("new", "a", "b")}
    owned: dict[str, str | None] = {f"own_{n}": _own(writer, n) for n in writer.owned}
    splits = static | edges | others | owned
    splits |= {name: split for stores in written.values() for name, split in stores.items()}
    if team:
        whole = dict.fromkeys
        copies = written["a"] | written["b"] | owned
        in_context = [f"given_{n}" for n in arrays]
        static = {n: split for n, split in static.items() if n not in in_context}
        stores = [*static, *edges, *copies, *in_context]
        arguments = _arguments(writer, run_names, stores, splits)
        # The start writes the copy that the first iteration reads, and of the other one the fields.
        started = [*static, *edges, *written["new"], *others, *_progress(writer, "b"), *owned, *in_context]
        before = functools.partial(_start_team, start, _arguments(writer, start_names, started, splits))
        inputs, scalars, results = whole(static | edges), {"key": int}, [*_fields(writer, "b"), *owned]
        starting, going_on = _team_body(run, arguments, stores, before), _team_body(run, arguments, stores)
        return ProgramLaunches(
            Launcher(starting, inputs=inputs, outputs=whole(copies), scalars=scalars, results=results),
            Launcher(going_on, inputs=inputs, updates=whole(copies), scalars=scalars, results=results),
            writer,
            arguments,
        )
    first = written["new"] | others | owned
    stores = [*static, *first]
    start_body = _point_body(start, _arguments(writer, start_names, stores))
    inputs = static | edges | _fields(writer, "a", read=True) | dict.fromkeys(_progress(writer, "a"))
    # Only touched vertices are written where that is possible, so the copy written two iterations ago is kept.
    updates = owned | (_fields(writer, "b") if writer.spec.sparse else {})
    outputs = (_progress(writer, "b")) if writer.spec.sparse else written["b"]
    launcher = NativeLauncher("lux_run", inputs, outputs, updates)
    # Arrays of the user may lie in the user's own memory, from which Legion copies.
    given = {n: split for n, split in static.items() if n == "order" or n.startswith("given_")}
    return PartitionLaunches(
        Launcher(start_body, inputs=static, outputs=first, scalars={"key": int}),
        launcher,
        writer,
        _arguments(writer, run_names, launcher.arrays),
        NativeLauncher("lux_run", given | {"a_state": None}, {"b_state": "rows"}, instead_of=launcher),
    )


def _graph_stores(writer: Writer, *, has_ins: bool, push: bool) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Map the stores that iterations read and never write to their splits: all but edges, and edges."""
    static: dict[str, str | None] = {"in_offsets": "offsets"}
    static |= {"out_degree": _split(writer, "out_degree")} if writer.wants_out_degree() else {}
    static |= {"order": None} if writer.wants_order else {}
    static |= {f"given_{n}": _split(writer, n) for n in writer.constant}
    edges: dict[str, str | None] = dict.fromkeys(
        ["packed" if writer.blocked else "sources", *(f"in_edge_{n}" for n in writer.edge)], "edges"
    )
    if push:
        edges |= {"ins": "ins_rows"} if has_ins else {}
        edges |= {"out_offsets": "by_offsets", "destinations": "edges"} | {
            f"out_edge_{n}": "edges" for n in writer.edge
        }
    return static, edges


@dataclass(frozen=True)
class PartitionKernels:
    """A program's kernels on several processes, whose iterations exchange what others read inside one launch.

    Attributes
    ----------
    writer : Writer
    graph_stores : dict of str to str or None
        Stores that iterations read and never write, and their splits; a launch notes where each partition has them.
    start_kernel : callable
        The compiled kernel ``start``.
    start, run : _Arguments
        Arguments of the kernels ``start`` and ``run``.
    start_stores, run_stores : list of str
        The stores, or arrays in their place, of which the arguments are made.
    """

    writer: Writer
    graph_stores: dict[str, str | None]
    start_kernel: Any
    start: _Arguments
    run: _Arguments
    start_stores: list[str]
    run_stores: list[str]


@functools.cache
def partition_kernels(
    program: type[Program], ordered: bool, has_ins: bool, push: bool, blocked: bool
) -> PartitionKernels:
    """Make the launches of ``program`` on several processes; parameters as of `step`."""
    writer = Writer(program.spec, ordered=ordered, blocked=blocked)
    (start, start_names), (_, run_names) = writer.signatures(kernels(program, ordered, blocked))  # type: ignore[arg-type]  # a class is hashable
    static, edges = _graph_stores(writer, has_ins=has_ins, push=push)
    written = {which: _fields(writer, which) | _progress(writer, which) for which in ("new", "a", "b")}
    owned: dict[str, str | None] = {f"own_{n}": _own(writer, n) for n in writer.owned}
    others = _fields(writer, "other")
    splits = static | edges | others | owned
    splits |= {name: split for stores in written.values() for name, split in stores.items()}
    start_stores = [*static, *written["new"], *others, *owned]
    run_stores = [*static, *edges, *written["a"], *written["b"], *owned]
    return PartitionKernels(
        writer,
        static | edges,
        start,
        _arguments(writer, start_names, start_stores, splits),
        _arguments(writer, run_names, run_stores, splits),
        start_stores,
        run_stores,
    )


def _split(writer: Writer, name: str) -> str | None:
    """Return the split of a store: none for neighbours' values, else a partition's own part."""
    return None if writer.spec.read_from_neighbours(name) else _own(writer, name)


def _own(writer: Writer, name: str) -> str:
    return vectors(writer.lengths[name]) if name in writer.lengths else "vertices"


def vectors(length: int) -> str:
    """Name the split of vector fields of some length."""
    return f"vectors_of_{length}"


def _fields(writer: Writer, which: str, *, read: bool = False) -> dict[str, str | None]:
    return {f"{which}_{n}": _split(writer, n) if read else _own(writer, n) for n in writer.shared_state}


def _progress(writer: Writer, which: str) -> dict[str, str | None]:
    """List the stores with the run's progress."""
    words: dict[str, str | None] = {f"{which}_words": "words"} if writer.spec.frontier else {}
    return words | {f"{which}_state": "rows"}


class _Argument(NamedTuple):
    """Origin of a kernel's argument: a store, seen as another type, and cut where a task sees all of it."""

    place: int
    store: int
    view: str | None
    split: str | None


@dataclass(frozen=True)
class _Arguments:
    names: list[str]
    from_stores: list[_Argument]

    def fill(
        self, shared: TaskContext, part: int, values: tuple[Any, ...], cuts: dict[str, list[tuple[int, int]]] | None
    ) -> list[Any]:
        """Return the arguments of partition ``part``; ``cuts`` if ``values`` are whole stores."""
        arguments = shared.template(self.names)
        for place, store, view, split in self.from_stores:
            value = values[store]
            if split is not None and cuts is not None:
                first, end = cuts[split][part]
                value = value[first:end]
            if view is not None:
                value = value.view(np.float64 if view == "totals" else shared.values["queue_type"])
            arguments[place] = value
        lo, hi = shared.points[part], shared.points[part + 1]
        for name, number in (("lo", lo), ("hi", hi), ("part", part)):
            arguments[self.names.index(name)] = number
        return arguments


def _arguments(
    writer: Writer, names: list[str], stores: list[str], splits: dict[str, str | None] | None = None
) -> _Arguments:
    """Plan a kernel's arguments; ``splits`` if the task sees whole stores."""
    at = {name: k for k, name in enumerate(stores)}
    plan = []
    for place, name in enumerate(names):
        copy, _, what = name.partition("_")
        view = None
        store, split = name, (splits or {}).get(name)
        if copy in ("a", "b", "aw", "bw", "new", "other"):
            writes = copy not in ("a", "b")
            if splits is None and copy in ("b", "aw"):  # one iteration a launch: from a to b
                copy = "a" if copy == "b" else "b"
            held = {"queue": "words", "bits": "words", "totals": "state"}.get(what, what)
            view = what if what in ("queue", "totals") else None
            store = f"own_{held}" if held in writer.owned else f"{copy[0] if copy in ('aw', 'bw') else copy}_{held}"
            whole = held in ("words", "state") or (held in writer.state and _split(writer, held) is None)
            split = (splits or {}).get(store) if writes or not whole else None
        if store in at:
            plan.append(_Argument(place, at[store], view, split))
    return _Arguments(names, plan)


def _point_body(kernel: Any, plan: _Arguments) -> Callable[..., None]:
    """Make a body that works on one partition, whose parts of the stores it is given."""

    def body(point: int, *values: Any) -> None:
        kernel(*plan.fill(runtime.context(values[-1]), point, values, None))

    body.__name__ = f"lux_{kernel.__name__}"
    return body


def _start_team(kernel: Any, plan: _Arguments, shared: TaskContext, values: tuple[Any, ...]) -> None:
    """Set the first values of all partitions, from whole stores."""
    parts = range(len(shared.points) - 1)
    runtime.run_team([functools.partial(kernel, *plan.fill(shared, part, values, shared.cuts)) for part in parts])


def _team_body(
    kernel: Any,
    plan: _Arguments,
    stores: list[str],
    before: Callable[[TaskContext, tuple[Any, ...]], None] | None = None,
) -> Callable[..., None]:
    """Make a body that iterates on all partitions, each on a thread of its own, and reports the state."""
    state = stores.index("b_state")

    def body(_point: int, *values: Any) -> None:
        shared: TaskContext = runtime.context(values[-1])
        values = (*values[:-1], *shared.arrays)
        if before is not None:
            before(shared, values)
        parts = len(shared.points) - 1
        all_arguments = [plan.fill(shared, part, values, shared.cuts) for part in range(parts)]
        meeting = np.zeros(BARRIER_WORDS, np.int64)
        limit, ran = shared.values["limit"], [0] * parts
        rows = [np.empty(limit * fr.STATISTICS_COLUMNS) for _ in range(parts)]
        for arguments, statistics in zip(all_arguments, rows, strict=True):
            arguments[plan.names.index("meeting")] = meeting
            arguments[plan.names.index("statistics")] = statistics

        def work(part: int) -> None:
            ran[part] = kernel(*all_arguments[part])

        runtime.run_team([functools.partial(work, part) for part in range(parts)])
        for part in range(parts):
            shared.statistics[part].append(rows[part][: ran[part] * fr.STATISTICS_COLUMNS])
        shared.reports.put((ran[0], values[state][: fr.STATE_COLUMNS].copy()))

    body.__name__ = f"lux_{kernel.__name__}_team"
    return body


def point_step(program: type[Program], ordered: bool, *, push: bool) -> PartitionLaunches:
    """Make the launches with a point task for each of several partitions, by rows; as `step`."""
    made = step(program, ordered, True, push, False, False)  # type: ignore[arg-type]  # a class is hashable
    assert isinstance(made, PartitionLaunches)
    return made


def start_of_parts(program: type[Program], ordered: bool) -> Callable[..., None]:
    """Return a function ``start(shared, part, stores, new_state)`` that sets the first values of a partition.

    ``stores`` has whole stores by name as `PartitionLaunches.run` calls them, where ``a_NAME`` and ``b_NAME`` are both
    written; ``new_state`` is the partition's own row.
    """
    launches = point_step(program, ordered, push=False)
    writer, splits = launches.writer, launches.run.split_of
    (kernel, names), _ = writer.signatures(kernels(program, ordered, False))  # type: ignore[arg-type]  # a class is hashable
    copies = _fields(writer, "new") | _fields(writer, "other") | _progress(writer, "new")
    stores = [n for n in splits if n[:2] not in ("a_", "b_")] + [*copies]
    plan = _arguments(writer, names, stores, splits | copies)

    def start(shared: TaskContext, part: int, whole: Mapping[str, Any], new_state: NDArray[np.int64]) -> None:
        state = np.zeros((len(shared.points) - 1) * fr.STATE_COLUMNS, np.int64)
        known = {**whole, "new_state": state}
        known |= {f"new_{n[2:]}": array for n, array in whole.items() if n[:2] == "a_"}
        known |= {f"other_{n[2:]}": array for n, array in whole.items() if n[:2] == "b_"}
        kernel(*plan.fill(shared, part, tuple(known.get(store) for store in stores), shared.cuts))
        new_state[:] = state[part * fr.STATE_COLUMNS :][: fr.STATE_COLUMNS]

    return start
