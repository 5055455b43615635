# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bytes that a run needs on each node and in each GPU, and whether a machine has them."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.factors import Factors
from perfmodel.profile import Machine
from perfmodel.programs import Program
from perfmodel.summary import GraphSummary

HOST_SHARE, GPU_SHARE = 0.6, 0.8
"""Shares of a node's and of a GPU's memory that `legate_config` gives to Legate."""
HEADROOM = 1.25
"""Factor on the bytes of stores: Legate keeps dropped stores for a while."""
SLOTS, RESULTS = {"als": 2, "gd": 4}, {"als": 3, "gd": 1}
GPU_COPIES = {"als": 3, "gd": 4}
"""Copies of all factors in a process on CPU cores and in all processes together, and on a GPU;
`lux.algorithms.factorization.minimize` and `lux.algorithms.factorization.gpu_text` have the same."""
SCRATCH_BYTES = 24
"""Scratch bytes of each vertex that a GPU owns: queues, bitmaps, rows."""
ZERO_COPY_SHARE = OWN_SHARE = 0.3
"""Shares of a node's memory that may be zero-copy memory beside the rest, and that processes may take beside Legate."""
MOST_PARTS, MOST_GPU_VERTICES, MOST_FACTORS = 65_536, 2**32 - 2**20 - 1, 2**31 - 1
"""Partitions of a run, and vertices of a graph on GPUs and in `lux.factorize` there, at most;
`lux.partition.split_points` and `lux.engine.gpu.placement.device_selection` have the same."""
MIB = 1 << 20
ZERO_COPY_MIB = 64
"""MiB of zero-copy memory for the partitions' control stores."""


@dataclass(frozen=True)
class MemoryNeed:
    """Memory need in bytes: of a node, of a GPU, of zero-copy memory beyond Legate's default, and beside Legate."""

    host: float
    gpu: float
    zero_copy: float = 0.0
    own: float = 0.0

    def fits(self, machine: Machine) -> bool:
        """Return True if a machine's memories hold them."""
        pinned = self.zero_copy <= ZERO_COPY_SHARE * machine.memory_bytes
        pinned = pinned and self.own <= OWN_SHARE * machine.memory_bytes
        return pinned and self.host <= HOST_SHARE * machine.memory_bytes and self.gpu <= room(machine)

    @property
    def zcmem(self) -> int:
        """MiB of zero-copy memory for Legate; 0 if its default is enough."""
        return -(-int(HEADROOM * self.zero_copy) // MIB) + ZERO_COPY_MIB if self.zero_copy else 0


def check_engine(n_vertices: int, configuration: Configuration) -> None:
    """Raise `ModelError` for a configuration that the engine cannot take.

    >>> check_engine(2**32, Configuration("bfs", placement="device"))
    Traceback (most recent call last):
        ...
    perfmodel.errors.ModelError: GPUs take graphs of at most 4,293,918,719 vertices, and this one has 4,294,967,296
    """
    most = MOST_FACTORS if configuration.program == "factorize" else MOST_GPU_VERTICES
    if configuration.device != "cpu" and n_vertices > most:
        raise ModelError(f"GPUs take graphs of at most {most:,} vertices, and this one has {n_vertices:,}")
    if (configuration.parts or 1) > MOST_PARTS:
        raise ModelError(f"a run has at most {MOST_PARTS:,} partitions, and {configuration.parts:,} were asked for")


def room(machine: Machine) -> float:
    """Return the bytes that Legate has of each GPU's memory."""
    return GPU_SHARE * machine.gpu_bytes


def factorization_memory_need(
    summary: GraphSummary, edge_bytes: int, factors: Factors, configuration: Configuration
) -> MemoryNeed:
    """Return the peak memory of a factorization.

    On CPU cores a node holds its part of the ratings and of the result, and copies of all factors (two for least
    squares, four for gradient descent). A GPU holds its rows' ratings,
    copies of all factors (three for least squares, four for gradient descent), the first ones, and its part of the
    result.

    Parameters
    ----------
    edge_bytes : int
        Bytes of a rating, at most.
    """
    id_bytes = 4 if summary.n_vertices <= 2**32 else 8
    edge, v, e, row = id_bytes + edge_bytes + 1, summary.n_vertices, summary.n_edges, factors.row_bytes
    if configuration.device == "cpu":
        shared = edge * e + 12 * v + RESULTS[factors.method] * row * v
        return MemoryNeed(HEADROOM * (shared / configuration.nodes + SLOTS[factors.method] * row * v), 0.0)
    workers = configuration.workers
    edges = max(summary.of(workers).edges_most, e / workers)
    gpu = edge * edges + 16 * v + (GPU_COPIES[factors.method] + 1 + 1 / workers) * row * v
    return MemoryNeed(HEADROOM * (edge * e + 12 * v + 2 * row * v), gpu)


@dataclass(frozen=True)
class OnGpu:
    """GPU memory of a run, in bytes.

    Attributes
    ----------
    edges, others : float
        Of each partition: its edges, and everything else that it owns.
    once : float
        Bytes that all partitions of a GPU share.
    """

    edges: float
    others: float
    once: float

    def all_of(self, parts: float, beside: float = 0.0) -> float:
        """Return the bytes of a GPU with so many partitions, some of whose edges are not in its memory."""
        return (parts - beside) * self.edges + parts * self.others + self.once


def bytes_of_edge(n_vertices: int, program: Program) -> int:
    """Return the bytes of an edge's source id and of the properties that the program reads."""
    return (4 if n_vertices <= 2**32 else 8) + program.edge_bytes


def _pushes(program: Program, configuration: Configuration) -> bool:
    return configuration.model != "pull" and (program.frontier or configuration.model == "push")


def _copies(summary: GraphSummary, program: Program, configuration: Configuration) -> int:
    """Return how often each edge is stored: by destination, and by source or in tiles."""
    pushes = _pushes(program, configuration)
    blocks = configuration.device == "cpu" and not program.frontier
    several = configuration.workers > 1 or not configuration.one_task
    return 2 if (pushes and (summary.directed or several)) or blocks else 1


def on_gpu(summary: GraphSummary, program: Program, configuration: Configuration) -> OnGpu:
    """Return the bytes of each of a GPU's partitions: edges, vertices' fields, and the values that edges read.

    For GPUs beside CPU cores, count only the edges that the GPUs have.
    """
    gpus, share = configuration.workers, 1.0 - configuration.cpu_share
    parts = gpus if configuration.cpus else configuration.parts or 1
    counted = summary.nearest(parts / max(share, 1e-3)) if configuration.cpus else parts
    sizes, own = summary.of(counted), share * summary.n_vertices / parts
    edges = bytes_of_edge(summary.n_vertices, program) * _copies(summary, program, configuration)
    most = max(sizes.edges_most, summary.n_edges / parts) if share == 1 else share * summary.n_edges / parts
    others, once = (12 + SCRATCH_BYTES + program.state_bytes) * own, 0.0
    if configuration.placement == "device":
        if configuration.nodes > 1:  # messages and their values
            others += 3 * program.value_bytes * sizes.ins_most  # values read, received, and sent once for each reader
        else:
            once = program.value_bytes * summary.n_vertices if parts > 1 else 0.0
    elif configuration.placement == "zero-copy" or parts > 1:
        others += program.value_bytes * sizes.ins_most
    return OnGpu(edges * most, others, once)


def memory_need(summary: GraphSummary, program: Program, configuration: Configuration) -> MemoryNeed:
    """Return the peak memory of a run on each node and GPU.

    A graph has 12 bytes a vertex and the id and properties of each source; pushing from several partitions, or on a
    directed graph, takes the edges by source as well, and so do sums over blocks of edges on CPU cores. CPU runs hold
    the graph and the fields in the nodes' memories. On GPUs each holds its edges and its vertices' fields, and either
    all values (``device`` on one node) or the values of its INS (``device`` on several, with the messages that bring
    them; ``peer``; and ``zero-copy``, with the fields themselves in the node's memory). Edges that overflow are in
    zero-copy memory; values that GPUs and CPU cores share are there in two copies.
    """
    parts = configuration.parts or 1
    edge_bytes = bytes_of_edge(summary.n_vertices, program)
    edges = edge_bytes * _copies(summary, program, configuration)
    v, e = summary.n_vertices, summary.n_edges
    # Values that edges read are on every node and GPU; of the other fields each has its own vertices'.
    values = program.value_bytes * v
    if configuration.device == "cpu":
        graph = (12 * v + edges * e) / configuration.nodes
        sets = 10 * v * parts / configuration.nodes if _pushes(program, configuration) and parts > 1 else 0
        fields = program.state_bytes * v / configuration.nodes + (values if configuration.nodes > 1 else 0)
        # Runs on partitions keep both copies of what edges read, of all vertices, in the process's own memory.
        own = 2.0 * values + program.state_bytes * v / configuration.nodes if configuration.workers > 1 else 0.0
        return MemoryNeed(HEADROOM * (graph + sets + fields), 0.0, own=own if parts > 1 else 0.0)
    # CPU cores keep the edges of their partitions by source, and GPUs copy theirs from the same instance.
    host = HEADROOM * (12 * v + edge_bytes * e + (edges - edge_bytes) * configuration.cpu_share * e)
    host = (host + program.state_bytes * v * (configuration.placement == "zero-copy")) / configuration.nodes
    held, gpus = on_gpu(summary, program, configuration), configuration.workers
    each = 1.0 if configuration.cpus else parts / gpus
    gpu = held.all_of(each, configuration.overflow * each)
    zero_copy = configuration.overflow * held.edges * parts / configuration.nodes
    if configuration.cpus or (configuration.overflow and configuration.placement == "zero-copy"):
        zero_copy += 2 * values
    return MemoryNeed(host, gpu, zero_copy)
