# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the model measures of edges in zero-copy memory: runs in which they overflow though there is room."""

import lux
from perfmodel import measure_beside


def test_edges_overflow_where_that_is_asked_for(machine, monkeypatch):
    monkeypatch.setattr(measure_beside, "ITERATIONS", 1)
    monkeypatch.setattr(measure_beside, "OVERFLOW_PARTS", 2)
    with machine(1):
        case = next(measure_beside.cases("g", lux.generate("uniform:5,4", seed=2), (0.5,), ()))
        case.run()
        sample = case.sample()
    assert (sample.parts, sample.workers, sample.iterations) == (2, 1, 1)
    assert 0.3 < sample.overflow < 0.7
    assert sample.kernel > 0
