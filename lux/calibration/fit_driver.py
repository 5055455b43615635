# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of run overheads if Legion copies values between GPUs, with a launch for each iteration.

The driver issues a launch and its copies while earlier launches' kernels run. If issuing takes longer than the kernels,
it determines the iteration's time; else the end of an iteration, the copies, and the beginning of the next one add to
the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lux.calibration.fit import Sample
from lux.calibration.fit_shared import fit_ratios
from perfmodel.profile import AHEAD, RunOverheads
from perfmodel.programs import program

ROUNDS = 10
"""Rounds of the fit; each decides anew which of the two an iteration takes."""
LEAST = 8
"""Minimum of runs with known seconds of an iteration."""


def driven(samples: Sequence[Sample]) -> tuple[RunOverheads, float] | None:
    """Fit run overheads, and seconds for each copied byte; None if too few runs have known iteration times.

    >>> one = Sample("g", "pagerank", "pull", 10**6, 10**7, 2, 1, 0, 1, 0, 0, 20, 2, 8e6, "device")
    >>> made = []
    >>> for workers, k, ended in [(w, k / 1e4, e) for w in (2, 4) for k in range(1, 17, 2) for e in (False, True)]:
    ...     least = 1e-4 + (5e-5 + 2e-4 * (not ended)) * (workers - 1)  # searches copy nothing
    ...     each = max(5e-5, least - k)
    ...     s = replace(one, workers=workers, kernel=k, program="bfs" if ended else "pagerank", ended=ended)
    ...     notes = tuple((done, each * done) for done in range(1, 21))
    ...     made.append(replace(s, rest=2e-3 + 20 * each + 8 * least * ended, noted=notes))
    >>> start, copied = driven(made)
    >>> [f"{x:.1g}" for x in (start.driver, start.driver_each, start.copies_each, start.iteration, start.run)]
    ['0.0001', '5e-05', '0.0002', '5e-05', '0.002']
    """
    known = [s for s in samples if s.rest_each is not None]
    if len(known) < LEAST:
        return None
    grows = len({s.workers for s in known}) > 1  # else a term per processor cannot be fitted
    issued, waited = (np.array([columns(s, grows) for s in known]) for columns in (_issued, _waited))
    kernels, each = np.array([(s.kernel, s.rest_each) for s in known], np.float64).T
    bound = kernels < each
    for _ in range(ROUNDS):
        rows = np.hstack([issued * bound[:, None], waited * ~bound[:, None]])
        found = fit_ratios(rows, kernels + each, np.where(bound, 0.0, kernels))[0]
        driver, iteration = found[: issued.shape[1]], found[issued.shape[1] :]
        before, bound = bound, issued @ driver > kernels + waited @ iteration
        if (bound == before).all():
            break
    ended = np.array([s.ended for s in known])
    rests = np.array([s.rest - s.iterations * of for s, of in zip(known, each, strict=True)])
    others = np.array([[1.0, 1e-6 * s.n_vertices, (s.workers - 1) * grows] for s in known])
    (run, vertex, run_each), _ = fit_ratios(others, np.maximum(rests, 1e-6), AHEAD * ended * (issued @ driver))
    more = dict(zip(("driver", "driver_each", "copies_each"), driver.tolist(), strict=True))
    start = RunOverheads(float(run), 1e-6 * float(vertex), float(iteration[0]), run_each=float(run_each), **more)
    return replace(start, iteration_each=float(iteration[1])), 1e-6 * float(iteration[2])


def _issued(sample: Sample, grows: bool) -> NDArray[np.float64]:
    """Return the columns of the driver's seconds."""
    others = sample.workers - 1
    return np.array([1.0, others * grows, others * program(sample.program).crosses])


def _waited(sample: Sample, grows: bool) -> NDArray[np.float64]:
    """Return the columns of the wait between kernels, scaled to like size."""
    return np.array([1.0, (sample.workers - 1) * grows, 1e-6 * sample.bytes_in * program(sample.program).crosses])
