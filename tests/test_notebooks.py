# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The notebooks in docs/ run from top to bottom, each in a kernel of its own."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs").rglob("*.ipynb"))


def test_notebooks_are_linked_and_have_no_outputs():
    index = (Path(__file__).parents[1] / "docs" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        assert f"(tutorial/{path.name})" in index
        cells = nbformat.read(path, as_version=4).cells
        assert not any(cell.outputs or cell.execution_count for cell in cells if cell.cell_type == "code")


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.multirank] * (path.stem == "cluster")) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
