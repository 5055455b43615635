# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What is predicted of one configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.memory import Need


@dataclass(frozen=True)
class Prediction:
    """One configuration's times in seconds, and bytes.

    Attributes
    ----------
    load, compute, update : float
        Steps of an iteration; of a program with a frontier, of its mean iteration with over 5 % of the vertices.
    transfer_sum, transfer_maximum, transfer_whole : float
        The inter-node transfer in three forms; see `perfmodel.internode.EXCHANGES`.
    changed : float
        Share of the vertices that are active: of those alone something travels, where only what changed does.
    launch : float
        What each iteration's launches add.
    driver : float
        What the driver takes to issue an iteration while kernels run: no iteration takes less.
    fixed : float
        What each iteration's kernels take besides edges and vertices.
    written : float
        Of ``update``, what is written to zero-copy memory.
    overflow : float
        Of ``compute``, the reading of edges in zero-copy memory.
    beside : float
        Where GPUs and CPU cores work at once: what the faster side takes. The steps are those of the slower one.
    exchange : {"sum", "maximum", "changed", "whole"}
        The form that counts.
    run : float
        What a whole run adds once.
    error : float
        Relative error on the graphs of the calibration, and of estimated sizes.
    need : Need
    iterations : int or None
        Known from a run on this graph.
    total : float or None
        Of all its iterations.
    each : tuple of float
        Of each of them, without launches, where they are known.
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
    need: Need
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
        """The transfer time in the form that counts."""
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
        """The same without launches; of the slower side, where GPUs and CPU cores work at once."""
        return self.load + self.compute + self.update + self.fixed + self.transfer

    def with_run(self, more: float) -> Prediction:
        """The same where a whole run takes so much more."""
        return replace(self, run=self.run + more)

    @property
    def range(self) -> tuple[float, float]:
        """Least and most seconds of one iteration, by the calibration's errors and both forms of the transfer of UDS.

        Other forms of the transfer are only known as they were measured.
        """
        rest = self.iteration - self.transfer
        of_sets = self.exchange in ("sum", "maximum")
        low, high = sorted((self.transfer_sum, self.transfer_maximum)) if of_sets else (self.transfer, self.transfer)
        shorter, longer = (rest + low) / (1 + self.error), (rest + high) * (1 + self.error)
        return min(shorter, self.iteration), max(longer, self.iteration)  # roundings
