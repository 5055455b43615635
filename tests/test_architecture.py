# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The order of the folders: each imports only folders below it; ``docs/architecture.md`` shows the same order.

An import inside a function and one for type checkers alone are arrows like any other.
"""

from __future__ import annotations

import ast
import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = REPOSITORY / "docs" / "architecture.md"

PACKAGES = ("lux", "perfmodel", "legate_config")

ORDER = (
    "cli", "app", "graph500", "calibration", "networkx_backend", "api", "algorithms", "autotune", "results",
    "engine", "toy", "io", "graph", "launch", "codegen", "runtime", "partition", "program", "kernels", "checks",
    "settings", "names", "errors",
)  # fmt: skip
"""Folders and modules of ``lux/``, from the top to the bottom."""

BELOW = {"lux": {"perfmodel", "legate_config"}, "perfmodel": {"legate_config"}, "legate_config": set()}
"""Packages that each package may import beside itself."""

MAX_MODULES = 25
MAX_ENTRIES = 23

PUBLIC = (
    "lux", "lux.cli", "lux.api", "lux.app.*", "lux.results.explain",
    "lux.algorithms.*.betweenness", "lux.algorithms.*.bfs", "lux.algorithms.*.components",
    "lux.algorithms.*.factorization", "lux.algorithms.*.pagerank", "lux.algorithms.*.sssp",
)  # fmt: skip

LATE = (
    *((public, "*", "public names and the command line load what a call needs: `import lux` and --help are quick")
      for public in PUBLIC),
    ("*", "*kernels", "Numba compiles kernels, or loads them from its cache, when their module is imported"),
    ("*", "lux.kernels*", "the same"),
    ("*", "lux.codegen*", "only a run that compiles a program needs it"),
    ("*", "*gpu*", "only machines with GPUs need it"),
    ("*", "lux.engine.executor", "loads what runs programs on all processors, which only a run needs"),
    ("lux.engine.executor", "lux.engine.cpu.partitioned_run", "only runs on partitions need it"),
    ("lux.autotune.*", "*perfmodel*", "only config= needs the model"),
    ("lux.autotune.tuning", "lux.runtime.link", "only runs of several processes measure the network"),
    ("lux.io.saved.save", "perfmodel", "only graphs with a summary need it"),
    ("lux.calibration.*", "lux.*", "each measurement loads what it measures"),
    ("lux.algorithms.sssp.path_tree", "lux.graph.ordering", "only graphs in another order need it"),
)  # fmt: skip
"""Imports inside functions that may stay: importing module, imported module, reason. Others stay within one folder."""

PACKAGES_LATE = {
    "legate", "numba", "scipy", "networkx", "pandas", "pyarrow", "rich", "matplotlib", "cupynumeric", "pymetis", "cuda",
    "numpy", "shtab", "libucx",
}  # fmt: skip
"""Other packages that functions may import: optional ones, and those that take longer to load than ``import lux``."""


pytestmark = pytest.mark.check


class Import(NamedTuple):
    """One import: ``late`` where it is inside a function."""

    source: str
    target: str
    late: bool


class Tree(NamedTuple):
    """The modules of the project's packages, the folders among them, and all imports; ``others`` of other packages."""

    modules: set[str]
    folders: set[str]
    imports: list[Import]
    others: list[Import]


def read_tree(root: Path) -> Tree:
    """Read the imports of all modules by `ast`; nothing is imported."""
    paths = {}
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            paths[name.removesuffix(".__init__")] = path
    folders = {name for name, path in paths.items() if path.name == "__init__.py"}
    imports, others = set(), set()
    for name, path in paths.items():
        for target, late in _imports(ast.parse(path.read_text(encoding="utf-8")), late=False):
            module = target if target in paths else target.rpartition(".")[0]
            (imports if module in paths else others).add(Import(name, module if module in paths else target, late))
    return Tree(set(paths), folders, sorted(imports), sorted(others))


def _imports(node: ast.AST, *, late: bool):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, "relative imports are not read"
            yield from ((f"{child.module}.{alias.name}", late) for alias in child.names)
        else:
            inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, late=inside)


def layer(module: str) -> str:
    """The folder or module of ``lux/`` that a module of lux belongs to."""
    return module.split(".")[1]


def folder(tree: Tree, module: str) -> str:
    """The folder of a module."""
    return module if module in tree.folders else module.rpartition(".")[0]


def _compared(tree: Tree) -> list[Import]:
    """The imports but for those by or of ``lux/__init__.py``, the table of public names, and by ``lux/__main__.py``."""
    exempt = ("lux", "lux.__main__")
    return [i for i in tree.imports if i.source not in exempt and i.target != "lux"]


def arrows_up(tree: Tree) -> list[str]:
    """List the imports against the order of layers and of packages, and layers that have no place in it."""
    known = {"__main__", *ORDER}
    new = {layer(module) for module in tree.modules if module.startswith("lux.")} - known
    found = [f"lux/{name} has no place in ORDER" for name in sorted(new)]
    for source, target, _ in tree.imports:
        packages = source.partition(".")[0], target.partition(".")[0]
        if packages[0] != packages[1] and packages[1] not in BELOW[packages[0]]:
            found.append(f"{source} -> {target}")
    for source, target, _ in _compared(tree):
        if source.startswith("lux.") and target.startswith("lux."):
            layers = layer(source), layer(target)
            if not {*layers} - {*ORDER} and ORDER.index(layers[0]) > ORDER.index(layers[1]):
                found.append(f"{source} -> {target}")
    return found


def cycles(tree: Tree) -> list[str]:
    """List each set of folders that import one another in a circle."""
    below: dict[str, set[str]] = {}
    for source, target, _ in _compared(tree):
        ends = folder(tree, source), folder(tree, target)
        if ends[0] != ends[1] and "lux" not in ends:
            below.setdefault(ends[0], set()).add(ends[1])

    def reached(start: str) -> set[str]:
        seen, left = set(), [start]
        while left:
            new = below.get(left.pop(), set()) - seen
            seen |= new
            left += new
        return seen

    closure = {name: reached(name) for name in below}
    rings = {
        tuple(sorted(other for other in closure[name] if name in closure.get(other, ())))
        for name in below
        if name in closure[name]
    }
    return [" <-> ".join(ring) for ring in sorted(rings)]


def large_folders(root: Path) -> list[str]:
    """List folders of more modules than `MAX_MODULES`, and ``lux/`` where it has more than `MAX_ENTRIES` entries."""
    found = []
    for package in PACKAGES:
        for place in (p for p in root.glob(f"{package}/**") if p.is_dir()):
            n = sum(p.suffix in (".py", ".cu", ".cuh") and not p.name.startswith("__") for p in place.iterdir())
            if n > MAX_MODULES:
                found.append(f"{place.relative_to(root)} has {n} modules")
    n = sum(not p.name.startswith("__") and p.name != "py.typed" for p in (root / "lux").iterdir())
    return found + [f"lux has {n} entries"] * (n > MAX_ENTRIES)


def hidden_imports(tree: Tree) -> list[str]:
    """List the imports inside functions for which there is no reason."""
    found = []
    for source, target, late in tree.imports:
        within = folder(tree, source) == folder(tree, target) or target == "lux"
        if late and not within and not any(fnmatch(source, a) and fnmatch(target, b) for a, b, _ in LATE):
            found.append(f"{source} -> {target}")
    for source, target, late in tree.others:
        package = target.partition(".")[0]
        if late and package not in PACKAGES_LATE and package not in sys.stdlib_module_names:
            found.append(f"{source} -> {target}")
    return found


@pytest.fixture(scope="module")
def tree():
    return read_tree(REPOSITORY)


def test_no_arrow_runs_against_the_order(tree):
    assert len(tree.imports) > 1000
    assert arrows_up(tree) == []


def test_no_cycles_of_folders(tree):
    assert cycles(tree) == []


def test_folders_are_small():
    assert large_folders(REPOSITORY) == []


def test_imports_inside_functions_have_a_reason(tree):
    assert hidden_imports(tree) == []


def test_all_reasons_are_needed(tree):
    late = [i for i in tree.imports if i.late]
    for source, target, _ in LATE:
        assert any(fnmatch(i.source, source) and fnmatch(i.target, target) for i in late), (source, target)


def test_the_page_has_the_order_and_all_folders(tree):
    page = PAGE.read_text(encoding="utf-8")
    picture = re.search(r"```text\n(.*?)```", page, re.DOTALL)[1]
    named = [line.split()[0] for line in picture.splitlines() if re.match(r"[a-z_0-9.]+(/|\.py)?\s", line)]
    assert [re.sub(r"(/|\.py)$", "", name) for name in named if name not in ("perfmodel/", "legate_config/")] == [
        *ORDER
    ]
    for name in sorted(f for f in tree.folders if f != "lux"):
        assert f"{name.replace('.', '/')}/" in page, f"docs/architecture.md does not name {name}"
    for path in re.findall(r"`((?:lux|perfmodel|legate_config|tests|benchmarks|docs)/[\w/.-]*)`", page):
        assert (REPOSITORY / path).exists(), path


def made_up(root: Path, files: dict[str, str]) -> Tree:
    """Write a tree of packages with these modules, and read it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for parent in path.relative_to(root).parents:
            if parent.name:
                (root / parent / "__init__.py").touch()
    return read_tree(root)


LATE_IMPORT = "def f():\n    from lux.engine import run\n"
TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lux.engine.run import Run\n"


@pytest.mark.parametrize("text", ["import lux.engine.run\n", "from lux.engine.run import Run\n", LATE_IMPORT, TYPES])
def test_an_arrow_up_is_found(tmp_path, text):
    tree = made_up(tmp_path, {"lux/engine/run.py": "", "lux/graph/graph.py": text})
    assert arrows_up(tree) == ["lux.graph.graph -> lux.engine.run"]


def test_an_arrow_down_is_none(tmp_path):
    tree = made_up(tmp_path, {"lux/engine/run.py": "import lux.graph.graph, lux\n", "lux/graph/graph.py": ""})
    assert (arrows_up(tree), cycles(tree)) == ([], [])


@pytest.mark.parametrize("package", ["perfmodel", "legate_config"])
def test_packages_below_do_not_import_lux(tmp_path, package):
    tree = made_up(tmp_path, {"lux/errors.py": "", f"{package}/a.py": "def f():\n    from lux import errors\n"})
    assert arrows_up(tree) == [f"{package}.a -> lux.errors"]
    tree = made_up(tmp_path, {"lux/errors.py": "", f"{package}/a.py": "import lux\n"})
    assert arrows_up(tree) == [f"{package}.a -> lux"]


def test_a_new_folder_needs_a_place(tmp_path):
    assert arrows_up(made_up(tmp_path, {"lux/extras/a.py": ""})) == ["lux/extras has no place in ORDER"]


def test_a_cycle_of_folders_is_found(tmp_path):
    files = {
        "lux/algorithms/one/a.py": "from lux.algorithms.two import b\n",
        "lux/algorithms/two/b.py": "def f():\n    import lux.algorithms.three.c\n",
        "lux/algorithms/three/c.py": "from lux.algorithms.one.a import x\n",
    }
    ring = " <-> ".join(f"lux.algorithms.{name}" for name in ("one", "three", "two"))
    assert cycles(made_up(tmp_path, files)) == [ring]


def test_a_cycle_of_a_folder_and_one_in_it_is_found(tmp_path):
    files = {"lux/graph/a.py": "import lux.graph.sub.b\n", "lux/graph/sub/b.py": "import lux.graph.a\n"}
    assert cycles(made_up(tmp_path, files)) == ["lux.graph <-> lux.graph.sub"]


def test_large_folders_are_found(tmp_path):
    made_up(tmp_path, {f"lux/kernels/k{i}.py": "" for i in range(MAX_MODULES)})
    (tmp_path / "lux/py.typed").touch()
    assert large_folders(tmp_path) == []
    (tmp_path / "lux/kernels/one.cu").touch()
    for i in range(MAX_ENTRIES):
        (tmp_path / f"lux/m{i}.py").touch()
    assert large_folders(tmp_path) == ["lux/kernels has 26 modules", "lux has 24 entries"]


def test_hidden_imports_are_found(tmp_path):
    files = {
        "lux/graph/graph_kernels.py": "",
        "lux/runtime/stores.py": "",
        "lux/results/write.py": "def f():\n    import lux.runtime.stores, lux.graph.graph_kernels, pandas, json\n"
        "    import requests\n",
    }
    assert hidden_imports(made_up(tmp_path, files)) == [
        "lux.results.write -> lux.runtime.stores", "lux.results.write -> requests"
    ]  # fmt: skip
