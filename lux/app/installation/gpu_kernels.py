# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The list of kernels for GPUs that the installation compiles: those that calls with default arguments launch.

All algorithms but one have kernels in CUDA C++, which depend on the types of weights and ids; PageRank is a vertex
program, whose kernel also depends on whether the graph is stored by degree, and on the number of GPUs that read each
other's memory. Other programs are compiled when they are first needed, and so are other placements and numbers of GPUs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

import lux
from lux.algorithms.bfs import multi_gpu
from lux.algorithms.components import multi_gpu as components_multi_gpu
from lux.algorithms.factorization.gpu_text import Shape
from lux.algorithms.pagerank import general_pagerank, pagerank
from lux.algorithms.sssp import gpu as sssp_gpu
from lux.algorithms.sssp import multi_gpu as sssp_multi_gpu
from lux.codegen.cuda_functions import C_TYPES, Device
from lux.codegen.cuda_struct import struct_text
from lux.codegen.shipped_cubins import CAPABILITIES
from lux.engine.gpu import ins_rebuild
from lux.engine.gpu.placement import bandwidth_probe
from lux.engine.gpu.single import writer_of
from lux.graph.construction.gpu import degrees, edges, numbers, weights
from lux.launch.call import text
from perfmodel import direction

Text = tuple[str, Sequence[Device]]
"""CUDA C++ text, and the functions of a program that it calls."""
SEVERAL = (2, 4, 8)
"""Numbers of GPUs in one process."""
INTEGERS, FLOATS = ("int32", "int64"), ("float32", "float64")
"""Types of weights that graphs are made with."""
PARAMETERS = {"alpha": 0.85, "stop": 0.0}
"""PageRank's, whose types its kernels depend on."""


def texts(capability: tuple[int, int]) -> Iterator[Text]:
    """Yield the kernels to compile for GPUs of a capability, each once; Legate is running."""
    block_memory = CAPABILITIES[capability]
    for found in dict.fromkeys([*of_graphs(), *of_algorithms(), *of_factorization(block_memory)]):
        yield found, ()
    yield from of_pagerank(block_memory)
    yield from of_pagerank_on_several(block_memory)


def of_graphs() -> Iterator[str]:
    """Yield the kernels that make graphs of edges, order them by degree, and look at them and at what GPUs exchange."""
    yield text("vertex_numbers.cu")
    for kind in numbers.IDS.values():
        yield text("vertex_numbers.cu", ID=kind)
    for payload in (0, 1):
        yield text("edge_sort.cu", PAYLOAD=payload)
        yield text("edge_sort.cu", PAYLOAD=payload, FROM_KEYS=1)
        yield text("send_edges.cu", PAYLOAD=payload)
    yield text("sorted_edges.cu")
    yield text("generators.cu")
    for nbytes in (4, 8):
        yield text("sorted_edges.cu", VALUE=edges.WORDS[nbytes])
    yield text("edge_sort.cu", PAYLOAD=0, FROM_DEGREES=1, DEGREE=edges.DEGREES["int32"])
    yield text("edges_of_rows.cu")
    yield text("parallel_edges.cu")
    yield text("degree_bins.cu")
    yield text("look_up.cu", VALUE=C_TYPES["uint64"])
    yield text("degrees.cu")
    for counter in degrees.COUNTERS.values():
        yield text("degrees.cu", DEGREE=counter)
    yield text("members.cu", THREADS=ins_rebuild.THREADS)
    yield text("remote_reads.cu", SOURCE=C_TYPES["uint32"])
    for gpus in SEVERAL:
        yield text("bandwidths.cu", struct_text(bandwidth_probe.members(gpus)), THREADS=bandwidth_probe.THREADS)


def of_algorithms() -> Iterator[str]:
    """Yield the kernels that are written for an algorithm, and those that bring their results in the users' order."""
    searching: dict[str, Any] = direction.macros(direction.GPU_BFS)
    yield text("bfs.cu", "", **searching)
    yield text("first_neighbours.cu")
    yield text("id_order.cu", DEGREE=edges.DEGREES["int32"])
    yield text("bfs_multi_gpu.cu", struct_text(multi_gpu.MEMBERS, "Members"), **searching)
    yield text("components.cu")
    yield text("components_multi_gpu.cu", struct_text(components_multi_gpu.MEMBERS, "Members"))
    yield text("betweenness.cu", "", **direction.macros(direction.GPU_BRANDES))
    for kind in (*INTEGERS, *FLOATS):
        yield text("weighted_betweenness.cu", WEIGHT=C_TYPES[kind], DISTANCE="double")
        for distance in ("uint32", "uint64") if kind in INTEGERS else (kind,):
            yield text("sssp.cu", **_of_paths(kind, distance))
    for kind, distance in (("int32", "uint32"), ("float32", "float32")):
        struct = struct_text(sssp_multi_gpu.members(np.dtype(kind), np.dtype(distance)), "Members")
        yield text("sssp_multi_gpu.cu", struct, **_of_paths(kind, distance))
    for kind in ("int32", "float32"):
        yield text("weights.cu", WEIGHT=weights.TYPES[kind])
        yield text("edge_sort.cu", PAYLOAD=1, FROM_WEIGHTS=1, WEIGHT=weights.TYPES[kind])
    for weighted, distance in enumerate(("int32", "float32")):
        kinds: dict[str, Any] = {"PARENT": C_TYPES["int32"], "DISTANCE": C_TYPES[distance], "COUNT": C_TYPES["int32"]}
        yield text("graph500.cu", **kinds, WEIGHTED=weighted)
    for word in (C_TYPES["uint32"], C_TYPES["uint64"]):
        yield text("to_user_ids.cu", BEFORE=word, AFTER=word, SIGNED=0)


def _of_paths(weight: str, distance: str) -> dict[str, str]:
    """Return the types of a kernel of shortest paths whose results are finished."""
    kind = np.dtype(distance)
    return sssp_gpu.macros(np.dtype(weight), kind, sssp_gpu.query_type(kind))


def of_factorization(block_memory: int) -> Iterator[str]:
    """Yield the kernels of collaborative filtering on one GPU."""
    single, count = np.dtype(np.float32), np.dtype(np.int32)
    for rating in (*INTEGERS, *FLOATS):
        yield Shape(20, single, "als", 1, np.dtype(rating), count, block_memory).text()


def of_pagerank(block_memory: int) -> Iterator[Text]:
    """Yield the kernels of PageRank on one GPU: without weights, with them, and with distributions."""
    plain = (
        pagerank.PageRank,
        pagerank.PageRank32,
        general_pagerank.GeneralPageRank,
        general_pagerank.GeneralPageRank32,
    )
    of_weights = (general_pagerank.WeightedPageRank, general_pagerank.WeightedPageRank32)
    programs: list[tuple[Any, str | None]] = [(program, None) for program in plain]
    programs += product(of_weights, (*INTEGERS, *FLOATS))
    for (program, kind), ranges in product(programs, (None, 1)):
        writer = writer_of(program, _graph(kind, ranges), PARAMETERS, block_memory=block_memory)
        yield writer.text(), writer.devices()


def of_pagerank_on_several(block_memory: int) -> Iterator[Text]:
    """Yield the kernels of PageRank without weights on GPUs that read each other's memory."""
    several: dict[str, Any] = {"part": True, "local": True, "block_memory": block_memory}
    programs: tuple[Any, ...] = (pagerank.PageRank, pagerank.PageRank32)
    for program, gpus in product(programs, SEVERAL):
        for ranges in (None, gpus):
            writer = writer_of(program, _graph(None, ranges), PARAMETERS, peers=gpus, **several)
            yield writer.text(), writer.devices()


@functools.cache
def _graph(weight: str | None, ranges: int | None) -> lux.Graph:
    """Make a graph with weights of a type; stored by degree, dealt to so many ranges, unless they are None."""
    properties: dict[str, Any] = {} if weight is None else {"weight": np.ones(1, weight)}
    graph = lux.from_edges([0], [1], **properties)
    if ranges is not None:
        graph = graph.reordered("degree")
        assert graph.order is not None
        graph.order = replace(graph.order, ranges=ranges)
    return graph
