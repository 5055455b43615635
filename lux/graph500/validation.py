# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Validation by the specification's five rules, in parallel on the original edge list (section "Validation").

1. The tree has no cycles. 2. The ends of each tree edge are one level apart; in a shortest-path tree, the edge's weight
apart. 3. The ends of each input edge are at most one level (its weight) apart. 4. The tree spans the root's whole
component. 5. A vertex and its parent are joined by an input edge.

Rule 2 is stricter here than in the specification, which allows tree edges shorter than their weight: as in its
reference code, a distance equals the parent's distance plus the weight of an edge between them, in the distances' type.
So rules 2 and 3 together prove that distances are the shortest.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import ValidationError
from lux.graph.construction.edge_stores import StoredEdges
from lux.graph500 import kernels
from lux.graph500.searches import Tree
from lux.runtime import Launcher, Store

_OWN = {"n": int, "root": int, "pieces": int}

RULES = (
    "parents and distances are in range, the root is its own parent at distance 0, and both agree on who is reached",
    "rule 1: the tree has no cycle, and all parents lead to the root",
    "rule 2: a tree edge's ends are one level, or the edge's weight, apart",
    "rule 3: an input edge's ends are at most one level, or the edge's weight, apart",
    "rule 4: the tree spans the root's component: no input edge leaves it",
    "rule 5: a vertex and its parent are joined by an input edge",
)
"""Rules by index in the counts; all other checks rely on the first."""


def validate(tuples: StoredEdges, tree: Tree, *, weighted: bool, points: int | None = None) -> None:
    """Check a search's result.

    Parameters
    ----------
    tuples : StoredEdges
        The edge list, with a property ``weight`` if ``weighted``.
    weighted : bool
        Distances add up weights; they are levels otherwise.
    points : int, optional
        Point tasks; by default one for each processor.

    Raises
    ------
    ValidationError
        Some rule is broken; the message names each, and how many vertices or edges break it.
    """
    points = points or runtime.processors()
    n = tuples.n_vertices
    own = {"vertices": runtime.even_ranges(n, points), "n": n, "root": tree.root, "pieces": points}
    counted = {"rows": runtime.even_ranges(points * len(RULES), points)}
    broken = [runtime.new_store(np.int64, points * len(RULES)) for _ in range(3)]
    marks = runtime.new_store(np.int32, n)
    _check_vertices(points, parent=tree.parent, distance=tree.distance, marks=marks, broken=broken[0], **own, **counted)
    refuse(tree, _total(broken[0], points))
    loose = _off_the_root(tree, own, points)
    weights = {"weights": tuples.properties["weight"]} if weighted else {}
    _edges_launcher(weighted)(
        points,
        sources=tuples.sources,
        destinations=tuples.destinations,
        **weights,
        parent=tree.parent,
        distance=tree.distance,
        marks=marks,
        broken=broken[1],
        edges=runtime.even_ranges(tuples.n_edges, points),
        **counted,
    )
    _check_marks(points, parent=tree.parent, marks=marks, broken=broken[2], **own, **counted)
    counts = _total(broken[1], points) + _total(broken[2], points)
    counts[1] = loose
    refuse(tree, counts)


def _total(broken: Store, points: int) -> NDArray[np.int64]:
    """Sum the counts by rule over all points; the shape is (n_rules,)."""
    total: NDArray[np.int64] = runtime.to_array(broken).reshape(points, len(RULES)).sum(axis=0)
    return total


def refuse(tree: Tree, counts: NDArray[np.int64]) -> None:
    """Raise `ValidationError` if some rule of `RULES` is broken, by the counts."""
    wrong = [f"{RULES[k]} (broken {count:,} times)" for k, count in enumerate(counts) if count]
    if wrong:
        raise ValidationError(f"the search from root {tree.root} is wrong; it does not hold that " + "; ".join(wrong))


def _off_the_root(tree: Tree, own: dict[str, Any], points: int) -> int:
    """Count the tree's vertices that do not lead to the root, by pointer jumping: log2(depth) launches."""
    ancestor, left, n = tree.parent, 0, own["n"]
    for _ in range(max(1, (n - 1).bit_length())):
        following, count = runtime.new_store(tree.parent.dtype, n), runtime.new_scalar()
        _jump(points, before=ancestor, after=following, left=count, **own)
        left, ancestor = runtime.read_scalar(count), following
        if not left:
            break
    return left


@runtime.task(
    inputs={"parent": "vertices", "distance": "vertices"}, outputs={"marks": "vertices", "broken": "rows"}, scalars=_OWN
)
def _check_vertices(
    point: int, parent: Any, distance: Any, marks: Any, broken: Any, n: int, root: int, pieces: int
) -> None:
    kernels.check_vertices(point * n // pieces, root, parent, distance, n, marks, broken)


@runtime.task(inputs={"before": None}, outputs={"after": "vertices"}, sums={"left": None}, scalars=_OWN)
def _jump(point: int, before: Any, after: Any, left: Any, n: int, root: int, pieces: int) -> None:
    left[0] += kernels.jump(point * n // pieces, root, before, after)


@functools.cache
def _edges_launcher(weighted: bool) -> Launcher:
    def check_edges(_point: int, sources: Any, destinations: Any, *rest: Any) -> None:
        *weights, parent, distance, broken, marks = rest
        kernels.check_edges(sources, destinations, weights[0] if weights else None, parent, distance, broken, marks)

    inputs: dict[str, str | None] = {"sources": "edges", "destinations": "edges"}
    inputs |= {"weights": "edges"} if weighted else {}
    inputs |= {"parent": None, "distance": None}
    return Launcher(check_edges, inputs=inputs, outputs={"broken": "rows"}, sums={"marks": None})


@runtime.task(inputs={"parent": "vertices", "marks": "vertices"}, outputs={"broken": "rows"}, scalars=_OWN)
def _check_marks(point: int, parent: Any, marks: Any, broken: Any, n: int, root: int, pieces: int) -> None:
    kernels.check_marks(point * n // pieces, root, parent, marks, broken)
