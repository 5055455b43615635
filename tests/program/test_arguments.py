# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs with types: they run, and type checkers and linters accept them."""

import subprocess
import sys

import pytest

import lux

TEXT = '''"""A program with types."""

import numpy as np

import lux


class Spread(lux.Program):
    """A program."""

    heat = lux.field(np.float64, reduce=lux.ADD)

    @staticmethod
    def start(v: lux.Vertex, params: lux.Params) -> None:
        """Begin."""
        v.heat = params.first / v.out_degree

    @staticmethod
    def compute(v: lux.Vertex, u: lux.Vertex, edge: lux.Edge) -> float:
        """Contribute."""
        return float(u.heat * edge.weight + v.id)

    @staticmethod
    def update(v: lux.Vertex, old: lux.Vertex) -> None:
        """End."""
        v.heat = v.heat + old.heat

    @lux.aggregate
    @staticmethod
    def change(v: lux.Vertex, old: lux.Vertex) -> float:
        """Sum."""
        return abs(float(v.heat - old.heat))

    @staticmethod
    def converged(params: lux.Params) -> bool:
        """End the run."""
        return bool(params.change < 1)


RESULT = lux.run(Spread, lux.toy.two_triangles(), first=1.0, max_iter=2)
'''


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "spread.py"
    path.write_text(TEXT)
    return path


@pytest.mark.check
def test_typed_programs_run(file):
    space = {}
    exec(compile(TEXT, file, "exec"), space)
    plain = lux.run(space["Spread"], lux.toy.two_triangles(), first=1.0, max_iter=2, interpret=True)
    assert space["RESULT"]["heat"].to_numpy() == pytest.approx(plain["heat"].to_numpy())


def test_linters_accept_them(file):
    rules = ["check", "--isolated", "--select", "N,ARG,ANN,D1,F"]
    done = subprocess.run([sys.executable, "-m", "ruff", *rules, file], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout


@pytest.mark.slow
def test_type_checkers_accept_them(file):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", file], capture_output=True, text=True, check=False, timeout=300
    )
    assert not done.returncode, done.stdout
