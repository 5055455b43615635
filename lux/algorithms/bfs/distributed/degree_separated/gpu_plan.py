# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The kernel of ``degree-separated`` on GPUs (``separated.cu``): its text, and its arguments."""

from __future__ import annotations

import functools

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import KINDS
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import OFFSETS
from lux.algorithms.bfs.distributed.multi_gpu.arguments import Arguments
from lux.codegen import cuda_build
from lux.runtime import Kernel

THREADS = 1024
LEVELS_NOTED = 1 << 12
"""Levels of which there are statistics, at most."""
COLUMNS = 12
"""Numbers of a level's row of statistics: see ``record`` in ``separated.cu``."""
SECTIONS = (
    "nn_offsets", "nd_offsets", "dn_offsets", "dd_offsets", "nn", "nd", "dn", "dd", "nd_rows", "dn_rows", "dd_rows",
    "delegates",
)  # fmt: skip
"""Arrays of `DegreeSeparatedGraph`, which the kernel calls by the same names."""
SCRATCH = (
    "known", "fresh", "found", "delegate_parents", "next", "seen", "named", "queue", "dd_queue", "dn_queue",
    "dd_pieces", "dn_pieces", "bins", "by_place", "inbox",
)  # fmt: skip
REPORTED = ("outcome", "notes")
WIDE = frozenset({"dd_pieces", "dn_pieces", "bins", "by_place", "inbox"})
NUMBERS = (
    "number", "part", "low", "own", "own_words", "far_words", "mask_words", "first_own", "end_own", "n_long_dd",
    "n_long_dn", "found_at", "parents_at", "bins_at", "unique", "source", "limit", "noted",
    "own_ids", "first_id", "letter",
)  # fmt: skip
"""All unsigned."""


def board_bytes(parts: int) -> int:
    """Return the bytes of ``Board`` in ``separated_state.cuh``, at most."""
    return 1024 + 16 * parts


def members(parts: int) -> dict[str, tuple[str, int]]:
    """Return the arguments in their order: the type of each, all of eight bytes, and the length of arrays (else 0).

    >>> members(2)["points"], members(2)["peer"], members(2)["limit"]
    (('u64', 3), ('char*', 2), ('u64', 0))
    """
    found = {name: ("const Offset*" if name in OFFSETS else "const u32*", 0) for name in SECTIONS}
    found |= {"far_places": ("const u32*", 0), "long_dd": ("const u64*", 0), "long_dn": ("const u64*", 0)}
    found |= {"met": ("u64*", 0), "distance": ("i32*", 0), "parent": ("i32*", 0), "base": ("char*", 0)}
    found |= {name: ("u64*" if name in WIDE else "u32*", 0) for name in SCRATCH}
    found |= dict.fromkeys(("vertices", "sends", "slots"), ("const u32*", 0))
    found |= dict.fromkeys(REPORTED, ("i64*", 0))
    found |= dict.fromkeys(NUMBERS, ("u64", 0))
    found["source_delegate"] = ("i64", 0)
    found |= dict.fromkeys(("n_rows", "n_edges"), ("u64", KINDS))
    found |= dict.fromkeys(("to_backward", "to_forward"), ("double", KINDS))
    found |= dict.fromkeys(("points", "far_at", "send_at"), ("u64", parts + 1))
    return found | dict.fromkeys(("bin_at", "theirs_at", "inbox_at"), ("u64", parts)) | {"peer": ("char*", parts)}


def text(parts: int, *, wide: bool) -> str:
    """Return the kernel's CUDA C++ for so many GPUs, with offsets of 64 bits where ``wide``."""
    lines = "".join(f"  {kind} {name}{f'[{n}]' if n else ''};\n" for name, (kind, n) in members(parts).items())
    return (
        f'#include "common.cuh"\n#define PARTS {parts}\n#define BOARD_BYTES {board_bytes(parts)}\n'
        f"using Offset = {'u64' if wide else 'u32'};\nstruct Args {{\n{lines}}};\n" + cuda_build.source("separated.cu")
    )


@functools.cache
def kernel(parts: int, *, wide: bool) -> Kernel:
    """Return the kernel, compiled or loaded from disk."""
    return Kernel(cuda_build.cubin(text(parts, wide=wide), runtime.capability()), "lux_separated", THREADS)


def arguments(parts: int) -> Arguments:
    """Return the kernel's arguments, all 0."""
    return Arguments(parts, {name: length for name, (_, length) in members(parts).items()})
