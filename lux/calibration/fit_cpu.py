# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of a CPU profile to measured runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from lux.calibration.fit import Sample, enough, fit_line, fit_rates, measured
from perfmodel.profile import Machine, Profile, RunOverheads


def fit(samples: Sequence[Sample], machine: Machine, lux_version: str = "") -> Profile:
    """Fit the profile of the machine on which the samples were measured.

    Raises
    ------
    ModelError
        Too little was measured.
    """
    rates, caches = fit_rates(samples)
    alone = [(float(s.n_vertices), s.rest) for s in samples if s.parts == 1]
    run, run_vertex = fit_line(alone)
    start = _start(samples)
    launches = [max(s.rest - run - run_vertex * s.n_vertices, 0.0) / s.iterations for s in samples if s.parts > 1]
    launch = float(np.median(launches)) if launches else 0.0
    return Profile(
        machine,
        rates,
        caches.cache_bytes,
        run,
        run_vertex,
        launch if start is None else start.iteration,
        starts={} if start is None else {"host": start},
        versions={"lux": lux_version, "measured": time.strftime("%Y-%m-%d", time.gmtime())},
        hot_bytes=caches.hot_bytes,
        measured=measured(samples),
    )


def _start(samples: Sequence[Sample]) -> RunOverheads | None:
    """Fit the overheads of runs on several partitions; None if no run noted when iterations were done.

    >>> from dataclasses import replace
    >>> one = Sample("g", "pagerank", "pull", 10**6, 10**7, 2, 1, 0, 1, kernel=1, rest=4e-3, iterations=20, parts=2)
    >>> start = _start([one, replace(one, noted=tuple((k, 1e-4 * k) for k in range(4, 21, 4)))])
    >>> f"{start.run:.3g} {start.iteration:.3g}"
    '0.002 0.0001'
    """
    noted = [(s, s.rest_each) for s in samples if s.parts > 1]
    known = [(float(s.n_vertices), s.rest - s.iterations * each, each) for s, each in noted if each is not None]
    if not known:
        return None
    run, vertex = fit_line([(v, once) for v, once, _ in known])
    return RunOverheads(run, vertex, float(np.median([each for _, _, each in known])))


def fit_beside(samples: Sequence[Sample], machine: Machine, lux_version: str = "") -> Profile | None:
    """Fit the profile of CPU cores beside GPUs, from programs that ran on two graphs or more.

    Returns None if there are none.
    """
    alone = enough([s for s in samples if s.workers == 1])
    known = {(s.program, s.model) for s in alone}
    if not known:
        return None
    return fit([s for s in samples if (s.program, s.model) in known], machine, lux_version)
