# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists with fields between blanks or tabs: .el (``u v``), .wel (``u v w``) and SNAP's .txt."""

from __future__ import annotations

from lux.errors import FormatError
from lux.graph.construction.edge_list import EdgeList
from lux.io.files.atomic import Pathname
from lux.io.formats.assemble import Options, assemble, chosen_properties, column_names, warn_of_two_kinds
from lux.io.formats.text import Dialect, Table
from lux.io.formats.text_file import TextFile

WIDTHS = {"el": 2, "wel": 3}
DIALECT = Dialect()


def read(path: Pathname, name: str, options: Options) -> EdgeList:
    """Read the edges of a blank-separated file; lines that start with ``#`` or ``%`` are comments."""
    options.only(name, "bipartite", "ids", "header", "properties")
    text = TextFile(path, name)
    found = list(_first_lines(text, 2 if options.header else 1))
    start, names = text.start, column_names(WIDTHS.get(name, 2))
    if found:
        fields = DIALECT.split(found[-1][2])
        if name == "txt":
            if len(fields) < 2:
                raise text.error(found[-1][0], "two ids between blanks or tabs are needed (for others: format='csv')")
            names = column_names(len(fields))
        elif len(fields) != WIDTHS[name]:
            fitting = "wel" if len(fields) == 3 else "el" if len(fields) == 2 else "txt"
            raise FormatError(
                f"{path} has {len(fields)} fields in its first line and .{name} has {WIDTHS[name]}: "
                f"pass format={fitting!r}"
            )
    if options.header and found:
        start = found[0][1]
        given = DIALECT.split(found[0][2])
        names = given if len(given) == len(names) else names
    ids = {"auto": "id", "as-is": "integer", "strings": "string"}[options.ids]
    kept = chosen_properties(path, names, (0, 1), options)
    wanted = [ids if i < 2 else "number" if i in kept else "skip" for i in range(len(names))]
    sources, destinations, *values = Table(text, start, DIALECT, wanted).columns_or_whole_numbers
    warn_of_two_kinds(path, names, (0, 1), (sources, destinations), options)
    return assemble(path, sources, destinations, dict(zip([names[i] for i in kept], values, strict=True)), options)


def _first_lines(text: TextFile, count: int) -> list[tuple[int, int, str]]:
    lines = text.lines(text.start, DIALECT.comments)
    return [line for _, line in zip(range(count), lines, strict=False)]
