# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/ run."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_with_cupynumeric():
    if importlib.util.find_spec("cupynumeric") is None:
        pytest.skip("cuPyNumeric is an extra")
    script = ROOT / "examples" / "with_cupynumeric.py"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("sum 1.000000, largest 0.")
