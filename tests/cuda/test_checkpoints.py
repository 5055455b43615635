# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs of tests/gpu/test_checkpoints.py, on smaller graphs."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "gpu" / "test_checkpoints.py"
spec = importlib.util.spec_from_file_location("gpu_test_checkpoints", PATH)
on_gpus = importlib.util.module_from_spec(spec)
spec.loader.exec_module(on_gpus)

CASES = [
    *(("deltas", "cores", "one", 1), ("deltas", "peer", "cores", 3), ("ranks", "one", "zero-copy", 2)),
    *(("ranks", "zero-copy", "cores", 2), ("labels", "cores", "device", 2), ("labels", "peer", "one", 2)),
    *(("ranks", "mixed", "mixed", 1), ("deltas", "mixed", "one", 1)),
]
MORE = [
    *(("ranks", "one", "cores", 1), ("labels", "one", "one", 1), ("deltas", "device", "peer", 2)),
    ("labels", "cores", "mixed", 2),
]


def slow(cases):
    return [pytest.param(*case, marks=pytest.mark.slow) for case in cases]


@pytest.mark.parametrize("run, first, second, gpus", [*CASES, *slow(MORE)])
def test_runs_go_on(tmp_path, machine, run, first, second, gpus):
    with machine(gpus, blocks=1, threads=64):
        on_gpus.check_goes_on(tmp_path, on_gpus.graph(40), run, first, second, gpus)


FACTORS = [
    ("als", "one", "cores", 1),
    ("gd", "cores", "one", 1),
    ("als", "peer", "device", 2),
    ("gd", "device", "peer", 2),
]
MORE_FACTORS = [("als", "device", "cores", 2), ("gd", "one", "device", 2)]


@pytest.mark.parametrize("method, first, second, gpus", [*FACTORS, *slow(MORE_FACTORS)])
def test_factorizations_go_on(tmp_path, machine, method, first, second, gpus):
    with machine(gpus, blocks=1, block_memory=1 << 16):
        on_gpus.check_factors_go_on(tmp_path, on_gpus.ratings(40, 9), method, first, second, gpus)
