# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Writer of edge lists as text: .el, .wel and .txt with blanks and no header, .csv and .tsv with a header.

Numbers are written so that reading them gives the same ones. Text has no room for the direction nor for vertices
without edges: `lux.io.export` warns of what is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.to_arrow import arrow_array
from lux.io.files.atomic import Pathname, atomic_output
from lux.io.formats.parquet import Chunk

DELIMITERS = {"el": " ", "wel": " ", "txt": "\t", "csv": ",", "tsv": "\t"}
HEADED = ("csv", "tsv")
COMMENTS = ("#", "%")
"""Characters that begin a comment in files without a header."""


def write_text(path: Pathname, form: str, chunks: Iterable[Chunk]) -> None:
    """Write edges as text; the file appears whole or not at all.

    Parameters
    ----------
    path : str or path
    form : str
        One of `DELIMITERS`.
    chunks : iterable of (sources, destinations, properties)
        Raised as by `lux.io.formats.parquet.write_parquet`.

    Raises
    ------
    FormatError
        An id has characters that the format cannot hold.
    FileError
        The target cannot be written.
    """
    import pyarrow as pa
    from pyarrow import csv

    headed = form in HEADED
    options = csv.WriteOptions(
        include_header=False, delimiter=DELIMITERS[form], quoting_style="needed" if headed else "none"
    )
    with atomic_output(path) as part, part.open("wb") as file:
        for number, (sources, destinations, properties) in enumerate(chunks):
            columns = {"source": arrow_array(sources), "target": arrow_array(destinations)}
            columns |= {name: pa.array(_number(values)) for name, values in properties.items()}
            if headed and not number:
                file.write((DELIMITERS[form].join(map(_quoted, columns)) + "\n").encode())
            _check_names(path, form, columns["source"], columns["target"])
            try:
                csv.write_csv(pa.table(columns), file, options)
            except pa.ArrowInvalid:
                raise _refused(path, form) from None


def _quoted(name: str) -> str:
    plain = name.isidentifier() or not any(mark in name for mark in '",;\t\n|')
    return name if plain else '"' + name.replace('"', '""') + '"'


def _number(values: NDArray[Any]) -> NDArray[Any]:
    """Return booleans as 0 and 1, which readers of numbers take."""
    return values.astype(np.uint8) if values.dtype.kind == "b" else values


def _check_names(path: Pathname, form: str, *ends: Any) -> None:
    """Refuse ids that would be two lines or fields, or a comment."""
    import pyarrow as pa
    from pyarrow import compute

    pattern = r"[\n\r\x00]" if form in HEADED else rf"[\s\x00]|^$|^[{''.join(COMMENTS)}]"
    for column in ends:
        if pa.types.is_large_string(column.type):
            wrong = compute.match_substring_regex(column, pattern)
            if compute.any(wrong).as_py():
                raise _refused(path, form)


def _refused(path: Pathname, form: str) -> FormatError:
    if form in HEADED:
        return FormatError(f"{path}: an id has a line break, which .{form} cannot hold: write .parquet")
    return FormatError(
        f"{path}: an id has a blank, a quote or a line break, is empty or begins a comment, which .{form} cannot hold: "
        "write .csv or .parquet"
    )
