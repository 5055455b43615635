# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rules by which PageRank stops, and the error of its ranks then.

Errors and changes of ranks are sums of absolute differences (L1). An iteration brings any two distributions nearer by
the factor ``alpha`` at least. So ``k`` iterations leave an error of at most ``2 alpha^k``, and an iteration that
changes the ranks by ``c`` leaves at most ``c alpha / (1 - alpha)``; rounding adds what `rounding` says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lux.checks import checked_count, checked_real, warn
from lux.errors import ConvergenceError, ParameterError

if TYPE_CHECKING:
    from lux.graph.graph import Graph

RULES = ("error", "networkx")
TOLERANCE = 1e-6
"""The default ``tol``; with the rule ``error`` in float32, rounding comes on top."""
ITERATIONS = 100
"""The default ``max_iter`` where nothing says how many suffice; NetworkX's."""
ROUNDINGS = {"float32": 20, "float64": 300}
"""Roundings of a rank in an iteration, besides the sum of a long row in float64: in float32 mostly along the
rows of GPUs, which add in that type, and in float64 in a part of a row."""


@dataclass(frozen=True)
class Stop:
    """Rule by which a run stops.

    Attributes
    ----------
    tol, alpha : float
    change : float
        The run stops when an iteration changes the ranks by less; with 0 it never does.
    most : int
        Most iterations.
    enough : int or None
        Iterations after which the error is at most ``tol`` whatever the changes are, where that is known.
    expected : int or None
        Iterations after which the run is over, where that is known.
    rounding : float
        What rounding may add to the error.
    """

    tol: float
    alpha: float
    change: float
    most: int
    enough: int | None
    expected: int | None
    rounding: float

    def check(self, iterations: int, *, small: bool) -> bool:
        """Return True if so many iterations met ``tol``, after a ``small`` change or because they are enough.

        Raises `ConvergenceError` where they did not, unless ``tol`` is 0.
        """
        met = small or (self.enough is not None and iterations >= self.enough)
        if met or self.tol == 0:
            return met
        without = "" if self.enough is None else f", leave max_iter out ({self.enough:,} iterations suffice)"
        raise ConvergenceError(
            f"PageRank did not reach tol={self.tol:g} within max_iter={self.most}: raise one of them{without}, "
            "or pass tol=0 to run exactly that many"
        )

    def error(self, iterations: int, *, small: bool) -> float:
        """Return the ranks' error after so many iterations, at most."""
        bound = 2 * self.alpha**iterations
        if small and 0 < self.alpha < 1:
            bound = min(bound, self.change * self.alpha / (1 - self.alpha))
        return min(bound + self.rounding, 2.0)


def rounding(alpha: float, dtype: np.dtype[Any], *, longest: int, deltas: bool) -> float:
    """Bound how far rounding may lead the ranks from the exact ones.

    Each iteration rounds ranks and corrects the iterations before. ``deltas`` are rounded as exactly as they are small,
    but what becomes of them is not corrected. ``longest`` is the number of addends of the longest sum.

    Examples
    --------
    >>> for kind, longest in (("float32", 10), ("float64", 10), ("float64", 10**6)):
    ...     print(kind, f"{rounding(0.85, np.dtype(kind), longest=longest, deltas=False):.1e}")
    float32 7.9e-06
    float64 2.3e-13
    float64 7.4e-10
    """
    if alpha == 1:
        return math.inf
    unit, slow = float(np.finfo(dtype).eps) / 2, 1 / (1 - alpha)
    return slow * (unit * (ROUNDINGS[dtype.name] + (6 * slow if deltas else 0)) + longest * 2.0**-53)


def longest_sum(graph: Graph, *, weighted: bool) -> int:
    """Count the addends of the longest sum: over a row, or over all vertices, in 1024 parts."""
    rows = graph.most_in_edges
    if weighted and graph.directed:
        rows = max(rows, int(graph.dense_out_degrees().max()))
    return max(rows, graph.n_vertices // 1024)


def stop_rule(rule: Any, tol: Any, max_iter: Any, *, alpha: float, dtype: np.dtype[Any], added: float, n: int) -> Stop:
    """Make the rule by which a run over ``n`` vertices stops; rounding may have ``added`` to its error.

    Raises `ParameterError` where that cannot be, and warns (`LuxWarning`) where ``tol`` is less than rounding may add:
    iterations alone then meet it.
    """
    if not isinstance(rule, str) or rule not in RULES:
        raise ParameterError(f"stop={rule!r} was passed; allowed are {' and '.join(RULES)}")
    most = None if max_iter is None else checked_count("max_iter", max_iter)
    if tol is None:
        wanted = TOLERANCE + (added if rule == "error" and dtype == np.float32 else 0.0)
    else:
        wanted = checked_real("tol", tol, 0)
    if rule == "networkx" or wanted == 0:
        limit = ITERATIONS if most is None else most
        return Stop(wanted, alpha, wanted * n, limit, None, _iterations(alpha, wanted * n), added)
    if not added < 1:
        raise ParameterError(
            f"alpha={alpha:.17g} was passed, so near 1 that no number of iterations bounds the error of ranks in "
            f"{dtype}: pass a smaller alpha, stop='networkx', or tol=0 and max_iter"
        )
    left = wanted - added
    if left <= 0:
        _warn_of_rounding(wanted, alpha, added, dtype)
        left = wanted
    enough = 1 if alpha == 0 or left >= 2 else math.ceil(math.log(left / 2) / math.log(alpha))
    change = left * (1 - alpha) / alpha if alpha else math.inf
    return Stop(wanted, alpha, change, enough if most is None else min(most, enough), enough, enough, added)


def _iterations(alpha: float, change: float) -> int | None:
    """After how many iterations the ranks change by less than ``change`` in all, if ever.

    The first changes them by 2 at most, and each by at most ``alpha`` times what the one before did.
    """
    if change >= 2 or alpha == 0:
        return 2
    return None if change == 0 or alpha == 1 else 2 + math.ceil(math.log(change / 2) / math.log(alpha))


def _warn_of_rounding(tol: float, alpha: float, added: float, dtype: np.dtype[Any]) -> None:
    """Warn that iterations meet ``tol`` and that rounding may not."""
    wider = " (or pass dtype='float64')" if dtype == np.float32 else ""
    warn(
        f"tol={tol:g} was passed, and with alpha={alpha:g} rounding in {dtype} may put the ranks wrong by {added:.2g}: "
        f"the run goes on until no further iteration is needed for tol, and result.error says what is sure{wider}"
    )
