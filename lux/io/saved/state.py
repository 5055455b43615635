# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Saved state of a run: a .lux file of version 2 that has values of vertices in place of edges.

| Section       | Values                                                                                  |
|---------------|-----------------------------------------------------------------------------------------|
| ``document``  | JSON: ``fingerprint`` (a text), ``columns`` (names) and ``facts`` (numbers by name)     |
| ``column-0``  | the values of a column; its name is in the document                                     |

The header has the graph's numbers of vertices and edges. All processes write a file together, as they write a graph; it
replaces the one before at once, so that a process killed at any time leaves a whole one.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import FormatError
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.saved.document import DOCUMENT
from lux.io.saved.header import CHECKSUMS, Header, arrange
from lux.io.saved.sections import SavedFile, read_section, write_file

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.runtime import Store


def save_state(
    path: Pathname,
    graph: Graph,
    fingerprint: str,
    facts: Mapping[str, int],
    stores: Mapping[str, Store],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Save a state, replacing a file of that name. All processes call this at the same place.

    Parameters
    ----------
    path : str or path
    graph : Graph
    fingerprint : str
        Text by which a later run knows that the state is its own.
    facts : mapping of str to int
    stores, arrays : mapping of str to Store or np.ndarray
        Columns that all processes write, and columns that each has.

    Raises
    ------
    FileError
        The file cannot be written, or there is too little room.
    """
    names = [*stores, *arrays]
    sections = {name: f"column-{k}" for k, name in enumerate(names)}
    text = json.dumps({"fingerprint": fingerprint, "columns": names, "facts": dict(facts)})
    document = np.frombuffer(text.encode(), np.uint8)
    columns: dict[str, tuple[Any, int]] = {DOCUMENT: (document.dtype, len(document))}
    columns |= {sections[name]: (store.dtype, runtime.length_of(store)) for name, store in stores.items()}
    columns |= {sections[name]: (values.dtype, len(values)) for name, values in arrays.items()}
    header = Header(graph.n_vertices, graph.n_edges, graph.directed, secrets.randbits(63), arrange(columns))
    of_arrays = {sections[name]: values for name, values in arrays.items()}
    write_file(path, header, {sections[n]: store for n, store in stores.items()}, {DOCUMENT: document} | of_arrays)


class SavedState:
    """Saved state, open: its header and document are read and checked, and its columns are not.

    Attributes
    ----------
    fingerprint : str
    facts : dict of str to int

    Raises
    ------
    FileError, FormatError
        The file is missing, unreadable, damaged, or no state of a run.
    """

    def __init__(self, path: Pathname) -> None:
        self.path, self._file = path, SavedFile(FileContent(path))
        sections = self._file.header.sections
        try:
            found = json.loads(self._file.values(DOCUMENT).tobytes()) if DOCUMENT in sections else None
        except (ValueError, RecursionError):
            found = None
        columns, facts = (found.get(key) for key in ("columns", "facts")) if isinstance(found, dict) else (None, None)
        right = isinstance(columns, list) and all(isinstance(name, str) for name in columns)
        right = right and [*sections] == [CHECKSUMS, DOCUMENT, *(f"column-{k}" for k in range(len(columns or ())))]
        right = right and isinstance(facts, dict) and all(type(value) is int for value in facts.values())
        if not right or not isinstance(found, dict) or not isinstance(found.get("fingerprint"), str):
            raise FormatError(f"{path} is no state of a run: pass the folder of checkpoints that lux has written")
        self.fingerprint, self.facts = found["fingerprint"], dict(facts or {})
        self._sections = {name: f"column-{k}" for k, name in enumerate(columns or ())}

    @property
    def columns(self) -> dict[str, tuple[np.dtype[Any], int]]:
        """Type and length of each column."""
        found = self._file.header.sections
        return {name: (found[own].dtype, found[own].length) for name, own in self._sections.items()}

    def read(self, name: str, store: Store) -> None:
        """Read a column into a store. All processes call this at the same place.

        Raises
        ------
        FormatError
            There is no such column of the store's type and length, or it is damaged.
        """
        self._check(name, store.dtype, runtime.length_of(store))
        read_section(self._file, self._sections[name], store)

    def values(self, name: str, dtype: Any, length: int) -> NDArray[Any]:
        """Read a whole column, of that type and length.

        Raises
        ------
        FormatError
            There is no such column, or it is damaged.
        """
        self._check(name, np.dtype(dtype), length)
        return self._file.values(self._sections[name])

    def _check(self, name: str, dtype: np.dtype[Any] | None, length: int) -> None:
        section = self._file.header.sections.get(self._sections.get(name, ""))
        if section is None or (section.dtype, section.length) != (dtype, length):
            raise FormatError(f"{self.path} has no {length} values of {dtype} for {name!r}: delete it, and start anew")
