# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The specification's five rules, checked in parallel on the original edge list (section "Validation").

1. The tree has no cycles. 2. The ends of each tree edge are one level apart; in a shortest-path tree, the edge's weight
apart. 3. The ends of each input edge are at most one level (its weight) apart. 4. The tree spans the root's whole
component. 5. A vertex and its parent are joined by an input edge.

Rule 2 is stricter here than the specification, which allows tree edges shorter than their weight: as in its reference
code, a distance is its parent's and the weight of an edge between them, added in the distances' own type. So rules 2
and 3 together prove that distances are the shortest.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.build import StoredEdges
from lux.errors import ValidationError
from lux.graph500.engines import Tree
from lux.runtime import Launcher

RULES = (
    "parents and distances are in range, the root is its own parent at distance 0, and both agree on who is reached",
    "rule 1: the tree has no cycle, and all parents lead to the root",
    "rule 2: a tree edge's ends are one level, or the edge's weight, apart",
    "rule 3: an input edge's ends are at most one level, or the edge's weight, apart",
    "rule 4: the tree spans the root's component: no input edge leaves it",
    "rule 5: a vertex and its parent are joined by an input edge",
)
"""By place in the counts: the first is what the other checks rest on."""


def validate(tuples: StoredEdges, tree: Tree, *, weighted: bool, points: int | None = None) -> None:
    """Check a search's result.

    Parameters
    ----------
    tuples : StoredEdges
        The edge list, with a property ``weight`` if ``weighted``.
    weighted : bool
        Whether distances add up weights; they are levels otherwise.
    points : int, optional
        Point tasks; by default one for each processor.

    Raises
    ------
    ValidationError
        Some rule is broken; names each, and how many vertices or edges break it.
    """
    points = points or runtime.processors()
    broken = runtime.new_store(np.int64, len(RULES), 0)
    n, root = tuples.n_vertices, tree.root
    vertices = runtime.ranges(np.arange(points + 1, dtype=np.int64) * n // points)
    own = {"vertices": vertices, "n": n, "root": root, "pieces": points}
    _vertices_launcher()(points, parent=tree.parent, distance=tree.distance, broken=broken, **own)
    _refuse(tree, runtime.to_array(broken))
    loose = _off_the_root(tree, own, points)
    marks = runtime.new_store(np.int32, n, 0)
    weights = {"weights": tuples.properties["weight"]} if weighted else {}
    _edges_launcher(weighted)(
        points,
        sources=tuples.sources,
        destinations=tuples.destinations,
        **weights,
        parent=tree.parent,
        distance=tree.distance,
        marks=marks,
        broken=broken,
        edges=runtime.ranges(np.linspace(0, tuples.n_edges, points + 1).astype(np.int64)),
    )
    _marks_launcher()(points, parent=tree.parent, marks=marks, broken=broken, **own)
    counts = runtime.to_array(broken)
    counts[1] = loose
    _refuse(tree, counts)


def _refuse(tree: Tree, counts: NDArray[np.int64]) -> None:
    wrong = [f"{RULES[k]} (broken {count:,} times)" for k, count in enumerate(counts[: len(RULES)]) if count]
    if wrong:
        raise ValidationError(f"the search from root {tree.root} is wrong; it does not hold that " + "; ".join(wrong))


def _off_the_root(tree: Tree, own: dict[str, Any], points: int) -> int:
    """How many of the tree's vertices do not lead to the root, by pointer jumping: log2(depth) launches."""
    ancestor, left, n = tree.parent, 0, own["n"]
    for _ in range(max(1, (n - 1).bit_length())):
        following, count = runtime.new_store(tree.parent.dtype, n), runtime.new_scalar()
        _jump_launcher()(points, before=ancestor, after=following, left=count, **own)
        left, ancestor = runtime.read_scalar(count), following
        if not left:
            break
    return left


@functools.cache
def _vertices_launcher() -> Launcher:
    from lux.kernels import graph500 as kernels

    def check_vertices(
        point: int, parent: Any, distance: Any, broken: NDArray[np.int64], n: int, root: int, pieces: int
    ) -> None:
        kernels.check_vertices(point * n // pieces, root, parent, distance, n, broken)

    inputs: dict[str, str | None] = {"parent": "vertices", "distance": "vertices"}
    return Launcher(check_vertices, inputs=inputs, sums={"broken": None}, scalars=_OWN)


@functools.cache
def _jump_launcher() -> Launcher:
    from lux.kernels import graph500 as kernels

    def jump(point: int, before: Any, after: Any, left: NDArray[np.int64], n: int, root: int, pieces: int) -> None:
        left[0] += kernels.jump(point * n // pieces, root, before, after)

    outputs: dict[str, str | None] = {"after": "vertices"}
    return Launcher(jump, inputs={"before": None}, outputs=outputs, sums={"left": None}, scalars=_OWN)


@functools.cache
def _edges_launcher(weighted: bool) -> Launcher:
    from lux.kernels import graph500 as kernels

    def check_edges(_point: int, sources: Any, destinations: Any, *rest: Any) -> None:
        kernels.check_edges(sources, destinations, *(rest if weighted else (None, *rest)))

    inputs: dict[str, str | None] = {"sources": "edges", "destinations": "edges"}
    inputs |= {"weights": "edges"} if weighted else {}
    inputs |= {"parent": None, "distance": None}
    return Launcher(check_edges, inputs=inputs, sums={"marks": None, "broken": None})


@functools.cache
def _marks_launcher() -> Launcher:
    from lux.kernels import graph500 as kernels

    def check_marks(
        point: int, parent: Any, marks: Any, broken: NDArray[np.int64], n: int, root: int, pieces: int
    ) -> None:
        kernels.check_marks(point * n // pieces, root, parent, marks, broken)

    inputs: dict[str, str | None] = {"parent": "vertices", "marks": "vertices"}
    return Launcher(check_marks, inputs=inputs, sums={"broken": None}, scalars=_OWN)


_OWN = {"n": int, "root": int, "pieces": int}
