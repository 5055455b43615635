# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""LAGraph's algorithms, through python-graphblas: on a symmetric matrix, which is its own transpose.

Types are those for which the wheels have compiled kernels: int32, not uint32.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from graphblas import Vector, binary, monoid, select, semiring
from numpy.typing import NDArray

from benchmarks.contender import ALPHA, ITERATIONS

PUSH_ALPHA, GROW, SHRINK = 8, 8, 512
"""LAGraph's alpha, beta1 and beta2: a frontier's minimum share of the unexplored edges, and of the vertices."""
ANY_SECONDI = semiring.ss.any_secondi["INT32"]
MIN_PLUS = semiring.min_plus["INT32"]
PLUS_FIRST, PLUS_SECOND = semiring.plus_first["FP64"], semiring.plus_second["FP64"]
UNREACHED = np.iinfo(np.int32).max


def pagerank(matrix: Any, degrees: NDArray[np.int64], dtype: Any) -> Any:
    """Run power iteration with plus_second; the rank of vertices without neighbours is given to all."""
    n = len(degrees)
    isolated = np.flatnonzero(degrees == 0)
    sinks = Vector.from_coo(isolated, dtype(1), size=n, dtype=dtype)
    weights = Vector.from_dense(
        np.divide(ALPHA, degrees, out=np.zeros(n, dtype), where=degrees > 0, casting="same_kind")
    )
    ranks = Vector.from_scalar(dtype(1 / n), n)
    shares, new = Vector(ranks.dtype, n), Vector(ranks.dtype, n)
    for _ in range(ITERATIONS):
        lost = binary.times(ranks & sinks).reduce(monoid.plus).new().value or 0.0
        shares << binary.times(ranks & weights)
        new << float((1 - ALPHA + ALPHA * lost) / n)
        new(binary.plus) << semiring.plus_second(matrix @ shares)
        ranks, new = new, ranks
    ranks.wait()
    return ranks


def bfs(matrix: Any, degrees: Any, root: int) -> tuple[Any, Any]:
    """Return distances and parents, both int32, without entries for unreached vertices."""
    n, root = matrix.nrows, int(root)
    parents, distances, frontier = (Vector("INT32", n) for _ in range(3))
    parents.ss.config["sparsity_control"] = distances.ss.config["sparsity_control"] = "bitmap"
    parents[root], distances[root], frontier[root] = root, 0, root
    unexplored, size, before = matrix.nvals, 1, 0
    push, pulled = True, False
    for level in itertools.count(1):
        growing = size > before
        if not push:
            push = size < before and size <= n / SHRINK
        elif pulled:
            push = not (growing and size > n / GROW and unexplored >= n)
        elif unexplored >= n:
            edges = binary.first(degrees & frontier).new().reduce(monoid.plus).new().value
            unexplored -= edges
            push = not (growing and edges > unexplored / PUSH_ALPHA)
        pulled |= not push
        frontier.ss.config["sparsity_control"] = "sparse" if push else "bitmap"
        frontier(~parents.S, replace=True) << ANY_SECONDI(frontier @ matrix if push else matrix @ frontier)
        before, size = size, frontier.nvals
        if not size:
            break
        parents(frontier.S) << frontier
        distances(frontier.S) << level
    return distances, parents


def fastsv(matrix: Any) -> NDArray[np.int32]:
    """Return a label for each component (Zhang, Azad and Hu, "FastSV", 2020)."""
    labels = np.arange(matrix.nrows, dtype=np.int32)
    grand = labels.copy()
    least = Vector.from_dense(labels)
    while True:
        least(binary.min) << semiring.min_second["INT32"](matrix @ Vector.from_dense(grand))
        smallest = least.to_dense()
        np.minimum.at(labels, labels.copy(), smallest)
        np.minimum(labels, np.minimum(smallest, grand), out=labels)
        previous, grand = grand, labels[labels]
        if np.array_equal(previous, grand):
            return grand


def split(matrix: Any, delta: int) -> tuple[Any, Any]:
    """Split the edges into the ones of at most a weight, and the others."""
    light, heavy = matrix.select("<=", delta).new(), matrix.select(">", delta).new()
    light.wait()
    heavy.wait()
    return light, heavy


def sssp(light: Any, heavy: Any, delta: int, root: int) -> Any:
    """Return distances, int32, `UNREACHED` if unreached, by delta-stepping (Sridhar et al., IPDPSW 2019)."""
    n = light.nrows
    distances = Vector.from_scalar(UNREACHED, n, dtype="INT32")
    bucket, asked, nothing = Vector("INT32", n), Vector("INT32", n), Vector("BOOL", n)
    waiting, settled, less = Vector("BOOL", n), Vector("BOOL", n), Vector("BOOL", n)
    distances.ss.config["sparsity_control"] = waiting.ss.config["sparsity_control"] = "bitmap"
    for vector in (bucket, asked, settled, less):
        vector.ss.config["sparsity_control"] = "sparse"
    distances[root], waiting[root] = 0, True
    step = 0
    while waiting.nvals:
        step += 1
        bucket(waiting.S, replace=True) << distances
        bucket << select.valuelt(bucket, step * delta)
        while bucket.nvals:
            settled(bucket.S) << True
            _ask(bucket, light, distances, asked, less)
            if not less.nvals:
                break
            waiting(less.S) << True
            bucket(less.S, replace=True) << select.valuelt(asked, step * delta)
            distances(less.S) << asked
        bucket(settled.S, replace=True) << distances
        _ask(bucket, heavy, distances, asked, less)
        distances(less.S) << asked
        waiting(less.S) << True
        waiting(settled.S) << nothing
        settled.clear()
    return distances


def _ask(bucket: Any, matrix: Any, distances: Any, asked: Any, less: Any) -> None:
    """Return the bucket's offers to its neighbours, and a mask of the improving ones."""
    asked << MIN_PLUS(bucket @ matrix)
    less << binary.lt(asked & distances)
    less << select.valuene(less, False)


def betweenness(matrix: Any, root: int) -> Any:
    """Return each vertex's dependency of one source (Brandes), float64; 0 at the source."""
    n = matrix.nrows
    paths, frontier = Vector("FP64", n), Vector("FP64", n)
    paths.ss.config["sparsity_control"] = "bitmap"
    paths[root], frontier[root] = 1, 1
    levels, pull = [], False
    while True:
        pull = frontier.nvals > (0.06 if pull else 0.10) * n
        frontier.ss.config["sparsity_control"] = "bitmap" if pull else "sparse"
        frontier(~paths.S, replace=True) << _through(matrix, frontier, pull=pull)
        if not frontier.nvals:
            break
        levels.append(frontier.dup())
        paths(binary.plus) << frontier
    through, update = Vector.from_scalar(1.0, n), Vector("FP64", n)
    for above, level in itertools.pairwise(reversed(levels)):
        update(above.S, replace=True) << binary.truediv(through & paths)
        size, target = update.nvals, level.nvals
        pull = (size > 0.1 * n and size > target) or (size > 0.01 * n and size > 10 * target)
        update.ss.config["sparsity_control"] = "bitmap" if pull else "sparse"
        update(level.S, replace=True) << _through(matrix, update, pull=pull)
        through(binary.plus) << binary.times(update & paths)
    through(binary.minus) << 1.0
    through.wait()
    return through


def _through(matrix: Any, vector: Any, *, pull: bool) -> Any:
    """Sum a vector's values over each vertex's neighbours."""
    return PLUS_SECOND(matrix @ vector) if pull else PLUS_FIRST(vector @ matrix)
