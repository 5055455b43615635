# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Previews for interpreters and notebooks: a few rows of values or edges, as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import runtime
from lux.errors import LuxError

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.values import Values

HEAD = 5
"""Rows that a preview shows."""

Table = list[list[str]]
"""Rows of a preview, of which the first has the names of the columns; empty where nothing can be shown."""


def vertex_rows(graph: Graph, columns: Mapping[str, Values]) -> Table:
    """List the first vertices and their values; none where several processes would have to read them together."""
    n = min(HEAD, graph.n_vertices)
    shown = [graph.ids.labels(0, n).tolist()]
    try:
        if runtime.ranks() > 1:
            return []
        shown += [values.head(n).tolist() for values in columns.values()]
    except LuxError:  # of another thread, or after Legate's end
        return []
    return [["vertex", *columns], *([_cell(value) for value in row] for row in zip(*shown, strict=True))]


def edge_rows(graph: Graph) -> Table:
    """List the first edges of a graph in the order in which they are stored, and their properties."""
    n = min(HEAD, graph.n_edges)
    try:
        if runtime.ranks() > 1 or not n:
            return []
        sources = runtime.slice_to_array(graph.sources, 0, n)
        targets = np.searchsorted(runtime.to_array(graph.offsets)[: graph.n_vertices + 1], np.arange(n), "right") - 1
        ends = np.stack([sources.astype(np.int64), targets])
        if graph.order is not None:
            ends = runtime.to_array(graph.order.vertices)[ends]
        columns = [[graph.ids.labels(int(i), int(i) + 1).tolist()[0] for i in side] for side in ends]
        columns += [runtime.slice_to_array(store, 0, n).tolist() for store in graph.properties.values()]
    except LuxError:
        return []
    names = ["source", "target", *graph.properties]
    return [names, *([_cell(value) for value in row] for row in zip(*columns, strict=True))]


def _cell(value: Any) -> str:
    """Write one value; floats in six digits."""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = f"[{', '.join(map(_cell, value[:3]))}{', ...' if len(value) > 3 else ''}]" if isinstance(value, list) else ""
    return text or str(value)


def as_text(title: str, rows: Table, more: int, hint: str) -> str:
    """Write a title, rows in columns aligned to the right, and a line that says what is left and what to do next.

    >>> print(as_text("<Values>", [["vertex", "rank"], ["7", "0.5"]], 2, "values[vertex]"))
    <Values>
    vertex  rank
         7   0.5
    ... 2 more: values[vertex]
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    left = f"... {more:,} more: " if more > 0 and rows else ""
    return "\n".join([title, *lines, f"{left}{hint}"])


def as_html(title: str, facts: Sequence[tuple[str, object]], rows: Table, more: int, hint: str) -> str:
    """Write a title, facts and rows as HTML that a notebook shows; everything is escaped.

    >>> as_html("a < b", [("iterations", 3)], [], 0, "")
    '<div><b>a &lt; b</b><br><small>iterations: 3</small></div>'
    """
    said = "<br>".join(f"{html.escape(name)}: {html.escape(str(value))}" for name, value in facts)
    table = ""
    if rows:
        head, *body = (("th" if number == 0 else "td", row) for number, row in enumerate(rows))
        lines = [
            "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in row) + "</tr>" for tag, row in (head, *body)
        ]
        table = f"<table>{''.join(lines)}</table>"
    left = f"... {more:,} more: " if more > 0 and rows else ""
    end = f"<small>{left}{html.escape(hint)}</small>" if hint else ""
    return f"<div><b>{html.escape(title)}</b><br><small>{said}</small>{table}{end}</div>"
