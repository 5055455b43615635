# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What functions return: values of every vertex, in the user's ids, and how they were reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import ParameterError

if TYPE_CHECKING:
    from lux.engine.balance import Decision
    from lux.engine.loop import Run
    from lux.engine.statistics import Iteration
    from lux.graph import Graph


@dataclass(frozen=True, eq=False)
class Values:
    """One value for every vertex, in a Legate store that this object owns.

    Vertices are in the order of their dense ids, which is the ascending order of the user's ids. cuPyNumeric
    takes the object without a copy (``cupynumeric.asarray(values)``); `to_numpy` copies.

    Attributes
    ----------
    graph : Graph
    store : Store of shape (n_vertices,), or (n_vertices * length,) of vectors
    vertices : bool
        Whether the values are vertices. They then come back as the user's ids, and -1 (an empty string where
        ids are strings, the largest number where they are unsigned) stands for "none".
    length : int or None
        Elements of each vertex's vector; None for scalars.

    Examples
    --------
    >>> import lux
    >>> r = lux.bfs(lux.toy.path(4), source=1)
    >>> r.distances.to_numpy()
    array([-1,  0,  1,  2], dtype=int32)
    >>> r.distances[3]
    2
    >>> r.distances.top(2)
    [(3, 2), (2, 1)]
    """

    graph: Graph
    store: Any
    vertices: bool = False
    length: int | None = None

    def __len__(self) -> int:
        return self.graph.n_vertices

    def __repr__(self) -> str:
        return f"<Values of {len(self)} vertices, {self.store.dtype}>"

    def dense(self) -> NDArray[Any]:
        """The values as they are stored (vertices as dense ids), of shape (n_vertices,), copied.

        Vectors have shape (n_vertices, length).
        """
        flat = runtime.to_array(self.store)[: len(self) * (self.length or 1)]
        return flat if self.length is None else flat.reshape(-1, self.length)

    def to_numpy(self) -> NDArray[Any]:
        """The values of shape (n_vertices,) or (n_vertices, length), copied; vertices as the user's ids."""
        return self.user(self.dense())

    def user(self, values: NDArray[Any]) -> NDArray[Any]:
        """Turn stored values into what the user sees."""
        if not self.vertices or self.graph.ids.is_identity:
            return values
        ids = self.graph.ids.labels(0, len(self))
        none = values < 0 if values.dtype.kind == "i" else np.zeros(len(values), bool)
        named: NDArray[Any] = ids[np.where(none, 0, values)]
        if none.any():
            named[none] = (
                np.iinfo(named.dtype).max if named.dtype.kind == "u" else -1 if named.dtype.kind == "i" else ""
            )
        return named

    def __getitem__(self, vertex: Any) -> Any:
        """The value of one vertex, named by the user's id."""
        place = self.graph.ids.dense(vertex)
        return self.to_numpy()[place : place + 1].tolist()[0]

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """The ``k`` vertices with the largest values: pairs of the user's id and the value, largest first."""
        if k < 0:
            raise ParameterError(f"top({k}): allowed are numbers from 0")
        if self.length is not None:
            raise ParameterError("top: vectors have no order; take a column of to_numpy()")
        values = self.dense()
        if values.dtype.kind == "f":
            values = np.where(np.isnan(values), -np.inf, values)
        k = min(k, len(values))
        candidates = np.arange(len(values))
        if 0 < k < len(values):  # of equal values the smallest ids
            candidates = np.flatnonzero(values >= np.partition(values, len(values) - k)[len(values) - k])
        order = candidates[np.lexsort((-candidates, values[candidates]))[::-1]][:k]
        named = [self.graph.ids.labels(int(i), int(i) + 1).tolist()[0] for i in order]
        return list(zip(named, self.user(values)[order].tolist(), strict=True))

    def to_dict(self) -> dict[Any, Any]:
        """A dict from the user's ids to values, as NetworkX returns."""
        return dict(zip(self.graph.ids.labels(0, len(self)).tolist(), self.to_numpy().tolist(), strict=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a NumPy array of these values is always a copy")
        return self.to_numpy().astype(dtype) if dtype is not None else self.to_numpy()

    @property
    def __legate_data_interface__(self) -> Any:
        from legate.core import LogicalArray

        return LogicalArray.from_store(self.store.legate).__legate_data_interface__


@dataclass(frozen=True, eq=False)
class Result:
    """What a run of a program gave.

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
        iteration.
    device : {"cpu", "gpu"}
        Where it ran.
    repartitions : sequence of Decision
        When the driver looked at the partitions' seconds, and whether it moved split points.
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
    repartitions: Sequence[Decision]

    def __getitem__(self, name: str) -> Values:
        return self.columns[name]

    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        return f"<{type(self).__name__}: {names} of {self.graph.n_vertices} vertices, {self.iterations} iterations>"

    @property
    def main(self) -> Values:
        """The values that the result is first of all asked for."""
        return next(iter(self.columns.values()))

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """`Values.top` of the first column."""
        return self.main.top(k)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a column ``vertex`` and one for each of `columns`."""
        import pandas as pd

        data = {"vertex": self.graph.ids.labels(0, self.graph.n_vertices)}
        for name, values in self.columns.items():
            array = values.to_numpy()
            data |= {name: array} if values.length is None else {f"{name}_{k}": c for k, c in enumerate(array.T)}
        return pd.DataFrame(data)


def common(run: Run, graph: Graph, columns: dict[str, Values]) -> dict[str, Any]:
    """What the constructor of every class of results takes from a finished run."""
    return {
        "graph": graph,
        "columns": columns,
        "iterations": run.iterations,
        "converged": run.converged,
        "seconds": run.seconds,
        "parts": run.parts,
        "threads": run.threads,
        "statistics": run.statistics,
        "device": run.device,
        "repartitions": run.repartitions,
    }
