# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Synthetic edges by number: every random bit is a hash of (seed, edge number, draw), so slices agree.

The generator is splitmix64 (Steele, Lea and Flood, OOPSLA 2014) used by counter: draw d of edge e is the
finaliser of ``seed + (e * draws + d) * golden``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.kernels import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE = np.uint64(1)
S30, S27, S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@njit(nogil=True, cache=True, inline="always")
def mix(z: Any) -> Any:
    """Apply the finaliser of splitmix64."""
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@njit(nogil=True, cache=True, inline="always")
def scramble(v: Any, half: Any, mask: Any, k0: Any, k1: Any, k2: Any) -> Any:
    """Permute the integers 0 to mask: odd multiplications modulo 2^scale, and xor-shifts by half the bits."""
    v = ((v ^ k0) * (k1 | ONE)) & mask
    v ^= v >> half
    v = (v * (k2 | ONE) + k0) & mask
    v ^= v >> half
    v = (v * (k0 | ONE) + k1) & mask
    v ^= v >> half
    return v & mask


@njit(nogil=True, cache=True)
def rmat(
    lo: int, hi: int, scale: int, seed: int, limits: NDArray[Any], shuffled: bool, sources: Any, destinations: Any
) -> None:
    """Generate edges lo to hi - 1 of R-MAT; ``limits`` are a, a + b and a + b + c as uint32 fractions of 2^32."""
    a, ab, abc = limits[0], limits[1], limits[2]
    start = mix(np.uint64(seed) + GOLDEN)
    k0, k1, k2 = mix(start + ONE), mix(start ^ MIX_1), mix(start ^ MIX_2)
    mask = (ONE << np.uint64(scale)) - ONE
    half = np.uint64((scale + 1) // 2)
    pairs = scale // 2
    draws = np.uint64(pairs + 2)
    for i in range(hi - lo):
        state = start + (np.uint64(lo + i) * draws) * GOLDEN
        u = np.uint64(0)
        v = np.uint64(0)
        for _ in range(pairs):
            z = mix(state)
            state += GOLDEN
            first, second = z & LOW_HALF, z >> HALF
            row_1, row_2 = np.uint64(first >= ab), np.uint64(second >= ab)
            column_1 = np.uint64(first >= a) ^ row_1 ^ np.uint64(first >= abc)
            column_2 = np.uint64(second >= a) ^ row_2 ^ np.uint64(second >= abc)
            u = (u << np.uint64(2)) | (row_1 << ONE) | row_2
            v = (v << np.uint64(2)) | (column_1 << ONE) | column_2
        if scale & 1:
            last = mix(state) & LOW_HALF
            row = np.uint64(last >= ab)
            u = (u << ONE) | row
            v = (v << ONE) | (np.uint64(last >= a) ^ row ^ np.uint64(last >= abc))
        if shuffled:
            u = scramble(u, half, mask, k0, k1, k2)
            v = scramble(v, half, mask, k0, k1, k2)
        sources[i] = u
        destinations[i] = v


@njit(nogil=True, cache=True)
def uniform(lo: int, hi: int, n_vertices: int, seed: int, sources: Any, destinations: Any) -> None:
    """Generate edges lo to hi - 1, both ends uniform; the bias of the remainder is below n_vertices / 2^64."""
    start = mix(np.uint64(seed) + MIX_2)
    n = np.uint64(n_vertices)
    for i in range(hi - lo):
        state = start + np.uint64(lo + i) * np.uint64(2) * GOLDEN
        sources[i] = mix(state) % n
        destinations[i] = mix(state + GOLDEN) % n


@njit(nogil=True, cache=True)
def grid(lo: int, hi: int, rows: int, columns: int, sources: Any, destinations: Any) -> None:
    """Generate edges lo to hi - 1 of a lattice: first all horizontal ones row by row, then all vertical ones."""
    horizontal = rows * (columns - 1)
    for i in range(hi - lo):
        edge = lo + i
        if edge < horizontal:
            vertex = edge + edge // (columns - 1)
            sources[i] = vertex
            destinations[i] = vertex + 1
        else:
            vertex = edge - horizontal
            sources[i] = vertex
            destinations[i] = vertex + columns


@njit(nogil=True, cache=True)
def weights(lo: int, hi: int, seed: int, low: int, span: int, out: Any) -> None:
    """Generate integers low to low + span - 1 for edges lo to hi - 1; ``span`` is at most 2^32."""
    start = mix(np.uint64(seed) ^ MIX_1)
    for i in range(hi - lo):
        z = mix(start + np.uint64(lo + i) * GOLDEN) >> HALF
        out[i] = low + np.int64((z * np.uint64(span)) >> HALF)


@njit(nogil=True, cache=True)
def unit_weights(lo: int, hi: int, seed: int, out: Any) -> None:
    """Generate multiples of 2^-24 in [0, 1) for edges lo to hi - 1, float32: all values that it holds evenly."""
    start = mix(np.uint64(seed) ^ MIX_1)
    for i in range(hi - lo):
        z = mix(start + np.uint64(lo + i) * GOLDEN) >> np.uint64(40)
        out[i] = np.float32(z) * np.float32(2.0**-24)
