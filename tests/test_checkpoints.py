# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs that end in the middle go on from a checkpoint, on any partitions, and have the answers of undisturbed ones."""

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import lux
from lux_cases import runs
from lux_cases.examples import QUICK, one_order
from lux_cases.processes import environment, start, start_ranks

GRAPH = "rmat:8,6"


class Ended(Exception):  # noqa: N818  # no error: the end of a test's run
    pass


def ending(after):
    """Progress that ends the run once so many iterations are done."""

    def tell(done):
        if done >= after:
            raise Ended

    return tell


def resumed(folder, after, call, first, second):
    """End a call in the middle, and make it again; the arguments of both times differ."""
    with pytest.raises(Ended), lux.using(checkpoint=folder, every=0):
        call(**first, progress=ending(after))
    assert len(list(folder.iterdir())) == 1
    with lux.using(checkpoint=folder, every=0):
        found = call(**second)
    assert not list(folder.iterdir())
    return found


def same(found, expected, slack=0.0):
    assert found.iterations == expected.iterations
    assert found.converged == expected.converged
    for name, values in expected.columns.items():
        known = values.dense()
        if slack and known.dtype.kind == "f":
            np.testing.assert_allclose(found.columns[name].dense(), known, rtol=slack, atol=slack)
        else:
            np.testing.assert_array_equal(found.columns[name].dense(), known)


@pytest.mark.parametrize("name", runs.RUNS)
def test_any_program_goes_on(tmp_path, name, chance):
    case = runs.RUNS[name]
    graph = lux.generate("grid:9x12" if name in runs.EXACT else GRAPH, seed=4, weights=(1, 9))
    graph = graph.reordered(one_order(chance)[0])
    parts = [None, 1, 2, 5]
    ways = random.Random(name)
    first, second = ({"parts": ways.choice(parts)} for _ in range(2))
    expected = lux.run(case.program, graph, **case.arguments)

    def call(**given):
        return lux.run(case.program, graph, **case.arguments, **given)

    found = resumed(tmp_path, 2, call, first, second)
    assert found.resumed < found.iterations
    assert len(found.statistics) == found.iterations - found.resumed
    exact = name in runs.EXACT
    same(found, expected, 0.0 if exact else 1e-5 if "32" in name else 1e-9)


@pytest.mark.check
@pytest.mark.parametrize("parts", [(None, 3), (4, None), (2, 3)])
@pytest.mark.parametrize("after", [1, 20, 37])
def test_frontiers_in_all_forms(tmp_path, after, parts, chance):
    """A grid's frontiers are lists, those of its first iterations by labels bitmaps or everything."""
    graph = lux.generate("grid:24x24").reordered(one_order(chance)[0])
    for call in (lux.components, lambda graph, **given: lux.bfs(graph, 0, **given)):
        expected = call(graph, strategy="program")
        given = [{"parts": count, "strategy": "program"} for count in parts]
        found = resumed(tmp_path, after, lambda call=call, **given: call(graph, **given), *given)
        assert found.resumed > after / 3
        same(found, expected)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_betweenness_goes_on(tmp_path, weight):
    graph = lux.generate(GRAPH, seed=4, weights=(1, 9))
    given = {"k": 100, "seed": 1, "weight": weight}
    expected = lux.betweenness(graph, **given)
    found = resumed(tmp_path, 40, lambda **more: lux.betweenness(graph, **given, **more), {}, {"parts": 2})
    assert 0 < found.resumed < 100
    np.testing.assert_allclose(found.scores.dense(), expected.scores.dense(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method, strategy", [("als", "auto"), ("gd", "auto"), ("gd", "program")])
def test_factorization_goes_on(tmp_path, method, strategy):
    chance = np.random.default_rng(3)
    users, items = chance.integers(0, 60, 900), chance.integers(0, 40, 900)
    graph = lux.from_edges(users, items, weight=chance.random(900), bipartite=True)
    given = {"k": 4, "method": method, "max_iter": 12, "dtype": "float64", "tol": 0}
    expected = lux.factorize(graph, **given)
    found = resumed(
        tmp_path,
        5,
        lambda **more: lux.factorize(graph, **given, **more),
        {"parts": 3, "strategy": strategy},
        {"parts": 1},
    )
    assert 0 < found.resumed < 12
    assert found.best == expected.best
    assert found.test_rmse == pytest.approx(expected.test_rmse, rel=1e-9)
    np.testing.assert_allclose(found.factors.dense(), expected.factors.dense(), rtol=1e-6, atol=1e-9)


@pytest.mark.check
def test_another_run_starts_anew_and_says_so(tmp_path):
    graph = lux.generate(GRAPH, seed=4)
    with pytest.raises(Ended), lux.using(checkpoint=tmp_path, every=0):
        lux.pagerank(graph, parts=2, progress=ending(3))
    (kept,) = tmp_path.iterdir()
    for other, alpha in ((graph, 0.8), (lux.generate(GRAPH, seed=5), 0.85)):
        warned = pytest.warns(lux.errors.LuxWarning, match="for another graph, program or parameters")
        with warned, lux.using(checkpoint=tmp_path, every=0):
            found = lux.pagerank(other, alpha=alpha)
        assert not found.resumed
    assert [*tmp_path.iterdir()] == [kept]


def test_damaged_checkpoints_are_refused(tmp_path):
    graph = lux.generate(GRAPH, seed=4)
    with pytest.raises(Ended), lux.using(checkpoint=tmp_path, every=0):
        lux.pagerank(graph, parts=2, progress=ending(3))
    (kept,) = tmp_path.iterdir()
    content = bytearray(kept.read_bytes())
    content[-9] ^= 1
    kept.write_bytes(content)
    with pytest.raises(lux.LuxError, match="is damaged in section"), lux.using(checkpoint=tmp_path):
        lux.pagerank(graph)
    graph.save(kept)
    with pytest.raises(lux.LuxError, match="is no state of a run"), lux.using(checkpoint=tmp_path):
        lux.pagerank(graph)


def test_strategies_without_checkpoints_say_so(tmp_path):
    graph = lux.generate(GRAPH, seed=4)
    with pytest.warns(lux.errors.LuxWarning, match="keeps no checkpoint"), lux.using(checkpoint=tmp_path):
        lux.components(graph)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("given", [{"checkpoint": 3}, {"checkpoint": ""}, {"every": -1}, {"every": float("inf")}])
def test_wrong_settings(given):
    with pytest.raises(lux.errors.ParameterError, match="was passed; allowed are"), lux.using(**given):
        pass


KILLED = """
import sys
import numpy as np
import lux

folder, out = sys.argv[1:]
graph = lux.generate("grid:90x90")
with lux.using(checkpoint=folder, every=0):
    found = lux.components(graph, strategy="program")
    np.savez(out, labels=found.labels.dense(), facts=[found.iterations, found.resumed])
"""


def test_killed_at_random_moments(tmp_path):
    folder, out, chance = tmp_path / "kept", tmp_path / "out.npz", random.Random()
    (tmp_path / "program.py").write_text(KILLED)
    variables = environment() | {"LEGATE_CONFIG": "--cpus 2 --sysmem 500"}
    for _ in range(2 if QUICK else 4):
        command = [sys.executable, str(tmp_path / "program.py"), str(folder), str(out)]
        process = subprocess.Popen(command, env=variables, cwd=tmp_path)
        end = time.monotonic() + 60
        while not folder.exists() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
    done = start(tmp_path, KILLED, [sys.executable], folder, out, LEGATE_CONFIG="--cpus 2 --sysmem 500")
    assert done.returncode == 0, done.stderr
    found = np.load(out)
    assert not found["labels"].any()
    assert found["facts"][0] == lux.components(lux.generate("grid:90x90"), strategy="program").iterations
    assert not list(folder.iterdir())


RANKS = """
import sys
import numpy as np
import lux
from lux_cases import machine

class Ended(Exception):
    pass

def tell(done):
    if done >= 12:
        raise Ended

folder, out, last = sys.argv[1:]
graph = lux.generate("grid:30x30")
try:
    with lux.using(checkpoint=folder, every=0):
        found = lux.bfs(graph, 0, strategy="program", progress=None if last == "yes" else tell)
        distances = found.distances.dense()
        if machine.rank() == 0:
            np.savez(out, distances=distances, facts=[found.iterations, found.resumed])
except Ended:
    pass
"""


@pytest.mark.multirank
@pytest.mark.parametrize("commands", [pytest.param("one, two", marks=pytest.mark.slow), "two, one"])
def test_on_another_number_of_processes(tmp_path, commands):
    from lux_cases.processes import SMALL_TWO

    ways = {"one": [sys.executable], "two": SMALL_TWO}
    folder, out = tmp_path / "kept", tmp_path / "out.npz"
    for name, last in zip(commands.split(", "), ("no", "yes"), strict=True):
        done = start_ranks(tmp_path, RANKS, ways[name], folder, out, last)
        assert done.returncode == 0, done.stderr
        assert len(list(folder.iterdir())) == (last == "no")
    found = np.load(out)
    expected = lux.bfs(lux.generate("grid:30x30"), 0)
    np.testing.assert_array_equal(found["distances"], expected.distances.dense())
    assert found["facts"][1] > 0
