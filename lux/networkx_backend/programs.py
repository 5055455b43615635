# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertex programs of the backend: HITS, Katz and eigenvector centrality, cores, searches in step, paths."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import lux
from lux.algorithms.betweenness.betweenness import Dependencies, WeightedDependencies

WORDS = 4
"""Words of bits in `ManySearches`: 64 searches a word."""
ROUTES = 64
"""Searches of `ManyRoutes`."""


@functools.cache
def of(program: type[lux.Program], dtype: np.dtype[Any]) -> type[lux.Program]:
    """Return the program with float64 fields of another type."""
    if dtype == np.float64:
        return program
    names = [f.name for f in program.spec.fields.values() if f.dtype == np.float64]
    return program.typed(f"{program.__name__}32", **dict.fromkeys(names, dtype.type))


class Hits(lux.Program):
    """Kleinberg 1999: hubs gather over out-edges, authorities over in-edges; ``edge.forward`` tells which it is.

    Authorities change in even iterations and hubs in odd ones: together they would oscillate on bipartite graphs.
    """

    begin = lux.field(np.float64, constant=True)
    hub = lux.field(np.float64, reduce=lux.ADD)
    authority = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.hub = v.begin
        v.authority = 0.0

    def compute(v, u, edge, params):
        if edge.forward:
            return 0.0, u.hub * edge.weight
        return u.authority * edge.weight, 0.0

    def update(v, old, params):
        if params.iteration % 2 == 0:
            v.hub = old.hub
            if params.hubs > 0:
                v.authority /= params.hubs
        else:
            v.authority = old.authority
            if params.authorities > 0:
                v.hub /= params.authorities

    @lux.aggregate
    def hubs(v, old, params):
        return v.hub

    @lux.aggregate
    def authorities(v, old, params):
        return v.authority

    @lux.aggregate
    def change(v, old, params):
        return abs(v.hub - old.hub) + abs(v.authority - old.authority)

    def converged(params):
        return params.change <= params.tol * (params.hubs + params.authorities)


class Katz(lux.Program):
    """Katz 1953: the scores of in-neighbours, damped, and a constant."""

    beta = lux.field(np.float64, constant=True)
    begin = lux.field(np.float64, constant=True)
    score = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.score = v.begin

    def compute(v, u, edge, params):
        return u.score

    def update(v, old, params):
        v.score = params.alpha * v.score + v.beta

    @lux.aggregate
    def change(v, old, params):
        return abs(v.score - old.score)

    def converged(params):
        return params.change < params.stop


class WeightedKatz(Katz):
    """`Katz`, where in-neighbours count by their edges' weights."""

    def compute(v, u, edge, params):
        return u.score * edge.weight


class Eigenvector(lux.Program):
    """Power iteration of A + I. ``score`` is the former iterate, as norms are known one iteration later."""

    begin = lux.field(np.float64, constant=True)
    score = lux.field(np.float64)
    raw = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.score = math.inf
        v.raw = v.begin

    def compute(v, u, edge, params):
        return u.raw

    def update(v, old, params):
        norm = 1.0
        if params.iteration > 0 and params.squares > 0:
            norm = math.sqrt(params.squares)
        v.score = old.raw / norm
        v.raw = (old.raw + v.raw) / norm

    @lux.aggregate
    def squares(v, old, params):
        return v.raw * v.raw

    @lux.aggregate
    def change(v, old, params):
        return abs(v.score - old.score)

    def converged(params):
        return params.change < params.stop


class WeightedEigenvector(Eigenvector):
    """`Eigenvector`, where in-neighbours count by their edges' weights."""

    def compute(v, u, edge, params):
        return u.raw * edge.weight


class CoreNumbers(lux.Program):
    """Peeling (Seidman 1983) for all k in one run: k goes up in an iteration in which no vertex leaves."""

    edges = lux.BOTH
    left = lux.field(np.int32)  # neighbours that have not left
    lost = lux.field(np.int32, reduce=lux.ADD)
    core = lux.field(np.int32)
    k = lux.field(np.int32)
    leaves = lux.field(np.int8)  # the vertex leaves in this iteration
    gone = lux.field(np.int8)
    degree = lux.field(np.int32, constant=True)

    def start(v, params):
        v.left = v.degree
        v.k = 0
        v.core = 0
        v.gone = 1 if v.degree == 0 else 0
        v.leaves = v.gone

    def compute(v, u, edge, params):
        return u.leaves

    def update(v, old, params):
        v.left = old.left - v.lost
        v.k = old.k
        if params.leaving == 0:
            v.k = old.k + 1
        v.leaves = 0
        if old.gone == 0 and v.left <= v.k:
            v.leaves = 1
            v.gone = 1
            v.core = v.k

    @lux.aggregate
    def leaving(v, old, params):
        return v.leaves

    @lux.aggregate
    def staying(v, old, params):
        return 1 - v.gone

    def converged(params):
        return params.staying == 0


class ManySearches(lux.Program):
    """Breadth-first searches in step, with a bit for each (Then et al., "The more the merrier", 2014)."""

    number = lux.field(np.int16, constant=True)  # number of the search that starts here, or -1
    seen = lux.field(np.uint64, shape=WORDS, reduce=lux.OR)  # bit i: search i has reached the vertex
    reached_by = lux.field(np.int32)  # searches, without the vertex's own
    distances = lux.field(np.int64)  # sum of the distances from them
    inverses = lux.field(np.float64)  # sum of 1 / distance
    farthest = lux.field(np.int32)

    def start(v, params):
        for k in range(WORDS):
            if v.number // 64 == k:
                v.seen[k] = 1 << (v.number % 64)
        return v.number >= 0

    def compute(v, u, edge, params):
        return u.seen

    def update(v, old, params):
        fresh = 0
        for k in range(WORDS):
            bits = v.seen[k] & ~old.seen[k]
            while bits != 0:
                bits &= bits - np.uint64(1)
                fresh += 1
        v.reached_by += fresh
        v.distances += fresh * (params.iteration + 1)
        v.inverses += fresh / (params.iteration + 1)
        if fresh > 0:
            v.farthest = params.iteration + 1
        return fresh > 0


class Routes(lux.Program):
    """Bellman-Ford from several sources at once."""

    begin = lux.field(np.float64, constant=True)  # 0 at sources, else infinite
    distance = lux.field(np.float64, reduce=lux.MIN)
    previous = lux.field(lux.VERTEX, arg_of="distance")

    def start(v, params):
        v.distance = v.begin
        return v.begin == 0

    def compute(v, u, edge, params):
        return u.distance + edge.weight, u.id

    def update(v, old, params):
        return v.distance < old.distance


class ManyRoutes(lux.Program):
    """Bellman-Ford from many sources, each on its own, in step."""

    number = lux.field(np.int16, constant=True)  # number of the search that starts here, or -1
    distance = lux.field(np.float64, shape=ROUTES, reduce=lux.MIN)

    def start(v, params):
        for k in range(ROUTES):
            v.distance[k] = math.inf
            if v.number == k:
                v.distance[k] = 0.0
        return v.number >= 0

    def compute(v, u, edge, params):
        return u.distance + edge.weight

    def update(v, old, params):
        nearer = 0
        for k in range(ROUTES):
            if v.distance[k] < old.distance[k]:
                nearer = 1
        return nearer > 0


class TargetDependencies(Dependencies):
    """Brandes' backward sweep, where only some vertices count as targets."""

    target = lux.field(np.float64, constant=True)

    def start(v, params):
        v.dependency = 0.0
        v.share = v.target / v.paths if v.level > 0 else 0.0
        return v.share > 0


class WeightedTargetDependencies(WeightedDependencies):
    """Brandes' backward sweep along weights, where only some vertices count as targets."""

    target = lux.field(np.float64, constant=True)

    def start(v, params):
        v.dependency = 0.0
        v.share = v.target / v.paths if v.distance > 0 and v.paths > 0 else 0.0
        return v.share > 0
