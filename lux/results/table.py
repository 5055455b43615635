# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables with a row for every vertex: columns of results, of several results, and degrees."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from lux.checks import described
from lux.errors import ParameterError
from lux.graph import preview
from lux.graph.to_arrow import vertex_table
from lux.graph.values import Values, to_frame
from lux.names import Spelt, checked_call, nearest

if TYPE_CHECKING:
    from lux.graph.graph import Graph


@dataclass(frozen=True, eq=False, repr=False)
class Table(Spelt):
    """Columns of values for every vertex of a graph; `table` makes one, and every `Result` is one.

    Attributes
    ----------
    graph : Graph
    columns : dict of str to Values
        The values by name.
    """

    graph: Graph
    columns: dict[str, Values]

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
        return preview.as_text(self._title(), *self._shown())

    def _repr_html_(self) -> str:
        return preview.as_html(self._title(), self._facts(), *self._shown())

    def _title(self) -> str:
        n = self.graph.n_vertices
        return f"<{type(self).__name__}: {', '.join(self.columns)} of {n} {'vertex' if n == 1 else 'vertices'}>"

    def _facts(self) -> list[tuple[str, object]]:
        """Return facts beside the values, for notebooks."""
        return []

    @property
    def pieces(self) -> int:
        """Number of partitions in which the values are written to files."""
        return self.graph.default_parts()

    def _shown(self) -> tuple[preview.Table, int, str]:
        """Return the first rows, the number of those left, and how to see more."""
        top = "result.top(), " if self.main.length is None else ""
        hint = f"{top}result[{next(iter(self.columns))!r}][vertex], result.to_pandas(), result.to_arrow()"
        return preview.vertex_rows(self.graph, self.columns), self.graph.n_vertices - preview.HEAD, hint

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

    def to_arrow(self) -> Any:
        """Return a pyarrow Table: ``vertex`` (the user's ids), then a column for each of `columns`.

        Whatever reads Arrow streams takes the result itself: ``polars.DataFrame(result)``, ``pyarrow.table(result)``.
        Vectors are fixed-size lists.

        >>> import lux
        >>> lux.components(lux.toy.path(2)).to_arrow().to_pydict()
        {'vertex': [0, 1], 'label': [0, 0]}
        """
        return vertex_table(self.graph.ids, self.columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, column: str | None = None, *, ax: Any = None) -> Any:
        """Draw a column, by default the first: how many vertices have each value, or at least each value.

        Parameters
        ----------
        column : str, optional
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure, ``plot().figure``, which notebooks show.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ConfigurationError
            Matplotlib is not installed.
        ParameterError
            There is no such column, or it holds vectors.

        Examples
        --------
        >>> import lux
        >>> lux.bfs(lux.toy.kite(), 0).plot().get_title()
        'distance of 10 vertices'
        """
        from lux.results import plot

        return plot.values(self.main if column is None else self[column], ax)

    def write(self, path: str | PathLike[str]) -> None:
        """Write a row for each vertex, in ascending order of the ids: .parquet, .csv, .tsv, or .npy without ids.

        An existing file is replaced when all is written. `lux.results.write` says more of the formats.

        Raises
        ------
        FormatError, FileError
            The name ends in something else, or the file cannot be written.

        Examples
        --------
        >>> import lux, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.tsv")
        >>> lux.components(lux.toy.path(2)).write(path)
        >>> path.read_text().split()
        ['vertex', 'label', '0', '0', '1', '0']
        """
        from lux.results.write import write_result

        write_result(self, path)


@checked_call
def table(*of: Table | Values, **named: Values) -> Table:
    """Join results and values of one graph into a table with a row for every vertex.

    Parameters
    ----------
    *of : Result, Table or Values
        Every column of results and tables, by its name; values by theirs.
    **named : Values
        Further columns, by other names.

    Returns
    -------
    Table
        It has ``to_pandas``, ``to_arrow``, ``write`` and columns as a result has: ``joined["rank"]``.

    Raises
    ------
    ParameterError
        Nothing, something else, two columns of one name, or values of graphs with different vertices.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([10, 20], [20, 30])
    >>> lux.table(lux.components(g), g.out_degrees(), hops=lux.bfs(g, 10).distances)
    <Table: label, out_degree, hops of 3 vertices>
    vertex  label  out_degree  hops
        10     10           1     0
        20     10           1     1
        30     10           0     2
    result.top(), result['label'][vertex], result.to_pandas(), result.to_arrow()
    """
    columns: dict[str, Values] = {}
    for given in (*of, *({name: values} for name, values in named.items())):
        for name, values in _columns(given).items():
            if name in columns:
                raise ParameterError(
                    f"there are two columns {name!r}: name one of them, as in "
                    f"lux.table(first, other_{name}=second[{name!r}])"
                )
            columns[name] = values
    if not columns:
        raise ParameterError("lux.table takes results and values of results, and none was passed")
    first = next(iter(columns.values())).graph
    for name, values in columns.items():
        if values.graph is not first and values.graph.ids != first.ids:
            raise ParameterError(
                f"the column {name!r} is of a graph with other vertices ({values.graph.ids.describe()}; of the first "
                f"column {first.ids.describe()}): join what to_pandas() returns"
            )
    return Table(first, columns)


def _columns(given: Any) -> dict[str, Values]:
    columns = {given.name: given} if isinstance(given, Values) else getattr(given, "columns", given)
    if not isinstance(columns, dict) or not all(isinstance(values, Values) for values in columns.values()):
        raise ParameterError(f"lux.table takes results, and values of results, not {described(given)}")
    return columns
