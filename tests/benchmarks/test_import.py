# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import importlib
from pathlib import Path

import pytest

import benchmarks

FILES = Path(benchmarks.__file__).parent.glob("*.py")
MODULES = sorted(p.stem for p in FILES if p.stem not in ("__init__", "__main__"))


PEERS = ("graphblas", "networkit", "igraph", "cupy")
"""What benchmarks measure against may be missing."""


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_can_be_imported(name):
    try:
        importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if error.name not in PEERS:
            raise
        pytest.skip(f"{error.name} is not installed")
