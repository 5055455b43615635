# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs and verifiers of Lux's own algorithms, which have no public names, for tests of anything else."""

from lux.algorithms.betweenness import betweenness
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.bfs import BreadthFirstSearch
from lux.algorithms.components import components
from lux.algorithms.components.components import SmallestLabel
from lux.algorithms.factorization import factorization
from lux.algorithms.pagerank import pagerank
from lux.algorithms.pagerank.general_pagerank import WeightedPageRank
from lux.algorithms.pagerank.pagerank import PageRank, PageRank32, PageRankDeltas
from lux.algorithms.sssp import sssp
from lux.algorithms.sssp.bellman_ford import ShortestPathsFloat32

__all__ = [
    "BreadthFirstSearch",
    "PageRank",
    "PageRank32",
    "PageRankDeltas",
    "ShortestPathsFloat32",
    "SmallestLabel",
    "WeightedPageRank",
    "verify",
]

VERIFIERS = {
    "BFSResult": bfs.verify,
    "BetweennessResult": betweenness.verify,
    "ComponentsResult": components.verify,
    "FactorizationResult": factorization.verify,
    "PageRankResult": pagerank.verify,
    "SSSPResult": sssp.verify,
}


def verify(result):
    """Check the defining properties of an answer, as the option ``--verify`` does."""
    VERIFIERS[type(result).__name__](result)
