# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Python in docs/ runs, and prints what the page says it prints."""

import contextlib
import doctest
import io
import re
from pathlib import Path

import lux

PAGE = Path(__file__).parents[1] / "docs" / "programs.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


def test_programs(tmp_path):
    """Blocks run in order; a text block right after one has its output or its error, with ``...`` for anything."""
    space = {"__name__": "page"}
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) >= 7
    for number, (code, wanted) in enumerate(blocks):
        path = tmp_path / f"block_{number}.py"  # where the sources of the programs can be read
        path.write_text(code)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(code, path, "exec"), space)
            except lux.LuxError as error:
                printed.write(f"{error}\n")
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(wanted, printed.getvalue(), flags)
        assert same, f"block {number} printed\n{printed.getvalue()}\nand the page says\n{wanted}"
