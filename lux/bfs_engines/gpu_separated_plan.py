# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The kernel of ``degree-separated`` on GPUs (``separated.cu``): its arguments, and what a launch of it is given."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.separation import OFFSETS
from lux.kernels.cuda import build
from lux.kernels.separated_dealing import KINDS
from lux.runtime import GpuPlan, Kernel

THREADS = 1024
LEVELS_NOTED = 1 << 12
"""Levels of which there are statistics, at most."""
COLUMNS = 12
"""Numbers of a level's row of statistics: see ``record`` in ``separated.cu``."""
OUTCOME_BYTES = 64
"""Before the rows in the report: levels, whether the GPUs lost one another, vertices left, nanoseconds."""

SECTIONS = (
    "nn_offsets", "nd_offsets", "dn_offsets", "dd_offsets", "nn", "nd", "dn", "dd", "nd_rows", "dn_rows", "dd_rows",
    "delegates",
)  # fmt: skip
"""Arrays of `lux.bfs_engines.separation.Separation`, which the kernel calls by the same names."""
SCRATCH = (
    "known", "fresh", "found", "delegate_parents", "next", "seen", "named", "queue", "dd_queue", "dn_queue",
    "dd_pieces", "dn_pieces", "bins",
)  # fmt: skip
REPORTED = ("outcome", "statistics")
WIDE = frozenset({"dd_pieces", "dn_pieces", "bins"})
NUMBERS = (
    "number", "part", "low", "own", "own_words", "far_words", "mask_words", "first_own", "end_own", "n_long_dd",
    "n_long_dn", "found_at", "parents_at", "bins_at", "unique", "source", "limit", "noted",
)  # fmt: skip
"""All unsigned."""


def board_bytes(parts: int) -> int:
    """Bytes of ``Board`` in ``separated_state.cuh``, at most."""
    return 1024 + 16 * parts


def members(parts: int) -> dict[str, tuple[str, int]]:
    """The arguments in their order: the type of each, all of eight bytes, and the length of those that are arrays.

    >>> members(2)["points"], members(2)["peer"], members(2)["limit"]
    (('u64', 3), ('char*', 2), ('u64', 0))
    """
    found = {name: ("const Offset*" if name in OFFSETS else "const u32*", 0) for name in SECTIONS}
    found |= {"far_places": ("const u32*", 0), "long_dd": ("const u64*", 0), "long_dn": ("const u64*", 0)}
    found |= {"met": ("u64*", 0), "distance": ("i32*", 0), "parent": ("u32*", 0), "mine": ("char*", 0)}
    found |= {name: ("u64*" if name in WIDE else "u32*", 0) for name in SCRATCH}
    found |= dict.fromkeys(REPORTED, ("i64*", 0))
    found |= dict.fromkeys(NUMBERS, ("u64", 0))
    found["source_delegate"] = ("i64", 0)
    found |= dict.fromkeys(("n_rows", "n_edges"), ("u64", KINDS))
    found |= dict.fromkeys(("to_backward", "to_forward"), ("double", KINDS))
    found |= {"points": ("u64", parts + 1), "far_at": ("u64", parts + 1)}
    return found | {"bin_at": ("u64", parts), "theirs_at": ("u64", parts), "peer": ("char*", parts)}


def text(parts: int, *, wide: bool) -> str:
    """The kernel's CUDA C++ for so many GPUs, with offsets of 64 bits where ``wide``."""
    lines = "".join(f"  {kind} {name}{f'[{n}]' if n else ''};\n" for name, (kind, n) in members(parts).items())
    return (
        f'#include "common.cuh"\n#define PARTS {parts}\n#define BOARD_BYTES {board_bytes(parts)}\n'
        f"using Offset = {'u64' if wide else 'u32'};\nstruct Args {{\n{lines}}};\n" + build.source("separated.cu")
    )


@functools.cache
def kernel(parts: int, *, wide: bool) -> Kernel:
    """The kernel, compiled or loaded from disk."""
    return Kernel(build.cubin(text(parts, wide=wide), runtime.capability()), "lux_separated", THREADS)


class Arguments:
    """The words of the kernel's arguments, for each GPU.

    >>> arguments = Arguments(2)
    >>> arguments.set("limit", 7)
    >>> arguments.set("part", [0, 1])
    >>> arguments.words[:, arguments.at["limit"]].tolist(), arguments.words[:, arguments.at["part"]].tolist()
    ([7, 7], [0, 1])
    """

    def __init__(self, parts: int) -> None:
        lengths = [max(n, 1) for _, n in members(parts).values()]
        first = np.cumsum([0, *lengths])
        self.at: dict[str, int] = dict(zip(members(parts), first[:-1].tolist(), strict=True))
        self.words = np.zeros((parts, int(first[-1])), np.int64)

    def set(self, name: str, value: Any) -> None:
        """Set an argument: a number, one for each GPU, or a row for each."""
        values = np.asarray(value)
        if values.dtype.kind == "f":
            values = values.astype(np.float64).view(np.int64)
        if values.ndim < 2:
            self.words[:, self.at[name]] = values
        else:
            self.words[:, self.at[name] : self.at[name] + values.shape[1]] = values

    def plan(
        self,
        kernel: Kernel,
        arrays: Mapping[str, int],
        ahead: Mapping[str, NDArray[np.int64]],
        in_scratch: Mapping[str, int],
        kept: NDArray[np.int64],
    ) -> GpuPlan:
        """What the search's launch is given.

        Parameters
        ----------
        arrays : mapping of str to int
            For each argument that is in a store, the store's place in the first launch (which mapped it).
        ahead : mapping of str to np.ndarray of shape (parts,)
            Bytes from the beginning of what a GPU has of that store.
        in_scratch : mapping of str to int
            Where the arguments in scratch memory begin in it.
        kept : np.ndarray
            As in `GpuPlan`.
        """
        names, none = list(arrays), np.zeros(len(self.words), np.int64)
        return GpuPlan(
            kernel,
            self.words,
            struct=True,
            stores=[(self.at[n], ~arrays[n]) for n in names],
            before=np.stack([-np.asarray(ahead.get(n, none), np.int64) for n in names], axis=1),
            kept=kept,
            peers=[(self.at["peer"], names.index("mine"))],
            scratch=~arrays["mine"],
            in_scratch=[(self.at[n], at) for n, at in in_scratch.items()],
            zeroed=board_bytes(len(self.words)),
            zeroed_always=board_bytes(len(self.words)),
            written=[(self.at["outcome"], 0), (self.at["statistics"], OUTCOME_BYTES)],
            report_bytes=OUTCOME_BYTES + 8 * COLUMNS * LEVELS_NOTED,
            number=self.at["number"],
        )
