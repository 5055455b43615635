# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""docs/papers.md says what is so: modules, options and tests of each row exist, and what it links was measured."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import lux
from benchmarks import pages
from lux.settings import Settings

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "papers.md"
HEAD = ["Mechanism", "Where", "How to ask for it", "Test", "Measured", "Redone"]
CALL = re.compile(r"`([\w.]+)\((\w+)=[^`]*\)`")
COMMAND = re.compile(r"`(lux|legate) ?(\w*) (--[^`]+)`")
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)#([^)]+)\)")


def rows():
    """The cells of each row, by its mechanism."""
    lines = [line.strip("|").split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line] for line in lines]
    return {line[0]: line for line in cells if line != HEAD and set(line[0]) - set("-")}


ROWS = rows()


def section(page, anchor):
    """The text below a heading, up to the next heading of its level or one above."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^(#+) (.*)$", text, re.MULTILINE):
        if re.sub(r"[^\w -]", "", match[2].lower()).replace(" ", "-") == anchor:
            rest = text[match.end() :]
            return re.split(rf"^#{{1,{len(match[1])}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    raise AssertionError(f"{page} has no heading #{anchor}")


def found(name):
    """What a dotted name names."""
    words = name.split(".")
    for n in range(len(words), 0, -1):
        try:
            value = importlib.import_module(".".join(words[:n]))
        except ImportError:
            continue
        for word in words[n:]:
            value = getattr(value, word)
        return value
    raise AssertionError(f"there is no {name}")


def test_the_page_has_rows_of_five_papers():
    heads = re.findall(r"^\| Mechanism ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(heads) == 5
    assert len(ROWS) > 40
    assert all(len(row) == len(HEAD) for row in ROWS.values())


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_is_so(row):
    _, where, ask, test, measured, _ = row
    files = re.findall(r"`([\w./-]+)`", where)
    assert files
    assert all((ROOT / file).exists() for file in files)
    calls, commands = CALL.findall(ask), COMMAND.findall(ask)
    assert calls or commands or ask == "always"
    for name, argument in calls:
        function = found(name)
        allowed = Settings.__dataclass_fields__ if function is lux.using else inspect.signature(function).parameters
        assert argument in allowed, f"{name} has no {argument}"
    for _, _, flags in commands:
        code = "".join(
            p.read_text(encoding="utf-8") for at in ("lux/app", "legate_config") for p in (ROOT / at).glob("*.py")
        )
        assert all(flag in code for flag in flags.split())
    file, _, name = re.fullmatch(r"`(tests/[\w/]+\.py)::(test_\w+)`", test).group(0).strip("`").partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
    links = LINK.findall(measured)
    assert links
    for link, anchor in links:
        text = section(PAGE.parent / link, anchor)
        assert pages.FIGURE.search(text), f"{link}#{anchor} has no figures from benchmarks/results/"
