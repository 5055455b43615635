# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from tables with an edge in each row: of pandas, Polars, DuckDB, PyArrow, and all that offer Arrow streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.checks import checked_names, described
from lux.errors import ParameterError
from lux.graph.build import build
from lux.io.edge_columns import EdgeColumns
from lux.io.formats.endpoint_columns import named_endpoints
from lux.names import checked_call

if TYPE_CHECKING:
    from lux.graph.graph import Graph


@checked_call
@runtime.on_driver
def from_table(
    table: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    directed: bool = True,
    edge_attr: Sequence[str] | None = None,
    vertices: ArrayLike | None = None,
    bipartite: bool = False,
    drop_loops: bool = False,
    drop_repeats: bool = False,
    sharded: bool = False,
) -> Graph:
    """Build a graph from a table with an edge in each row: of pandas, Polars, DuckDB, PyArrow or cuDF.

    Parameters
    ----------
    table : DataFrame, or a mapping of names to columns
        Of pandas, or anything that offers an Arrow stream (``__arrow_c_stream__``): a DataFrame of Polars, a relation
        of DuckDB, a Table or a RecordBatchReader of PyArrow. Numbers are not copied where they lie in one piece.
    source, target : str, optional
        Columns of the edges' ends; by default ``source`` and ``target``, or the names used in files: ``destination``,
        src/dst, from/to, u/v.
    directed : bool
        False: each row stands for both directions.
    edge_attr : sequence of str, optional
        Columns that become properties, by default all numeric ones.
    vertices, bipartite, drop_loops, drop_repeats, sharded
        As in `from_edges`.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        A column is missing, or ids in it are; or a requested column, or ``weight``, is not numeric.

    Examples
    --------
    >>> import lux, pandas as pd, pyarrow as pa
    >>> lux.from_table(pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [4, 5]})).n_edges
    2
    >>> list(lux.from_table(pa.table({"src": ["ada"], "dst": ["bob"]}), vertices=["cyd"]))
    ['ada', 'bob', 'cyd']
    """
    edge_attr = checked_names("edge_attr", edge_attr)
    names, ids, numbers = _opened(table)
    source, target = _ends(names, source, target)
    for name in (source, target, *(edge_attr or ())):
        if name not in names:
            raise ParameterError(f"the table has no column {name!r}; it has {list(map(str, names))}")
    others = [name for name in names if name not in (source, target)]
    taken = {str(name): numbers(name) for name in (others if edge_attr is None else edge_attr)}
    for name, values in taken.items():
        if values is None and (edge_attr is not None or name == "weight"):
            raise ParameterError(
                f"the column {name!r} holds no numbers, or some are missing: pass numbers, or edge_attr= with the "
                "columns to take"
            )
    properties = {name: values for name, values in taken.items() if values is not None}
    columns = EdgeColumns(
        ids(source), ids(target), properties, directed=directed, bipartite=bipartite, vertices=vertices
    )
    return build(columns.edges(sharded=sharded), drop_loops=drop_loops, drop_repeats=drop_repeats)


Opened = tuple[list[Any], Callable[[Any], Any], Callable[[Any], NDArray[Any] | None]]
"""Names of columns; a function that returns a column of ids; and one that returns numbers, or None for others."""


def _opened(table: Any) -> Opened:
    if hasattr(table, "columns") and hasattr(table, "iloc"):
        return _of_pandas(table)
    if not hasattr(table, "__arrow_c_stream__") and not isinstance(table, Mapping):
        raise ParameterError(
            "from_table takes a DataFrame of pandas or Polars, or another table that offers an Arrow stream, not "
            f"{described(table)}"
        )
    import pyarrow as pa

    try:
        read = pa.table(dict(table) if isinstance(table, Mapping) else table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise ParameterError(f"the table's columns cannot be read: {error}") from error
    twice = [name for name in read.column_names if read.column_names.count(name) > 1]
    if twice:
        raise ParameterError(f"the table has two columns {twice[0]!r}: rename one")

    def numbers(name: Any) -> NDArray[Any] | None:
        column = read.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        return None if not number or column.null_count else column.to_numpy()

    return read.column_names, read.column, numbers


def _of_pandas(frame: Any) -> Opened:
    def ids(name: Any) -> NDArray[Any]:
        values: NDArray[Any] = frame[name].to_numpy()
        return values if values.dtype.kind in "iuf" else values.astype(object)

    def numbers(name: Any) -> NDArray[Any] | None:
        values: NDArray[Any] | None = (
            frame[name].to_numpy() if getattr(frame[name].dtype, "kind", "O") in "iuf" else None
        )
        return values

    return list(frame.columns), ids, numbers


def _ends(names: list[Any], source: str | None, target: str | None) -> tuple[Any, Any]:
    """Return the columns of the edges' ends: the ones passed, or else the ones with names of ends."""
    found = named_endpoints(names)
    if found is None and (source is None or target is None):
        missing = next((name for name in ("source", "target") if name not in names), "target")
        raise ParameterError(
            f"the table has no column {missing!r}, nor other names of edges' ends as src and dst; it has "
            f"{list(map(str, names))}: pass source= and target="
        )
    guess = (None, None) if found is None else (names[found[0]], names[found[1]])
    return guess[0] if source is None else source, guess[1] if target is None else target


from_pandas = from_table
"""Name of `from_table` for those who have a DataFrame of pandas."""
