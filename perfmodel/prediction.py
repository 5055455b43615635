# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Prediction of one configuration: times and bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.memory import MemoryNeed


@dataclass(frozen=True)
class Prediction:
    """Prediction for one configuration: times in seconds, and bytes.

    Attributes
    ----------
    load, compute, update : float
        Steps of an iteration; for a program with a frontier, of the mean iteration with over 5 % of the vertices.
    transfer_sum, transfer_maximum, transfer_whole : float
        The inter-node transfer in three forms; see `perfmodel.internode.EXCHANGES`.
    changed : float
        Share of active vertices: only their values travel if the transfer sends changes alone.
    launch : float
        Launches of each iteration.
    driver : float
        Time in which the driver issues an iteration while kernels run: the minimum of an iteration.
    fixed : float
        Fixed time of each iteration's kernels, besides edges and vertices.
    written : float
        Part of ``update`` that writes to zero-copy memory.
    overflow : float
        Part of ``compute`` that reads edges from zero-copy memory.
    beside : float
        Time of the faster side if GPUs and CPU cores work at once; the steps are the slower side's.
    exchange : {"sum", "maximum", "changed", "whole"}
        Form of the transfer that counts.
    run : float
        Time that a whole run adds once.
    error : float
        Relative error on the graphs of the calibration, and of estimated sizes.
    need : MemoryNeed
    iterations : int or None
        Iterations of a run on this graph, if known.
    total : float or None
        Time of all iterations.
    each : tuple of float
        Time of each iteration, without launches, if known.
    """

    configuration: Configuration
    load: float
    compute: float
    update: float
    transfer_sum: float
    transfer_maximum: float
    launch: float
    exchange: str
    run: float
    error: float
    need: MemoryNeed
    iterations: int | None = None
    total: float | None = None
    fixed: float = 0.0
    written: float = 0.0
    overflow: float = 0.0
    beside: float = 0.0
    each: tuple[float, ...] = ()
    driver: float = 0.0
    transfer_whole: float = 0.0
    changed: float = 1.0

    @property
    def transfer(self) -> float:
        """Transfer time in the form that counts."""
        if self.exchange == "changed":
            return self.transfer_maximum * self.changed
        forms = {"sum": self.transfer_sum, "maximum": self.transfer_maximum, "whole": self.transfer_whole}
        return forms[self.exchange]

    @property
    def iteration(self) -> float:
        """Seconds of one iteration."""
        return max(equations.mixed(self.kernels, self.beside, self.launch), self.driver)

    @property
    def kernels(self) -> float:
        """Seconds of one iteration without launches; the slower side's if GPUs and CPU cores work at once."""
        return self.load + self.compute + self.update + self.fixed + self.transfer

    def with_run(self, more: float) -> Prediction:
        """Return the prediction of a whole run that takes so much longer."""
        return replace(self, run=self.run + more)

    @property
    def range(self) -> tuple[float, float]:
        """Return the least and most seconds of one iteration, by the calibration's errors and the transfer's forms.

        Only the forms of the transfer of UDS are varied; other forms are known only as measured.
        """
        rest = self.iteration - self.transfer
        of_sets = self.exchange in ("sum", "maximum")
        low, high = sorted((self.transfer_sum, self.transfer_maximum)) if of_sets else (self.transfer, self.transfer)
        shorter, longer = (rest + low) / (1 + self.error), (rest + high) * (1 + self.error)
        return min(shorter, self.iteration), max(longer, self.iteration)  # roundings
