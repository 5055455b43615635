# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whether a run takes CPU cores or GPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import legate_config
from lux import runtime, settings
from lux.errors import ConfigurationError, MemoryNeededError

if TYPE_CHECKING:
    from lux.graph import Graph


def on_gpu(graph: Graph, parts: int | None, needed: Callable[[], int], what: str) -> bool:
    """Whether a run takes the GPU.

    Parameters
    ----------
    graph : Graph
    parts : int or None
        Partitions that were asked for.
    needed : callable
        Returns the bytes in the GPU's memory: edges, fields and scratch.
    what : str
        What runs, for messages.

    Raises
    ------
    ConfigurationError, MemoryNeededError
        ``device="gpu"`` was asked for, and cannot be had.
    """
    device = settings.current().device
    if device == "cpu":
        return False
    why = None
    if runtime.gpus() == 0:
        why = "Legate was given no GPU: start it with --gpus 1 on a machine that has one"
    elif graph.id_dtype != np.uint32:
        why = "GPUs take graphs of fewer than 2^32 vertices"
    elif parts not in (None, 1) or runtime.ranks() > 1:
        why = "several partitions run on CPU cores: leave parts= out"
    if device == "auto":
        return why is None and needed() <= legate_config.settings().fbmem_bytes
    if why is not None:
        raise ConfigurationError(f"device='gpu' was asked for {what}, but {why}")
    given = legate_config.settings().fbmem_bytes
    if needed() > given:
        mib = -(-needed() // 2**20)
        raise MemoryNeededError(
            f"{what} needs {mib} MiB on the GPU, and Legate was given {given // 2**20} MiB: start with "
            f"--fbmem {mib + mib // 8} (in MiB), or use CPU cores with device='cpu'"
        )
    return True


def edges_bytes(graph: Graph, properties: int, *, both: bool) -> int:
    """Bytes of a graph's edges in a GPU's memory.

    Parameters
    ----------
    properties : int
        Bytes of an edge's properties.
    both : bool
        By destination and, where they differ, by source.
    """
    each = 8 * (graph.n_vertices + 1) + (4 + properties) * graph.n_edges
    return each * (2 if both and graph.directed else 1) + 4 * graph.n_vertices
