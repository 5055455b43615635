# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The direction of a search's next level by estimates (Pan et al., "Multi-GPU graph analytics", IPDPS 2017).

Beamer's rule adds up the frontier's edges. This rule needs only two known numbers: the vertices in the frontier, and
the visited ones. A search goes forward (push) first, backward (pull) once, and forward again to its end.
"""

# Generated kernels are written against the signatures of this file.
from __future__ import annotations

from lux.kernels.deferred import when_compiling
from lux.kernels.frontier import PULL, PUSH
from lux.kernels.inlined import inlined
from perfmodel import direction as rules

__all__ = [
    "ESTIMATES",
    "backward_estimate",
    "by_share",
    "by_unreached",
    "by_workload",
    "forward_estimate",
    "next_phase",
]


def _compile_rule() -> None:
    """Have Numba compile what the rules share."""
    from numba.extending import register_jitable

    register_jitable(rules.next_direction)


when_compiling(_compile_rule)
by_share = inlined(rules.by_share)
by_unreached = inlined(rules.by_unreached)
by_workload = inlined(rules.by_workload)

ESTIMATES = 3
"""A value beside the models: each level's model is chosen by estimates."""

AT_FIRST = 0
"""Value of a state's column ``MODEL`` before the first level."""
FORWARD_AGAIN = 3
"""Value of the same column once a search has gone backward and forward again: it stays forward."""


@inlined
def forward_estimate(active, n_vertices, n_edges):
    """Estimate FV: edges out of ``active`` vertices, at the average out-degree."""
    return float(active) * float(n_edges) / float(n_vertices)


@inlined
def backward_estimate(visited, n_vertices):
    """Estimate BV: edges that unvisited vertices read until they find a visited one, if these are anywhere."""
    return float(n_vertices - visited) * float(n_vertices) / float(visited)


@inlined
def next_phase(before, forward, backward, do_a, do_b):
    """Return `PUSH`, `PULL` or `FORWARD_AGAIN`, after a level that had one of these, or `AT_FIRST`."""
    if before == AT_FIRST:
        return PUSH
    if before == FORWARD_AGAIN:
        return FORWARD_AGAIN
    if by_workload(before == PULL, forward, backward, do_a, do_b):
        return PULL
    return FORWARD_AGAIN if before == PULL else PUSH
