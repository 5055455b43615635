# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Column names of edges' endpoints, shared by files and DataFrames."""

from __future__ import annotations

import re
from collections.abc import Sequence

SOURCE_NAMES = ("source", "src", "from", "u")
DESTINATION_NAMES = ("destination", "target", "dst", "to", "v")


def named_endpoints(names: Sequence[object]) -> tuple[int, int] | None:
    """Return the columns with known names of an edge's ends, or None.

    >>> named_endpoints(["time", "src", "dst"]), named_endpoints(["userId", "movieId", "rating"])
    ((1, 2), None)
    """
    lowered = [str(name).strip().lower() for name in names]
    sources = [lowered.index(name) for name in SOURCE_NAMES if name in lowered]
    destinations = [lowered.index(name) for name in DESTINATION_NAMES if name in lowered]
    return (sources[0], destinations[0]) if sources and destinations else None


def endpoint_columns(names: Sequence[object]) -> tuple[int, int]:
    """Return the columns with known names of an edge's ends, else the first two."""
    return named_endpoints(names) or (0, 1)


DIRECTIONS = frozenset((
    "source", "src", "from", "start", "begin", "origin", "head", "sender", "caller", "follower", "citing",
    "cites", "parent", "destination", "target", "dst", "dest", "to", "end", "tail", "receiver", "recipient",
    "callee", "followee", "followed", "following", "cited", "child", "first", "second", "one", "two", "out",
    "in", "left", "right", "row", "col", "column", "ego", "alter", "a", "b", "i", "j", "p", "q", "s", "t", "u",
    "v", "x", "y",
))  # fmt: skip
"""Words that tell an edge's two ends apart, and say nothing of their kind."""
NUMBERED = frozenset((
    "id", "ids", "key", "no", "nr", "num", "number", "idx", "index", "code", "name", "node", "nodes", "vertex",
    "vertices",
))  # fmt: skip
"""Words that mark a column of ids, and say nothing of their kind."""


def two_kinds(first: object, second: object) -> bool:
    """Return True if two column names are of two kinds of vertices, each with ids of its own.

    >>> two_kinds("userId", "movieId"), two_kinds("user", "item_id")
    (True, True)
    >>> two_kinds("FromNodeId", "ToNodeId"), two_kinds("user_1", "user_2"), two_kinds("u", "v")
    (False, False, False)
    """
    kinds = [_words(name) - DIRECTIONS - NUMBERED for name in (first, second)]
    return bool(kinds[0] and kinds[1] and kinds[0] != kinds[1])


def _words(name: object) -> frozenset[str]:
    """Return the lower-case words of a name without digits; ``movieId`` and ``movie_id2`` have the same."""
    return frozenset(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+", str(name)))
