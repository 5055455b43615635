# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Which columns of a table hold the ends of edges: the same names in files and in DataFrames."""

from __future__ import annotations

from collections.abc import Sequence

SOURCE_NAMES = ("source", "src", "from", "u")
DESTINATION_NAMES = ("destination", "target", "dst", "to", "v")


def named_endpoints(names: Sequence[object]) -> tuple[int, int] | None:
    """The columns with known names of an edge's ends, or None.

    >>> named_endpoints(["time", "src", "dst"]), named_endpoints(["userId", "movieId", "rating"])
    ((1, 2), None)
    """
    lowered = [str(name).strip().lower() for name in names]
    sources = [lowered.index(name) for name in SOURCE_NAMES if name in lowered]
    destinations = [lowered.index(name) for name in DESTINATION_NAMES if name in lowered]
    return (sources[0], destinations[0]) if sources and destinations else None


def endpoint_columns(names: Sequence[object]) -> tuple[int, int]:
    """The same, and the first two where no names are known."""
    return named_endpoints(names) or (0, 1)
