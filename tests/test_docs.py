# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Python in README.md and docs/ runs, and prints what the page says it prints."""

import contextlib
import doctest
import functools
import gzip
import io
import itertools
import re
import subprocess
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import lux
from lux_cases.processes import environment

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
FILE = re.compile(r"`((?:apps|benchmarks|docs|examples|legate_config|lux|perfmodel|tests)/[\w./-]+)`")
MODULE = re.compile(r"(?:python -m|--module) ((?:benchmarks|legate_config|lux|perfmodel)[\w.]*)")
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_files_exist(page):
    text = page.read_text(encoding="utf-8")
    missing = {link for link, _ in LINK.findall(text) if not (page.parent / link).exists()}
    places = [(module, ROOT / module.replace(".", "/")) for module in MODULE.findall(text)]
    missing |= {m for m, path in places if not (path / "__main__.py").exists() and not path.with_suffix(".py").exists()}
    missing |= {file for file in FILE.findall(text) if not (ROOT / file).exists()}
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_headings_that_links_name_exist(page):
    for link, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if anchor:
            target = page.parent / link if link else page
            heads = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
            assert anchor in slugs, f"{link}#{anchor}"


@pytest.mark.check
def test_index_links_every_page():
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in index.parent.rglob("*.md") if page != index} <= linked


def test_reference_has_every_public_name():
    text = (ROOT / "docs" / "reference" / "names.md").read_text(encoding="utf-8")
    assert not {f"lux.{public}" for public in lux.__all__ if not re.search(rf"`lux\.{public}\b", text)}


def test_options_on_the_reference_page_exist(tmp_path):
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    section = text[text.index("## Options of every algorithm") : text.index("## Exit codes")]
    options = set(re.findall(r"--[a-z][a-z-]*", section))
    assert len(options) > 15
    assert options <= set(re.findall(r"--[a-z][a-z-]*", run_shell("lux pagerank --help", tmp_path)))


def run_blocks(page, folder, space, **smaller):
    """Blocks run in order; a text block right after one has its output or its error, with ``...`` for anything.

    Blocks of Python share ``space``; blocks of the shell run in ``folder``. ``smaller`` has what is replaced so that
    the page runs quickly, and without a GPU.
    """
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    for number, (language, code, wanted) in enumerate(blocks):
        code = functools.reduce(lambda text, pair: text.replace(*pair), smaller.items(), code)  # noqa: PLW2901
        path = folder / f"block_{number}.py"  # where the sources of the programs can be read
        printed = run_python(code, path, space, wanted) if language == "python" else run_shell(code, folder)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(wanted, printed, flags)
        assert same, f"block {number} printed\n{printed}\nand the page says\n{wanted}"


def run_python(code, path, space, wanted):
    """What a block prints; a block that ends with an error of Lux has to say so."""
    path.write_text(code, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, path, "exec"), space)
        except lux.LuxError as error:
            if not wanted:
                raise
            printed.write(f"{error}\n")
    return printed.getvalue()


def run_shell(code, folder):
    """What the commands of a block print; they have to succeed."""
    done = subprocess.run(
        ["bash", "-e", "-c", code],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert not done.returncode, f"{code}{done.stderr}"
    return done.stdout


def files_and_objects(folder):
    """Files that pages read, as small as they can be, and objects of other libraries that pages name."""
    ids = [3, 4, 5, 30, 4037, 8274, *range(100, 220)]
    votes = np.random.default_rng(1).choice(ids, (600, 2))
    lines = [f"{u}\t{v}\n" for u, v in [*votes, *itertools.pairwise(ids)]]
    (folder / "wiki-Vote.txt").write_text("# votes\n" + "".join(lines))
    with gzip.open(folder / "roads.gr.gz", "wt") as file:
        file.write("p sp 3 2\na 1 2 40000\na 2 3 20000\n")
    rated = "".join(f"{user},{item},{user % 5 + item % 3}\n" for user in range(30) for item in range(user % 2, 40, 2))
    for day in "12":
        (folder / f"edges/day={day}").mkdir(parents=True)
        (folder / f"edges/day={day}/part-0.csv.gz").write_bytes(gzip.compress(f"source,target\n{day},3\n".encode()))
    (folder / "ratings.csv").write_text("userId,movieId,rating\n" + rated)
    found = {"G": nx.path_graph(3), "A": sparse.eye_array(3, format="csr")}
    found |= {"df": pd.DataFrame({"source": [1], "target": [2]}), "u": [1, 2], "v": [2, 3], "w": [0.5, 1.5]}
    return found


SMALLER = {
    "README.md": {"kronecker:20": "kronecker:8"},
    "docs/explanation/gpus.md": {
        "import cupy": "import numpy as cupy",
        "kronecker:20": "kronecker:8",
        'device="gpu"': 'device="auto"',
        'device="gpu+cpu"': 'device="auto"',
    },
    "docs/explanation/partitions.md": {"kronecker:14": "kronecker:8"},
}
"""What is replaced on pages so that they run quickly, and without a GPU."""


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))], ids=name)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "page"} | files_and_objects(tmp_path)
    run_blocks(page, tmp_path, space, **SMALLER.get(name(page), {}))


def test_replacements_are_of_pages_and_are_needed():
    for page, smaller in SMALLER.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert all(words in text for words in smaller)
