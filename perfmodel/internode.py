# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measured rates of runs on several nodes: launches, packing, and slower kernels. The network has its own rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EXCHANGES = ("maximum", "sum", "whole")
"""Forms of the transfer between nodes.

``maximum``: all nodes receive their UDS at once; of a program with a frontier, what has changed of it. ``sum``: one
after the other, as in equation 13 of the paper. ``whole``: all nodes receive all values of the others at once, even
unread ones.
"""


@dataclass(frozen=True)
class Link:
    """Network between nodes.

    Attributes
    ----------
    byte : float
        Seconds of a byte that a node receives while all nodes send at once (gamma_x).
    latency : float
        Seconds of an exchange of a few bytes between all nodes.
    burst : float
        Seconds of traffic that pass at once after a pause as long, where a token bucket holds the rate down.
    """

    byte: float
    latency: float
    burst: float = 0.0


@dataclass(frozen=True)
class InternodeRates:
    """Internode rates of one placement, or of one kernel of `lux.factorize`, in seconds.

    Attributes
    ----------
    run : float
        Of a whole run, constant.
    vertex : mapping of str to float
        By program and model (``pagerank pull``): of a whole run, for each vertex; the most is that of others.
    first : float
        Of a whole run, for each byte of the values that a node reads of others.
    iteration : float
        Of an iteration's launches on nodes with one processor each.
    each : float
        Extra time of an iteration's launches for each further processor of a node.
    frontier : float
        Extra time of an iteration of a program with a frontier.
    byte : float
        Time of each byte that a node receives besides the network's: it is packed and unpacked.
    exchange : {"maximum", "sum", "whole"}
        The form of the transfer that fits the measurements best.
    load, load_byte : float
        Of an iteration in which GPUs with ``device`` placement gather received values: constant, and for each byte of
        the active members of the largest INS.
    slower : mapping of str to float
        By program and model (``pagerank pull``): factor by which kernels are slower than their work divided over the
        nodes.
    read : mapping of str to float
        By program and model: time of an iteration's kernels for each vertex that a node reads of others.

    Examples
    --------
    >>> InternodeRates(iteration=1e-3, each=2e-4).launch(3)
    0.0014
    >>> InternodeRates(slower={"bfs push": 1.5}).factor("bfs", "pull")
    1.0
    """

    run: float = 0.0
    vertex: Mapping[str, float] = field(default_factory=dict)
    first: float = 0.0
    iteration: float = 0.0
    each: float = 0.0
    frontier: float = 0.0
    byte: float = 0.0
    exchange: str = "maximum"
    load: float = 0.0
    load_byte: float = 0.0
    slower: Mapping[str, float] = field(default_factory=dict)
    read: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_exchange(self.exchange)

    def of_run(self, program: str, model: str, n_vertices: float, read_bytes: float = 0.0) -> float:
        """Return the seconds that a whole run adds once, where a node reads so many bytes of others.

        >>> rates = InternodeRates(run=0.5, vertex={"bfs pull": 0.001, "bfs push": 0.002}, first=0.001)
        >>> rates.of_run("bfs", "pull", 1000), rates.of_run("sssp", "pull", 1000, read_bytes=500)
        (1.5, 3.0)
        """
        most = max(self.vertex.values(), default=0.0)
        return self.run + self.vertex.get(f"{program} {model}", most) * n_vertices + self.first * read_bytes

    def launch(self, per_node: int, *, frontier: bool = False) -> float:
        """Return the seconds of an iteration's launches."""
        return self.iteration + (per_node - 1) * self.each + self.frontier * frontier

    def of_read(self, program: str, model: str) -> float:
        """Return the seconds of kernels for each vertex that a node reads of others; 0 if not measured."""
        return self.read.get(f"{program} {model}", 0.0)

    def factor(self, program: str, model: str) -> float:
        """Return the slowdown of a program's and model's kernels; 1 if not measured."""
        return self.slower.get(f"{program} {model}", 1.0)


def check_exchange(exchange: str) -> None:
    """Raise `ValueError` unless the form of the transfer exists."""
    if exchange not in EXCHANGES:
        raise ValueError(f"exchange is {exchange!r}, not one of {', '.join(EXCHANGES)}")
