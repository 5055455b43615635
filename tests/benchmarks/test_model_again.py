# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What is stored of GPUs, the rates that were fitted to it, and the predictions beside it belong together."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks import model, model_gpu
from perfmodel import profile

RESULTS = Path(model.__file__).parent / "results"
STORED = RESULTS / "model-gpu4.json"


def test_the_shipped_rates_are_those_of_the_stored_measurements(tmp_path):
    output = tmp_path / "again.json"
    samples = str(RESULTS / "calibration-h200-4.json")
    command = [sys.executable, "-m", "lux.calibration", "--fit", samples, "--output", str(output)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    found, shipped = (asdict(of) for of in (profile.load(output), profile.load("h200-4")))
    of_fits = ("rates", "cache_bytes", "hot_bytes", "factors", "starts")
    assert {name: found[name] for name in of_fits} == nearly({name: shipped[name] for name in of_fits})


def nearly(fitted):
    """Fits, which other processors' order of summation changes by some 1e-14."""
    if isinstance(fitted, dict):
        return {name: nearly(of) for name, of in fitted.items()}
    if isinstance(fitted, list | tuple):
        return type(fitted)(map(nearly, fitted))
    # Seconds of an edge are some 1e-12: the default difference that is allowed would be a large part of them.
    return pytest.approx(fitted, rel=1e-6, abs=1e-15) if isinstance(fitted, float) else fitted


@pytest.mark.parametrize("one, other", [(1e-11, 1.001e-11), (0.0, 1e-14), ([2.0], [2.00001]), ({"edge": (1, 2.0)}, {})])
def test_a_changed_fit_is_seen(one, other):
    assert one != nearly(other)
    assert one == nearly(one)


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
