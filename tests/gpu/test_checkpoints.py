# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs that end in the middle go on from a checkpoint on other devices, with the answers of undisturbed ones."""

import numpy as np
import pytest

import lux
from lux_cases import programs
from lux_cases.builtin import PageRank, PageRankDeltas, ShortestPathsFloat32, SmallestLabel
from lux_cases.machine import gpus

pytestmark = pytest.mark.gpu

RUNS = {
    "ranks": (PageRank, {"max_iter": 20, "alpha": 0.85, "stop": 0.0}, 1e-11),
    "deltas": (PageRankDeltas, {"max_iter": 30, "alpha": 0.85, "stop": 1e-6}, 1e-9),
    "labels": (SmallestLabel, {}, 0),
    "paths": (ShortestPathsFloat32, {"source": 0, "cutoff": np.inf}, 0),
    "vectors": (programs.Remainders, {"max_iter": 30}, 0),
}
WAYS = {
    "cores": {"device": "cpu"},
    "one": {"device": "gpu"},
    "mixed": {"device": "gpu+cpu"},
    **{name: {"device": "gpu", "placement": name} for name in ("peer", "device", "zero-copy")},
}


class Ended(Exception):  # noqa: N818  # no error: the end of a test's run
    pass


def graph(n):
    """Random edges among ``n`` vertices, some without any, and a path behind them: a search needs 60 iterations."""
    chance = np.random.default_rng(1)
    u, v = chance.integers(0, n, (2, 2 * n))
    u, v = np.concatenate([u, np.arange(n - 1, n + 59)]), np.concatenate([v, np.arange(n, n + 60)])
    return lux.from_edges(u, v, chance.integers(1, 9, len(u)).astype(np.float32), n_vertices=n + 60)


def parts_of(way, there):
    """Partitions of a run: with one GPU there are several on it."""
    return {"cores": 2, "one": None, "mixed": there + 2}.get(way, max(there, 2))


def check_goes_on(folder, g, run, first, second, there, after=5, every=0):
    """End a run in the middle, and make it again, each in one of `WAYS`; compare with an undisturbed run."""
    program, arguments, slack = RUNS[run]
    with lux.using(device="cpu"):
        expected = lux.run(program, g, **arguments)

    def ends(done):
        if done >= after:
            raise Ended

    with pytest.raises(Ended), lux.using(checkpoint=folder, every=every, **WAYS[first]):
        lux.run(program, g, **arguments, parts=parts_of(first, there), progress=ends)
    assert len(list(folder.iterdir())) == 1
    with lux.using(checkpoint=folder, every=every, **WAYS[second]):
        found = lux.run(program, g, **arguments, parts=parts_of(second, there))
    assert found.device == {"cores": "cpu", "mixed": "gpu+cpu"}.get(second, "gpu")
    assert 0 < found.resumed < found.iterations
    assert len(found.statistics) == found.iterations - found.resumed
    assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
    for name, column in expected.columns.items():
        np.testing.assert_allclose(found[name].dense(), column.dense(), rtol=slack * 40, atol=slack, err_msg=name)
    models = [[(i.model, i.frontier) for i in r.statistics] for r in (found, expected)]
    assert slack or models[0] == models[1][found.resumed :]


CASES = [(run, a, b) for run in RUNS for a in WAYS for b in (WAYS if run == "labels" else ("one", "cores"))]


@pytest.mark.parametrize("run, first, second", CASES)
def test_runs_go_on(tmp_path, run, first, second):
    check_goes_on(tmp_path, graph(5000), run, first, second, gpus())


def ratings(users, items):
    """Random ratings, among them those of users who rate everything."""
    chance = np.random.default_rng(1)
    pairs = np.unique([*chance.integers(0, users * items, 5 * users), *range(3 * items)])
    return lux.from_edges(pairs // items, pairs % items, weight=chance.integers(1, 6, len(pairs)) / 1.0, bipartite=True)


def check_factors_go_on(folder, g, method, first, second, there):
    """End a factorization in the middle, and make it again; compare with an undisturbed one on CPU cores."""
    given = {"k": 5, "method": method, "max_iter": 14, "tol": 0, "dtype": np.float64}
    with lux.using(device="cpu"):
        expected = lux.factorize(g, **given)

    def ends(done):
        if done >= 6:
            raise Ended

    def parts_of(way):
        return {"peer": there, "device": max(there, 2)}.get(way)

    with pytest.raises(Ended), lux.using(checkpoint=folder, every=0, **WAYS[first]):
        lux.factorize(g, **given, parts=parts_of(first), progress=ends)
    assert len(list(folder.iterdir())) == 1
    with lux.using(checkpoint=folder, every=0, **WAYS[second]):
        found = lux.factorize(g, **given, parts=parts_of(second))
    assert found.device == {"cores": "cpu"}.get(second, "gpu")
    assert found.resumed == 5
    assert len(found.statistics) == 14 - found.resumed
    assert (found.iterations, found.best) == (expected.iterations, expected.best)
    assert found.test_rmse == pytest.approx(expected.test_rmse, rel=1e-9)
    np.testing.assert_allclose(found.factors.dense(), expected.factors.dense(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("method", ["als", "gd"])
@pytest.mark.parametrize("first", ["cores", "one", "peer", "device"])
@pytest.mark.parametrize("second", ["cores", "one", "peer", "device"])
def test_factorizations_go_on(tmp_path, method, first, second):
    check_factors_go_on(tmp_path, ratings(2000, 300), method, first, second, gpus())
