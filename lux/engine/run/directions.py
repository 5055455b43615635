# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rules by which a search chooses the direction of each level: by edges or by estimates; and the reasons it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import settings
from lux.checks import checked_real
from lux.codegen import direction as kernels
from lux.engine.run.statistics import Table
from lux.errors import ConfigurationError, ParameterError
from lux.kernels import frontier as fr
from perfmodel.direction import PAN

if TYPE_CHECKING:
    from lux.graph.graph import Graph

AUTO, EDGES, ESTIMATES = "auto", "edges", "estimates"
RULES = (AUTO, EDGES, ESTIMATES)
DO_A, DO_B = PAN
"""Backward where FV > BV * do_a, and forward again where FV < BV * do_b."""


@dataclass(frozen=True)
class Directions:
    """A rule that the user asked for; see `lux.codegen.direction`.

    Attributes
    ----------
    rule : {"edges", "estimates"}
    do_a, do_b : float
        Factors of the estimates.
    """

    rule: str
    do_a: float = DO_A
    do_b: float = DO_B

    @property
    def by_estimates(self) -> bool:
        """True if the frontier's edges do not count."""
        return self.rule == ESTIMATES


def checked(direction: Any, do_a: Any, do_b: Any) -> Directions | None:
    """Return the rule that the user asked for, None for ``auto``; or raise `ParameterError`.

    >>> checked("estimates", None, 0.5)
    Directions(rule='estimates', do_a=0.01, do_b=0.5)
    >>> checked("up", None, None)
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: direction='up' was passed; allowed are auto, edges, estimates
    """
    if direction not in RULES:
        raise ParameterError(f"direction={direction!r} was passed; allowed are {', '.join(RULES)}")
    for name, factor in (("do_a", do_a), ("do_b", do_b)):
        if factor is not None and direction != ESTIMATES:
            raise ParameterError(
                f"{name}={factor!r} was passed with direction={direction!r}, which has no such factor: leave it out, "
                f"or pass direction={ESTIMATES!r}"
            )
    if direction == AUTO:
        return None
    factors = {name: checked_real(name, x, 0) for name, x in (("do_a", do_a), ("do_b", do_b)) if x is not None}
    return Directions(direction, **factors)


def check_combination(directions: Directions, model: str) -> None:
    """Refuse a model, which is one direction, and GPUs that were asked for, which choose directions by themselves.

    >>> check_combination(Directions("edges"), "push")
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: direction='edges' was passed with model='push', which is one direction: leave one out
    """
    asked, device = f"direction={directions.rule!r} was passed with", settings.current().device
    if model != AUTO:
        raise ParameterError(f"{asked} model={model!r}, which is one direction: leave one out")
    if device in ("gpu", "gpu+cpu"):
        raise ConfigurationError(
            f"{asked} device={device!r}, and GPUs choose by edges in a way of their own: leave direction out, or use "
            "device='cpu'"
        )


class EstimatedTable(Table):
    """Levels of a search by estimates: each has the numbers that were compared before it."""

    def __init__(
        self, rows: NDArray[np.float64], graph: Graph, directions: Directions, sums: NDArray[np.float64] | None = None
    ) -> None:
        super().__init__(rows, lambda *_: "", sums)
        self._graph, self._directions = graph, directions
        self._visited = self._table[0, :, 1].cumsum()
        pulls = np.flatnonzero(self._table[0, :, 0] == fr.PULL)
        self._first, self._last = (int(pulls[0]), int(pulls[-1])) if len(pulls) else (len(self), len(self))

    def reason(self, k: int, *_: object) -> str:
        """Say why level ``k`` has its direction."""
        n, rule = self._graph.n_vertices, self._directions
        if k == 0:
            return "the first level goes forward"
        if self.between is not None and k >= self.between.first - 1:
            return "by estimates"
        if k > self._last + 1:
            return f"forward again since iteration {self._last + 2}"
        forward = kernels.forward_estimate.py_func(int(self._table[0, k, 1]), n, self._graph.n_edges)
        backward = kernels.backward_estimate.py_func(int(self._visited[k]), n)
        name, factor = ("do_a", rule.do_a) if k <= self._first else ("do_b", rule.do_b)
        limit = backward * factor
        sign = ">" if forward > limit else "<" if forward < limit else "="
        return f"estimates: {forward:,.1f} edges forward {sign} {name} x {backward:,.1f} backward = {limit:,.1f}"
