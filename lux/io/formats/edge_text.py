# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists with fields between blanks or tabs: .el (``u v``), .wel (``u v w``), SNAP's .txt, NetworkX's .edgelist."""

from __future__ import annotations

from lux.errors import FormatError
from lux.io.files.atomic import Pathname
from lux.io.formats.columns import Columns, Share
from lux.io.formats.options import Options, chosen_properties, column_names
from lux.io.formats.text import Dialect, Table
from lux.io.formats.text_file import TextFile

WIDTHS = {"el": 2, "wel": 3}
DIALECT = Dialect()


def read(path: Pathname, name: str, options: Options, share: Share) -> Columns:
    """Read a share of the edges of a blank-separated file; lines that start with ``#`` or ``%`` are comments."""
    options.only(name, "bipartite", "ids", "header", "properties")
    text = TextFile(path, name)
    found = list(_first_lines(text, 2 if options.header else 1))
    start, names = text.start, column_names(WIDTHS.get(name, 2))
    if found:
        fields = DIALECT.split(found[-1][2])
        if name == "txt":
            if len(fields) < 2:
                raise text.error(found[-1][0], "two ids between blanks or tabs are needed (for others: format='csv')")
            if len(fields) > 2 and fields[2].startswith("{"):
                raise text.error(
                    found[-1][0],
                    "NetworkX's dicts of attributes are not read: write them as columns, by "
                    "nx.write_edgelist(..., data=['weight']) or data=False",
                )
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
    sources, destinations, *values = Table(text, start, DIALECT, wanted, share).columns_or_whole_numbers
    properties = dict(zip([names[i] for i in kept], values, strict=True))
    return Columns(path, (names[0], names[1]), sources, destinations, properties, options)


def _first_lines(text: TextFile, count: int) -> list[tuple[int, int, str]]:
    lines = text.lines(text.start, DIALECT.comments)
    return [line for _, line in zip(range(count), lines, strict=False)]
