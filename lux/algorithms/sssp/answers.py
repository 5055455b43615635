# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The last step of every strategy of shortest paths: distances and parents as users see them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lux.algorithms.sssp import path_tree
from lux.engine.to_user_ids import both_to_user_ids, to_user_ids

if TYPE_CHECKING:
    from lux.algorithms.sssp.query import PathQuery
    from lux.engine.run.run import Run
    from lux.runtime import Store


def finish(query: PathQuery, run: Run, parent: Store, orphans: int) -> Run:
    """Put distances and parents in the order of dense ids; find the parents of ``orphans``, if there are any."""
    graph = query.graph
    dtype = np.int64 if query.unreached == -1 else None
    if not orphans:
        distance, parents = both_to_user_ids(graph, run.fields["distance"], dtype, parent, run)
    else:
        distance = to_user_ids(graph, run.fields["distance"], dtype, run=run)
        parent = path_tree.complete(graph, distance, parent, query.unreached, query.parts)
        parents = to_user_ids(graph, parent, graph.signed_dtype, places=True, run=run)
    return replace(run, fields={"distance": distance, "parent": parents}, finished=True)
