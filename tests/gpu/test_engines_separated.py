# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategy ``degree-separated`` finds the same on GPUs as the default search on CPU cores."""

import functools
import itertools

import numpy as np
import pytest

import lux
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.distributed.degree_separated import degree_separated, gpu
from lux.algorithms.bfs.distributed.degree_separated.degree_separated import Options
from lux.errors import ConfigurationError
from lux_cases import searches
from lux_cases.machine import gpus, on_cores
from lux_cases.stores import to_array

pytestmark = pytest.mark.gpu

ENGINE = "degree-separated"
INFINITE = (np.inf,) * 4
DIRECTIONS = {
    "chosen": (gpu.TO_BACKWARD, gpu.TO_FORWARD),
    "forward": (INFINITE, INFINITE),
    "backward": ((np.inf, -1.0, -1.0, -1.0), (0.0, -1.0, -1.0, -1.0)),
}


def hubs():
    """Two long rows of normal vertices, and what no path leads to."""
    u = np.concatenate([np.zeros(9000, np.int64), np.ones(5000, np.int64), [9500]])
    v = np.concatenate([np.arange(2, 9002), np.arange(8000, 13000), [9600]])
    return lux.from_edges(u, v, n_vertices=13100, directed=False)


def hubs_of_delegates():
    """Three long rows of delegates, which a path joins, too."""
    path = np.arange(3, 4503)
    u = np.concatenate([np.repeat(np.arange(3), 4500), path[:-1]])
    v = np.concatenate([np.tile(path, 3), path[1:]])
    return lux.from_edges(u, v, n_vertices=4600, directed=False)


MADE = {
    "kronecker": lambda: lux.generate("kronecker:13,16", seed=1),
    "by degree": lambda: lux.generate("kronecker:12,16", seed=2).reordered("degree"),
    "uniform": lambda: lux.generate("uniform:10,4", seed=3).symmetrized(),
    "grid": lambda: lux.toy.grid(13, 17),
    "hubs": hubs,
    "hubs of delegates": hubs_of_delegates,
    **{name: searches.MADE[name] for name in ("star", "loops and isolated")},
}


@functools.cache
def made(name):
    return MADE[name]()


@functools.cache
def expected(name, source, limit=None):
    with lux.using(device="cpu"):
        return lux.bfs(made(name), source, max_iter=limit)


def parts_here():
    return searches.counts(1, 2, 4)


def check(name, source, parts, threshold=None, options=degree_separated.DEFAULTS, limit=None):
    """Distances, counts, and a tree of the graph's edges."""
    g, right = made(name), expected(name, source, limit)
    with lux.using(device="gpu"):
        most = 10**6 if limit is None else limit
        run = degree_separated.search(g, g.place_of(source), most, parts, None, threshold=threshold, options=options)
    case = f"{name}, source={source}, parts={parts}, threshold={threshold}, limit={limit}"
    assert (run.device, run.parts) == ("gpu", parts), case
    assert (run.iterations, run.converged) == (right.iterations, right.converged), case
    distance, parent = (to_array(run.fields[n]) for n in ("distance", "parent"))
    levels, dense = right.distances.dense(), g.ids.dense(source)
    np.testing.assert_array_equal(distance, levels, err_msg=case)
    assert (parent[levels < 0] == -1).all(), case
    assert parent[dense] == dense, case
    child = np.flatnonzero((levels >= 0) & (np.arange(g.n_vertices) != dense))
    assert (levels[parent[child]] == levels[child] - 1).all(), case
    assert g.has_dense_edges(parent[child], child).all(), case
    degrees = g.dense_out_degrees()
    for level, did in enumerate(run.statistics):
        assert (did.frontier, did.frontier_edges) == ((levels == level).sum(), degrees[levels == level].sum()), case
        assert (did.seconds > 0).all(), case
        assert parts > 1 or did.exchanged == 0, case
    return run


@pytest.mark.parametrize("directions", DIRECTIONS)
@pytest.mark.parametrize("name", MADE)
def test_graphs(name, directions, monkeypatch):
    for constant, factors in zip(("TO_BACKWARD", "TO_FORWARD"), DIRECTIONS[directions], strict=True):
        monkeypatch.setattr(gpu, constant, factors)
    hub = int(made(name).dense_out_degrees().argmax())
    for parts in parts_here():
        for source in (hub, 0, made(name).n_vertices - 1):
            check(name, source, parts)
        for threshold in (0, 5, 10**6):
            check(name, hub, parts, threshold)
            check(name, 7, parts, threshold, Options(uniquify=False))


@pytest.mark.parametrize("name", ["kronecker", "by degree", "grid"])
def test_limits(name):
    for parts, limit in itertools.product(parts_here(), (0, 1, 2, 3)):
        check(name, 3, parts, limit=limit)


def test_offsets_of_64_bits(monkeypatch):
    """The kernel for subgraphs of 2^32 edges and more."""
    from lux.algorithms.bfs.distributed.degree_separated import build

    by_row = build.by_row
    monkeypatch.setattr(build, "by_row", lambda distributed, n_rows, _: by_row(distributed, n_rows, np.int64))
    sections = build.Sections
    monkeypatch.setattr(
        build,
        "Sections",
        lambda arrays: sections({n: (np.int64 if n.endswith("offsets") else t, k) for n, (t, k) in arrays.items()}),
    )
    for parts in parts_here():
        check("kronecker", 5, parts, threshold=11)
        separated = degree_separated.separation(made("kronecker"), parts, 11)
        assert separated.sections.types["nn_offsets"] == np.int64


def test_through_lux_bfs():
    for name in ("kronecker", "by degree"):
        g = made(name)
        for parts in parts_here():
            with lux.using(device="gpu"):
                found = lux.bfs(g, 5, strategy=ENGINE, parts=parts)
                first = found.distances.dense().tolist()
                for source in (9, 11):
                    bfs.verify(lux.bfs(g, source, strategy=ENGINE, parts=parts))
            assert (found.device, found.parts) == ("gpu", parts)
            assert found.distances.dense().tolist() == first == expected(name, 5).distances.dense().tolist()
            bfs.verify(found)


def test_what_processors_read_of_one_another():
    if gpus() < 2:
        pytest.skip("needs two GPUs")
    run = check("kronecker", 5, 2)
    separated = degree_separated.separation(made("kronecker"), 2)
    read = sum(did.exchanged for did in run.statistics)
    masks = 2 * 8 * separated.mask_words * run.iterations
    assert 0 < read <= masks + 8 * int(separated.far.sum()) + 8 * separated.n_delegates


def test_statistics_of_many_levels():
    n = 6000
    g = lux.from_edges(np.arange(n), np.arange(1, n + 1), directed=False)
    with lux.using(device="gpu"):
        found = lux.bfs(g, 0, strategy=ENGINE, parts=max(parts_here()))
    np.testing.assert_array_equal(found.distances.to_numpy(), np.arange(n + 1))
    assert found.iterations == n + 1
    assert 0 < len(found.statistics) <= found.iterations


def test_more_parts_than_gpus():
    with lux.using(device="gpu"), pytest.raises(ConfigurationError, match="needs a GPU for itself"):
        lux.bfs(made("grid"), 0, strategy=ENGINE, parts=gpus() + 1)
    with on_cores("needs a GPU for itself"):
        found = lux.bfs(made("grid"), 0, strategy=ENGINE, parts=gpus() + 1)
    assert found.device == "cpu"
