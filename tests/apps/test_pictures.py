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


def test_a_run_has_a_page(run, edges, tmp_path):
    code, text, err = run("bfs", edges, "--source", "10", "--report", "run.html", "--json", starter="lux")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert found["report"] == "run.html"
    assert "statistics" not in found
    page = Page((tmp_path / "run.html").read_text())
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
def test_plots_are_written(run, edges, tmp_path, words):
    what, *options = words
    code, text, err = run("plot", what, edges, *options, "--json", starter="lux")
    assert (code, err) == (0, "")
    written = tmp_path / json.loads(text)["output"]
    assert written.read_bytes()[:5] == (b"%PDF-" if written.suffix == ".pdf" else b"<?xml")


def test_wrong_names_are_refused(run, edges):
    code, _, err = run("plot", "quux", edges, starter="lux")
    assert (code, "invalid choice: 'quux'" in err) == (2, True)
    code, _, err = run("plot", "degrees", edges, "--output", "x.gif", starter="lux")
    assert (code, "end it in .svg, .png or .pdf" in err) == (2, True)
    code, _, err = run("components", edges, "--report", "x.txt", starter="lux")
    assert (code, "end it in .html" in err) == (2, True)
    code, _, err = run("components", edges, "--report", "no/x.html", starter="lux")
    assert (code, "there is no folder no" in err) == (2, True)
