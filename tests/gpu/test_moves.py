# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Split points that move while a program runs on GPUs change no answer."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import lux
from lux.engine import mixed
from lux.engine.gpu import ins_rebuild
from lux.engine.repartition import repartition_loop, repartitionable_run
from lux_cases import programs
from lux_cases.builtin import PageRank, PageRankDeltas, ShortestPathsFloat32, SmallestLabel
from lux_cases.machine import gpus
from lux_cases.stores import to_array

pytestmark = pytest.mark.gpu


def _module(name):
    spec = importlib.util.spec_from_file_location(f"gpu_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


others = _module("test_programs")


RUNS = {
    "ranks": (PageRank, {"max_iter": 40, "alpha": 0.85, "stop": 0.0}, 1e-11),
    "deltas": (PageRankDeltas, {"max_iter": 60, "alpha": 0.85, "stop": 1e-6}, 1e-9),
    "labels": (SmallestLabel, {}, 0),
    "paths": (ShortestPathsFloat32, {"source": 0, "cutoff": np.inf}, 0),
    "vectors": (programs.Remainders, {"max_iter": 30}, 0),
}


def long_graph():
    """Three hundred vertices in a row, with weights and more edges to near ones: a search needs many iterations."""
    rng = np.random.default_rng(1)
    u = np.concatenate([np.arange(299), rng.integers(0, 300, 600)])
    v = np.concatenate([np.arange(1, 300), np.clip(u[299:] + rng.integers(-3, 4, 600), 0, 299)])
    return lux.from_edges(u, v, rng.integers(1, 9, 899).astype(np.float32), n_vertices=300)


def counts():
    """Partitions on GPUs that meet by themselves, and more than there are GPUs."""
    there = gpus()
    return [there, there + 1] if there > 1 else [3]


def check_moves(g, run, placement, parts, moves, monkeypatch, models=("auto",), least=3, device="gpu", **more):
    """A run with moves that are forced gives the answers of CPU cores; ``moves`` is a `random_moves` of a seed.

    The first three looks move. A stretch is looked at when three iterations are known to be done, with at most
    ``HELD`` launched beyond those that were known before: so a run of 19 iterations has three moves.
    There may be fewer (``least``) where iterations go on while moves are prepared.
    """
    monkeypatch.setattr(repartition_loop, "LEAST_GAIN", -1.0)
    monkeypatch.setattr(repartition_loop, "LOOKS", 2)
    monkeypatch.setattr(mixed, "CORES_OF_A_GPU", 2)  # else cores have next to nothing of a small graph
    program, arguments, double = RUNS[run]
    for model in models:
        with lux.using(device="cpu"):
            expected = lux.run(program, g, model=model, **{**arguments, **more})
        assert expected.iterations >= 19
        monkeypatch.setattr(repartition_loop, "Repartitioner", moves)
        moves.made = 0
        with lux.using(device=device, placement=placement):
            found = lux.run(program, g, model=model, parts=parts, **{**arguments, **more})
        assert (found.device, found.parts) == (device, parts)
        moved = [d for d in found.repartitions if d.phase != "none"]
        assert len(moved) >= least
        assert least == 1 or len({tuple(d.after.tolist()) for d in moved}) > 1
        assert all(d.moving_seconds > 0 for d in moved)
        assert len(found.statistics) == found.iterations
        if double:
            others.agree(expected, found, double=double)
            continue
        assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
        for name, column in expected.columns.items():
            np.testing.assert_array_equal(found[name].dense(), column.dense(), err_msg=name)
        decided = [[(i.model, i.frontier, i.frontier_edges) for i in r.statistics] for r in (found, expected)]
        assert not program.spec.frontier or decided[0] == decided[1]


@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
@pytest.mark.parametrize("run", RUNS)
def test_moves_change_no_answer(run, placement, monkeypatch, random_moves, at_once):
    models = ("pull", "push", "auto") if run == "labels" else ("auto",)
    for seed, parts in enumerate(counts()):
        check_moves(long_graph(), run, placement, parts, random_moves(seed), monkeypatch, models)


@pytest.mark.parametrize("run", ["ranks", "labels", "deltas", "vectors"])
def test_moves_of_gpus_and_cores(run, monkeypatch, random_moves):
    models = ("pull", "push", "auto") if run == "labels" else ("auto",)
    there = gpus()
    for seed, (cores, stay) in enumerate(((1, 1), (3, 1), (3, there + 1))):  # all, or those on CPU cores
        moves = random_moves(seed, stay)
        check_moves(long_graph(), run, "auto", there + cores, moves, monkeypatch, models, device="gpu+cpu")


@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
def test_moves_while_iterations_go_on(placement, monkeypatch, random_moves):
    """What CPU cores make for the new partitions is made while kernels run."""
    monkeypatch.setattr(repartition_loop, "LEAST_GAIN", -1.0)
    made = (ins_rebuild.kernels(), repartitionable_run.warp_work_gpu.binning(), repartitionable_run.looking_up(8))
    assert all(made)  # a run may be over before they are compiled
    g = lux.generate("kronecker:12")
    with lux.using(device="cpu"):
        expected = lux.pagerank(g, tol=0, max_iter=2000, weight=None)
    for parts in counts():
        monkeypatch.setattr(repartition_loop, "Repartitioner", random_moves(parts))
        with lux.using(device="gpu", placement=placement):
            found = lux.pagerank(g, tol=0, max_iter=2000, parts=parts, weight=None)
        moved = [d for d in found.repartitions if d.phase != "none"]
        assert moved
        assert all(d.preparing_seconds > 0 and d.moving_seconds > 0 for d in moved)
        assert len(found.statistics) == 2000
        np.testing.assert_allclose(found.ranks.dense(), expected.ranks.dense(), rtol=2e-9)


@pytest.mark.parametrize("name", ["kronecker", "uniform", "grid", "star", "isolated"])
def test_members_made_on_gpus(name):
    """As CPU cores make them, also of partitions without vertices or edges."""
    g = {
        "kronecker": lambda: lux.generate("kronecker:13", seed=2),
        "uniform": lambda: lux.generate("uniform:15,8", seed=1),
        "grid": lambda: lux.generate("grid:200x300"),
        "star": lambda: lux.from_edges(np.arange(1, 70_000), np.zeros(69_999, int), n_vertices=70_000),
        "isolated": lambda: lux.from_edges([3, 3, 64], [64, 95, 3], n_vertices=97),
    }[name]()
    n, parts = g.n_vertices, max(gpus(), 2)
    before, wanted = g.layout(parts), np.array([0, n // 4, n // 2, n - 1, n, n + 7])
    for share in (0.1, 0.9, 1.0, 0.0, 0.5):
        points = np.array([0, *[int(share * n)] * (parts - 1), n])
        after, expected = before.moved(points), before.moved(points).members
        found, first = ins_rebuild.members(before, after, wanted)
        size = int(expected.sizes.sum())
        assert found.sizes.tolist() == expected.sizes.tolist()
        np.testing.assert_array_equal(to_array(found.places)[:size], to_array(expected.places)[:size])
        local = [to_array(m.local_sources)[: g.n_edges] for m in (found, expected)]
        np.testing.assert_array_equal(*local)
        np.testing.assert_array_equal(first, expected.first_of(wanted))
        after.members = found
        before = after


def test_a_larger_graph_with_forced_moves(monkeypatch, random_moves, at_once):
    monkeypatch.setattr(repartition_loop, "LEAST_GAIN", -1.0)
    monkeypatch.setattr(repartition_loop, "Repartitioner", random_moves(5))
    g = lux.generate("kronecker:14", weights=(1, 9))
    with lux.using(device="cpu"):
        expected = lux.pagerank(g, tol=0, max_iter=30)
    with lux.using(device="gpu"):
        found = lux.pagerank(g, tol=0, max_iter=30, parts=max(gpus(), 2))
    assert any(d.phase != "none" for d in found.repartitions)
    np.testing.assert_allclose(found.ranks.dense(), expected.ranks.dense(), rtol=1e-11)


def test_runs_without_moves_say_so():
    g = lux.generate("uniform:14")
    with lux.using(device="gpu", repartition="off"):
        assert not lux.pagerank(g, tol=0, max_iter=30, parts=2).repartitions
    with lux.using(device="gpu"):
        found = lux.pagerank(g, tol=0, max_iter=30, parts=2)
    assert found.repartitions
    assert all(d.phase == "none" for d in found.repartitions)
