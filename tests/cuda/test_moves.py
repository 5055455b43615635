# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs of tests/gpu/test_moves.py, on a smaller graph."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import lux

PATH = Path(__file__).parents[1] / "gpu" / "test_moves.py"
spec = importlib.util.spec_from_file_location("gpu_test_moves", PATH)
on_gpus = importlib.util.module_from_spec(spec)
spec.loader.exec_module(on_gpus)

SHORTER = {"ranks": {"max_iter": 19}, "deltas": {"max_iter": 20}, "vectors": {"max_iter": 20}}
CASES = [
    *(("ranks", 2, 2, "peer"), ("ranks", 2, 3, "peer"), ("deltas", 2, 2, "peer"), ("deltas", 3, 3, "zero-copy")),
    *(("labels", 2, 3, "device"), ("paths", 2, 2, "peer"), ("vectors", 2, 2, "peer"), ("vectors", 2, 2, "device")),
]


def graph():
    rng, path = np.random.default_rng(1), np.arange(39)
    u, v = rng.integers(0, 40, (2, 60))
    near = np.clip(u + v % 5 - 2, 0, 39)
    return lux.from_edges(
        np.concatenate([path, u]), np.concatenate([path + 1, near]), rng.integers(1, 9, 99).astype(np.float32)
    )


@pytest.mark.parametrize("run, gpus, parts, placement", CASES)
def test_moves_change_no_answer(machine, run, gpus, parts, placement, monkeypatch, random_moves, at_once):
    more = SHORTER.get(run, {})
    with machine(gpus, blocks=1, threads=64):
        on_gpus.check_moves(graph(), run, placement, parts, random_moves(gpus), monkeypatch, **more)
