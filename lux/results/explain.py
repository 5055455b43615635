# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Explanations of a call: its launches, the model of each iteration and why, seconds of each partition."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lux import runtime
from lux.checks import described
from lux.engine.run.statistics import between, numbered, seconds_of_phases
from lux.errors import ParameterError
from lux.graph.arguments import checked_graph
from lux.names import checked_call
from lux.program.program import Program
from lux.runtime import Launch

if TYPE_CHECKING:
    from lux.engine.run.statistics import Iteration
    from lux.graph.graph import Graph
    from lux.results.result import Result


MANY = 25
"""Consecutive iterations in one model that `Explanation` shows one by one, at most."""


@dataclass(frozen=True)
class Explanation:
    """A traced run; ``print`` shows it.

    Attributes
    ----------
    name : str
        The program or function.
    result : Result
        Its `Result.statistics` have the model of each iteration, why, and the seconds of each partition.
    launches : list of Launch
        Index launches in order, those that prepare and finish the run too.
    """

    name: str
    result: Result
    launches: list[Launch] = field(repr=False)

    def __str__(self) -> str:
        result, graph = self.result, self.result.graph
        threads = f" of {result.threads} threads" if result.threads > 1 else ""
        order = f", stored by {graph.order.name}" if graph.order else ""
        done = f"{result.iterations} iteration{'s' * (result.iterations != 1)}"
        lines = [
            f"{self.name} on {graph.n_vertices:,} vertices and {graph.n_edges:,} stored edges{order}",
            f"{result.parts} partition{'s' * (result.parts != 1)}{threads}, {done}",
            *strategy_lines(result),
            "",
            "launches",
        ]
        lines += launch_lines(self.launches)
        lines += ["", "iterations (ms of each partition or thread)"]
        gone, steps = between(result.statistics), numbered(result.statistics)
        for _, same in itertools.groupby(steps, lambda pair: (gone and pair[0] > gone.first, pair[1].model)):
            group = list(same)
            if gone and group[0][0] == gone.first + gone.iterations:
                lines.append(_more(gone.iterations, gone.frontier, gone.frontier_edges, float(gone.seconds.max())))
            lines += _iteration_lines(group)
        if phases := seconds_of_phases(result.statistics):
            lines += ["", "phases (ms of all iterations, means over the processors)"]
            lines += [f"  {name}: {1e3 * seconds:.3f}" for name, seconds in phases.items()]
        if result.repartitions:
            lines += ["", "repartitioning (ms of each partition in an iteration)"]
            lines += [f"  {decision}" for decision in result.repartitions]
        return "\n".join(lines)


def strategy_lines(result: Result) -> list[str]:
    """Format the strategy that ran, and a line for each that was preferred and could not, with the reason."""
    if not result.strategy:
        return []
    return [f"strategy {result.strategy}", *(f"  not {name}: {why}" for name, why in result.refusals.items())]


def _iteration_lines(steps: list[tuple[int, Iteration]]) -> list[str]:
    """Format consecutive iterations in one model: each in a line; of many, first, summary and last."""
    if len(steps) > MANY:
        inner = [step for _, step in steps[1:-1]]
        active, edges = sum(s.frontier for s in inner), sum(s.frontier_edges for s in inner)
        summary = _more(len(inner), active, edges, sum(float(s.seconds.max()) for s in inner))
        return [*_iteration_lines(steps[:1]), summary, *_iteration_lines(steps[-1:])]
    lines = []
    for number, step in steps:
        times = " ".join(f"{1e3 * seconds:.3f}" for seconds in step.seconds[:8])
        more = " ..." if len(step.seconds) > 8 else ""
        said = f"  {number:4} {step.model}: {step.frontier:,} active, {step.frontier_edges:,} edges, {times}{more} ms"
        said += "" if step.exchanged is None else f", {step.exchanged:,} bytes exchanged"
        lines.append(said + (f"; {step.why}" if step.why else ""))
    return lines


def _more(iterations: int, active: int, edges: int, seconds: float) -> str:
    """Summarize several iterations in a line; seconds of the slowest partition."""
    return f"       {iterations:,} more: {active:,} active, {edges:,} edges, {1e3 * seconds:.3f} ms of the slowest"


def launch_lines(launches: Iterable[Launch]) -> list[str]:
    """Format launches in order, equal ones in one line, with the stores of each task at its first launch.

    Launches that only make, copy or read stores, or test whether a run is over, are counted at the end.
    """
    lines: list[str] = []
    shown: set[str] = set()
    launches = list(launches)
    kept = [launch for launch in launches if not launch.internal]
    names = sorted({launch.task for launch in launches if launch.internal})
    for _, same in itertools.groupby(kept, lambda launch: (launch.task, launch.points)):
        group = list(same)
        lines += _launch_lines(group[0], len(group), stores=group[0].task not in shown)
        shown.add(group[0].task)
    if names:
        lines.append(f"  and {len(launches) - len(kept)} that make, read or look at stores ({', '.join(names)})")
    return lines


def _launch_lines(launch: Launch, repeats: int, *, stores: bool) -> list[str]:
    times = f" {repeats} times" if repeats > 1 else ""
    lines = [f"  {launch.task}, {launch.points} point{'s' * (launch.points != 1)}{times}"]
    kinds = dict.fromkeys(["reads", "updates", "writes", "adds into", *(used for used, *_ in launch.stores)])
    for kind in kinds if stores else ():
        used_so = [
            f"{name} ({_bytes(size)}{', by ' + split if split and launch.points > 1 else ''})"
            for used, name, split, size in launch.stores
            if used == kind
        ]
        lines += [f"    {kind} {', '.join(used_so)}"] if used_so else []
    return lines


def _bytes(size: int) -> str:
    for unit, one in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= one:
            return f"{size / one:.3g} {unit}"
    return f"{size} B"


@checked_call
@runtime.on_driver
def explain(what: type[Program] | Callable[..., Any], graph: Graph, *arguments: Any, **options: Any) -> Explanation:
    """Run a program or one of Lux's functions, and say what it made Legion do.

    Parameters
    ----------
    what : subclass of `lux.Program`, or a function such as `lux.bfs`
    graph : Graph
    *arguments, **options
        Arguments of `lux.run` (keywords only), or of the function.

    Returns
    -------
    Explanation

    Raises
    ------
    ParameterError
        ``what`` is neither, or ``graph`` is none; besides what the run itself raises.

    Examples
    --------
    >>> import lux
    >>> said = lux.explain(lux.bfs, lux.toy.path(4), 0, model="push")
    >>> [launch.task for launch in said.launches if "run" in launch.task], said.result.iterations
    (['lux_run_team'], 4)
    """
    import lux

    call: Any = what
    if not callable(call):
        raise ParameterError(
            f"lux.explain takes a subclass of lux.Program or a function, then a graph, not {described(what)}"
        )
    checked_graph(graph, "explain")
    with runtime.recorded() as launches:
        if isinstance(what, type) and issubclass(what, Program):
            result: Result = lux.run(what, graph, **options)
        else:
            result = call(graph, *arguments, **options)
    return Explanation(what.__name__, result, launches)
