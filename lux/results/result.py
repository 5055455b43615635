# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Results of functions: values of every vertex, in the user's ids, and facts about the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lux.graph.values import Values
from lux.results.table import Table

if TYPE_CHECKING:
    from lux.engine.run.run import Run
    from lux.engine.run.statistics import Iteration
    from lux.graph.graph import Graph
    from lux.partition.repartitioner import RepartitionDecision
    from lux.runtime.exchange import Sent


@dataclass(frozen=True, eq=False, repr=False)
class Result(Table):
    """The values and the facts of a program's run; `Table` has the methods.

    Attributes
    ----------
    graph : Graph
    columns : dict of str to Values
        The values by name.
    iterations : int
    converged : bool
    seconds : float
        Wall-clock time of the iterations, in seconds.
    parts : int
        Number of partitions.
    threads : int
        Threads in each partition's task.
    statistics : sequence of Iteration
        Model, frontier size and seconds of each partition (of each thread where there is one partition), for every
        iteration. Of more than 200,000 iterations it has the first 100,000 and the last 100,000, and
        ``statistics.between`` says what the others did together (None where there are no others).
    device : {"cpu", "gpu", "gpu+cpu"}
        Device of the run.
    repartitions : sequence of RepartitionDecision
        Decisions about the partitions' split points, made by the driver from the partitions' seconds.
    strategy : str
        Name of the strategy that ran: ``strategy=`` asks for it.
    refusals : mapping of str to str
        Why preferred strategies did not run, by their names.
    sent : Sent or None
        What this process sent to others, and how long that took: ``exchanges``, ``bytes`` and ``seconds``. Only runs on
        partitions of CPU cores count it.
    resumed : int
        Iterations (of `betweenness`, sources) that a checkpoint had (``lux.using(checkpoint=...)``); ``seconds`` and
        ``statistics`` are of the others.

    Examples
    --------
    >>> import lux
    >>> found = lux.bfs(lux.toy.path(4), source=1)
    >>> found.iterations, found.converged, found["distance"].to_numpy()
    (3, True, array([-1,  0,  1,  2], dtype=int32))
    """

    iterations: int
    converged: bool
    seconds: float
    parts: int
    threads: int
    statistics: Sequence[Iteration]
    device: str
    repartitions: Sequence[RepartitionDecision]
    strategy: str
    refusals: Mapping[str, str]
    sent: Sent | None = field(default=None, kw_only=True)
    resumed: int = field(default=0, kw_only=True)

    def _title(self) -> str:
        done = self.iterations
        return f"{super()._title()[:-1]}, {done} iteration{'s' * (done != 1)}>"

    def _facts(self) -> list[tuple[str, object]]:
        return [
            ("iterations", f"{self.iterations:,}{'' if self.converged else ', not converged'}"),
            ("seconds", f"{self.seconds:.3g}"),
            ("ran", f"{self.strategy} on {self.device}, {self.parts} partition{'s' * (self.parts != 1)}"),
        ]

    def plot(self, column: str | None = None, *, ax: Any = None) -> Any:
        """Draw a column, as `Table.plot`; or ``frontier``, the active vertices of each iteration; or ``balance``.

        ``balance`` has the seconds of each partition, or of each thread where one task holds all.

        >>> import lux
        >>> lux.bfs(lux.toy.kite(), 0).plot("frontier").get_title()
        'frontier: 5 iterations'
        """
        from lux.results import plot

        drawn = {"frontier": plot.frontier, "balance": plot.balance}
        return drawn[column](self, ax) if column in drawn else super().plot(column, ax=ax)

    @property
    def pieces(self) -> int:
        """Number of partitions in which the values are written to files."""
        return max(self.parts, self.threads)


def common(run: Run, graph: Graph, *columns: Values) -> dict[str, Any]:
    """Collect the constructor arguments that every class of results takes from a finished run, and its columns."""
    return {
        "graph": graph,
        "columns": {values.name: values for values in columns},
        "iterations": run.iterations,
        "converged": run.converged,
        "seconds": run.seconds,
        "parts": run.parts,
        "threads": run.threads,
        "statistics": run.statistics,
        "device": run.device,
        "repartitions": run.repartitions,
        "strategy": run.strategy,
        "refusals": run.refusals,
        "sent": run.sent,
        "resumed": run.resumed,
    }
