# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs that between them use everything a program may."""

import numpy as np

import lux


class Hops(lux.Program):
    """Steps from a source."""

    count = lux.field(int, reduce=lux.MIN)

    def start(v, params):
        if v.id == params.source:
            v.count = 0
        return v.id == params.source

    def compute(v, u, edge, params):
        return u.count + 1

    def update(v, old, params):
        return v.count < old.count


class Own(lux.Program):
    """A combination of its own over two fields, too wide for one word."""

    total = lux.field(np.float64, reduce=lux.CUSTOM)
    most = lux.field(np.int64, reduce=lux.CUSTOM)

    def start(v, params):
        v.total = 1.0
        v.most = v.id

    def compute(v, u, edge, params):
        return u.total * 0.5, u.most

    def update(v, old, params):
        v.total = v.total + v.most * params.step

    def combine(a, b):
        a.total = a.total + b.total
        a.most = max(a.most, b.most)


class Small(lux.Program):
    """Small types, several reductions, a constant field, degrees and ids of both ends."""

    most = lux.field(np.int8, reduce=lux.MAX)
    count = lux.field(np.uint16, reduce=lux.ADD)
    seen = lux.field(bool, reduce=lux.OR)
    all_odd = lux.field(np.uint8, reduce=lux.AND)
    height = lux.field(np.float32, constant=True)

    def start(v, params):
        v.most = (v.id + v.in_degree) % 7
        v.seen = v.id == 3
        v.all_odd = v.id & 3

    def compute(v, u, edge, params):
        return (u.most + u.id) % 11, 1 + (v.id + u.out_degree) % 2, u.seen and v.height > u.height, u.all_odd | 1

    def update(v, old, params):
        v.count = v.count + v.in_degree + old.count + params.iteration


class Vectors(lux.Program):
    """Two vectors, an inner product, edge weights, init, and a total that later iterations read."""

    pull = lux.field(np.float64, reduce=lux.ADD, shape=5)
    at = lux.field(np.float64, shape=5)

    def start(v, params):
        v.at = 1.0 / (1 + v.id)
        v.at[2] = v.id % 5

    def init(v, old, params):
        v.pull = 0.001 * old.at

    def compute(v, u, edge, params):
        return (edge.weight / 300 - lux.dot(u.at, v.at)) * u.at

    def update(v, old, params):
        v.at = (old.at + 0.001 * v.pull + params.spread) / (1 + v.at[0] * v.at[0])

    @lux.aggregate
    def spread(v, old, params):
        return v.at[1] / params.n_vertices


class Remainders(lux.Program):
    """A vector of integers, edge weights, a total that later iterations read, and no frontier."""

    x = lux.field(np.int64, reduce=lux.ADD, shape=3)
    y = lux.field(np.int64, shape=3)

    def start(v, params):
        for k in range(3):
            v.y[k] = v.id + k

    def compute(v, u, edge, params):
        return u.y * edge.weight

    def update(v, old, params):
        for k in range(3):
            v.y[k] = (old.y[k] + v.x[k] + params.sum) % 101

    @lux.aggregate
    def sum(v, old, params):
        return v.y[0]


class Wide(lux.Program):
    """Distances in float64 and parents: pairs of more than eight bytes."""

    distance = lux.field(np.float64, reduce=lux.MIN)
    parent = lux.field(lux.VERTEX, arg_of="distance")

    def start(v, params):
        v.distance = 0.0 if v.id == params.source else np.inf
        return v.id == params.source

    def compute(v, u, edge, params):
        return u.distance + edge.weight, u.id

    def update(v, old, params):
        return v.distance < old.distance


class Narrow(Wide):
    """The same in one word."""

    distance = lux.field(np.float32, reduce=lux.MIN)
    parent = lux.field(lux.VERTEX, arg_of="distance")


class Reached(lux.Program):
    """A frontier, and gathers that end early."""

    mark = lux.field(bool, reduce=lux.OR)

    def start(v, params):
        v.mark = v.id == params.source
        return v.mark

    def compute(v, u, edge, params):
        return u.mark

    def update(v, old, params):
        return v.mark != old.mark

    def done(v, old):
        return v.mark


class Spreading(lux.Program):
    """A frontier whose contributions add up: all vertices are written in each iteration."""

    heat = lux.field(np.float64, reduce=lux.ADD)
    given = lux.field(np.float64)

    def start(v, params):
        v.heat = 1.0 if v.id % 3 == 0 else 0.0
        v.given = v.heat
        return v.heat > 0

    def init(v, old, params):
        v.heat = 0.0

    def compute(v, u, edge, params):
        return 0.5 * u.given / u.out_degree

    def update(v, old, params):
        v.given = v.heat
        return v.heat > 1e-3


class Peel(lux.Program):
    """A frontier with init: vertices of too small a degree leave, and take their edges with them."""

    degree = lux.field(np.int32)
    lost = lux.field(np.int32, reduce=lux.ADD)
    gone = lux.field(np.bool_)
    fresh = lux.field(np.bool_)

    def start(v, params):
        v.degree = v.in_degree
        v.gone = v.in_degree < params.k
        v.fresh = v.gone
        return v.gone

    def init(v, old, params):
        v.lost = 0

    def compute(v, u, edge, params):
        return 1 if u.fresh else 0

    def update(v, old, params):
        v.degree = old.degree - v.lost
        v.fresh = not old.gone and v.degree < params.k
        v.gone = old.gone or v.fresh
        return v.lost > 0 or v.fresh
