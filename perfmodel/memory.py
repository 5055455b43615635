# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bytes that a run needs on each node and in each GPU, beside what a machine has."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.configuration import Configuration
from perfmodel.factors import Factors
from perfmodel.profile import Machine
from perfmodel.programs import Program
from perfmodel.summary import GraphSummary

HOST_SHARE, GPU_SHARE = 0.6, 0.8
"""Of a node's and of a GPU's memory: what `legate_config` gives to Legate."""
HEADROOM = 1.25
"""Legate keeps dropped stores for a while."""
COPIES, GPU_COPIES = 4, {"als": 3, "gd": 4}
"""Of all factors; `lux.engine.alternating` and `lux.kernels.cuda.factorization` have the same."""
SCRATCH_BYTES = 24
"""Of each vertex that a GPU owns: queues, bit sets, rows."""


@dataclass(frozen=True)
class Need:
    """Bytes on each node, and in each GPU."""

    host: float
    gpu: float

    def fits(self, machine: Machine) -> bool:
        """Whether a machine's memories hold them."""
        return self.host <= HOST_SHARE * machine.memory_bytes and self.gpu <= GPU_SHARE * machine.gpu_bytes


def need_of_factors(summary: GraphSummary, edge_bytes: int, factors: Factors, configuration: Configuration) -> Need:
    """What a factorization needs where it needs most.

    On CPU cores a node holds its part of the ratings, and four copies of all factors; a GPU its rows' ratings, copies
    of all factors (three for least squares, four for gradient descent), the first ones, and its part of the result.

    Parameters
    ----------
    edge_bytes : int
        Of a rating, at most.
    """
    id_bytes = 4 if summary.n_vertices <= 2**32 else 8
    edge, v, e, row = id_bytes + edge_bytes + 1, summary.n_vertices, summary.n_edges, factors.row_bytes
    if configuration.device == "cpu":
        return Need(HEADROOM * ((edge * e + 12 * v) / configuration.nodes + COPIES * row * v), 0.0)
    workers = configuration.workers
    edges = max(summary.of(workers).edges_most, e / workers)
    gpu = edge * edges + 16 * v + (GPU_COPIES[factors.method] + 1 + 1 / workers) * row * v
    return Need(HEADROOM * (edge * e + 12 * v + 2 * row * v), gpu)


def need(summary: GraphSummary, program: Program, configuration: Configuration) -> Need:
    """What a run needs where it needs most.

    A graph has 12 bytes a vertex and the id and properties of each source; pushing from several partitions, or on a
    directed graph, takes the edges by source as well, and so do sums over blocks of edges on CPU cores. CPU runs hold
    the graph and the fields in the nodes' memories. On GPUs each holds its edges and its vertices' fields, and either
    all values (``device``) or those of its INS (``peer``, and ``zero-copy``, with the fields themselves in the node's
    memory).
    """
    parts = configuration.parts or 1
    id_bytes = 4 if summary.n_vertices <= 2**32 else 8
    edge_bytes = id_bytes + program.edge_bytes
    pushes = configuration.model != "pull" and (program.frontier or configuration.model == "push")
    blocks = configuration.device == "cpu" and not program.frontier
    twice = (pushes and (summary.directed or configuration.workers > 1 or not configuration.one_task)) or blocks
    edges = edge_bytes * (2 if twice else 1)
    v, e = summary.n_vertices, summary.n_edges
    # Values that edges read are on every node and GPU; of the other fields each has its own vertices'.
    values = program.value_bytes * v
    if configuration.device == "cpu":
        graph = (12 * v + edges * e) / configuration.nodes
        sets = 10 * v * parts / configuration.nodes if pushes and parts > 1 else 0
        fields = program.state_bytes * v / configuration.nodes + (values if configuration.nodes > 1 else 0)
        return Need(HEADROOM * (graph + sets + fields), 0.0)
    sizes = summary.of(configuration.workers)
    own = v / configuration.workers
    host = HEADROOM * (12 * v + edge_bytes * e) / configuration.nodes
    gpu = (12 + SCRATCH_BYTES + program.state_bytes) * own + edges * max(sizes.edges_most, e / configuration.workers)
    if configuration.placement == "device":
        return Need(host, gpu + (values if configuration.workers > 1 else 0))
    if configuration.placement == "peer":
        return Need(host, gpu + (program.value_bytes * sizes.ins_most if configuration.workers > 1 else 0))
    return Need(host + program.state_bytes * v / configuration.nodes, gpu + program.value_bytes * sizes.ins_most)
