# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Docstrings begin with a verb or the name of the thing, not with a word that leaves the thing to guess."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("lux", "perfmodel", "legate_config", "benchmarks", "apps", "examples")
REFUSED = {"what", "whether", "where", "of", "those", "the same", "as", "how", "which", "that", "it", "likewise"}
"""Beginnings that name no thing."""


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Find every docstring, also those of constants, with its line."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value


def refused(text: str) -> list[str]:
    """List the docstrings of a module that begin with a refused word."""
    found = []
    for line, doc in docstrings(ast.parse(text)):
        words = re.findall(r"[\w-]+", doc.lower())[:2]
        if words and (words[0] in REFUSED or " ".join(words) in REFUSED):
            found.append(f"{line}: {doc.strip().splitlines()[0]}")
    return found


def modules() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.check
def test_docstrings_name_what_they_describe() -> None:
    wrong = [f"{path.relative_to(ROOT)}:{entry}" for path in modules() for entry in refused(path.read_text())]
    assert not wrong, "begin with a verb or with the name of the thing:\n" + "\n".join(wrong)


def test_all_folders_are_read() -> None:
    assert all(any((ROOT / folder).rglob("*.py")) for folder in FOLDERS)
    assert len(modules()) > 200


@pytest.mark.parametrize(
    "text",
    [
        '"""What a module does."""',
        'def f():\n    """Whether it is so."""',
        'class C:\n    """Those that are left."""\n    def m(self):\n        return 1',
        'class C:\n    x = 1\n    """Of each edge, the place."""',
        'async def f():\n    """The same for two."""',
        'X = 1\n"""Likewise."""',
    ],
)
def test_refuses_a_made_up_module(text: str) -> None:
    assert len(refused(text)) == 1


def test_takes_verbs_and_names() -> None:
    assert not refused('"""A module."""\ndef f():\n    """Offer whatever there is."""\nx = """What is no docstring"""')
