# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the framework analysis, on a small graph."""

import json

import pytest

from benchmarks import framework
from benchmarks.primitive_costs import PRIMITIVES


@pytest.mark.slow
def test_tables_and_json(tmp_path, monkeypatch, capsys):
    path = tmp_path / "found.json"
    arguments = ["--graphs", "kronecker:6,8", "grid:4x5", "--partitioners", "random", "--trials", "1"]
    monkeypatch.setattr("sys.argv", ["framework.py", *arguments, "--parts", "2", "3", "--json", str(path)])
    monkeypatch.setattr(framework, "LONG", 20)
    framework.main()
    found = json.loads(path.read_text())
    assert [len(found[name]) for name in ("borders", "costs", "split", "memory")] == [4, 24, 6, 12]
    for split in found["split"]:
        assert sum(split["shares"]) == pytest.approx(1)
    searches = [cost for cost in found["costs"] if cost["primitive"] == "BFS" and cost["graph"].startswith("grid")]
    for cost in searches:  # every vertex is reached, so each crosses its borders once
        assert cost["H"] == cost["table_one"]["H"]
        assert cost["bytes"] <= cost["bytes_broadcast"]
    said = capsys.readouterr().out
    for word in (*PRIMITIVES, "just enough", "Table I", "H g"):
        assert word in said
