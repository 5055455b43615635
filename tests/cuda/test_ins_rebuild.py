# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`members.cu`: what GPUs make of partitions that have moved, beside what CPU cores make of the same."""

import numpy as np
import pytest

import lux
from lux.engine.gpu import ins_rebuild
from lux_cases.stores import to_array

GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,8", seed=2),
    "uniform": lambda: lux.generate("uniform:8,4", seed=1),
    "grid": lambda: lux.generate("grid:20x13"),
    "star": lambda: lux.from_edges(np.arange(1, 700), np.zeros(699, int), n_vertices=700),
    "isolated": lambda: lux.from_edges([3, 3, 64], [64, 95, 3], n_vertices=97),
    "one edge": lambda: lux.from_edges([2], [32], n_vertices=33),
}


def cuts(n):
    """Split points before, and some after them, of which some are of empty partitions."""
    begin = np.array([0, n // 3, n // 2, n])
    return begin, [[0, n // 3 + 1, n // 2 + 2, n], [0, 0, n, n], [0, n - 1, n - 1, n], [0, 31, 33, n]]


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_members_are_those_of_cpu_cores(machine, name, blocks):
    graph = GRAPHS[name]()
    n = graph.n_vertices
    wanted = np.array([0, 1, n // 2, n - 1, n, n + 40])
    begin, others = cuts(n)
    with machine(3, blocks=blocks, threads=96 if blocks == 1 else 64, seed=blocks) as m:
        before = graph.layout(3).moved(begin)
        for points in others:
            after, expected = before.moved(np.array(points)), before.moved(np.array(points)).members
            found, first = ins_rebuild.members(before, after, wanted)
            assert found.sizes.tolist() == expected.sizes.tolist()
            size = int(found.sizes.sum())
            np.testing.assert_array_equal(to_array(found.places)[:size], to_array(expected.places)[:size])
            edges = graph.n_edges
            np.testing.assert_array_equal(
                to_array(found.local_sources)[:edges], to_array(expected.local_sources)[:edges]
            )
            np.testing.assert_array_equal(first, expected.first_of(wanted))
            again = ins_rebuild.made(before.moved(np.array(points)), wanted)  # from nothing but the edges
            for lists, length in (("places", size), ("local_sources", edges)):
                np.testing.assert_array_equal(*(to_array(getattr(each, lists))[:length] for each in (again, found)))
            np.testing.assert_array_equal(again.first_of(wanted), first)
            after.members = found  # the next partitions are made from these
            before = after
    assert m.launched == ["lux_places", *(["lux_set", "lux_positions"] * 2)] * len(others)


def test_memory_that_it_takes():
    assert ins_rebuild.memory_bytes(1000, 320) >= 8 * 1000 + 2 * 40


def test_the_host_does_something_else_meanwhile(machine):
    """It is told when the members are counted, and closes what was launched when nothing runs."""
    graph = GRAPHS["kronecker"]()
    n = graph.n_vertices
    with machine(2, blocks=2, threads=64):
        before = graph.layout(2)
        after = before.moved(np.array([0, n // 5, n]))
        looked, relocation_ = [], ins_rebuild.Relocation()

        def wait(ready):
            looked.append((len(relocation_.launched), ready()))

        found, first = relocation_.make(before, after, np.array([n // 2]), wait)
        assert looked == [(2, True)]
        assert len(relocation_.launched) == 3
        relocation_.close()
        relocation_.close()
        assert first.shape == (2, 1)
        assert (first <= found.sizes[:, None]).all()
        plans = ins_rebuild.Relocation()

        def interrupted(_):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            plans.make(before, after, np.array([0]), interrupted)
        plans.close()
        assert not plans.launched
