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
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import lux

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")
FILE = re.compile(r"`((?:apps|benchmarks|docs|examples|legate_config|lux|perfmodel|tests)/[\w./-]+)`")
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_and_files_exist(page):
    text = page.read_text(encoding="utf-8")
    missing = {link for link in LINK.findall(text) if not (page.parent / link).exists()}
    missing |= {file for file in FILE.findall(text) if not (ROOT / file).exists()}
    assert not missing


def test_index_links_every_page():
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in index.parent.rglob("*.md") if page != index} <= linked


def run_blocks(page, folder, space, **smaller):
    """Blocks run in order; a text block right after one has its output or its error, with ``...`` for anything.

    ``smaller`` has what is replaced so that the page runs quickly, and without a GPU.
    """
    blocks = BLOCK.findall(page.read_text())
    for number, (code, wanted) in enumerate(blocks):
        path = folder / f"block_{number}.py"  # where the sources of the programs can be read
        path.write_text(functools.reduce(lambda text, pair: text.replace(*pair), smaller.items(), code))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(path.read_text(), path, "exec"), space)
            except lux.LuxError as error:
                if not wanted:
                    raise
                printed.write(f"{error}\n")
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(wanted, printed.getvalue(), flags)
        assert same, f"block {number} printed\n{printed.getvalue()}\nand the page says\n{wanted}"
    return len(blocks)


def test_programs(tmp_path):
    assert run_blocks(ROOT / "docs" / "how-to" / "write-a-program.md", tmp_path, {"__name__": "page"}) >= 7


def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = [3, 4, 5, 30, 4037, 8274, *range(100, 220)]
    votes = np.random.default_rng(1).choice(ids, (600, 2))
    lines = [f"{u}\t{v}\n" for u, v in [*votes, *itertools.pairwise(ids)]]
    Path("wiki-Vote.txt").write_text("# votes\n" + "".join(lines))
    with gzip.open("roads.gr.gz", "wt") as file:
        file.write("p sp 3 2\na 1 2 40000\na 2 3 20000\n")
    rated = "".join(f"{user},{item},{user % 5 + item % 3}\n" for user in range(30) for item in range(user % 2, 40, 2))
    Path("ratings.csv").write_text("userId,movieId,rating\n" + rated)
    others = {"G": nx.path_graph(3), "A": sparse.eye_array(3, format="csr")}
    others |= {"df": pd.DataFrame({"source": [1], "target": [2]}), "u": [1, 2], "v": [2, 3], "w": [0.5, 1.5]}
    space = {"__name__": "page", **others}
    assert run_blocks(ROOT / "README.md", tmp_path, space, **{"kronecker:20": "kronecker:8"}) == 2
    assert space["r"].distances[30] == 0
    partitions = ROOT / "docs" / "explanation" / "partitions.md"
    assert run_blocks(partitions, tmp_path, space, **{"kronecker:14": "kronecker:8"}) == 1
    anywhere = {'device="gpu"': 'device="auto"', 'device="gpu+cpu"': 'device="auto"'}
    assert run_blocks(ROOT / "docs" / "explanation" / "gpus.md", tmp_path, space, **anywhere) == 2
