# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Options of the caller of `lux.read_graph`, and rules that all formats share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from lux.checks import checked_flag
from lux.errors import FormatError, GraphError, ParameterError
from lux.io.files.atomic import Pathname

MOST = 1 << 62  # vertices: leaves headroom in int64
MOST_COLUMNS = 10_000


@dataclass(frozen=True)
class Options:
    """Options of the caller of `lux.read_graph`; None means as in the file."""

    directed: bool | None = None
    weighted: bool | None = None
    header: bool | None = None
    bipartite: bool = False
    ids: str = "auto"
    properties: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name in ("directed", "weighted", "header", "bipartite"):
            checked_flag(name, getattr(self, name), optional=name != "bipartite")
        if self.ids not in ("auto", "as-is", "strings"):
            raise ParameterError(f"ids={self.ids!r}: pass 'auto', 'as-is' or 'strings'")

    def only(self, name: str, *allowed: str) -> None:
        """Raise ParameterError for options that the format ``name`` does not have."""
        default = Options()
        for option in ("header", "bipartite", "ids", "properties"):
            if option not in allowed and getattr(self, option) != getattr(default, option):
                raise ParameterError(f"{option}={getattr(self, option)!r} has no meaning for {name}: leave it out")


def undirected_by_definition(path: Pathname, name: str, options: Options) -> None:
    """Raise ParameterError if a directed graph is asked of an undirected file."""
    if options.directed:
        raise ParameterError(f"directed=True contradicts {path}: {name} is undirected; leave it out")


def column_names(n_columns: int) -> list[str]:
    """Return names for unnamed columns: the third is the weight."""
    return ["source", "destination", "weight", *(f"column{i + 1}" for i in range(3, n_columns))][:n_columns]


def chosen_properties(path: Pathname, names: Sequence[str], endpoints: tuple[int, int], options: Options) -> list[int]:
    """Return the columns to read as edge properties; FormatError for a table of more than `MOST_COLUMNS`."""
    if len(names) > MOST_COLUMNS:
        raise FormatError(f"{path} has {len(names)} columns; the most that Lux reads is {MOST_COLUMNS}: leave some out")
    others = [i for i in range(len(names)) if i not in endpoints]
    if options.properties is None:
        return others
    missing = sorted(set(options.properties) - {names[i] for i in others})
    if missing:
        raise GraphError(f"{path} has no column {missing[0]!r}; its properties are {[names[i] for i in others]}")
    return [i for i in others if names[i] in options.properties]


def settle_weight(
    path: Pathname, properties: dict[str, NDArray[Any]], *, weighted: bool | None
) -> dict[str, NDArray[Any]]:
    """Return the properties with a ``weight`` if one is asked for (else the first property serves), or without."""
    if weighted is False:
        return {name: values for name, values in properties.items() if name != "weight"}
    if weighted and "weight" not in properties:
        if not properties:
            raise GraphError(f"{path} has no weights: leave out weighted=True")
        first = next(iter(properties))
        return {"weight" if name == first else name: values for name, values in properties.items()}
    return properties
