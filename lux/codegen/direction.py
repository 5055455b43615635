# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The direction of a search's next level by estimates (Pan et al., "Multi-GPU graph analytics", IPDPS 2017).

Beamer's rule adds up the frontier's edges. This one needs only numbers that are there anyway: of vertices in the
frontier, and of those visited. A search goes forward (push) first, backward (pull) once, and forward again to its end.
"""

# The signatures of this file are what generated kernels are written against.
from __future__ import annotations

from lux.kernels.frontier import PULL, PUSH
from lux.kernels.inlined import inlined

ESTIMATES = 3
"""Beside the models: each level's is chosen by estimates."""

AT_FIRST = 0
"""In a state's column ``MODEL``, before the first level."""
FORWARD_AGAIN = 3
"""There, once a search has gone backward and forward again: it goes on so."""


@inlined
def forward_estimate(active, n_vertices, n_edges):
    """FV: edges out of ``active`` vertices, if these have as many as all have on average."""
    return float(active) * float(n_edges) / float(n_vertices)


@inlined
def backward_estimate(visited, n_vertices):
    """BV: edges that those not ``visited`` look at, each until it finds a visited vertex, if these are anywhere."""
    return float(n_vertices - visited) * float(n_vertices) / float(visited)


@inlined
def next_direction(before, forward, backward, do_a, do_b):
    """`PUSH`, `PULL` or `FORWARD_AGAIN`, after a level that had one of these, or `AT_FIRST`."""
    if before == AT_FIRST:
        return PUSH
    if before == PUSH and forward > backward * do_a:
        return PULL
    if before == PULL and forward < backward * do_b:
        return FORWARD_AGAIN
    return before
