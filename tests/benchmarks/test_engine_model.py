# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The tables of the model of breadth-first engines."""

import json

import pytest

from benchmarks import engine_model
from benchmarks.bfs_model import scaling


def test_tables_and_json(tmp_path, monkeypatch, capsys):
    path = tmp_path / "found.json"
    monkeypatch.setattr("sys.argv", ["engine_model.py", "--parts", "1", "8", "--each", "20", "--output", str(path)])
    engine_model.main()
    found = json.loads(path.read_text())
    assert len(found["predicted"]) == len(found["predicted_without_launches"]) == 2 * len(scaling.ENGINES)
    assert found["assumptions"] == list(scaling.ASSUMPTIONS)
    assert [f["engine"] for f in found["published"] if f["error"] is None].count("framework") == 2
    said = capsys.readouterr().out
    for word in (*scaling.ENGINES, "PREDICTED", "fitted", "+173%", "It is assumed"):
        assert word in said


@pytest.mark.parametrize("wrong", [["--parts", "3"], ["--network", "0"], ["--each", "40"]])
def test_what_is_allowed(monkeypatch, capsys, wrong):
    monkeypatch.setattr("sys.argv", ["engine_model.py", *wrong])
    with pytest.raises(SystemExit):
        engine_model.main()
    assert "allowed are" in capsys.readouterr().err
