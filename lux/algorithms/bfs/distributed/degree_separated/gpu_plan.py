# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The kernel of ``degree-separated`` on GPUs (``separated.cu``): its text, and its arguments."""

from __future__ import annotations

from lux.algorithms.bfs.distributed.degree_separated.build_kernels import KINDS
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import OFFSETS
from lux.algorithms.multi_gpu.arguments import common_members
from lux.codegen.cuda_struct import struct_text
from lux.launch.call import kernel
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
SCRATCH = {
    **dict.fromkeys(("known", "fresh", "found", "delegate_parents", "next", "seen", "named"), "u32*"),
    **dict.fromkeys(("queue", "dd_queue", "dn_queue"), "u32*"),
    **dict.fromkeys(("dd_pieces", "dn_pieces", "bins"), "u64*"),
}
"""Arrays in the scratch memory, besides `common_members`."""
NUMBERS = (
    "low", "own", "own_words", "far_words", "mask_words", "first_own", "end_own", "n_long_dd", "n_long_dn", "found_at",
    "parents_at", "bins_at", "unique",
)  # fmt: skip


def control_bytes(parts: int) -> int:
    """Return the bytes of ``SearchControl`` in ``separated_state.cuh``, at most."""
    return 1024 + 16 * parts


def members(parts: int) -> dict[str, str]:
    """Return the kernel's arguments, as in `lux.codegen.cuda_struct`.

    >>> members(2)["points"], members(2)["peer"], members(2)["limit"]
    ('u64[3]', 'char*[2]', 'u64')
    """
    found = common_members(parts, "u64") | SCRATCH
    found |= {name: "const Offset*" if name in OFFSETS else "const u32*" for name in (*SECTIONS, "far_places")}
    found |= dict.fromkeys(("long_dd", "long_dn"), "const u64*") | {"arrivals": "u64*"}
    found |= dict.fromkeys(NUMBERS, "u64") | {"source_delegate": "i64"}
    found |= dict.fromkeys(("n_rows", "n_edges"), f"u64[{KINDS}]")
    found |= dict.fromkeys(("to_backward", "to_forward"), f"double[{KINDS}]")
    found |= dict.fromkeys(("points", "far_at"), f"u64[{parts + 1}]")
    return found | dict.fromkeys(("bin_at", "theirs_at"), f"u64[{parts}]")


def compiled(parts: int, *, wide: bool) -> Kernel:
    """Return the kernel for so many GPUs, with offsets of 64 bits where ``wide``."""
    struct = f"using Offset = {'u64' if wide else 'u32'};\n{struct_text(members(parts))}"
    return kernel("separated.cu", "lux_separated", THREADS, struct, PARTS=parts, CONTROL_BYTES=control_bytes(parts))
