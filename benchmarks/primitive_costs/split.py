# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Split of a run's time into W + H g + S l (section V of the paper; Valiant's model), by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.primitive_costs.costs import Costs
from lux.errors import ParameterError


@dataclass(frozen=True)
class Terms:
    """Terms: the machine's cost of each count.

    Attributes
    ----------
    work : float
        Seconds an edge or vertex, on one processor.
    gap : float
        g: seconds a byte that is sent.
    latency : float
        l: seconds a superstep.
    error : float
        Root of the mean squared relative difference between the model and the fitted runs.
    """

    work: float
    gap: float
    latency: float
    error: float

    def split(self, costs: Costs, processors: int) -> tuple[float, float, float]:
        """Return the model's seconds of computation, of exchange and of supersteps for a run."""
        return self.work * costs.work(processors), self.gap * costs.sent_bytes, self.latency * costs.supersteps


def kernel_seconds(costs: Costs, processors: int) -> float:
    """Return the slowest processor's measured kernel seconds: W, and the cost of reading others' values."""
    steps = (np.asarray(step.seconds) for step in costs.result.statistics)
    return float(sum(max(seconds.max(), seconds.sum() / processors) for seconds in steps))


def fit(runs: Sequence[Costs], processors: int) -> Terms:
    """Fit terms that are not negative and come closest to the runs' seconds, relative to these.

    The seconds of kernels are measured apart: the work comes from them, g and l from the rest of the runs' seconds.

    Parameters
    ----------
    runs : sequence of Costs
        Runs of one primitive, of several sizes and numbers of partitions: three or more.
    processors : int
        Cores that the partitions are divided over.

    Raises
    ------
    ParameterError
    """
    from scipy.optimize import nnls

    if len(runs) < 3:
        raise ParameterError(f"{len(runs)} runs were passed; allowed are 3 or more, since three terms are sought")
    seconds, kernels, work, sent, steps = np.array(
        [
            (c.result.seconds, kernel_seconds(c, processors), c.work(processors), c.sent_bytes, c.supersteps)
            for c in runs
        ],
        np.float64,
    ).T
    rate = work / kernels
    per_work = float(rate.sum() / (rate @ rate))  # the least squares of per_work * rate - 1
    columns = np.column_stack([sent, steps]) / seconds[:, None]
    scale = np.maximum(columns.max(axis=0), np.finfo(np.float64).tiny)  # columns of like size, for precision
    gap, latency = (nnls(columns / scale, 1 - kernels / seconds)[0] / scale).tolist()
    relative = (per_work * work + gap * sent + latency * steps) / seconds - 1
    return Terms(per_work, gap, latency, float(np.sqrt((relative**2).mean())))
