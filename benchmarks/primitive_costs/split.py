# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A run's time as W + H g + S l (section V of the paper; Valiant's model): what each term costs, by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.primitive_costs.costs import Costs
from lux.errors import ParameterError


@dataclass(frozen=True)
class Terms:
    """What counts cost on this machine.

    Attributes
    ----------
    work : float
        Seconds an edge or vertex, on one processor.
    gap : float
        g: seconds a byte that is sent.
    latency : float
        l: seconds a superstep.
    error : float
        Root of the mean squared relative difference between the model and the runs it was found from.
    """

    work: float
    gap: float
    latency: float
    error: float

    def split(self, costs: Costs, processors: int) -> tuple[float, float, float]:
        """Seconds of computation, of exchange and of supersteps that the model gives a run."""
        return self.work * costs.work(processors), self.gap * costs.sent_bytes, self.latency * costs.supersteps


def kernel_seconds(costs: Costs, processors: int) -> float:
    """Seconds that the slowest processor spent in kernels, as measured: W, and what reading others' values costs it."""
    steps = (np.asarray(step.seconds) for step in costs.result.statistics)
    return float(sum(max(seconds.max(), seconds.sum() / processors) for seconds in steps))


def fit(runs: Sequence[Costs], processors: int) -> Terms:
    """Terms that are not negative and come closest to the runs' seconds, relative to these.

    The seconds of kernels are measured apart: the work comes from them, g and l from the rest of the runs' seconds.

    Parameters
    ----------
    runs : sequence of Costs
        Of one primitive, of several sizes and numbers of partitions: three or more.
    processors : int
        Cores that share out the partitions.

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
