# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of a CPU profile to measured runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

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
    parted = [(float(s.n_vertices), s.rest) for s in samples if s.parts > 1]  # one launch has all iterations
    return Profile(
        machine,
        rates,
        caches.cache_bytes,
        run,
        run_vertex,
        0.0,
        starts={"host": RunOverheads(*fit_line(parted))} if parted else {},
        versions={"lux": lux_version, "measured": time.strftime("%Y-%m-%d", time.gmtime())},
        hot_bytes=caches.hot_bytes,
        measured=measured(samples),
    )


def fit_beside(samples: Sequence[Sample], machine: Machine, lux_version: str = "") -> Profile | None:
    """Fit the profile of CPU cores beside GPUs, from programs that ran on two graphs or more.

    Returns None if there are none.
    """
    alone = enough([s for s in samples if s.workers == 1])
    known = {(s.program, s.model) for s in alone}
    if not known:
        return None
    return fit([s for s in samples if (s.program, s.model) in known], machine, lux_version)
