# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Figures on pages: ``python -m benchmarks.pages`` compares README.md and docs/ with benchmarks/results/.

A figure stands between two comments, which the rendered page does not show:

    <!-- figures: cpu.calls cpu.json -->
    | | PageRank | BFS |
    ...
    <!-- end -->

The first names a function of a module of `benchmarks.tables` and its arguments: for each word that ends in .json the
document of that name in benchmarks/results/ (``*`` takes several files, in the order of their names), for each other
word the word. The function's result is the text between the comments; below a table follows a line with each file, its
commit and its machine. Inside a sentence the comments are in one line, which begins with another word:

    a search takes <!-- figures: cpu.median cpu.json kronecker:20 bfs Lux -->3.9<!-- end --> ms

The reference pages have tables of `benchmarks.tables.names` between such comments: public names with the first lines of
their docstrings.

``--write`` rewrites the pages. A table of numbers that Lux's benchmarks did not measure (definitions, others'
publications, predictions) has ``<!-- not measured: WHY -->`` in the line before it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import provenance

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"

FIGURE = re.compile(r"<!-- figures: (?P<words>[^\n]+?) -->(?P<text>.*?)<!-- end -->", re.DOTALL)
NOT_MEASURED = re.compile(r"<!-- not measured: [^\n]+ -->")
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
NUMBER = re.compile(r"[*+<>~-]*\d")


class PageError(Exception):
    """Page error: a page's comments cannot be followed."""


@dataclass(frozen=True)
class Figure:
    """Figure on a page: the text between two comments, as it is and as it should be.

    Attributes
    ----------
    words : str
        Function and arguments, as on the page.
    start, end : int
        Position of the text in the page.
    text, wanted : str
    """

    words: str
    start: int
    end: int
    text: str
    wanted: str


def pages() -> list[Path]:
    """Return all pages that have figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def figures(page: str, results: Path = RESULTS) -> list[Figure]:
    """Return all figures of a page's text.

    Raises
    ------
    PageError
        A comment names no function or no file, has no end, or begins a line with words after it.
    """
    if page.count("<!-- figures: ") != len(FIGURE.findall(page)):
        raise PageError("a comment '<!-- figures: ... -->' has no '<!-- end -->'")
    found = []
    for match in FIGURE.finditer(page):
        words, text = match["words"], match["text"]
        if "<!-- figures: " in text:
            raise PageError(f"'{words}' has no '<!-- end -->'")
        begins = match.start() == 0 or page[match.start() - 1] == "\n"
        if begins != text.startswith("\n"):  # Markdown parses the rest of a line that begins with a comment as HTML
            raise PageError(f"'{words}': a table begins in the line after the comment, words in the middle of a line")
        found.append(Figure(words, *match.span("text"), text, made(words, results, block=begins)))
    return found


def made(words: str, results: Path = RESULTS, *, block: bool = False) -> str:
    """Call the function that a comment names; with ``block`` for lines of their own."""
    name, *arguments = words.split()
    module, _, function = name.partition(".")
    try:
        call = getattr(importlib.import_module(f"benchmarks.tables.{module}"), function)
    except (ImportError, AttributeError):
        raise PageError(f"'{words}': there is no function {function} in benchmarks/tables/{module}.py") from None
    given: list[Any] = []
    files: list[Path] = []
    for word in arguments:
        named = files_of(word, results)
        given += [document(file) for file in named] if word.endswith(".json") else [word]
        files += named
    text = str(call(*given))
    if not block:
        return text
    return f"\n{text}\n\n{sources(files)}\n" if text.startswith("|") and files else f"\n{text}\n"


def files_of(word: str, results: Path = RESULTS) -> list[Path]:
    """Return the files that a comment's word names; none for words without .json."""
    if not word.endswith(".json"):
        return []
    files = sorted(results.glob(word))
    if not files:
        raise PageError(f"there is no file {word} in {results}")
    return files


def document(file: Path) -> dict[str, Any]:
    """Return a benchmark's document."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def sources(files: Sequence[Path]) -> str:
    """Describe each file by its commit, or the lack of one, and its machine."""
    return "\n".join(f"(`benchmarks/results/{file.name}`: {_source(document(file))})" for file in files)


def _source(found: dict[str, Any]) -> str:
    gpus, machine = found.get("gpus", []), found.get("machine", {})
    parts = [provenance.code(found)]
    parts += [f"{len(gpus)} x {gpus[0]['name']}"] if gpus else []
    parts += [f"{machine['cpu']}, {machine['cores']} cores"] if "cpu" in machine else []
    return ", ".join(parts)


def unbound(page: str) -> Iterator[str]:
    r"""Yield the first line of each table of numbers that is neither between comments nor marked as not measured.

    >>> list(unbound("| | ms |\n|---|---|\n| Lux | 5.8 |\n"))
    ['| | ms |']
    >>> list(unbound("| field | what |\\n|---|---|\n| mark | reached? |\n"))
    []
    """
    bound = [match.span() for match in FIGURE.finditer(page)]
    for match in TABLE.finditer(page):
        head, _, *rows = match[0].splitlines()
        cells = [cell.strip() for row in rows for cell in row.strip("|").split("|")[1:]]
        before = page[: match.start()].rstrip("\n").rpartition("\n")[2]
        inside = any(start < match.start() < end for start, end in bound)
        if not inside and not NOT_MEASURED.fullmatch(before) and any(map(NUMBER.match, cells)):
            yield head


def written(page: str, results: Path = RESULTS) -> str:
    """Put the wanted text between the comments of a page."""
    for figure in reversed(figures(page, results)):
        page = page[: figure.start] + figure.wanted + page[figure.end :]
    return page


def main(words: Sequence[str] | None = None) -> None:
    """Compare or rewrite the pages, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description="Figures on pages.")
    parser.add_argument("--write", action="store_true", help="rewrite the pages whose figures differ")
    options = parser.parse_args(words)
    wrong = 0
    for path in pages():
        try:
            text = path.read_text(encoding="utf-8")
            after = written(text)
        except PageError as error:
            sys.exit(f"{path.relative_to(ROOT)}: {error}")
        if after != text:
            wrong += not options.write
            print(f"{path.relative_to(ROOT)}: {'written' if options.write else 'differs from benchmarks/results/'}")
            if options.write:
                path.write_text(after, encoding="utf-8")
    if wrong:
        sys.exit("python -m benchmarks.pages --write rewrites them")


if __name__ == "__main__":
    main()
