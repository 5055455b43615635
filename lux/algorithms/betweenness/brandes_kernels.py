# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Dependencies on one source after the other, by the threads of a team that share a whole graph.

The forward sweep finds the vertices level by level and the number of shortest paths to each; the backward sweep adds
up dependencies from the last level to the first (Brandes 2001) over successors (Madduri et al. 2009). Vertices read
from neighbours through an array that holds zero for every vertex outside one level: a row is summed without a test.

Each level is worked on from the side with fewer edges, as in a direction-optimising search. Where vertices read from
their neighbours, all threads do so; where they write to them, one thread does, or each in a range of its own. So no
element is written by two threads, and every sum has an order that timing does not change.
"""

# The signatures of this file are what the tasks are written against.
from __future__ import annotations

from lux.algorithms.betweenness.backward_sweep_kernels import backward
from lux.algorithms.betweenness.brandes_state_kernels import ANY_WIDE, LEVELS
from lux.algorithms.betweenness.forward_sweep_kernels import forward
from lux.kernels.inlined import inlined


@inlined(forceinline=False, cache=True)
def sweep(me, size, rows, work, chosen, model, one, scores):
    """Add to ``scores`` the dependencies on each of the sources ``chosen``; ``size`` threads call it at once.

    Each vertex on a path gets ``one`` more than its dependency, and a source as much for each vertex it reaches:
    1.0 where the ends of a path count, else 0.0.
    """
    for source in chosen:
        forward(me, size, rows, work, source, model)
        if me == 0:
            scores[source] += one * (work.starts[work.plan[LEVELS]] - 1)
        backward(me, size, rows, work, model, one, scores)
        if me == 0 and work.plan[ANY_WIDE]:
            for level in range(work.plan[LEVELS]):
                work.wide[level] = False
