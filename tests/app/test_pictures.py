# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Pages and pictures that commands write."""

import html.parser
import json

import pytest


class Page(html.parser.HTMLParser):
    """The rows of a page's tables, its headings, and the number of its pictures."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.headings, self.pictures, self.tags = [], [], 0, set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.pictures += tag == "svg"
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data):
        if self.lasttag in ("td", "th"):
            self.rows[-1].append(data)
        if self.lasttag == "h2":
            self.headings.append(data)


@pytest.fixture
def edges(tmp_path):
    """A small directed graph with gaps in its ids."""
    path = tmp_path / "small.el"
    path.write_text("10 20\n20 30\n30 10\n30 40\n50 60\n60 50\n")
    return path


def test_a_run_has_a_page(call, edges, tmp_path):
    page = tmp_path / "run.html"
    code, text, err = call("bfs", edges, "--source", "10", "--report", page, "--json")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert found["report"] == str(page)
    assert "statistics" not in found
    page = Page(page.read_text())
    assert ["source", "10"] in page.rows
    assert page.pictures == 3
    assert page.headings[:3] == ["Values", "Frontier", "Balance"]
    assert page.headings[-1] == "Iterations"
    assert not {"script", "link", "img"} & page.tags


@pytest.mark.parametrize(
    "words",
    [
        ["degrees"],
        ["frontier", "--source", "20"],
        ["balance", "--program", "pagerank", "--parts", "2"],
        ["scaling", "--program", "components", "--parts", "3"],
        ["model", "--program", "pagerank", "--output", "model.pdf"],
    ],
    ids=lambda words: words[0],
)
def test_plots_are_written(call, edges, tmp_path, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    what, *options = words
    code, text, err = call("plot", what, edges, *options, "--json")
    assert code == 0
    assert not err or "predictions are rough" in err  # this machine may be one that no shipped profile knows
    written = tmp_path / json.loads(text)["output"]
    assert written.read_bytes()[:5] == (b"%PDF-" if written.suffix == ".pdf" else b"<?xml")


def test_wrong_names_are_refused(call, edges):
    code, _, err = call("plot", "quux", edges)
    assert (code, "invalid choice: 'quux'" in err) == (2, True)
    code, _, err = call("plot", "degrees", edges, "--output", "x.gif")
    assert (code, "end it in .svg, .png or .pdf" in err) == (2, True)
    code, _, err = call("components", edges, "--report", "x.txt")
    assert (code, "end it in .html" in err) == (2, True)
    code, _, err = call("components", edges, "--report", "no/x.html")
    assert (code, "there is no folder no" in err) == (2, True)
