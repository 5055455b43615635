# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What is stored of GPUs, the rates that were fitted to it, and the predictions beside it belong together."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import model, model_gpu
from perfmodel import calibrate, profile

RESULTS = Path(model.__file__).parent / "results"
STORED = RESULTS / "model-gpu4.json"


def test_the_shipped_rates_are_those_of_the_stored_measurements(tmp_path):
    output = tmp_path / "again.json"
    samples = str(RESULTS / "calibration-h200-4.json")
    assert calibrate.main(["--fit", samples, "--output", str(output)]) == 0
    found, shipped = profile.load(output), profile.load("h200-4")
    assert (found.cache_bytes, found.hot_bytes) == (shipped.cache_bytes, shipped.hot_bytes)
    assert (found.factors, found.starts.keys()) == (shipped.factors, shipped.starts.keys())
    assert found.starts["device"].copies_each == pytest.approx(shipped.starts["device"].copies_each, 1e-3)
    for name, models in shipped.rates.items():
        for which, rate in models.items():
            again = found.rate(name, which)
            times = (rate.edge_near, rate.vertex_near, rate.crowded, *rate.written)
            assert (again.edge_near, again.vertex_near, again.crowded, *again.written) == pytest.approx(times, 1e-3)


def test_the_stored_predictions_are_those_of_the_shipped_rates():
    stored = json.loads(STORED.read_text())
    again = model_gpu.again(stored, profile.load("h200-4"))
    assert len(again["rows"]) == len(stored["rows"])
    for one, two in zip(stored["rows"], again["rows"], strict=True):
        assert one["measured"]["runs"] == two["measured"]["runs"]
        assert one["measured"]["all"] == pytest.approx(two["measured"]["all"])
        assert one["predicted"] == pytest.approx(two["predicted"], rel=1e-6)


def test_predicting_again_measures_nothing(tmp_path, monkeypatch, capsys):
    output = tmp_path / "again.json"
    monkeypatch.setattr(
        sys, "argv", ["model.py", "--again", str(STORED), "--profile", "h200-4", "--output", str(output)]
    )
    model.main()
    found, stored = json.loads(output.read_text()), json.loads(STORED.read_text())
    assert found["started"] == stored["started"]
    assert "after the measurements" in found["predicted"]
    assert "chosen by the model" in capsys.readouterr().out


def test_predicting_again_needs_a_profile(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["model.py", "--again", str(STORED)])
    with pytest.raises(SystemExit):
        model.main()
    assert "--again needs --profile" in capsys.readouterr().err
