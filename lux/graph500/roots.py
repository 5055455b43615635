# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Search keys: vertices drawn among all that have an edge to another vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux.errors import GraphError

if TYPE_CHECKING:
    from lux.graph.graph import Graph


def sample(graph: Graph, n_roots: int, seed: int) -> NDArray[np.int64]:
    """Draw distinct roots uniformly at random, equal on every process; fewer if the graph has fewer.

    Parameters
    ----------
    graph : Graph
        Graph without self-loops.

    Returns
    -------
    np.ndarray of shape (min(n_roots, vertices that have neighbours),), int64

    Examples
    --------
    >>> import lux
    >>> sorted(sample(lux.from_edges([0, 1], [1, 2], n_vertices=9, directed=False), 64, seed=1).tolist())
    [0, 1, 2]
    """
    candidates = np.flatnonzero(graph.dense_in_degrees())
    if not len(candidates):
        raise GraphError("no vertex has an edge to another one, so that there is no root: raise --scale or --seed")
    count = min(n_roots, len(candidates))
    return np.random.default_rng(seed).choice(candidates, count, replace=False).astype(np.int64)
