# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The pull model over edge tiles, as text: edges one after the other, with no loop over the edges of a vertex.

A tile has the edges from a range of sources into a range of destinations (compressed sparse blocks: Buluc et al., SPAA
2009), each in 32 bits (`lux.graph.indexes.edge_tile_kernels`). Where a gather over rows guesses wrongly how many edges
the next vertex has, and waits for values that lie anywhere, a tile is one loop, and the values that it reads and adds
to stay in the caches. Contributions are combined in ``sum_F`` (floats in float64) until a range of destinations is
complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lux.codegen import cpu_ranges
from lux.codegen.cpu_pull import gather_arguments
from lux.codegen.cpu_vertex import JIT, SUM_BLOCK, block, inside, offer, totals_begin, totals_end
from lux.program.fields import Reduction

if TYPE_CHECKING:
    from lux.codegen.cpu_writer import Writer

_STREAMS = 8
"""Positions in a tile that are read in turns: a hub's edges lie together, and each waits for the sum before."""


def sums(w: Writer) -> list[str]:
    """Write statements that make ``sum_F`` of a partition, with the reductions' identities."""
    lines = [f"size = min(hi - lo, {_PLACES})"]
    for f in w.spec.reduced:
        lines.append(f"sum_{f.name} = accumulators(a_{f.name}, size, {f.reduce is Reduction.ADD})")
        lines.append(f"sum_{f.name}[:] = {w.identity(f, f'a_{f.name}')}")
    return lines


_PLACES = "(np.int64(1) << place_bits)"


def gather(w: Writer) -> str:
    """Write ``gather_block``: the edges ``j0 <= e < j1``, from sources from ``base`` to destinations from ``first``."""
    names = [f"sum_{n}" for n in w.reduced]
    arguments = [a for a in gather_arguments(w) if a not in ("v", "i", *(f"acc_{n}" for n in w.reduced))]
    lines = [
        f"def gather_block(first, base, {', '.join([*names, *arguments])}):",
        "    shift = np.uint32(np.int64(32) - place_bits)",
        "    low = (np.uint32(1) << shift) - np.uint32(1)",
        "    j, end = np.uint64(j0), np.uint64(j1)",
        f"    apart = (end - j) // np.uint64({_STREAMS})",
        "    stop = j + apart",
        "    while j < stop:",
    ]
    streams = range(_STREAMS)
    body = [line for t in streams for line in _read(w, t, f"j + np.uint64({t}) * apart")]
    body += [line for t in streams for line in _combine(w, t)]
    lines += [block([*body, "j += np.uint64(1)"], 2), f"    j = stop + np.uint64({_STREAMS - 1}) * apart"]
    lines += ["    while j < end:", block([*_read(w, 0, "j"), *_combine(w, 0), "j += np.uint64(1)"], 2)]
    return "@inlined\n" + "\n".join(lines)


def _read(w: Writer, stream: int, place: str) -> list[str]:
    """Write the contribution of the edge at a position of the tile."""
    return [
        f"e = {place}",
        f"k{stream} = packed[e] >> shift",
        "u = base + np.uint64(packed[e] & low)",
        f"v = first + np.int64(k{stream})",
        "i = v - lo",
        *w.contribution([f"x{stream}_{n}" for n in w.reduced], "in_edge"),
    ]


def _combine(w: Writer, stream: int) -> list[str]:
    into = [f"sum_{n}[k{stream}]" for n in w.reduced]
    return w.combine(into, [f"x{stream}_{n}" for n in w.reduced])


def pull(w: Writer) -> str:
    """Write one iteration: all tiles of a range of destinations, then its vertices, range after range."""
    scratch = [f"sum_{n}" for n in w.reduced]
    given = [a for a in gather_arguments(w) if a not in ("v", "i", "j0", "j1", *(f"acc_{n}" for n in w.reduced))]
    call = ", ".join(["first", "base", *scratch, "starts[b]", "starts[b + 1]", *given])
    update = cpu_ranges.call(w, [f"sum_{n}[first - whole : last - whole]" for n in w.reduced])
    lines = [
        f"def pull({', '.join([*inside(w), 'between', 'written', *w.scratch_arrays()])}):",
        "    count, out = 0, 0",
        "    starts = block_starts[blocks_at[part] : blocks_at[part + 1]]",
        "    b = np.int64(0)",
        totals_begin(w),
        f"    for first in range(lo, hi, {_PLACES}):",
        f"        last = min(first + {_PLACES}, hi)",
        "        base = np.uint64(0)",
        "        while base < np.uint64(n_vertices):",
        f"            gather_block({call})",
        "            base += np.uint64(1) << np.uint64(np.int64(32) - place_bits)",
        "            b += 1",
        "        whole, stop = first, last",
        f"        for first in range(whole, stop, {SUM_BLOCK}):",
        f"            last = min(first + {SUM_BLOCK}, stop)",
        block([*update, offer(w, "last")], 3),
        "    " + offer(w, "hi"),
        totals_end(w),
        "    return count, out",
    ]
    return JIT + "\n".join(x for x in lines if x)
