# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A profile of CPU cores from measured runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from perfmodel.fit import Sample, enough, fit_line, fit_rates, measured
from perfmodel.profile import Machine, Profile


def fit(samples: Sequence[Sample], machine: Machine, lux_version: str = "") -> Profile:
    """The profile of the machine on which the samples were measured.

    Raises
    ------
    ModelError
        Too little was measured.
    """
    rates, caches = fit_rates(samples)
    alone = [(float(s.n_vertices), s.rest) for s in samples if s.parts == 1]
    run, run_vertex = fit_line(alone)
    launches = [max(s.rest - run - run_vertex * s.n_vertices, 0.0) / s.iterations for s in samples if s.parts > 1]
    return Profile(
        machine,
        rates,
        caches.cache_bytes,
        run,
        run_vertex,
        float(np.median(launches)) if launches else 0.0,
        versions={"lux": lux_version, "measured": time.strftime("%Y-%m-%d", time.gmtime())},
        hot_bytes=caches.hot_bytes,
        measured=measured(samples),
    )


def fit_beside(samples: Sequence[Sample], machine: Machine, lux_version: str = "") -> Profile | None:
    """The same of CPU cores of a machine of GPUs, from what there was time for: programs with two graphs or more.

    None where there are none.
    """
    alone = enough([s for s in samples if s.workers == 1])
    known = {(s.program, s.model) for s in alone}
    if not known:
        return None
    return fit([s for s in samples if (s.program, s.model) in known], machine, lux_version)
