# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Large Kronecker graphs made on a GPU with CuPy: ``python benchmarks/kronecker.py 25 4 /dev/shm/k25.sg``.

Graphs of the Graph500 (edge factor 16), symmetrised, without repeats and loops, in the format of the GAP Benchmark
Suite. Vertices are numbered by falling degree and dealt out in turns to as many ranges as the second argument gives, as
`lux.Graph.reordered` stores them for as many GPUs. Memory of the GPU bounds the scale: 27 needs about 110 GB.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EDGE_FACTOR = 16
CHUNK = 1 << 27
A, B, C = 0.57, 0.19, 0.19
LOW = 0xFFFFFFFF


def pairs(scale: int, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield both ends of edges, a chunk at a time."""
    import cupy as cp

    for at in range(0, EDGE_FACTOR << scale, CHUNK):
        count = min(CHUNK, (EDGE_FACTOR << scale) - at)
        random = cp.random.default_rng((seed << 32) + at // CHUNK)
        u, v = cp.zeros(count, cp.uint32), cp.zeros(count, cp.uint32)
        for bit in range(scale):
            r = random.random(count, dtype=cp.float32)
            second = r >= cp.float32(A + B)
            u |= second.astype(cp.uint32) << cp.uint32(bit)
            other = ((r >= cp.float32(A)) & ~second) | (r >= cp.float32(A + B + C))
            v |= other.astype(cp.uint32) << cp.uint32(bit)
        yield u[u != v], v[u != v]


def write(scale: int, ranges: int, path: Path, seed: int = 1) -> int:
    """Make the graph and write it; returns the number of stored edges."""
    import cupy as cp

    n, shift, pool = 1 << scale, cp.uint64(32), cp.get_default_memory_pool()
    keys = cp.concatenate(
        [
            cp.minimum(u, v).astype(cp.uint64) << shift | cp.maximum(u, v).astype(cp.uint64)
            for u, v in pairs(scale, seed)
        ]
    )
    pool.free_all_blocks()
    keys.sort()
    first = cp.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    keys = keys[first]
    del first
    u, v = (keys >> shift).astype(cp.uint32), (keys & cp.uint64(LOW)).astype(cp.uint32)
    del keys
    degrees = cp.zeros(n, cp.int64)
    for ends in (u, v):
        for at in range(0, len(ends), CHUNK):
            degrees += cp.bincount(ends[at : at + CHUNK].astype(cp.int64), minlength=n)
    falling = cp.argsort(-degrees)
    vertices = cp.concatenate([falling[k::ranges] for k in range(ranges)])
    places = cp.empty(n, cp.uint32)
    places[vertices] = cp.arange(n, dtype=cp.uint32)
    offsets = cp.concatenate([cp.zeros(1, cp.int64), cp.cumsum(degrees[vertices])]).get()
    del degrees, falling, vertices
    u, v, m = places[u], places[v], len(u)
    del places
    pool.free_all_blocks()
    keys = cp.empty(2 * m, cp.uint64)
    for at in range(0, m, CHUNK):
        x, y = (ends[at : at + CHUNK].astype(cp.uint64) for ends in (u, v))
        keys[at : at + len(x)] = x << shift | y
        keys[m + at : m + at + len(x)] = y << shift | x
    del u, v, x, y
    pool.free_all_blocks()
    keys.sort()
    with path.open("wb") as file:
        file.write(struct.pack("<?qq", False, 2 * m, n))
        offsets.astype("<i8").tofile(file)
        for at in range(0, 2 * m, CHUNK):
            (keys[at : at + CHUNK] & cp.uint64(LOW)).astype(cp.uint32).get().tofile(file)
    return 2 * m


if __name__ == "__main__":
    print(write(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])), "stored edges")
