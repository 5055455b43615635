# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tests use public interfaces: what users import, or the modules of the folder that a test mirrors.

``tests/X/`` tests ``lux/X/``, whose modules it may import; of other folders it may import nothing, and no test reads or
replaces a name of Lux that begins with an underscore. ``tests/common/lux_cases``, ``tests/cuda/lux_on_cores`` and the
``conftest.py`` files import for all what many tests need.
"""

from __future__ import annotations

import ast
import functools
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent

PUBLIC = ("lux.errors", "lux.toy", "lux.cli", "lux.algorithms.strategy")
"""Modules for users, and the contract for those who add a strategy; all else that users need, ``import lux`` has."""

SHARED = ("common/lux_cases/", "cuda/lux_on_cores/")

SUBJECTS = {
    "lux.algorithms.betweenness": (
        "cuda/test_weighted_betweenness.py",
        "gpu/test_betweenness_gpus.py",
        "gpu/test_betweenness_ranks.py",
        "gpu/test_weighted_betweenness.py",
    ),
    "lux.algorithms": (
        "algorithms/multi_gpu/test_multi_gpu.py",
        "cuda/test_engine_searches.py",
        "cuda/test_searches.py",
    ),
    "lux.algorithms.bfs": (
        "gpu/test_engines_separated.py",
        "gpu/test_search_parts.py",
    ),
    "lux.algorithms.components": (
        "cuda/test_components_on_several_gpus.py",
        "gpu/test_component_parts.py",
    ),
    "lux.algorithms.sssp": (
        "cuda/test_paths_on_several_gpus.py",
        "gpu/test_path_parts.py",
    ),
    "lux.calibration": (
        "cuda/test_oversubscribed.py",
        "gpu/test_model.py",
        "gpu/test_model_ranks.py",
    ),
    "lux.app": ("cuda/test_process_memory.py", "cuda/test_shipped_kernels.py"),
    "lux.codegen": (
        "cuda/test_direction.py",
        "cuda/test_vertex_programs.py",
    ),
    "lux.io": ("fuzz/fuzz.py",),
    "lux.engine": (
        "cuda/test_allocation_ledger.py",
        "cuda/test_by_source.py",
        "cuda/test_ins_rebuild.py",
        "cuda/test_memory_of_runs.py",
        "cuda/test_messages.py",
        "cuda/test_placement.py",
        "cuda/test_repartition.py",
        "cuda/test_to_user_ids.py",
        "gpu/test_gpus_of_ranks.py",
        "gpu/test_held.py",
        "gpu/test_mixed.py",
        "gpu/test_moves.py",
        "gpu/test_partitions.py",
        "gpu/test_placing.py",
        "gpu/test_staging.py",
    ),
    "lux.graph": (
        "cuda/test_degrees.py",
        "cuda/test_graph_construction.py",
        "cuda/test_several_gpus.py",
        "gpu/test_graph_construction.py",
    ),
    "lux.graph500": (
        "cuda/test_graph500.py",
        "gpu/test_graph500.py",
    ),
    "lux.runtime": ("gpu/test_launches.py",),
}
"""What the tests of GPUs test, whose folders say what they need: a GPU, or CPU cores that do what it would do."""

ALLOWED = {
    "test_architecture.py": (("lux.*",), "trees of modules that it makes up, to see that faults are found in them"),
    "test_same_numbers.py": (("lux.*",), "numbers of Lux that the performance model, which imports no Lux, has again"),
    "test_ranks.py": (
        ("lux.algorithms.sssp.weights", "lux.engine.gpu.placement.*"),
        "two processes take seconds to start, so one start shows what these agree on, too",
    ),
    "cuda/test_arguments.py": (("lux.*",), "structs of kernels of all folders, compiled by what `lux.codegen` has"),
    "cuda/test_machine.py": (("lux.codegen.cuda_build",), "the machine on CPU cores compiles instead of this module"),
    "cuda/test_oversubscribed.py": (
        ("lux.codegen.cuda_build", "lux.engine.*"),
        "the kernels that a calibration compiles beforehand are those that its runs would compile",
    ),
    "graph500/test_on_gpu.py": (
        ("lux.algorithms.*",),
        "the memory of its searches, which the benchmark adds its own to",
    ),
    "gpu/sanitized.py": (("lux.runtime",), "a script for compute-sanitizer, which limits the blocks of all kernels"),
}
"""What files use of other folders nonetheless, and why. Each entry has to be needed: the list may only shrink."""

MOST_ALLOWED = 8

DEFINED = re.compile(r"(?:\b(?:def|class) |\b(?:self|cls)\.|^ *)(_[A-Za-z]\w*)(?=\(|:|\.|\[|,| =|\)|$)", re.MULTILINE)

pytestmark = pytest.mark.check


def subject(path: str) -> str:
    """Return the folder of Lux that a test file mirrors, an algorithm's or a line of the picture in the page.

    The argument is relative to ``tests/``.
    """
    for folder, paths in SUBJECTS.items():
        if path in paths:
            return folder
    parts = Path(path).parent.parts
    return ".".join(["lux", *parts[: 2 if parts[:1] == ("algorithms",) else 1]])


def module_of(name: str) -> tuple[str, str]:
    """Split a dotted name into the module of Lux, as far as there is one, and the rest."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        place = REPOSITORY.joinpath(*parts[:n])
        if place.is_dir() or place.with_suffix(".py").is_file():
            return ".".join(parts[:n]), ".".join(parts[n:])
    return "", name


def is_open(name: str, folder: str) -> bool:
    """Tell whether a test of ``folder`` may use a dotted name that begins with ``lux``."""
    module, rest = module_of(name)
    if any(part.startswith("_") for part in rest.split(".") if not part.startswith("__")):
        return False
    if module in ("lux", *PUBLIC) or (folder == "lux" and module.count(".") == 1 and "." not in rest):
        return True
    return folder != "lux" and f"{module}.".startswith(f"{folder}.")


def dotted(node: ast.AST) -> str:
    """Return a name with its attributes, as in ``lux.toy.kite``; empty for attributes of anything else."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""


def imported(tree: ast.AST) -> set[str]:
    """List the dotted names of Lux that a file imports, in the texts of programs that it starts, too."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and (name := dotted(node)).startswith("lux."):
            found.add(name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for line in re.findall(r"^ *((?:from|import) +lux\b.*?)\s*$", node.value, re.MULTILINE):
                with_names = re.fullmatch(r"from (lux[\w.]*) import (.+)", line)
                if with_names:
                    found |= {f"{with_names[1]}.{name.split()[0]}" for name in with_names[2].split(",")}
                elif re.fullmatch(r"import lux[\w., ]*", line):
                    found |= {name.strip() for name in line.removeprefix("import").split(",")}
            if re.fullmatch(r"lux(\.\w+){2,}", node.value) and module_of(node.value)[1]:
                found.add(node.value)  # the target of a patch
    return {name for name in found if name.split(".")[0] == "lux"}


@functools.cache
def private_names() -> set[str]:
    """List all names with one underscore in front that Lux gives to functions, classes, attributes and variables."""
    found = set()
    for package in ("lux", "perfmodel", "legate_config"):
        for path in (REPOSITORY / package).rglob("*.py"):
            found |= set(DEFINED.findall(path.read_text(encoding="utf-8")))
    return found


def private(tree: ast.AST) -> set[str]:
    """List the names with an underscore that a file reads, replaces or passes to `setattr` and `getattr`."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not (
            isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        ):
            found.add(node.attr)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("setattr", "getattr", "object"):
            found |= {a.value for a in node.args[1:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    return (found & private_names()) - own


def offences(path: str, text: str) -> set[str]:
    """List what a test file imports or touches and may not; the path is relative to ``tests/``."""
    tree, folder = ast.parse(text), subject(path)
    return {name for name in imported(tree) if not is_open(name, folder)} | private(tree)


def read_tests() -> dict[str, str]:
    """Read all test files but those that are there for others."""
    paths = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in sorted(paths.items())
        if not name.startswith(SHARED) and path.name not in ("conftest.py", Path(__file__).name)
    }


def refused(path: str, text: str) -> set[str]:
    """List the offences of a test file for which there is no reason in `ALLOWED`."""
    allowed, _ = ALLOWED.get(path, ((), ""))
    return {name for name in offences(path, text) if not any(fnmatch(name, pattern) for pattern in allowed)}


def test_tests_use_public_interfaces():
    files = read_tests()
    assert len(files) > 180
    found = {path: sorted(wrong) for path, text in files.items() if (wrong := refused(path, text))}
    assert found == {}, "use names of lux, results, commands, or what lux_cases has; or move the test to its module's"


def test_what_is_allowed_is_needed():
    files = read_tests()
    for path, (patterns, reason) in ALLOWED.items():
        assert reason
        for pattern in patterns:
            assert any(fnmatch(name, pattern) for name in offences(path, files[path])), (path, pattern)
    assert len(ALLOWED) <= MOST_ALLOWED


def test_tests_of_gpus_say_which_folder_they_test():
    assert {path for paths in SUBJECTS.values() for path in paths} <= {*read_tests()}
    for folder in SUBJECTS:
        assert REPOSITORY.joinpath(*folder.split(".")).is_dir(), folder


@pytest.mark.parametrize(
    "path, text, expected",
    [
        ("io/test_a.py", "import lux\nfrom lux.errors import LuxError\nfrom lux.io.formats import text\n", []),
        ("io/formats/test_a.py", "from lux.io.files.atomic import part_path\n", []),
        ("io/test_a.py", "from lux.engine.executor import execute\n", ["lux.engine.executor.execute"]),
        ("io/test_a.py", "def f():\n    import lux.graph.graph\n", ["lux.graph.graph"]),
        ("io/test_a.py", "import lux\nlux.runtime.gpus()\n", ["lux.runtime", "lux.runtime.gpus"]),
        ("io/test_a.py", "PROGRAM = '''\nimport lux\nfrom lux import runtime\n'''\n", ["lux.runtime"]),
        ("io/test_a.py", "patch('lux.runtime.gpus')\n", ["lux.runtime.gpus"]),
        ("io/test_a.py", "from lux.io.formats.text import _PARTS\n", ["lux.io.formats.text._PARTS"]),
        ("algorithms/bfs/test_a.py", "from lux.algorithms.strategy import select\n", []),
        (
            "algorithms/bfs/test_a.py",
            "from lux.algorithms.sssp.sssp import check\n",
            ["lux.algorithms.sssp.sssp.check"],
        ),
        ("cuda/test_messages.py", "from lux.engine.gpu import messages\n", []),
        ("test_a.py", "from lux.checks import described\n", []),
        ("test_a.py", "import lux\nlux.toy.kite()._reversed\n", ["_reversed"]),
        ("test_a.py", "setattr(graph, '_reversed', None)\n", ["_reversed"]),
        ("test_a.py", "import os\nos._exit(0)\n", []),
    ],
)
def test_offences_are_found(path, text, expected):
    assert sorted(offences(path, text)) == expected
