# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Assignment of the rows of a rating matrix to GPUs: each side by itself, rows by degree, hubs in segments."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lux.graph.construction import sort_kernels
from lux.partition import split_points

FEW = 8
"""Ratings of a row, at most, of which a warp takes several where factors are short."""


@dataclass(frozen=True, eq=False)
class SideRows:
    """A GPU's rows of one side.

    Attributes
    ----------
    rows : np.ndarray, uint32
        Their places, by falling number of ratings.
    n_hubs, n_large : int
        So many of them, from the first on, have segments, and more than a few ratings.
    first_segment : np.ndarray of shape (n_hubs + 1,), uint32
        Of each hub, and the number of all segments.
    first_edge, end_edge : int
        A range of the graph's in-edges in which all theirs are.
    """

    rows: NDArray[np.uint32]
    n_hubs: int
    n_large: int
    first_segment: NDArray[np.uint32]
    first_edge: int
    end_edge: int

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return int(self.first_segment[-1])

    @property
    def hub_of(self) -> NDArray[np.uint32]:
        """The hub of each segment."""
        return np.repeat(np.arange(self.n_hubs, dtype=np.uint32), np.diff(self.first_segment))

    @property
    def arrays(self) -> dict[str, NDArray[np.uint32]]:
        """The lists that kernels read, by name."""
        return {"rows": self.rows, "hub_of": self.hub_of, "first_segment": self.first_segment}


@dataclass(frozen=True, eq=False)
class RowAssignment:
    """Rows of all GPUs.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_vertices + 1,), int64
        Of in-edges of the graph with both directions.
    sides : np.ndarray of shape (n_vertices,), uint8
    parts : int
    cost : int
        What a row costs besides its ratings, in ratings.
    segment : int
        Ratings of a segment.
    few : int
        Ratings of a row, at most, of which a warp takes several; -1: of none.

    Attributes
    ----------
    of : list of (SideRows, SideRows)
        Each GPU's rows of the left and of the right side.

    Examples
    --------
    >>> assignment = RowAssignment(np.array([0, 3, 4, 5, 6, 8]), np.array([0, 0, 1, 1, 1], np.uint8), 2, 1, 2, -1)
    >>> [[side.rows.tolist() for side in both] for both in assignment.of]
    [[[0], [2, 3]], [[1], [4]]]
    >>> assignment.of[0][0].n_hubs, assignment.of[0][0].hub_of.tolist(), assignment.of[0][1].n_hubs
    (1, [0, 0], 0)
    """

    offsets: NDArray[np.int64]
    sides: NDArray[np.uint8]
    parts: int
    cost: int
    segment: int
    few: int
    of: list[tuple[SideRows, SideRows]] = field(init=False)

    def __post_init__(self) -> None:
        degrees = np.diff(self.offsets)
        found = []
        for side in (0, 1):
            members = np.flatnonzero(self.sides == side)
            work = split_points.starts(degrees[members] + self.cost)
            if self.parts == 1 or not len(members):
                points = np.full(self.parts + 1, len(members), np.int64)
                points[0] = 0
            else:
                points = split_points.balanced_points(work, self.parts)
            found.append([self._side(members[a:b], degrees) for a, b in itertools.pairwise(points)])
        object.__setattr__(self, "of", list(zip(*found, strict=True)))

    def _side(self, members: NDArray[np.int64], degrees: NDArray[np.int64]) -> SideRows:
        mine = degrees[members]
        order = sort_kernels.by_falling_value(mine) if len(mine) else np.empty(0, np.int64)
        mine = mine[order]
        hubs = int(np.searchsorted(-mine, -self.segment))
        segments = split_points.starts(-(-mine[:hubs] // self.segment)).astype(np.uint32)
        large = max(int(np.searchsorted(-mine, -self.few)), hubs) if self.few >= 0 else len(mine)
        edges = (int(self.offsets[members[0]]), int(self.offsets[members[-1] + 1])) if len(members) else (0, 0)
        return SideRows(members[order].astype(np.uint32), hubs, large, segments, *edges)

    def most(self, number: str) -> int:
        """Return the largest number of that name, over all GPUs and sides."""
        return max(int(getattr(side, number)) for both in self.of for side in both)

    @property
    def most_segments(self) -> int:
        """Segments that a GPU has of both sides, at most."""
        return max(a.n_segments + b.n_segments for a, b in self.of)

    @property
    def edges(self) -> NDArray[np.int64]:
        """Edges of both ranges of each GPU, of shape (parts,); one GPU has all once."""
        if self.parts == 1:
            return self.offsets[-1:]
        return np.array([sum(s.end_edge - s.first_edge for s in both) for both in self.of], np.int64)

    def lists(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], dict[str, NDArray[np.int64]]]:
        """Put all GPUs' lists in one array; return it, each GPU's beginning, and that of each list there in bytes."""
        pieces: list[NDArray[np.uint32]] = []
        sizes, at = [], []
        for both in self.of:
            named = {f"{name}_{k}": x for k, side in enumerate(both) for name, x in side.arrays.items()}
            begins = split_points.starts(np.array([len(x) for x in named.values()], np.int64))
            at.append(dict(zip(named, (4 * begins[:-1]).tolist(), strict=True)))
            pieces += named.values()
            sizes.append(int(begins[-1]))
        places = {name: np.array([each[name] for each in at], np.int64) for name in at[0]}
        return np.concatenate(pieces), split_points.starts(np.array(sizes, np.int64)), places
