# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What runs on several nodes take, as it was measured: launches, what crosses, and how much slower kernels are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EXCHANGES = ("maximum", "sum", "changed", "whole")
"""Forms of the transfer between nodes.

``maximum``: all nodes receive their UDS at once. ``sum``: one after the other, as in equation 13 of the paper.
``changed``: all at once, of UDS the active vertices. ``whole``: all at once, and each all values that others have,
whatever it reads.
"""


@dataclass(frozen=True)
class InternodeRates:
    """One placement's, or one kernel's of `lux.factorize`, in seconds.

    Attributes
    ----------
    run, vertex : float
        Of a whole run: in all, and for each vertex.
    iteration : float
        Of an iteration's launches on nodes with one processor each.
    each : float
        The same for each further processor of a node.
    frontier : float
        Of an iteration of a program with a frontier, besides.
    byte : float
        For each byte that a node receives (gamma_x).
    exchange : {"maximum", "sum", "changed", "whole"}
        Which bytes those are: the form that was nearest to what was measured.
    load, load_byte : float
        Of an iteration in which GPUs with ``device`` placement gather what was brought: in all, and for each byte of
        the active members of the largest INS.
    slower : mapping of str to float
        Of programs and models (``pagerank pull``): how many times as long kernels take as their work over the nodes.

    Examples
    --------
    >>> InternodeRates(iteration=1e-3, each=2e-4).launch(3)
    0.0014
    >>> InternodeRates(slower={"bfs push": 1.5}).factor("bfs", "pull")
    1.0
    """

    run: float = 0.0
    vertex: float = 0.0
    iteration: float = 0.0
    each: float = 0.0
    frontier: float = 0.0
    byte: float = 0.0
    exchange: str = "whole"
    load: float = 0.0
    load_byte: float = 0.0
    slower: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_exchange(self.exchange)

    def launch(self, per_node: int, *, frontier: bool = False) -> float:
        """Seconds of an iteration's launches."""
        return self.iteration + (per_node - 1) * self.each + self.frontier * frontier

    def factor(self, program: str, model: str) -> float:
        """For a program's and model's kernels; 1 where that was not measured."""
        return self.slower.get(f"{program} {model}", 1.0)


def check_exchange(exchange: str) -> None:
    """Raise `ValueError` where that is no form of the transfer."""
    if exchange not in EXCHANGES:
        raise ValueError(f"exchange is {exchange!r}, not one of {', '.join(EXCHANGES)}")
