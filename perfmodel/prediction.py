# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Prediction of one configuration: times and bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.memory import MemoryNeed

EXPECTED = 20
"""Iterations over which a run's fixed costs are spread if their number is unknown."""


@dataclass(frozen=True)
class Prediction:
    """Prediction for one configuration: times in seconds, and bytes.

    Attributes
    ----------
    load, compute, update : float
        Steps of an iteration; for a program with a frontier, of the mean iteration with over 5 % of the vertices.
    transfer_sum, transfer_whole : float
        Two forms of the transfer between nodes; see `perfmodel.internode.EXCHANGES`.
    transfer_byte, value_bytes, uds : float
        The third form: seconds of a byte that all nodes receive at once, bytes of a value, and the largest UDS.
    changed : float
        Share of the UDS that has changed.
    burst : float
        Seconds of traffic that pass at once after a pause; `perfmodel.internode.Link`.
    quiet : float
        Compute and update of an iteration with at most 5 % of the vertices in the frontier, over those above.
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
    exchange : {"sum", "maximum", "whole"}
        Form of the transfer that counts.
    run : float
        Time that a whole run adds once.
    first : float
        Part of ``run`` in which nodes exchange the first values, before the first iteration.
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
    transfer_byte: float = 0.0
    value_bytes: int = 0
    uds: float = 0.0
    changed: float = 1.0
    burst: float = 0.0
    quiet: float = 1.0
    first: float = 0.0

    @property
    def transfer(self) -> float:
        """Transfer time in the form that counts."""
        return self.transfer_of(self.changed)

    @property
    def transfer_maximum(self) -> float:
        """Transfer time if all nodes receive all of their UDS at once."""
        return self.transfer_byte * self.value_bytes * self.uds

    def transfer_of(self, share: float) -> float:
        """Return the transfer time in the form that counts, if such a share of the vertices has changed."""
        if self.exchange == "maximum":
            left = max(self.burst - self.transfer_maximum, 0.0) / EXPECTED  # by the first exchange, of all values
            pause = self.compute + self.update + self.fixed
            return equations.after_pause(
                self.wire(share), pause + left, self.burst, early=self.configuration.sends_early
            )
        return self.transfer_sum if self.exchange == "sum" else self.transfer_whole

    def wire(self, share: float) -> float:
        """Return the seconds of the bytes that a node receives, if such a share of the vertices has changed."""
        return self.transfer_byte * equations.changed_bytes(self.value_bytes, self.uds, share)

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
        rest, most = self.iteration - self.transfer, self.transfer_maximum
        low, high = self.transfer, self.transfer
        if self.exchange == "maximum" and most:
            high *= max(self.transfer_sum / most, 1.0)
        elif self.exchange == "sum":
            low = min(most, low)
        shorter, longer = (rest + low) / (1 + self.error), (rest + high) * (1 + self.error)
        return min(shorter, self.iteration), max(longer, self.iteration)  # roundings
