# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Values of every vertex of a graph, in the user's ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from lux import runtime
from lux.checks import checked_count
from lux.errors import ParameterError
from lux.graph import preview
from lux.graph.to_arrow import vertex_table
from lux.names import Spelt

if TYPE_CHECKING:
    from lux.graph.graph import Graph

ALL = 1 << 20
"""Vertices of a graph for each of those looked up, above which they are read one by one: a copy of all takes 1 ns a
vertex, and a launch 0.5 ms.
"""


@dataclass(frozen=True, eq=False)
class Values(Spelt, NDArrayOperatorsMixin):
    """One value for every vertex, in a Legate store that this object owns.

    `Values` are like the dict that NetworkX returns, from the user's ids to values: ``values[vertex]``, ``vertex in
    values``, ``for vertex in values``, `get`, `keys`, `values`, `items`. So ``max(values)`` is the largest id; `top`
    has the vertices with the largest values, and ``numpy.max(values)`` is the largest value. A list or an array of
    vertices gives an array of their values.

    Arrays have the values in the ascending order of the ids in ``graph.ids.to_numpy()``: `to_numpy`,
    ``numpy.asarray(values)`` and ``numpy.from_dlpack(values)`` copy, ``cupynumeric.asarray(values)`` does not.
    Arithmetic, comparisons and functions of NumPy take `Values` as such arrays, and return arrays. ``to_arrow``, and
    whatever reads Arrow streams (Polars, DuckDB, pyarrow), gets a table with the ids beside the values.

    Attributes
    ----------
    graph : Graph
    store : Store of shape (n_vertices,), or (n_vertices * length,) of vectors
    vertices : bool
        True if the values are vertices. They then come back as the user's ids, and -1 (an empty string where ids are
        strings, the largest number where they are unsigned) stands for "none".
    length : int or None
        Elements of each vertex's vector; None for scalars.
    name : str
        Name of the result's column and of a pandas Series.

    Examples
    --------
    >>> import lux
    >>> r = lux.bfs(lux.toy.path(4), source=1)
    >>> r.distances.to_numpy()
    array([-1,  0,  1,  2], dtype=int32)
    >>> r.distances[3]
    2
    >>> r.distances[[3, 0]], r.distances * 10
    (array([ 2, -1], dtype=int32), array([-10,   0,  10,  20], dtype=int32))
    >>> r.distances.top(2)
    [(3, 2), (2, 1)]
    """

    _known = (
        {"loc": "get"}
        | dict.fromkeys(["nlargest", "sort_values", "argmax", "idxmax"], "top")
        | dict.fromkeys(
            ["max", "min", "sum", "mean", "std", "argsort", "astype", "dtype", "shape", "numpy"], "to_numpy"
        )
    )

    graph: Graph
    store: Any
    vertices: bool = False
    length: int | None = None
    name: str = "value"

    def __len__(self) -> int:
        return self.graph.n_vertices

    def __repr__(self) -> str:
        return preview.as_text(f"<Values of {len(self)} vertices, {self.store.dtype}>", *self._shown())

    def _repr_html_(self) -> str:
        return preview.as_html(f"<Values of {len(self)} vertices, {self.store.dtype}>", [], *self._shown())

    def _shown(self) -> tuple[preview.Table, int, str]:
        """Return the first rows, the number of those left, and how to see more."""
        hint = "values[vertex], values.top(), values.to_numpy(), values.to_pandas()"
        return preview.vertex_rows(self.graph, {self.name: self}), len(self) - preview.HEAD, hint

    def dense(self) -> NDArray[Any]:
        """Copy the values as they are stored (vertices as dense ids), of shape (n_vertices,).

        Vectors have shape (n_vertices, length).
        """
        flat = runtime.to_array(self.store)[: len(self) * (self.length or 1)]
        return flat if self.length is None else flat.reshape(-1, self.length)

    def to_numpy(self) -> NDArray[Any]:
        """Copy the values, of shape (n_vertices,) or (n_vertices, length); vertices as the user's ids."""
        return self.user(self.dense())

    def user(self, values: NDArray[Any]) -> NDArray[Any]:
        """Turn stored values into what the user sees."""
        if not self.vertices or self.graph.ids.is_identity:
            return values
        ids = self.graph.ids
        none = values < 0 if values.dtype.kind == "i" else np.zeros(len(values), bool)
        named = ids.some(np.where(none, 0, values))
        if none.any():
            named[none] = (
                np.iinfo(named.dtype).max if named.dtype.kind == "u" else -1 if named.dtype.kind == "i" else ""
            )
        return named

    def head(self, n: int = preview.HEAD) -> NDArray[Any]:
        """Return the values of the first ``n`` vertices, without copying the rest. All ranks must ask.

        >>> import lux
        >>> lux.toy.path(9).out_degrees().head(3)
        array([1, 1, 1], dtype=int32)
        """
        return self._range(0, min(checked_count("n", n), len(self)))

    def _range(self, lo: int, hi: int) -> NDArray[Any]:
        size = self.length or 1
        found = runtime.slice_to_array(self.store, lo * size, hi * size)
        return self.user(found if self.length is None else found.reshape(-1, size))

    def __getitem__(self, vertex: Any) -> Any:
        """Return the value of one vertex, named by the user's id, without copying the rest. All ranks must ask.

        A list or an array of vertices returns an array with a row for each; an array of n_vertices bools, or such
        `Values`, chooses vertices in the order of the ids.
        """
        if isinstance(vertex, slice):
            raise ParameterError(
                f"{vertex} was passed; allowed are a vertex and a list of vertices: values.to_numpy() has those of all "
                "in the order of the ids, and slices of it count from 0"
            )
        if isinstance(vertex, str) or not hasattr(vertex, "__iter__") or np.ndim(vertex) == 0:
            place = self.graph.ids.dense(vertex)
            found = self._range(place, place + 1).tolist()
            return found[0]
        places = self._places(vertex)
        if places.ndim == 1 and places.dtype.kind != "b" and 0 < len(places) * ALL < len(self):
            return np.concatenate([self._range(int(place), int(place) + 1) for place in places])
        return self.user(self.dense()[places])

    def _places(self, vertices: Any) -> NDArray[Any]:
        """Return the dense ids of several vertices, or the mask that chooses them."""
        given = np.asarray(vertices, object if isinstance(vertices, list | tuple) else None)
        if given.dtype.kind == "O" and len(given) and all(isinstance(one, bool | np.bool_) for one in given):
            given = given.astype(np.bool_)
        if given.dtype.kind != "b":
            return self.graph.ids.dense_array(given if given.size else given.astype(np.int64)).astype(np.int64)
        if given.shape != (len(self),):
            raise ParameterError(f"a mask has shape {given.shape}: pass one bool for each of the {len(self)} vertices")
        return given

    def get(self, vertex: Any, default: Any = None) -> Any:
        """Return the value of one vertex, or ``default`` where there is no vertex with this id."""
        known = vertex in self.graph.ids
        return self[vertex] if known else default

    def __contains__(self, vertex: object) -> bool:
        """Tell whether there is a vertex with this id."""
        return vertex in self.graph.ids

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the user's ids of all vertices, as over a dict of NetworkX; `to_numpy` has the values."""
        return iter(self.keys())

    def keys(self) -> list[Any]:
        """List the user's ids of all vertices, so that ``dict(values)`` is `to_dict`."""
        return list(self.graph.ids)

    def values(self) -> list[Any]:
        """List the value of every vertex."""
        found: list[Any] = self.to_numpy().tolist()
        return found

    def items(self) -> list[tuple[Any, Any]]:
        """List pairs of the user's id and the value."""
        return list(zip(self.keys(), self.values(), strict=True))

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """Return the ``k`` vertices with the largest values: pairs of the user's id and the value, largest first."""
        k = checked_count("k", k)
        if self.length is not None:
            raise ParameterError("top: vectors have no order; take a column of to_numpy()")
        values = self.dense()
        if values.dtype.kind == "f":
            values = np.where(np.isnan(values), -np.inf, values)
        k = min(k, len(values))
        candidates = np.arange(len(values))
        if 0 < k < len(values):  # among equal values the smallest ids
            candidates = np.flatnonzero(values >= np.partition(values, len(values) - k)[len(values) - k])
        order = candidates[np.lexsort((-candidates, values[candidates]))[::-1]][:k]
        named = [self.graph.ids.labels(int(i), int(i) + 1).tolist()[0] for i in order]
        return list(zip(named, self.user(values[order]).tolist(), strict=True))

    def to_dict(self) -> dict[Any, Any]:
        """Return a dict from the user's ids to values, as NetworkX does.

        The dict has all vertices. (A search of NetworkX leaves out vertices that it does not reach, which have -1 here,
        or `SSSPResult.unreached`.)

        >>> import lux
        >>> lux.bfs(lux.from_edges(["a", "b"], ["b", "c"]), "a").distances.to_dict()
        {'a': 0, 'b': 1, 'c': 2}
        """
        return dict(self.items())

    def to_pandas(self) -> Any:
        """Return a pandas Series (for vectors, a DataFrame with a column for each element), indexed by the user's ids.

        >>> import lux
        >>> lux.from_edges(["a", "b"], ["b", "c"]).out_degrees().to_pandas()
        vertex
        a    1
        b    1
        c    0
        Name: out_degree, dtype: int32
        """
        frame = to_frame(self.graph, {self.name: self})
        return frame[self.name] if self.length is None else frame

    def to_arrow(self) -> Any:
        """Return a pyarrow Table of the user's ids (``vertex``) and the values; vectors are fixed-size lists.

        >>> import lux
        >>> lux.from_edges(["a", "b"], ["b", "c"]).out_degrees().to_arrow().to_pylist()[0]
        {'vertex': 'a', 'out_degree': 1}
        """
        return vertex_table(self.graph.ids, {self.name: self})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dlpack__(self, **asked: Any) -> object:
        return self.to_numpy().__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the host's memory

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        if any(isinstance(out, Values) for out in more.get("out", ())):
            return NotImplemented  # values never change
        arrays = (value.to_numpy() if isinstance(value, Values) else value for value in inputs)
        return getattr(ufunc, method)(*arrays, **more)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a NumPy array of these values is always a copy")
        return self.to_numpy().astype(dtype) if dtype is not None else self.to_numpy()

    @property
    def __legate_data_interface__(self) -> Any:
        from legate.core import LogicalArray

        return LogicalArray.from_store(self.store.without_spare).__legate_data_interface__


Mapping.register(Values)  # pandas.Series(values) then has the ids as its index


def to_frame(graph: Graph, columns: Mapping[str, Values]) -> Any:
    """Make a pandas DataFrame indexed by the user's ids; vectors have a column for each element."""
    import pandas as pd

    data: dict[str, NDArray[Any]] = {}
    for name, values in columns.items():
        array = _plain(values.to_numpy())
        data |= {name: array} if values.length is None else {f"{name}_{k}": c for k, c in enumerate(array.T)}
    return pd.DataFrame(data, index=pd.Index(_plain(graph.ids.to_numpy()), name="vertex"))


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Return NumPy's strings as objects, which pandas takes."""
    return array.astype(object) if array.dtype.kind == "T" else array
