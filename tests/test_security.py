# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each line of docs/security.md names a test that exists; and what the page says of all modules."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/security.md"
READS_FILES = ("lux/io", "lux/graph/construction", "perfmodel", "lux/networkx_backend")
RUNS = {"eval", "exec", "compile", "__import__", "pickle", "marshal", "shelve", "dill", "yaml", "runpy"}
"""Names of functions and modules that run, or may run, what they are given."""


def lines():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return [row for row in rows if not row.startswith("| What |")]


@pytest.mark.check
def test_each_line_names_a_test():
    assert len(lines()) > 15
    for line in lines():
        found = re.search(r"`(tests/[\w/]+\.py)::(test_\w+)` \|$", line)
        assert found, line
        assert f"def {found[2]}(" in (ROOT / found[1]).read_text(), line


def calls(*folders):
    """File and node of each call in some folders."""
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    yield str(path.relative_to(ROOT)), node


def test_what_reads_files_runs_nothing_of_them():
    found = set()
    for path, call in calls(*READS_FILES):
        function = call.func
        name = function.id if isinstance(function, ast.Name) else ""
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            name = function.value.id
        named = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        if name in RUNS or named.get("allow_pickle", "False") != "False":
            found.add((path, ast.unparse(call)))
    assert not found


def test_no_command_goes_through_a_shell():
    found = [(path, ast.unparse(call)) for path, call in calls("lux", "legate_config", "perfmodel") if shell(call)]
    assert not found


def shell(call):
    named = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    return named.get("shell", "False") != "False" or ast.unparse(call.func) in {"os.system", "os.popen"}
