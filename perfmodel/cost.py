# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Iterations per second and dollar: Table 3 of the paper."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.errors import ModelError
from perfmodel.prediction import Prediction


@dataclass(frozen=True)
class Prices:
    """Prices of machines, in dollars.

    Attributes
    ----------
    node, gpu : float
        Price of a node without GPUs, and of each GPU; to buy, or for an hour.
    """

    node: float
    gpu: float = 0.0

    def __post_init__(self) -> None:
        if not (self.node >= 0 and self.gpu >= 0 and self.node + self.gpu > 0):
            raise ModelError(f"prices {self.node} and {self.gpu} were passed: pass numbers from 0, not both 0")

    def of(self, prediction: Prediction) -> float:
        """Return the price of all nodes and GPUs of a configuration."""
        c = prediction.configuration
        return c.nodes * (self.node + (c.per_node * self.gpu if c.device != "cpu" else 0.0))


def efficiency(seconds: float, price: float) -> float:
    """Return the iterations per second and dollar.

    >>> efficiency(seconds=0.05, price=20_000)
    0.001
    """
    return 1 / (seconds * price)
