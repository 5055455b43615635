# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Synthetic edges made on GPUs, the same as on CPU cores (``generators.cu``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lux import runtime
from lux.graph.construction.generators import RMAT, Uniform
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.spread import even_points
from lux.launch.call import kernel
from lux.launch.peer_call import Argument, Parts, PeerCall, place
from lux.runtime import Store


def can(source: Any) -> bool:
    """Tell whether GPUs can generate the edges of a source."""
    is_plain = isinstance(source, RMAT | Uniform) and not source.property_types
    return is_plain and source.n_vertices <= gpu_edges.MOST_VERTICES


def generated(source: Any, gpus: int) -> dict[str, Store]:
    """Generate the edges of a source, of which each GPU has an equal share.

    Returns
    -------
    dict of name to Store of shape (n_edges,), uint32
        ``sources`` and ``destinations``.
    """
    n, at = source.n_edges, even_points(source.n_edges, gpus)
    made = {name: runtime.new_store(np.uint32, n, touched=False) for name in ("sources", "destinations")}
    placed = place(gpus, {}, {name: Parts(store, at) for name, store in made.items()})
    numbers: tuple[Argument, ...]
    if isinstance(source, Uniform):
        name, numbers = "lux_generate_uniform", (np.uint64(source.n_vertices), np.uint64(source.seed))
    else:
        name = "lux_generate_rmat"
        numbers = (np.uint32(source.scale), np.uint64(source.seed), *source.limits, np.uint32(source.shuffled))
    arguments: list[Argument] = [at[:-1], np.diff(at), *numbers, *made, "control"]
    function = kernel("generators.cu", name, gpu_edges.THREADS)
    PeerCall(function, placed, arguments, {"control": 8}).run(name.removeprefix("lux_"))
    return made
