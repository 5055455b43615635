# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs of tests/gpu/test_moves.py, on a smaller graph."""

import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest

import lux
from lux.engine.gpu import part_launches
from lux.engine.gpu.control import PIECES
from lux.engine.repartition import overlapped_repartition, repartition_loop
from lux.engine.repartition.overlapped_repartition import OverlappedRepartition
from lux.engine.repartition.repartitionable_run import RepartitionableRun
from lux_cases.stores import to_array

PATH = Path(__file__).parents[1] / "gpu" / "test_moves.py"
spec = importlib.util.spec_from_file_location("gpu_test_moves", PATH)
on_gpus = importlib.util.module_from_spec(spec)
spec.loader.exec_module(on_gpus)

SHORTER = {"ranks": {"max_iter": 19}, "deltas": {"max_iter": 20}, "vectors": {"max_iter": 20}}
CASES = [
    *(("ranks", 2, 2, "peer"), ("ranks", 2, 3, "peer"), ("deltas", 2, 2, "peer"), ("deltas", 3, 3, "zero-copy")),
    *(("labels", 2, 3, "device"), ("paths", 2, 2, "peer"), ("vectors", 2, 2, "peer"), ("vectors", 2, 2, "device")),
]
MIXED = [
    *(
        ("ranks", "auto", 1, 3, 1),
        ("labels", "pull", 1, 2, 1),
        ("labels", "push", 2, 4, 1),
        ("deltas", "auto", 2, 4, 1),
    ),
    *(("ranks", "auto", 1, 4, 2), ("vectors", "auto", 2, 3, 1), ("labels", "push", 2, 5, 3)),
]


def graph():
    rng, path = np.random.default_rng(1), np.arange(39)
    u, v = rng.integers(0, 40, (2, 60))
    near = np.clip(u + v % 5 - 2, 0, 39)
    return lux.from_edges(
        np.concatenate([path, u]), np.concatenate([path + 1, near]), rng.integers(1, 9, 99).astype(np.float32)
    )


@pytest.mark.parametrize(
    "run, gpus, parts, placement", [*CASES[1:7], *(pytest.param(*CASES[k], marks=pytest.mark.slow) for k in (0, 7))]
)
def test_moves_change_no_answer(machine, run, gpus, parts, placement, monkeypatch, random_moves, at_once):
    more = SHORTER.get(run, {})
    with machine(gpus, blocks=1, threads=64):
        on_gpus.check_moves(graph(), run, placement, parts, random_moves(gpus), monkeypatch, **more)


@pytest.mark.parametrize(
    "run, gpus, parts, placement, iterations",
    [*((*CASES[k], iterations) for k in (0, 1, 2, 6, 7) for iterations in (1, 2)), (*CASES[4], 1), (*CASES[5], 1)],
)
def test_iterations_go_on_while_moves_are_prepared(
    machine, run, gpus, parts, placement, monkeypatch, random_moves, iterations
):
    """Each step of the preparation finds the partitions before further on: by one look, or by several.

    However long a step takes, no more iterations than those go on meanwhile: else the run may be over before a move.
    """
    go_on, waited = OverlappedRepartition.go_on, []

    def slowly(driver, epoch, ready=lambda: True):
        left, before = iter(range(iterations - 1, -1, -1)), epoch.scheduled
        go_on(driver, epoch, lambda: next(left, 0) == 0 and until(ready))
        waited.append(epoch.scheduled - before)

    def until(ready):
        while not ready():
            time.sleep(1e-3)
        return True

    monkeypatch.setattr(OverlappedRepartition, "go_on", slowly)
    monkeypatch.setattr(overlapped_repartition, "SLOW", np.inf)
    more = {"max_iter": 90} | ({"stop": 0.0} if run == "deltas" else {})
    with machine(gpus, blocks=1, threads=32):
        on_gpus.check_moves(graph(), run, placement, parts, random_moves(gpus), monkeypatch, least=1, **more)
    assert sum(waited) > 9


@pytest.mark.parametrize(
    "run, model, gpus, parts, stay", [*MIXED[:4], *(pytest.param(*case, marks=pytest.mark.slow) for case in MIXED[4:])]
)
def test_moves_of_gpus_and_cores(machine, run, model, gpus, parts, stay, monkeypatch, random_moves):
    """Of all partitions, or of those on CPU cores: the first points stay."""
    more = SHORTER.get(run, {}) | {"models": (model,), "device": "gpu+cpu"}
    with machine(gpus, blocks=1, threads=64) as m:
        on_gpus.check_moves(graph(), run, "auto", parts, random_moves(parts, stay), monkeypatch, **more)
    assert m.launched.count("lux_resume") >= 3


@pytest.mark.parametrize("run, gpus, parts, placement", [CASES[3], CASES[4], CASES[7]])
def test_moves_between_iterations(machine, run, gpus, parts, placement, monkeypatch, random_moves):
    """As on the GPUs of several processes."""
    monkeypatch.setattr(RepartitionableRun, "is_blocking", True)
    more = SHORTER.get(run, {})
    with machine(gpus, blocks=1, threads=64):
        on_gpus.check_moves(graph(), run, placement, parts, random_moves(gpus), monkeypatch, **more)


def test_what_is_noted_of_pieces(machine, monkeypatch):
    """Kernels of the first launch note what they take for the vertices of each piece."""
    seen, g = [], lux.generate("kronecker:9,8", seed=2)
    monkeypatch.setattr(repartition_loop.RepartitionLoop, "decide", lambda _driver, epoch: seen.append(epoch.sampled()))
    with machine(2, blocks=1, threads=32), lux.using(device="gpu", placement="peer"):
        lux.pagerank(g, parts=2, tol=0, max_iter=5, model="pull")
    layout, offsets = g.layout(2), to_array(g.offsets)
    for took, lo, hi in zip(seen[0], *layout.points[[[0, 1], [1, 2]]], strict=True):
        bins = part_launches.warp_work.DegreeBins(offsets[lo : hi + 1])
        first = bins.items()[0][:, 0].astype(int)
        rows = lo + (first if bins.order is None else bins.order[first].astype(int))
        assert took.any()
        assert {*np.flatnonzero(took)} <= {*((rows - lo) * PIECES // (hi - lo))}
