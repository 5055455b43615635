# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""CSV and TSV: the delimiter and the header are detected, or passed.

An edge's ends are the columns ``source`` and ``destination`` (or src/dst, from/to, u/v, source/target), else the first
two. Other columns are edge properties under their own names; without a header the third is ``weight``.
"""

from __future__ import annotations

from itertools import islice

from lux.checks import is_integer
from lux.errors import GraphError
from lux.io.files.atomic import Pathname
from lux.io.formats.columns import Columns, Share
from lux.io.formats.endpoint_columns import endpoint_columns, named_endpoints
from lux.io.formats.options import Options, chosen_properties, column_names
from lux.io.formats.text import Dialect, Table
from lux.io.formats.text_file import TextFile

DELIMITERS = {"csv": (",", ";", "\t", "|", ""), "tsv": ("\t",)}
LOOKED_AT = 10  # lines that decide the delimiter


def read(path: Pathname, name: str, options: Options, share: Share) -> Columns:
    """Read a share of the edges of a CSV or TSV file; lines with ``#`` before the first line of data are comments."""
    options.only(name, "bipartite", "ids", "header", "properties")
    text = TextFile(path, name)
    lines = list(islice(text.lines(text.start, b"#"), LOOKED_AT))
    if not lines:
        raise GraphError(f"{path} has no edges: it is empty")
    dialect = _dialect(name, [line for _, _, line in lines])
    start, end, first = lines[0]
    fields = dialect.split(first)
    if len(fields) < 2:
        raise text.error(start, "two ids are needed, between one of: " + " ".join(map(repr, DELIMITERS[name])))
    second = dialect.split(lines[1][2]) if len(lines) > 1 else []
    has_header = _is_header(fields, second) if options.header is None else options.header
    names = fields if has_header else column_names(len(fields))
    if len(set(names)) < len(names):
        raise text.error(start, "two columns have the same name")
    ends = endpoint_columns(names)
    kept = chosen_properties(path, names, ends, options)
    ids = {"auto": "id", "as-is": "integer", "strings": "string"}[options.ids]
    wanted = [ids if i in ends else "number" if i in kept else "skip" for i in range(len(names))]
    columns = iter(Table(text, end if has_header else start, dialect, wanted, share).columns)
    found = {i: next(columns) for i in range(len(names)) if wanted[i] != "skip"}
    properties = {names[i]: found[i] for i in kept}
    return Columns(path, (names[ends[0]], names[ends[1]]), found[ends[0]], found[ends[1]], properties, options)


def _dialect(name: str, lines: list[str]) -> Dialect:
    """Return the first delimiter that splits all lines into equally many fields, two or more; else the first."""
    candidates = [Dialect(separator, b"", quotes=True) for separator in DELIMITERS[name]]
    for dialect in candidates:
        widths = {len(dialect.split(line)) for line in lines}
        if len(widths) == 1 and widths.pop() >= 2:
            return dialect
    return next((dialect for dialect in candidates if len(dialect.split(lines[0])) >= 2), candidates[0])


def _is_header(first: list[str], second: list[str]) -> bool:
    """Return True for known names, or for words above a line with numbers."""
    if named_endpoints(first) is not None:
        return True
    return any(not _is_number(a) and _is_number(b) for a, b in zip(first, second, strict=False))


def _is_number(field: str) -> bool:
    try:
        return is_integer(field) or float(field) is not None
    except ValueError:
        return False
