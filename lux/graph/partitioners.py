# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitioners: an order that stores each partition's vertices together, and its split points.

Section V-C of Pan et al., "Multi-GPU graph analytics" (IPDPS 2017):

- ``contiguous``: ranges of the ids with about equally many in-edges each.
- ``random``: every vertex goes to any partition.
- ``biased-random``: vertices in random order; each goes to a random partition, preferring one that has more of its
  neighbours already and room for more edges.
- ``metis``: METIS, through PyMetis (``pip install 'lux-graph[metis]'``), asked for small borders (its communication
  volume), with vertices and edges balanced. The paper found that borders matter, and used METIS as it is.

For the last two, one point task reads all edges, in both directions.
"""

from __future__ import annotations

import functools
import importlib.util
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.errors import ConfigurationError, ParameterError
from lux.graph.by_vertex import in_order_of_ids
from lux.graph.core.stored_graph import Order, id_dtype
from lux.graph.ordering import moved, reordered, stores_of
from lux.partition import split_points
from lux.runtime import CheckedLauncher

if TYPE_CHECKING:
    from lux.graph.graph import Graph

PARTITIONERS = ("contiguous", "random", "biased-random", "metis")
OWN = "own"
"""Name of the order of partitions that the caller gives."""


def partitioned(graph: Graph, partitioner: str | ArrayLike, parts: int, seed: Any) -> Graph:
    """Store each partition's vertices together; see `lux.graph.graph.Graph.partitioned`."""
    parts = split_points.check_parts(parts, graph.n_vertices)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**31:
        raise ParameterError(f"seed={seed!r} was passed; allowed are whole numbers from 0 to {2**31 - 1}")
    if not isinstance(partitioner, str):
        name, given = OWN, _checked(in_order_of_ids("partitioner", partitioner, graph), graph.n_vertices, parts)
    elif partitioner in PARTITIONERS:
        name, given = partitioner, None
    else:
        raise ParameterError(
            f"partitioner={partitioner!r} was passed; allowed are {', '.join(PARTITIONERS)}, "
            "or the partition of each vertex"
        )
    if name == "metis":
        _check_metis()
    began = time.perf_counter()
    plain = reordered(graph, "given")
    if name == "contiguous":
        return plain
    owners = _owners(plain, name, parts, int(seed)) if given is None else given
    vertices, places = stores_of(np.argsort(owners, kind="stable").astype(id_dtype(graph.n_vertices)))
    points = split_points.starts(np.bincount(owners, minlength=parts))
    return moved(plain, Order(name, vertices, places, ranges=0, points=points), began)


def _checked(owners: Any, n_vertices: int, parts: int) -> NDArray[np.uint16]:
    array = np.asarray(owners)
    if array.shape != (n_vertices,) or array.dtype.kind not in "iu":
        raise ParameterError(
            f"an array of shape {array.shape} and type {array.dtype} was passed for the partition of each vertex; "
            f"allowed are whole numbers of shape ({n_vertices},)"
        )
    if ((array < 0) | (array >= parts)).any():
        raise ParameterError(
            f"partitions {array.min()} to {array.max()} were passed with parts={parts}; allowed are 0 to {parts - 1}"
        )
    return array.astype(np.uint16)


def _check_metis() -> None:
    missing = importlib.util.find_spec("pymetis") is None
    runtime.raise_on_all_ranks(
        ConfigurationError(
            "partitioner 'metis' was passed, which needs PyMetis, and it is not installed: "
            "pip install 'lux-graph[metis]', or pass biased-random"
        )
        if missing
        else None
    )


def _owners(graph: Graph, name: str, parts: int, seed: int) -> NDArray[np.uint16]:
    """Choose the partition of each vertex, alike on every process; the graph is in the order of its ids."""
    if name == "random":
        return np.random.default_rng(seed).integers(parts, size=graph.n_vertices, dtype=np.uint16)
    from lux.graph.parallel_edges import without_parallel_edges

    both_ways = without_parallel_edges(graph.symmetrized())
    # One point chooses, whatever METIS' own random numbers are, and all processes read its answer.
    owners = runtime.new_store(np.uint16, graph.n_vertices)
    given = {"in_offsets": both_ways.offsets, "sources": both_ways.sources}
    _chooser(name)(1, **given, owners=owners, parts=parts, seed=seed)
    return runtime.to_array(owners)


@functools.cache
def _chooser(name: str) -> CheckedLauncher:
    def choose(
        _point: int, offsets: NDArray[np.int64], sources: Any, owners: NDArray[np.uint16], parts: int, seed: int
    ) -> None:
        n = len(owners)
        owners[:] = _RULES[name](offsets[: n + 1], sources[: offsets[n]], parts, seed)

    return CheckedLauncher(
        choose,
        inputs={"in_offsets": None, "sources": None},
        outputs={"owners": None},
        scalars={"parts": int, "seed": int},
    )


def _biased_random(offsets: NDArray[np.int64], sources: Any, parts: int, seed: int) -> NDArray[np.uint16]:
    from lux.graph.partitioner_kernels import biased

    n, rng = len(offsets) - 1, np.random.default_rng(seed)
    owners = np.empty(n, np.uint16)
    biased(rng.permutation(n), rng.random(n), offsets, sources, parts, owners)
    return owners


def _metis(offsets: NDArray[np.int64], sources: Any, parts: int, seed: int) -> NDArray[np.uint16]:
    import pymetis

    from lux.graph.construction.sort_kernels import row_numbers

    n, rows = len(offsets) - 1, row_numbers(offsets, 0, np.empty_like(sources))
    others = rows != sources  # METIS knows no self-loops
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[others], minlength=n))])
    kind = pymetis.zero_copy_dtype()
    found = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(starts.astype(kind), sources[others].astype(kind)),
        vweights=(1 + np.diff(offsets)).astype(kind),
        recursive=False,
        options=pymetis.Options(objtype=pymetis.ObjType.VOL, seed=seed),
    )
    return np.array(found.vertex_part, np.uint16)


_RULES: dict[str, Callable[..., NDArray[np.uint16]]] = {"biased-random": _biased_random, "metis": _metis}
