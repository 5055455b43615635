# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges sorted on one GPU: what `lux.graph.build` does on CPU cores, with the same result.

Edges come to the GPU as two columns of dense ids (`lux.graph.construction.gpu.columns`). ``edge_sort.cu`` sorts them,
and ``sorted_edges.cu`` writes the graph's stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.graph.construction.edge_stores import SortedEdges
from lux.graph.core.stored_graph import MOST_ON_GPUS
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import FILLED, Scratch
from lux.runtime import Store, allocations

if TYPE_CHECKING:
    from lux.graph.construction.gpu.columns import Columns
    from lux.graph.core.stored_graph import StoredGraph

WORTH_A_GPU = 1 << 18
"""Edges from which on a GPU makes the graph: cores take as long for fewer as the launches."""
MOST_VERTICES = MOST_ON_GPUS
"""Bound of vertices: as for vertex programs on GPUs."""
MOST_LISTED = 1 << 32
"""Bound of listed edges that have properties: an edge's number has 32 bits."""
SORT_THREADS, THREADS = 384, 1024
DIGIT_BITS = 8
MOST_BLOCKS = 4096
COUNTS = {"counts": 4 * MOST_BLOCKS << DIGIT_BITS}
"""Scratch memory of a sort: a word for each digit and block."""
REPORTED = 24
"""Bytes of ``Control`` of ``edge_sort.cu``."""
UNEVEN = 1.02
"""Share of edges of the GPU that has most, times the GPUs."""
WORDS = {1: "unsigned char", 2: "unsigned short", 4: "u32", 8: "u64"}
"""C++ types of values that are only moved, by size."""
DEGREES = {"int32": "i32", "int64": "i64"}


def wanted(n_edges: int) -> bool:
    """Tell whether a GPU should do work on so many edges."""
    return n_edges >= WORTH_A_GPU and runtime.gpus() > 0 and runtime.ranks() == 1 and settings.current().device != "cpu"


def has_room(nbytes: int) -> bool:
    """Tell whether so many bytes fit in the memory of a GPU beside all stores there are."""

    def fits() -> bool:
        there = int(allocations.placed()[0].max())
        return nbytes + there <= runtime.gpu_room(there, FILLED)

    if fits():
        return True
    runtime.give_spare_back()
    return fits()


def bytes_needed(
    n_vertices: int,
    listed: int,
    candidates: int,
    types: Mapping[str, Any],
    gpus: int = 1,
    pieces: int = 1,
    *,
    joined: bool = True,
) -> int:
    """Compute the bytes on each GPU: columns, two copies of a piece's keys, and the graph, twice if pieces are joined.

    >>> bytes_needed(10, 100, 200, {})
    8393608
    """
    each: int = sum(np.dtype(t).itemsize for t in types.values())
    keys, made = bytes_of_edge(types, joined=pieces > 1 and joined)
    of_edges = listed * (8 + each) + candidates * made + candidates * keys // pieces
    uneven = 1 if gpus == 1 else UNEVEN
    return 2 * COUNTS["counts"] + int(uneven * of_edges) // gpus + (20 if gpus == 1 else 28) * n_vertices


def bytes_of_edge(types: Mapping[str, Any], *, joined: bool) -> tuple[int, int]:
    """Return the bytes of an edge's keys while it is sorted, and of what is made of it, twice if pieces are joined."""
    each: int = sum(np.dtype(t).itemsize for t in types.values())
    return 16 + (12 if types else 0), 4 + each + (4 + (4 if types else 0) if joined else 0)


def count_repeats(graph: StoredGraph) -> int | None:
    """Count the edges with the same ends as another before them; None where cores count."""
    n, m = graph.n_vertices, graph.n_edges
    if not wanted(m) or n >= MOST_VERTICES or not has_room(4 * m + 8 * n):
        return None
    function, scratch = kernel("parallel_edges.cu", "lux_count_repeats", THREADS), Scratch({"control": 8}, {})
    inputs = {"offsets": graph.offsets, "sources": graph.sources}
    arguments: list[str | np.generic] = ["offsets", "sources", np.int64(n), np.int64(m), "control"]

    def count(control: NDArray[np.uint8], _statistics: Any) -> int:
        return int(control.view(np.uint64)[0])

    found: int = KernelCall(function, arguments, inputs, {}, scratch, 8, 0, count).run("count_repeats")[0]
    return found


def sorted_alone(columns: Columns, n: int, *, drop_loops: bool, drop_repeats: bool) -> SortedEdges:
    """Sort edges on one GPU; see `lux.graph.build.build`."""
    candidates, bits = columns.number << columns.mirror, max(1, (n - 1).bit_length())
    keys, indices, number, distinct = sort(
        columns.ends,
        ["sources", "destinations", np.uint32(columns.mirror), np.uint32(drop_loops)],
        candidates,
        bits,
        (bits if columns.ordered else 0, 2 * bits),
        payload=bool(columns.properties),
    )
    m = distinct if drop_repeats else number
    outputs = {
        "offsets": runtime.new_store(np.int64, n + 1, touched=False),
        "sources": runtime.new_store(np.uint32, m, touched=False),
    }
    inputs = {"keys": keys}
    if indices is not None:
        inputs["indices"] = indices
        outputs["kept"] = runtime.new_store(np.uint32, m, touched=False)
    arguments: list[str | np.generic] = [
        *("keys", "indices" if indices is not None else NULL, np.uint64(number), np.uint32(bits)),
        *(
            np.uint32(drop_repeats),
            np.int64(n),
            np.uint64(0),
            "offsets",
            "sources",
            "kept" if indices is not None else NULL,
        ),
        *("block_counts", "control"),
    ]
    call("sorted_edges.cu", "lux_write_edges", arguments, inputs, outputs, {})
    del keys, indices, inputs
    properties = {name: _gathered(values, outputs["kept"], m) for name, values in columns.properties.items()}
    return SortedEdges(m, outputs["offsets"], outputs["sources"], properties)


def _gathered(values: Store, at: Store, m: int) -> Store:
    kind = np.dtype(values.dtype)
    after = runtime.new_store(kind, m, touched=False)
    arguments: list[str | np.generic] = ["before", NULL, np.uint32(1), "at", "after", np.int64(m), "control"]
    inputs = {"before": values, "at": at}
    call("sorted_edges.cu", "lux_gather_values", arguments, inputs, {"after": after}, {}, VALUE=WORDS[kind.itemsize])
    return after


def sort(
    inputs: Mapping[str, Store],
    source: list[str | np.generic],
    candidates: int,
    bits: int,
    sorted_bits: tuple[int, int],
    *,
    payload: bool = False,
    macros: Mapping[str, object] = MappingProxyType({}),
) -> tuple[Store, Store | None, int, int]:
    """Sort keys on a GPU.

    Parameters
    ----------
    inputs : mapping of name to Store
        What keys are made of.
    source : list
        The first arguments of the kernel, which say how.
    candidates : int
        Keys, at most.
    bits : int
        Bits of the lower part of a key.
    sorted_bits : (int, int)
        First bit by which keys are sorted, and the bit after the last.
    payload : bool
        True: each key comes with the number of its edge.
    macros : mapping of name to value
        Macros of ``edge_sort.cu``.

    Returns
    -------
    keys : Store of shape (candidates,), uint64
    indices : Store of shape (candidates,), uint32, or None
    number, distinct : int
        Keys, and keys without repeats.
    """
    first, end = sorted_bits
    passes = -(-(end - first) // DIGIT_BITS)
    size = {0: candidates, 1: candidates if passes > 1 else 1}
    made = {f"keys_{k}": runtime.new_store(np.uint64, size[k], touched=False) for k in (0, 1)}
    if payload:
        made |= {f"indices_{k}": runtime.new_store(np.uint32, size[k], touched=False) for k in (0, 1)}
    arguments: list[str | np.generic] = [
        *source,
        *(np.uint32(bits), np.int64(candidates), np.uint32(first), np.uint32(end), "keys_0", "keys_1"),
        *(("indices_0", "indices_1") if payload else (NULL, NULL)),
        *("counts", "control"),
    ]
    function = kernel("edge_sort.cu", "lux_sort_edges", SORT_THREADS, PAYLOAD=int(payload), **macros)
    scratch = Scratch({"control": REPORTED}, COUNTS)
    call = KernelCall(function, arguments, dict(inputs), made, scratch, REPORTED, 0, _counted)
    (number, distinct), _ = call.run("sort_edges")
    last = (passes - 1) % 2
    return made[f"keys_{last}"], made.get(f"indices_{last}"), number, distinct


def _counted(control: Any, _statistics: Any) -> tuple[int, int]:
    number, distinct = control.view(np.uint64)[1:].tolist()
    return number, distinct


def call(
    file: str,
    name: str,
    arguments: list[str | np.generic],
    inputs: Mapping[str, Store],
    outputs: Mapping[str, Store],
    scratch: dict[str, int],
    **macros: object,
) -> None:
    """Run a kernel of `THREADS` threads that may count in ``block_counts``, and meet at ``control``."""
    memory = Scratch({"control": 64}, {"block_counts": 8 * MOST_BLOCKS, **scratch})
    function = kernel(file, name, THREADS, **macros)
    KernelCall(function, arguments, dict(inputs), dict(outputs), memory, 0, 0, lambda *_: None).run(
        name.removeprefix("lux_")
    )
