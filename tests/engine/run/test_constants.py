# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Constant fields: the same answer whether runs take them as arrays or as stores, and launches for stores alone."""

import numpy as np
import pytest

import lux
from lux.engine.run.constants import Constants
from lux_cases.stores import from_array, recorded, to_array


class Mixed(lux.Program):
    """Sums of a constant that neighbours read, of one that the vertex reads, and of a vector."""

    total = lux.field(np.int64, reduce=lux.ADD)
    near = lux.field(np.int32, constant=True)
    own = lux.field(np.int16, constant=True)
    pair = lux.field(np.int64, shape=2, constant=True)

    def start(v, params):
        v.total = v.own

    def compute(v, u, edge, params):
        return u.near + v.pair[1]

    def update(v, old, params):
        v.total = v.total * 3 + v.own + v.pair[0] + old.total % 7


def constants_of(graph):
    rng = np.random.default_rng(3)
    n = graph.n_vertices
    return {"near": rng.integers(0, 99, n), "own": rng.integers(0, 99, n), "pair": rng.integers(0, 9, (2, n)).T}


def expected(sources, destinations, given, iterations):
    own = given["own"].astype(np.int64)
    total = own.copy()
    for _ in range(iterations):
        gathered = np.zeros_like(own)
        np.add.at(gathered, destinations, given["near"][sources] + given["pair"][destinations, 1])
        total = gathered * 3 + own + given["pair"][:, 0] + total % 7
    return total


@pytest.mark.check
@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("n", [60, 45_000])  # for one thread, and for several
def test_ways_of_constants_give_the_same_answer(n, order):
    sources, destinations = np.random.default_rng(1).integers(0, n, (2, 12 * n))
    graph = lux.from_edges(sources, destinations, n_vertices=n).reordered(order)
    given = constants_of(graph)
    answer = expected(sources, destinations, given, 4)
    for parts in (None, 1, 3):
        assert np.array_equal(
            lux.run(Mixed, graph, constants=given, parts=parts, max_iter=4)["total"].to_numpy(), answer
        )
    stored = given | {"near": from_array(given["near"].astype(np.int32))}  # as algorithms pass on what a run has found
    assert np.array_equal(lux.run(Mixed, graph, constants=stored, max_iter=4)["total"].to_numpy(), answer)


def test_a_run_in_one_task_has_one_launch():
    graph = lux.toy.kite()
    given = constants_of(graph)
    lux.run(Mixed, graph, constants=given, max_iter=2)
    with recorded() as launches:
        lux.run(Mixed, graph, constants=given, max_iter=2)
    assert len(launches) == 1
    assert not [store for store in launches[0].stores if "given" in store[1]]


def test_constants_are_copies():
    graph = lux.toy.kite()
    given = {name: values.astype(np.int64) for name, values in constants_of(graph).items()}
    constants = Constants(Mixed.spec, graph, given)
    stores, arrays = constants.for_one_task()
    assert not stores
    assert not [name for name in given if np.shares_memory(arrays[name], given[name])]
    for name, store in constants.stores.items():
        assert np.array_equal(to_array(store), given[name].ravel())
        assert np.array_equal(arrays[name], given[name].ravel())
    assert constants.for_one_task() == (constants.stores, {})
