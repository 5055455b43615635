# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Calls that an installation runs on small graphs, so that their kernels are compiled (`lux.app.precompile`)."""

from __future__ import annotations

import functools
import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import lux
from lux.codegen import cuda_build
from lux.codegen.shipped_cubins import CAPABILITIES, architecture
from lux.errors import ConfigurationError
from lux.graph.construction.kernels_of_processes import KERNELS

SMALL, LARGE = "kronecker:8", "kronecker:16"
"""Graphs: kernels depend on the types of arrays, on whether vertices are ordered, and some on the number of edges."""
FILES = {
    "el": "1 2\n2 3\n",
    "wel": "1 2 5\n2 3 4\n",
    "txt": "1\t2\n2\t3\n",
    "csv": "source,target,weight\na,b,0.5\nb,c,1.5\n",
    "gr": "p sp 3 2\na 1 2 5\na 2 3 4\n",
    "mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
}
"""Text files, by extension."""
WRITTEN = {"sg": SMALL, "wsg": f"{SMALL} int32"}
"""Binary files, by extension, and the undirected graphs that are written to them."""
LINES = 200_000
"""Lines of a table that is read by kernels, with gaps between ids."""
OF_NETWORKX: list[tuple[str, dict[str, Any]]] = [
    ("pagerank", {"weight": "weight"}),
    ("hits", {}),  # weights become float64
    *(("katz_centrality", {"alpha": 0.001, "weight": weight}) for weight in (None, "weight")),
    *(("eigenvector_centrality", {"max_iter": 1000, "weight": weight}) for weight in (None, "weight")),
    ("connected_components", {}),
    ("core_number", {}),
    ("closeness_centrality", {"distance": None}),
    ("closeness_centrality", {"distance": "weight"}),
    ("multi_source_dijkstra_path_length", {"sources": [0, 33], "weight": "weight"}),
    *(("betweenness_centrality_subset", {"sources": list(range(30)), "targets": [33], "weight": weight})
      for weight in (None, "weight")),
    ("bfs_edges", {"source": 0}),
]  # fmt: skip
"""Functions of NetworkX, and arguments, that together run all programs of `lux.networkx_backend`."""
Call = Callable[[], Any]


def all_calls() -> Iterator[tuple[str, Call]]:
    """Yield all calls, with a name."""
    yield from usual()
    yield from others()


def usual() -> Iterator[tuple[str, Call]]:
    """Yield calls with default arguments in one process, and the one of ``make run``, with a name."""
    graphs = (SMALL, LARGE, f"{LARGE} by degree")
    yield from (_made(lux.betweenness, graph, k=2) for graph in graphs)
    for graph in (f"{SMALL} int32 by degree", f"{SMALL} int32", f"{SMALL} float64"):
        yield _made(lux.sssp, graph, source=0)
    for graph in graphs:
        yield _made(lux.bfs, graph, source=0)
        yield _made(lux.pagerank, graph)
        yield _made(lux.components, graph)
    yield _made(lux.pagerank, LARGE, parts=2)
    for extension, text in FILES.items():
        yield f"read {extension}", functools.partial(_read, extension, text)
    for extension, graph in WRITTEN.items():
        yield f"read {extension}", functools.partial(_read_written, extension, graph)
    for dtype, gap in product((np.int32, np.uint32, np.int64, np.uint64), (1, 2)):
        yield f"number {dtype.__name__} {gap}", functools.partial(_number, dtype, gap)
    for separator in "\t ":
        lines = "".join(f"{3 * (k // 9)}{separator}{2 * (k % 7919)}\n" for k in range(LINES))
        yield f"read a large table {separator!r}", functools.partial(_read, "txt", f"# edges\n{lines}")


def others() -> Iterator[tuple[str, Call]]:
    """Yield calls on partitions, of several processes, with other types and strategies, of NetworkX, and on GPUs."""
    for graph, parts in (*product((SMALL, LARGE), (None, 1, 2)), *product([f"{LARGE} by degree"], (None, 2))):
        yield _made(lux.pagerank, graph, parts=parts, dtype=np.float32)
    for graph, parts in (*product((SMALL, LARGE), (1, 2)), (f"{LARGE} by degree", 2)):
        yield _made(lux.betweenness, graph, parts=parts, k=2)
        yield _made(lux.bfs, graph, parts=parts, source=0)
        yield _made(lux.components, graph, parts=parts)
        yield _made(lux.pagerank, graph, parts=parts)
    yield _made(lux.pagerank, f"{SMALL} int32")
    for parts in (1, 2):
        yield _made(lux.sssp, f"{SMALL} int32", parts=parts, source=0)
        yield _made(lux.pagerank, f"{SMALL} int32", parts=parts)
    for graph in (SMALL, f"{LARGE} by degree"):
        yield _made(lux.bfs, graph, source=[0, 1])
    for search in ("threads-top-down", "threads-direction-optimizing"):
        yield _made(lux.bfs, SMALL, strategy=search, source=0)
    for k, (kernel, kinds) in enumerate(KERNELS):
        yield f"kernel {k} of several processes", functools.partial(kernel.shipped, kinds)
    yield from for_networkx()
    if not why_not_for_gpus():
        yield from for_gpus()


def for_networkx() -> Iterator[tuple[str, Call]]:
    """Yield calls of NetworkX's functions that run vertex programs of the backend's own, where NetworkX is."""
    if importlib.util.find_spec("networkx") is None:
        return
    for kind, (name, arguments) in product((int, float), OF_NETWORKX):
        if kind is int or any(value == "weight" for value in arguments.values()):
            yield f"networkx {name} {kind.__name__} {arguments}", functools.partial(_call, name, kind, arguments)


def _call(name: str, kind: type, arguments: Mapping[str, Any]) -> None:
    import networkx as nx

    from lux.networkx_backend import calls

    # The second is as if it were too large for answers without launches.
    usual = calls.SMALL
    for graph, small in ((nx.karate_club_graph(), usual), (nx.barabasi_albert_graph(1000, 2, seed=1), 0)):
        calls.SMALL = small
        for _, _, values in graph.edges(data=True):
            values["weight"] = kind(values.get("weight", 1))
        found = getattr(nx, name)(graph, **arguments, backend="lux")
        if isinstance(found, Iterator):
            list(found)
    calls.SMALL = usual


def why_not_for_gpus() -> str:
    """Say why no kernels for GPUs can be compiled here; empty if they can."""
    try:
        cuda_build.compilers()
    except ConfigurationError as error:
        return str(error)
    return ""


def for_gpus() -> Iterator[tuple[str, Call]]:
    """Yield the compilations of kernels for GPUs."""
    from lux.app.installation import gpu_kernels

    for capability in CAPABILITIES:
        for number, (text, functions) in enumerate(gpu_kernels.texts(capability)):
            name = f"kernel {number} for {architecture(capability)}"
            yield name, functools.partial(cuda_build.cubin, text, capability, functions)


def _made(function: Callable[..., Any], graph: str, **arguments: Any) -> tuple[str, Call]:
    return f"{function.__name__} {graph} {arguments}", lambda: function(_graph(graph), **arguments)


@functools.cache
def _graph(name: str) -> lux.Graph:
    """Make a graph, of which a suffix says the type of weights, or that vertices are stored by degree."""
    if name.endswith(" by degree"):
        return _graph(name.removesuffix(" by degree")).reordered("degree")
    spec, _, what = name.partition(" ")
    if what == "float64":
        ends = _graph(spec).edge_arrays()
        return lux.from_edges(*ends, np.ones(len(ends[0])))
    return lux.generate(spec, weights=(1, 255) if what == "int32" else None)


def _read(extension: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"graph.{extension}")
        path.write_text(text, encoding="utf-8")
        lux.pagerank(lux.read_graph(path))


def _read_written(extension: str, graph: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ends, weights = ([0, 1, 1], [1, 2, 0]), np.ones(3, np.int32) if extension == "wsg" else None
        for k, written in enumerate((_graph(graph), lux.from_edges(*ends, weights))):
            path = Path(folder, f"{k}.{extension}")
            written.write(path)
            lux.bfs(lux.read_graph(path), 1)


def _number(dtype: type[Any], gap: int) -> None:
    """Make a graph of integers, which are numbered where they have gaps, and moved where they begin after 0."""
    ends = np.arange(1, 1000, gap, dtype)
    lux.pagerank(lux.from_edges(ends[:-1], ends[1:]))
