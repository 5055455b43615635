# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Figures in README.md and docs/ are those of benchmarks/results/, and it is known what these are of."""

import doctest
import json
import re
import shutil

import pytest

from benchmarks import pages, plots, provenance, tables
from benchmarks.tables import cpu, first_calls, mechanisms

PAGES = pages.pages()
NAMES = [str(page.relative_to(pages.ROOT)) for page in PAGES]

UNKNOWN = {
    "calibration-h200-4-ranks.json": "commit not recorded",
    "calibration-h200-4.json": "commit not recorded",
}
"""Results that lack a clean commit, the machine or the versions, and were not measured again: none may be added."""

NO_FILE = [
    ("docs/explanation/distributed-bfs.md", "| graph | rule | levels | of them backward | edges looked at"),
]
"""Tables of measured numbers of which no file was kept, by page and the first 60 characters: none may be added."""


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_pages_have_the_figures_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    wrong = {f.words: (f.text, f.wanted) for f in pages.figures(text) if f.text != f.wanted}
    assert not wrong, "python -m benchmarks.pages --write puts them right"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_tables_of_numbers_are_bound_to_results(page):
    name = str(page.relative_to(pages.ROOT))
    known = sorted(head for where, head in NO_FILE if where == name)
    found = sorted(head[:60].rstrip() for head in pages.unbound(page.read_text(encoding="utf-8")))
    assert found == known, (
        "a table of numbers without a comment (see benchmarks/pages.py), or one in the list that has a comment now"
    )


def test_results_say_what_they_are_of():
    found = {file.name: provenance.fault(pages.document(file)) for file in pages.RESULTS.glob("*.json")}
    assert {name: wrong for name, wrong in found.items() if wrong} == UNKNOWN, (
        "results without a clean commit, machine or versions: measure again; one in the list that has them now: "
        "take it from the list"
    )


def test_results_are_used():
    """By a page, by a figure, or by the test of the rates that are fitted to them."""
    used = {pattern for pattern, _ in plots.FIGURES.values()} | {"calibration-*.json"}
    used |= {word for page in PAGES for word in re.findall(r"[\w*-]+\.json", page.read_text(encoding="utf-8"))}
    found = {file.name for file in pages.RESULTS.glob("*.json")}
    assert found == {file.name for pattern in used for file in pages.RESULTS.glob(pattern)}


def test_examples():
    for module in (pages, provenance, tables, cpu, mechanisms):
        assert doctest.testmod(module).failed == 0


def test_commands_before_and_after_an_installation():
    states = {"nothing compiled": [50.0], "installed": [1.5, 1.2, 1.3], "later": [1.0, 1.1]}
    document = {"seconds": {"PageRank": states}}
    assert "| PageRank | 50 | 1.3 | 1.1 |" in first_calls.commands(document)
    assert first_calls.answer(document, "installed") == "1.3 s"


def test_first_calls_deltas_and_default_calls_of_the_comparison_on_cores():
    def row(work, library, variant, median, **more):
        found = {"graph": "grid:9x9", "work": work, "library": library, "variant": variant, "median": median}
        return found | {"precision": "", "threads": 2, "calls": [[median - 1], [median], [median + 9]]} | more

    document = {
        "iterations": 20,
        "graphs": [
            {
                "spec": "grid:9x9",
                "setup_seconds": {
                    "Lux: generate": 9.0,
                    "Lux: first call of bfs": 0.004,
                    "Lux: first call of pagerank, float32": 0.5,
                    "Lux: first call of pagerank with its defaults": 0.25,
                    "Lux: reorder, or find the order good": 0.03,
                    "igraph: Graph": 7.0,
                },
            }
        ],
        "results": [
            row("bfs", "Lux", "", 2.0),
            row("pagerank", "Lux", "", 3.0, precision="float32"),
            row("pagerank, default call", "Lux", "7 iterations", 30.0, precision="float64"),
            row("sssp", "GAPBS", "delta 2", 5.0, tried={"delta 16": 11.0, "delta 2": 5.5}),
        ],
        "gapbs": {"commit": "b5e3e19c2845", "command": "g++ -O3 src/bfs.cc -o bfs", "compiler": "g++ 12"},
    }
    first = cpu.first_calls(document)
    assert "| grid:9x9 | BFS | 4.0 | 2.0 |" in first
    assert "| grid:9x9 | PageRank, float32 | 500 | 60 |" in first  # of 20 iterations
    assert "| grid:9x9 | PageRank with its defaults | 250 | 30 |" in first
    assert "| grid:9x9 | reorder, or find the order good | 30 | |" in first
    assert "igraph" not in first
    assert "| Lux | with its defaults | float64 | 2 | 30 (29 to 39, 7 iterations) |" in cpu.work(
        document, "default-call"
    )
    assert "| GAPBS | with a delta | | 2 | 5.0 (4.0 to 14.0, delta 2) |" in cpu.work(document, "sssp")
    assert "| library | 2 | 16 |" in cpu.deltas(document)
    assert "| grid:9x9 | GAPBS | 5.5 | 11.0 |" in cpu.deltas(document)
    assert cpu.gapbs(document) == "of commit b5e3e19, built by `g++ -O3 src/bfs.cc -o bfs` with g++ 12"


@pytest.fixture
def results(tmp_path):
    """Results of which one has another time than the pages say."""
    shutil.copytree(pages.RESULTS, tmp_path / "results")
    changed = tmp_path / "results" / "cpu.json"
    found = json.loads(changed.read_text())
    for row in found["results"]:
        row["median"] *= 2
    changed.write_text(json.dumps(found))
    return tmp_path / "results"


def test_other_results_are_seen_and_written(results):
    text = (pages.ROOT / "README.md").read_text()
    assert pages.written(text) == text
    after = pages.written(text, results)
    assert after != text
    assert pages.written(after, results) == after
    assert pages.written(after) == text


def test_words_in_a_sentence(results):
    before = "A call takes <!-- figures: cpu.calls cpu.json -->a while<!-- end -->.\n"
    (found,) = pages.figures(before)
    assert found.text == "a while"
    assert pages.written(before).endswith("|<!-- end -->.\n")
    assert "commit" not in pages.written(before)


@pytest.mark.parametrize(
    "page, said",
    [
        ("x <!-- figures: cpu.calls cpu.json -->1\n", "has no '<!-- end -->'"),
        ("x <!-- figures: cpu.calls cpu.json -->1 <!-- figures: cpu.calls cpu.json -->1<!-- end -->", "has no"),
        ("x <!-- figures: cpu.none cpu.json -->1<!-- end -->", r"no function none in benchmarks/tables/cpu.py"),
        ("x <!-- figures: none.calls cpu.json -->1<!-- end -->", r"no function calls in benchmarks/tables/none.py"),
        ("x <!-- figures: cpu.calls none.json -->1<!-- end -->", "no file none.json"),
        ("<!-- figures: cpu.calls cpu.json -->1<!-- end -->", "in the middle of a line"),
        ("x <!-- figures: cpu.calls cpu.json -->\n1<!-- end -->", "in the line after the comment"),
    ],
)
def test_comments_that_cannot_be_followed(page, said):
    with pytest.raises(pages.PageError, match=said):
        pages.figures(page)


def test_what_is_unknown_of_results_is_said_below_tables(tmp_path):
    file = tmp_path / "cpu.json"
    facts = {"commit": "1b53035-dirty", "machine": {"cpu": "Abacus", "cores": 2}}
    file.write_text(json.dumps(facts))
    assert (
        pages.sources([file]) == "(`benchmarks/results/cpu.json`: commit 1b53035, uncommitted changes, Abacus, 2 cores)"
    )
    file.write_text(json.dumps({"gpus": [{"name": "H200"}] * 4}))
    assert pages.sources([file]) == "(`benchmarks/results/cpu.json`: commit not recorded, 4 x H200)"
    assert provenance.fault({"commit": "1b53035", "machine": {}}) == "machine not recorded"
    assert provenance.fault({"commit": "1b53035", "machine": {"cpu": "A"}, "versions": {}}) == "versions not recorded"


def test_tables_that_are_no_measurements_say_why():
    table = "| | ms |\n|---|---|\n| Lux | 5.8 |\n"
    assert list(pages.unbound(f"Text.\n\n{table}")) == ["| | ms |"]
    assert not list(pages.unbound(f"<!-- not measured: published -->\n{table}"))
    assert list(pages.unbound(f"<!-- not measured: published -->\n\nText.\n\n{table}")) == ["| | ms |"]
