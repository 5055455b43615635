# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Results of functions: values of every vertex, in the user's ids, and facts about the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lux.errors import ParameterError
from lux.graph.values import Values, to_frame
from lux.names import Spelt, nearest

if TYPE_CHECKING:
    from lux.engine.run.run import Run
    from lux.engine.run.statistics import Iteration
    from lux.graph.graph import Graph
    from lux.partition.repartitioner import RepartitionDecision
    from lux.runtime.exchange import Sent


@dataclass(frozen=True, eq=False)
class Result(Spelt):
    """The values and the facts of a program's run.

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

    Examples
    --------
    >>> import lux
    >>> found = lux.bfs(lux.toy.path(4), source=1)
    >>> found.iterations, found.converged, found["distance"].to_numpy()
    (3, True, array([-1,  0,  1,  2], dtype=int32))
    """

    graph: Graph
    columns: dict[str, Values]
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

    def __getitem__(self, name: str) -> Values:
        if name not in self.columns:
            first = next(iter(self.columns))
            near = nearest(str(name), self.columns)
            raise ParameterError(
                f"there is no column {name!r}{near or '.'} This result has {', '.join(self.columns)}, "
                f"and the value of a vertex is result[{first!r}][vertex]"
            )
        return self.columns[name]

    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        n, done = self.graph.n_vertices, self.iterations
        size = f"{n} {'vertex' if n == 1 else 'vertices'}"
        return f"<{type(self).__name__}: {names} of {size}, {done} iteration{'s' * (done != 1)}>"

    def _further(self) -> str:
        columns = self.__dict__.get("columns", {})
        return f"; and the columns {', '.join(f'result[{name!r}]' for name in columns)}"

    @property
    def main(self) -> Values:
        """The first column: the values that the function was called for."""
        return next(iter(self.columns.values()))

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """Return `Values.top` of the first column."""
        return self.main.top(k)

    def to_dict(self) -> dict[Any, Any]:
        """Return `Values.to_dict` of the first column: a dict from the user's ids to values.

        >>> import lux
        >>> lux.components(lux.toy.path(3)).to_dict()
        {0: 0, 1: 0, 2: 0}
        """
        return self.main.to_dict()

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame indexed by the user's ids (named ``vertex``), with a column for each of `columns`.

        Frames of one graph can be joined; ``reset_index()`` makes a column of the ids.

        >>> import lux
        >>> g = lux.from_edges([10, 20], [20, 30])
        >>> lux.bfs(g, 20).to_pandas().join(lux.components(g).to_pandas())
                distance  parent  label
        vertex
        10            -1      -1     10
        20             0      20     10
        30             1      20     10
        """
        return to_frame(self.graph, self.columns)


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
    }
