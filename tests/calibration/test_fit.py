# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rates are found again in times that they made."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lux.calibration import calibrate, fit_cpu
from lux.calibration.fit import Sample, fit_line, fit_rates
from perfmodel import Machine, ModelError, Rate
from perfmodel.equations import near_share

SIZES = ((10**5, 16 * 10**5, 0.9), (10**5, 4 * 10**5, 0.0), (10**6, 4 * 10**6, 0.9), (10**6, 30 * 10**6, 0.5))
SIZES += (
    (2 * 10**6, 8 * 10**6, 0.9),
    (2 * 10**6, 9 * 10**7, 0.1),
    (3 * 10**6, 12 * 10**6, 0.0),
    (3 * 10**6, 6 * 10**7, 0.8),
)


def samples_of(rate, cache, workers=(1,), activity=1.0):
    """What a machine with these rates would measure."""
    for v, e, irregular in SIZES:
        near = near_share(8, v / 2, cache)
        alone = activity * e * (rate.edge_near * near + rate.edge_far * (1 - near))
        alone += v * (rate.vertex_near * near + rate.vertex_far * (1 - near) + rate.vertex_irregular * irregular)
        for w in workers:
            time = alone * (rate.serial + (1 - rate.serial) / w)
            yield Sample("g", "pagerank", "pull", v, e, w, v / 2, irregular, activity, time, 1e-3, 20, w)


@given(st.floats(0.1, 2), st.floats(0, 3), st.floats(0, 5), st.floats(0, 20), st.floats(0, 20), st.floats(0, 1))
@settings(max_examples=20)
def test_rates_are_found_again(edge, edge_more, vertex, vertex_more, uneven, serial):
    ns = 1e-9
    made = Rate(edge * ns, (edge + edge_more) * ns, vertex * ns, (vertex + vertex_more) * ns, uneven * ns, serial)
    rates, _ = fit_rates(samples_of(made, 2.0**21, workers=(1, 2)))
    found = rates["pagerank"]["pull"]
    assert found.error < 1e-6
    assert found.serial == pytest.approx(serial, abs=1e-6)
    assert found.edge_near <= found.edge_far
    assert found.vertex_near <= found.vertex_far


@pytest.mark.check
def test_the_cache_is_found_again():
    made = Rate(1e-9, 3e-9, 1e-9, 9e-9)
    assert fit_rates(samples_of(made, 2.0**22))[1].cache_bytes == 2.0**22


def test_more_workers_than_help_are_not_negative():
    made = Rate(1e-9, 1e-9, 0, 0)
    slow = [replace(s, kernel=s.kernel * s.workers) for s in samples_of(made, 2.0**20, workers=(1, 2))]
    assert fit_rates(slow)[0]["pagerank"]["pull"].serial == pytest.approx(1)


@pytest.mark.check
def test_too_little():
    with pytest.raises(ModelError, match="there is nothing to fit"):
        fit_rates([])
    with pytest.raises(ModelError, match=r"1 runs of pagerank .* are too few: calibrate on two graphs"):
        fit_rates(list(samples_of(Rate(1e-9, 1e-9, 0, 0), 2.0**20))[:1])


def test_lines():
    assert fit_line([(0, 1.0), (5, 2.0), (10, 3.0)]) == pytest.approx((1.0, 0.2))
    assert fit_line([(0, 2.0), (0, 2.0)]) == pytest.approx((2.0, 0.0))


def test_a_profile_of_samples():
    machine = Machine("cpu", "x", 2, 0, 1 << 30, 0)
    found = fit_cpu.fit(list(samples_of(Rate(1e-9, 1e-9, 0, 0), 2.0**20, workers=(1, 2))), machine)
    assert found.run_seconds == pytest.approx(1e-3)
    assert found.launch_seconds == pytest.approx(0, abs=1e-9)
    assert found.network is None


def test_calibrating_this_machine(tmp_path):
    from perfmodel import profile
    from perfmodel.this_machine import this_machine

    file = tmp_path / "p.json"
    graphs = "uniform:10,grid:40x40,kronecker:11"
    words = ["--output", str(file), "--graphs", graphs, "--programs", "pagerank,components"]
    assert calibrate.main([*words, "--rounds", "3", "--seconds", "12"]) == 0
    found = profile.load(file)
    assert profile.alike(found.machine, this_machine("cpu"))
    assert {*found.rates} == {"pagerank", "components"}
    assert found.run_seconds >= 0


def test_a_gpu_that_is_not_there(capsys, monkeypatch, tmp_path):
    import legate_config

    here = legate_config.Machine.detect()
    monkeypatch.setattr(legate_config.Machine, "detect", classmethod(lambda _cls: replace(here, gpus=())))
    assert calibrate.main(["--device", "gpu", "--output", str(tmp_path / "p.json")]) == 2
    assert "this machine has none: pass --device cpu" in capsys.readouterr().err
