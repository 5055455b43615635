# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Both exchanges between processes (section III-C of the paper): what is read elsewhere, or all; by time and bytes."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import lux
from benchmarks.cluster import sent_from_here
from benchmarks.nodes import largest_of_all
from benchmarks.primitive_costs.primitives import PRIMITIVES
from lux.graph.parallel_edges import without_parallel_edges

if TYPE_CHECKING:
    from lux.graph.graph import Graph

EXCHANGES = ("selective", "broadcast")


class Exchanged(NamedTuple):
    """Time and bytes of a run.

    Attributes
    ----------
    milliseconds : float
        Median of whole calls.
    nbytes : int
        Bytes that the process which sends most has sent: on a cluster by the counter of its interface, with all
        headers, elsewhere 0.
    """

    milliseconds: float
    nbytes: int


def compare(primitive: str, graph: Graph, source: Any, parts: int, *, trials: int = 3) -> dict[str, Exchanged]:
    """Run a primitive with both exchanges, in turns. All processes must call this.

    Parameters
    ----------
    primitive : str
        One of `PRIMITIVES`.
    graph, source, parts
        As of `benchmarks.primitive_costs.measure`.

    Examples
    --------
    >>> from benchmarks.primitive_costs.exchanges import compare
    >>> list(compare("BFS", lux.toy.path(4).symmetrized(), 0, parts=2, trials=1))
    ['selective', 'broadcast']
    """
    run, graph = PRIMITIVES[primitive], without_parallel_edges(graph) if primitive == "BC" else graph
    seconds: dict[str, list[float]] = {exchange: [] for exchange in EXCHANGES}
    nbytes: dict[str, int] = {}
    for _ in range(trials + 1):  # the first compiles, and caches data with the graph
        for exchange in EXCHANGES:
            with lux.using(exchange=exchange, repartition="off", device="cpu"):
                largest_of_all(0.0)
                before, began = sent_from_here(), time.perf_counter()
                run(graph, source, parts)
                took, sent = time.perf_counter() - began, sent_from_here() - before
            seconds[exchange].append(largest_of_all(took))
            nbytes[exchange] = int(largest_of_all(float(sent)))
    return {name: Exchanged(1e3 * statistics.median(seconds[name][1:]), nbytes[name]) for name in EXCHANGES}
