# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Seconds of each step of an iteration: section 6 of the Lux paper (VLDB 2017), with terms for today's machines.

In every equation ``nodes`` is the paper's x, and ``per_node``, GPUs or CPU workers on each node, its y. Rates are
seconds per byte (the paper's gamma_l and gamma_x), per edge (gamma_c and gamma_c*) or per vertex.
"""

from __future__ import annotations

from collections.abc import Sequence


def load_exact(rate: float, value_bytes: int, ins: Sequence[int], nodes: int) -> float:
    """Return equation 10: seconds to load INS values over each node's shared bus, for the node with most to load.

    Parameters
    ----------
    rate : float
        gamma_l, in seconds per byte.
    value_bytes : int
        Bytes of one vertex, the paper's |T_v|.
    ins : sequence of int
        |INS| of each partition, in vertices; each node has equally many neighbouring partitions.

    Examples
    --------
    >>> f"{load_exact(1e-9, 8, [100, 200, 300, 400], nodes=2):.3g}"  # 700 values of 8 bytes at 1 GB/s
    '5.6e-06'
    """
    each = len(ins) // nodes
    return rate * value_bytes * max(sum(ins[k * each : (k + 1) * each]) for k in range(nodes))


def load_zero_copy(rate: float, value_bytes: int, ins_total: float, nodes: int) -> float:
    """Return equation 11: `load_exact` with about equally many INS on all nodes.

    >>> f"{load_zero_copy(1e-9, 8, 1000, nodes=2):.3g}"
    '4e-06'
    """
    return rate * value_bytes * ins_total / nodes


def load_shared(rate: float, value_bytes: int, ins_total: float, ins_most: float, nodes: int, shared: float) -> float:
    """Interpolate between equation 11 and GPUs that each have their own link to the host's memory.

    Parameters
    ----------
    ins_total, ins_most : float
        |INS|, summed over the partitions, and the largest.
    shared : float
        1 if the GPUs of a node share a bus, 0 if each has its own link.

    Examples
    --------
    Two GPUs load 500 values each, of 8 bytes at 1 GB/s:

    >>> [f"{load_shared(1e-9, 8, 1000, 500, nodes=1, shared=s):.3g}" for s in (1, 0, 0.5)]
    ['8e-06', '4e-06', '6e-06']
    """
    return rate * value_bytes * (shared * ins_total / nodes + (1 - shared) * ins_most)


def overflow(
    rate: float, edge_bytes: int, n_edges: float, nodes: int, per_node: int, overflown: float, shared: float
) -> float:
    """Return the seconds to read overflown edges from zero-copy memory (section 4.2): equation 11 for edges.

    Parameters
    ----------
    rate : float
        Seconds per byte of one GPU's link.
    overflown : float
        Part of the edges for which the GPUs have no room.
    shared : float
        As in `load_shared`.

    Examples
    --------
    Half of a million edges of 4 bytes at 40 GB/s, by one GPU, and by two that have a link each or share one:

    >>> [f"{overflow(2.5e-11, 4, 1e6, 1, y, 0.5, b):.3g}" for y, b in ((1, 1), (2, 0), (2, 1))]
    ['5e-05', '2.5e-05', '5e-05']
    """
    total = overflown * n_edges
    return load_shared(rate, edge_bytes, total, total / (nodes * per_node), nodes, shared)


def mixed(on_gpus: float, on_cores: float, launch: float) -> float:
    """Return an iteration's seconds on GPUs and CPU cores at once (section 4.3): the slower side, and both launches.

    >>> round(mixed(0.003, 0.040, 0.0002), 6)
    0.0402
    """
    return max(on_gpus, on_cores) + launch


def load_peer(rate: float, value_bytes: int, uds_most: float) -> float:
    """Return the seconds to gather remote values from other GPUs' memories, all GPUs at once.

    Parameters
    ----------
    uds_most : float
        The most vertices that a partition reads and does not own.

    Examples
    --------
    >>> f"{load_peer(1e-11, 8, 500):.3g}"  # 500 values of 8 bytes at 100 GB/s
    '4e-08'
    """
    return rate * value_bytes * uds_most


def load_device(rate: float, value_bytes: int, n_vertices: float, nodes: int, per_node: int) -> float:
    """Return the seconds in which each GPU copies the values that others of its node wrote, all at once.

    >>> f"{load_device(1e-9, 8, 1000, nodes=1, per_node=4):.3g}"  # 750 values of 8 bytes
    '6e-06'
    """
    return rate * value_bytes * n_vertices / nodes * (per_node - 1) / per_node


def compute(edge_rate: float, n_edges: float, nodes: int, per_node: int, serial: float = 0.0) -> float:
    """Return equation 12 (pull: all edges) or 14 (push: the mean over iterations with a large frontier).

    Parameters
    ----------
    edge_rate : float
        gamma_c or gamma_c*, in seconds per edge of one worker.
    serial : float
        Share of the work that more workers on a node do not speed up, because they share its memory's bandwidth or
        its cores; 0 as in the paper.

    Examples
    --------
    >>> compute(1e-9, 8_000_000, nodes=2, per_node=4)
    0.001
    >>> round(compute(1e-9, 8_000_000, nodes=1, per_node=2, serial=0.5), 6)  # 4 ms stay, 4 ms are halved
    0.006
    """
    return edge_rate * n_edges * (serial + (1 - serial) / per_node) / nodes


def update(vertex_rate: float, n_vertices: float, nodes: int, per_node: int, serial: float = 0.0) -> float:
    """Return the seconds to write every vertex; the paper has 0, as sparse graphs of its time fitted less memory.

    >>> update(1e-9, 1_000_000, nodes=1, per_node=1)
    0.001
    """
    return compute(vertex_rate, n_vertices, nodes, per_node, serial)


def transfer_sum(rate: float, value_bytes: int, uds_total: float) -> float:
    """Return equation 13: all nodes receive one after the other; grows with the number of nodes.

    Parameters
    ----------
    rate : float
        gamma_x, in seconds per byte of one node's link.
    uds_total : float
        Sum of |UDS| over the nodes, in vertices.

    Examples
    --------
    >>> f"{transfer_sum(1e-9, 8, 3000):.3g}"
    '2.4e-05'
    """
    return rate * value_bytes * uds_total


def transfer_maximum(
    rate: float, value_bytes: int, uds_most: float, uds_total: float, bisection: float | None = None
) -> float:
    """Return the time if all nodes receive at once: the largest receiver, or half of all over the bisection.

    Parameters
    ----------
    uds_most : float
        The largest |UDS| of a node.
    bisection : float, optional
        Bytes per second between two halves of the nodes; without it, only the links limit.

    Examples
    --------
    >>> f"{transfer_maximum(1e-9, 8, 1000, 3000):.3g}"
    '8e-06'
    >>> f"{transfer_maximum(1e-9, 8, 1000, 3000, bisection=1e9):.3g}"  # 12,000 bytes cross
    '1.2e-05'
    """
    crossing = 0.0 if bisection is None else value_bytes * uds_total / 2 / bisection
    return max(rate * value_bytes * uds_most, crossing)


def changed_bytes(value_bytes: int, uds: float, share: float) -> float:
    """Return the bytes that a node receives of a UDS of which a share has changed.

    They are the changed values, and what says whose they are: 4 bytes for each, or a bit for each vertex of the UDS,
    whichever is shorter; nothing if all have changed.

    Examples
    --------
    >>> changed_bytes(8, 1000, share=1), changed_bytes(8, 1000, share=0.5), changed_bytes(8, 1000, share=0.01)
    (8000.0, 4125.0, 120.0)
    """
    if share >= 1:
        return float(value_bytes * uds)
    return value_bytes * share * uds + min(4 * share * uds, uds / 8)


def after_pause(wire: float, pause: float, burst: float, *, early: bool = False) -> float:
    """Return the seconds of a transfer after a pause in which a token bucket has filled, or values have travelled.

    Parameters
    ----------
    wire : float
        Seconds of the transfer at the network's rate.
    pause : float
        Seconds of the pause: of the iteration's compute.
    burst : float
        Most seconds of traffic that pass at once.
    early : bool
        True if values travel during the pause.

    Examples
    --------
    >>> [round(after_pause(wire, pause=0.003, burst=0.005), 4) for wire in (0.04, 0.002)]
    [0.037, 0.0]
    >>> after_pause(0.04, pause=0.003, burst=0.0)
    0.04
    >>> round(after_pause(0.04, pause=0.03, burst=0.005, early=True), 4)
    0.01
    """
    return max(wire - (pause if early else min(pause, burst)), 0.0)


def transfer_whole(
    rate: float, value_bytes: int, n_vertices: float, nodes: int, bisection: float | None = None
) -> float:
    """Return the time if every node receives all values of the others, even unread ones, all nodes at once.

    >>> f"{transfer_whole(1e-9, 8, 1000, nodes=4):.3g}"
    '6e-06'
    """
    others = n_vertices * (nodes - 1)
    return transfer_maximum(rate, value_bytes, others / nodes, others, bisection)


def near_share(value_bytes: int, values: float, cache_bytes: float) -> float:
    """Return the share of random gathers that hit the cache.

    >>> near_share(8, 1000, 16_000), near_share(8, 1000, 2_000)
    (1.0, 0.25)
    """
    needed = value_bytes * values
    return 1.0 if needed <= cache_bytes else cache_bytes / needed
