# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of PageRank: its vertex programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lux.algorithms.strategy import Query, Strategy, VertexProgram

if TYPE_CHECKING:
    from lux.program.program import Program


@dataclass(frozen=True, eq=False, kw_only=True)
class PageRankQuery(Query):
    """A query for one of the programs of PageRank.

    Attributes
    ----------
    program : subclass of `lux.Program`
    """

    algorithm: str = "pagerank"
    program: type[Program]


STRATEGIES: tuple[Strategy[PageRankQuery], ...] = (VertexProgram(lambda query: query.program),)
