# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The contract of everything that runs: a `Query`, the strategies that can answer it, and `select`, which takes one.

Each algorithm has a tuple of strategies in the order of preference; its public function and its ``prepare`` both call
`select` with it. `Strategy.memory` states the bytes that a run needs, and the checks are here. A vertex program is the
strategy `VertexProgram` with every algorithm.

Names of strategies say what runs: ``gpu`` (one GPU), ``gpus`` (several), ``threads`` (those of one task, which holds
the whole graph), ``partitions`` (tasks on CPU cores) and ``program`` (a vertex program, on any processors). Where an
algorithm has several on the same processors, a word that tells them apart follows: ``threads-top-down``. Published
searches have their published names.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from lux import runtime, settings
from lux.checks import warn
from lux.engine import executor
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.errors import ParameterError
from lux.names import nearest
from lux.partition.split_points import check_parts

if TYPE_CHECKING:
    from lux.engine.run.directions import Directions
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph
    from lux.program.program import Program

_log = logging.getLogger(__name__)

AUTO = "auto"
"""The name by which `select` takes the first strategy that does not refuse."""
PROGRAM = "program"
"""The name of every `VertexProgram`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Query:
    """Everything that decides which strategy runs, and how; algorithms add their own fields in a subclass.

    Attributes
    ----------
    graph : Graph
    algorithm : str
        The name of the public function, for messages; of `lux.run`, the program's name.
    parts : int or None
        Partitions, or processors, that were asked for.
    model : {"auto", "pull", "push"}
    max_iter : int or None
    strategy : str
        The name that was asked for, or ``auto``.
    params, constants : mapping
        Parameters and constant fields of the vertex program.
    expected : int or None
        Iterations after which the vertex program is known to end.
    directions : Directions or None
        The rule by which levels choose their direction, if one was asked for.
    keeps : tuple of str
        Names of the strategies that keep checkpoints (`lux.settings.Settings.checkpoint`).

    Raises
    ------
    ParameterError
        There is no such model, number of iterations or number of partitions.
    """

    graph: Graph
    algorithm: str = "run"
    parts: int | None = None
    model: str = AUTO
    max_iter: int | None = None
    strategy: str = AUTO
    params: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] | None = None
    expected: int | None = None
    directions: Directions | None = None
    keeps: tuple[str, ...] = (PROGRAM,)

    def __post_init__(self) -> None:
        executor.check_model_and_limit(self.model, self.max_iter)
        if self.parts is not None:
            check_parts(self.parts, self.graph.n_vertices)

    @property
    def limit(self) -> int:
        """Iterations at most."""
        return executor.check_model_and_limit(self.model, self.max_iter)

    @property
    def device(self) -> str:
        """The device that `lux.using` asks for."""
        return settings.current().device

    @property
    def placement(self) -> str:
        """The placement on GPUs that `lux.using` asks for."""
        return settings.current().placement

    @property
    def named(self) -> bool:
        """True where a strategy was asked for by its name, so that only inability makes it refuse, not preference."""
        return self.strategy != AUTO


Q = TypeVar("Q", bound=Query)
Q_contra = TypeVar("Q_contra", bound=Query, contravariant=True)


class Memory(NamedTuple):
    """Bytes that a run needs.

    Attributes
    ----------
    host : int
        Bytes of Legate's memory for CPU cores, over all processes, beyond the stores that there are: what the graph
        has made already counts no more.
    gpu : int
        Bytes of each GPU, in all: edges, fields and scratch memory.
    gpus : int
        Number of GPUs that each need so much.
    caches : tuple of str
        Names of the exclusive caches of the graph's layout that the run takes over, as part of ``gpu``.
    process : int
        Bytes of each process beside Legate's memory, where there are several.
    """

    host: int = 0
    gpu: int = 0
    gpus: int = 1
    caches: tuple[str, ...] = ()
    process: int = 0


class Strategy(Protocol[Q_contra]):
    """One way to answer a query, on one kind of processors."""

    @property
    def name(self) -> str:
        """The name by which it is asked for, and which results show."""

    def refusal(self, query: Q_contra) -> str:
        """Say why it cannot answer, or why another way is faster; empty if it is to run. Has no side effects.

        Quick: it decides every call of the public function. All processes call it and get the same answer.

        Raises
        ------
        ConfigurationError
            ``device`` was asked for, and no strategy can have it here.
        """

    def memory(self, query: Q_contra) -> Memory:
        """Estimate the bytes that `prepare` and `run` need; asked only where the strategy does not refuse.

        `select` passes over a strategy for which GPUs have no room, and `Choice` checks Legate's memory for CPU cores
        before anything is launched, so that a strategy checks neither. A strategy that finds out later how much it
        needs (the placement of a program on GPUs, the distribution of edges) checks that part where it is known.
        """

    def prepare(self, query: Q_contra) -> None:
        """Make the stores that `run` needs of the graph, and keep them with the graph."""

    def run(self, query: Q_contra, progress: Progress | None) -> Run:
        """Answer the query; ``progress`` is called with the number of iterations done."""


@dataclass(frozen=True)
class Choice(Generic[Q]):
    """A strategy that can answer a query, and why the others that were asked before it cannot.

    Attributes
    ----------
    strategy : Strategy
    memory : Memory
        The bytes that it needs.
    refusals : dict of str to str
        By the names of the strategies that are preferred to it.
    """

    strategy: Strategy[Q]
    memory: Memory
    refusals: dict[str, str]

    @property
    def ends_at_target(self) -> bool:
        """True if the strategy ends a search at its target, where all others search on."""
        return getattr(self.strategy, "ends_at_target", False)

    def prepare(self, query: Q) -> None:
        """Make the stores that a run needs of the graph.

        Raises
        ------
        MemoryNeededError
            Legate's memory has no room for a run.
        """
        runtime.check_memory(self.memory.host, _described(self.strategy, query))
        self.strategy.prepare(query)

    def run(self, query: Q, progress: Progress | None) -> Run:
        """Run the strategy; the run says which it was, and why the others refused.

        Raises
        ------
        MemoryNeededError
            Legate's memory has no room for the run.
        """
        runtime.check_memory(self.memory.host, _described(self.strategy, query))
        runtime.check_process_memory(self.memory.process, _described(self.strategy, query))
        if settings.current().checkpoint is not None and self.strategy.name not in query.keeps:
            warn(
                f"{query.algorithm} by strategy={self.strategy.name!r} keeps no checkpoint, and starts anew if it is "
                f"killed: strategy={query.keeps[0]!r} keeps one, but may be slower"
            )
        if self.refusals and not self.memory.gpu and self.strategy.name != PROGRAM:  # programs find out where they run
            reasons = "; ".join(f"strategy {name}: {why}" for name, why in self.refusals.items())
            device_selection.tell_cores(query.algorithm, device_selection.why_not_wanted(query.graph) or reasons)
        done = self.strategy.run(query, progress)
        _log.info(
            "%s: strategy %s on %s, %d iterations in %.3g s", query.algorithm, self.strategy.name, done.device,
            done.iterations, done.seconds,
        )  # fmt: skip
        for name, why in self.refusals.items():
            _log.debug("%s: not strategy %s: %s", query.algorithm, name, why)
        done.strategy, done.refusals = self.strategy.name, self.refusals
        return done


def select(strategies: Sequence[Strategy[Q]], query: Q) -> Choice[Q]:
    """Take the strategy that the query names, or the first that does not refuse it and for which GPUs have room.

    Raises
    ------
    ParameterError
        There is no strategy of that name, or it refuses, or all refuse.
    MemoryNeededError
        GPUs have no room for the strategy that the query names, or for the first that did not refuse where none of the
        others can run.
    """
    asked = query.strategy
    if asked != AUTO:
        strategy = find(strategies, asked)
        if why := strategy.refusal(query):
            raise ParameterError(f"strategy={asked!r} was passed, which cannot run here: {why}")
        memory = strategy.memory(query)
        _check_gpus(strategy, memory, query)
        return Choice(strategy, memory, {})
    refusals: dict[str, str] = {}
    larger = []
    for strategy in strategies:
        if not (why := strategy.refusal(query)):
            memory = strategy.memory(query)
            if _fits_gpus(memory, query):
                return Choice(strategy, memory, refusals)
            larger.append((strategy, memory))
            why = f"it needs {-(-memory.gpu // 2**20)} MiB of {_gpus(memory)}, and there is no room for that"
        refusals[strategy.name] = why
    for strategy, memory in larger:
        _check_gpus(strategy, memory, query)
    raise ParameterError(f"no strategy can run this: {'; '.join(f'{name}: {why}' for name, why in refusals.items())}")


def _fits_gpus(memory: Memory, query: Query) -> bool:
    """Tell whether GPUs have room for a strategy."""
    return not memory.gpu or allocation_ledger.fits(query.graph, memory.gpu, parts=memory.gpus, mine=memory.caches)


def _check_gpus(strategy: Strategy[Q], memory: Memory, query: Q) -> None:
    """Refuse a strategy for which GPUs have no room; the error says what takes it."""
    if memory.gpu:
        what = f"{_described(strategy, query)} on {_gpus(memory)}"
        allocation_ledger.check(query.graph, memory.gpu, what, memory.gpus, memory.caches)


def _described(strategy: Strategy[Q], query: Query) -> str:
    return f"{query.algorithm} by strategy={strategy.name!r}"


def _gpus(memory: Memory) -> str:
    return "a GPU" if memory.gpus == 1 else f"each of {memory.gpus} GPUs"


def find(strategies: Sequence[Strategy[Q]], name: Any) -> Strategy[Q]:
    """Return the strategy of that name; `ParameterError` with the names that there are where there is none."""
    for strategy in strategies:
        if name == strategy.name:
            return strategy
    names = [AUTO, *(strategy.name for strategy in strategies)]
    near = nearest(name, names) if isinstance(name, str) else ""
    raise ParameterError(f"strategy={name!r} was passed{near + ' A' if near else '; a'}llowed are {', '.join(names)}")


@dataclass(frozen=True)
class VertexProgram(Generic[Q]):
    """The strategy that runs a vertex program, on any processors, partitions and model.

    Attributes
    ----------
    program : type or callable
        A subclass of `lux.Program`, or ``program(query)`` that returns it.
    properties : tuple of str
        Edge properties that it reads.
    """

    program: type[Program] | Callable[[Q], type[Program]]
    properties: tuple[str, ...] = ()
    name: str = PROGRAM

    def of(self, query: Q) -> type[Program]:
        """Return the program for a query."""
        return self.program if isinstance(self.program, type) else self.program(query)

    def refusal(self, query: Q) -> str:  # noqa: ARG002  # as the contract has it
        """Refuse nothing: a program runs everywhere."""
        return ""

    def memory(self, query: Q) -> Memory:
        """Estimate the stores of a run on CPU cores; on GPUs the placement weighs them and has the check."""
        if query.directions is None and device_selection.partitions(query.graph, query.parts):
            return Memory()
        program = self.of(query)
        spec, layout = program.spec, executor.run_layout(executor.edges_of(program, query.graph), query.parts)
        push = query.model == "push" or (query.model == AUTO and spec.frontier)
        own = executor.process_bytes(spec, layout.graph) if runtime.ranks() > 1 else 0
        return Memory(host=executor.store_bytes(spec, layout, push=push), process=own)

    def prepare(self, query: Q) -> None:
        """Partition the graph, and group edges by source unless all iterations pull."""
        program = self.of(query)
        model = query.model if program.spec.frontier or query.model != AUTO else "pull"
        executor.prepare(executor.edges_of(program, query.graph), query.parts, model, self.properties)

    def run(self, query: Q, progress: Progress | None) -> Run:
        """Run the program until it converges."""
        return executor.execute(
            self.of(query),
            query.graph,
            query.params,
            constants=query.constants,
            parts=query.parts,
            model=query.model,
            max_iterations=query.max_iter,
            expected=query.expected,
            progress=progress,
            directions=query.directions,
            keeps=True,
        )


def needs_program(query: Query) -> str:
    """Say why only the vertex program can answer: a model or a rule for directions was asked for; empty otherwise."""
    if query.model != AUTO:
        return f"model={query.model!r} is asked for, which only the program has"
    if query.directions is not None:
        return f"direction={query.directions.rule!r} is asked for, which only the program has"
    return ""


def needs_gpu(query: Query) -> str:
    """Say why CPU cores are not to be taken; empty where they are.

    Raises
    ------
    ConfigurationError
        ``device`` was asked for, and cannot be had.
    """
    if query.named and query.device in ("auto", "cpu"):
        return ""
    if not device_selection.partitions(query.graph, query.parts):
        return ""
    return (
        "it takes CPU cores, and there are GPUs" if query.device == "auto" else f"device={query.device!r} is asked for"
    )


def needs_device(query: Query) -> str:
    """Say which device was asked for, where it is not CPU cores; empty otherwise.

    For strategies of CPU cores that also run where GPUs cannot.
    """
    if query.device in ("gpu", device_selection.MIXED):
        return f"device={query.device!r} is asked for, and it takes CPU cores"
    return ""


def needs_name(query: Query) -> str:
    """Say why a program does not take GPUs where other strategies of GPUs sweep many times faster; empty otherwise."""
    if query.device == "gpu" and not query.named:
        return "device='gpu' is asked for, and the program is much slower there: ask for it by its name"
    return ""


def needs_partitions(query: Query) -> str:
    """Say why one task of this process cannot hold the graph; empty where it can."""
    if executor.runs_as_team(query.parts):
        return ""
    if (ranks := runtime.ranks()) > 1:
        return f"it is one task, and there are {ranks} processes"
    return f"it is one task, and parts={query.parts} is asked for"
