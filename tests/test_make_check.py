# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`make check` tests every folder of Lux: its folder in `tests/` has a test with the marker ``check``."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent
ELSEWHERE = {
    "lux/algorithms/sssp/cuda": "cuda/test_paths_on_several_gpus.py",
    "lux/codegen/cuda": "cuda/test_vertex_programs.py",
    "lux/kernels/cuda": "cuda/test_fill.py",
    "lux/launch": "cuda/test_vertex_programs.py",
    "lux/graph/construction/gpu": "cuda/test_graph_construction.py",
    "lux/engine/gpu/placement": "cuda/test_placement.py",
    "lux/runtime/mapper": "runtime/test_mapper_library.py",
}
"""Folders whose code is C++ or runs with GPUs alone, and the tests that run it here."""


def folders():
    """Folders of Lux with code in Python or CUDA C++."""
    code = [path for path in (REPOSITORY / "lux").rglob("*") if path.suffix in {".py", ".cu", ".cuh", ".cc"}]
    return sorted({path.parent.relative_to(REPOSITORY).as_posix() for path in code if path.name != "__init__.py"})


def checked(path):
    """Names of the tests of a file that `make check` runs."""
    tests = (node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))
    return [test.name for test in tests if any(ast.unparse(d) == "pytest.mark.check" for d in test.decorator_list)]


@pytest.mark.check
@pytest.mark.parametrize("folder", folders())
def test_every_folder_is_tested(folder):
    tests = TESTS / folder.removeprefix("lux").removeprefix("/")
    files = [TESTS / ELSEWHERE[folder]] if folder in ELSEWHERE else sorted(tests.glob("test_*.py"))
    assert any(checked(path) for path in files), f"no test of {tests} has the marker check: make check leaves it out"


@pytest.mark.check
def test_folders_are_known():
    assert {"lux", "lux/algorithms/bfs", "lux/engine", *ELSEWHERE} <= {*folders()}


@pytest.mark.check
def test_nothing_slow_is_checked(request):
    marked = [item for item in request.session.items if item.get_closest_marker("check")]
    assert not [
        each.nodeid for each in marked for name in ("slow", "multirank", "gpu") if each.get_closest_marker(name)
    ]
    assert marked
