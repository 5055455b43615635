# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bandwidth probe: measures how values cross between the memories of GPUs, of all at once; takes some milliseconds.

Kernels gather from each other's memory and from zero-copy memory (``bandwidths.cu``), and Legion copies between
launches as in a run.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.cuda_struct import first_words, n_words, struct_text
from lux.errors import ConfigurationError, LuxError
from lux.launch.call import kernel
from lux.launch.memory import Scratch, allocated
from lux.runtime import GpuLauncher, GpuPlan

THREADS = 1024
VALUES = 1 << 24
"""Values of 4 bytes that a GPU has in its own memory: gathers and copies take ten times as long as to begin them."""
SHARED_VALUES = 1 << 22
"""Values of all GPUs in zero-copy memory, whose link is slower."""
FEW = 1 << 10
"""Values that cross in a launch that measures the launch itself."""
LAUNCHES, TRIALS = 8, 8
"""Launches of which each waits for the one before; and repetitions of the whole measurement (the fastest counts)."""
MEMBERS = {
    **dict.fromkeys(("number", "part", "parts"), "u64"),
    **dict.fromkeys(("each", "among"), "u64"),  # values that a GPU has in its own memory, and in zero-copy memory
    **dict.fromkeys(("own", "shared"), "u32*"),  # the GPU's own values, and all of zero-copy memory
    "control": "struct Control*",
}
"""Arguments of `bandwidths.cu`, before those of `members`."""
CONTROL = np.dtype([("arrived", np.uint32), ("unused", np.uint32), ("sum", np.uint64), ("nanoseconds", np.uint64)])
"""``Control`` of `bandwidths.cu`."""
SCRATCH = Scratch({"control": CONTROL.itemsize}, {})
GROUPED = "Legate has grouped the points of a launch on GPUs: start it with --min-gpu-chunk 1"


def room() -> tuple[int, int]:
    """Return the bytes that measuring takes of each GPU's memory and of zero-copy memory, at most."""
    return 4 * 3 * VALUES, 4 * 3 * SHARED_VALUES


def members(gpus: int) -> dict[str, str]:
    """Return the arguments of ``bandwidths.cu`` for so many GPUs; ``peer`` has the addresses of all GPUs."""
    return MEMBERS | {"peer": f"const u32*[{gpus}]"}


def peers() -> bool:
    """Tell whether GPUs read each other's memory."""
    return runtime.ranks() == 1 and runtime.gpus() > 1 and runtime.peer_access()


def gathered() -> tuple[float | None, float]:
    """Measure seconds a byte that kernels gather from peers, if they can, and from zero-copy memory."""
    parts = runtime.gpus()
    widths = {"own": VALUES, "shared": SHARED_VALUES // parts // 2 * 2, "scratch": SCRATCH.nbytes}
    stores = {
        name: runtime.new_store(np.uint8 if name == "scratch" else np.uint32, parts * width, touched=False)
        for name, width in widths.items()
    }
    allocated(stores["shared"], parts, zero_copy=True)
    rows = {f"{name}_rows": runtime.ranges(np.arange(parts + 1) * width) for name, width in widths.items()}
    first = runtime.internal(GpuLauncher("set_values", {}, {n: f"{n}_rows" for n in stores}, zero_copy=["shared"]))
    later = runtime.internal(GpuLauncher("gather_values", {"shared": None}, zero_copy=["shared"]))
    kept = np.zeros((parts, len(first.arrays)), np.int64)
    plans = [_plan(first, launch, kept, widths) for launch in (first, later)]
    keys = [runtime.register(plan) for plan in plans]
    for plan, key in zip(plans, keys, strict=True):
        plan.register(key)

    def seconds(number: int) -> float:
        found = math.inf
        for _ in range(TRIALS):
            later(parts, shared=stores["shared"], key=keys[1], number=number)
            runtime.finish()
            found = min(found, max((1e-9 * int(c["nanoseconds"]) for c in reports(plans[1], keys[1])), default=0.0))
        return found

    try:
        first(parts, **stores, **rows, key=keys[0], number=0)
        runtime.finish()
        reports(plans[0], keys[0])
        peer = seconds(1) / (2 * VALUES * (parts - 1)) if peers() else None
        return peer, seconds(2) / (2 * parts * widths["shared"])
    finally:
        runtime.finish()
        for plan, key in zip(plans, keys, strict=True):
            plan.unregister(key)
            runtime.unregister(key)


def reports(plan: GpuPlan, key: int) -> list[Any]:
    """Collect ``Control`` of the GPUs of this process; raises the failure of any GPU, on every process."""
    error: LuxError | None = None
    found: list[NDArray[np.uint8]] = []
    try:
        found = [plan.report(key, part) for part in range(plan.points)]
        if runtime.ranks() == 1 and not all(map(len, found)):
            error = ConfigurationError(GROUPED)
    except LuxError as failed:
        error = failed
    runtime.raise_on_all_ranks(error)
    return [report.view(CONTROL)[0] for report in found if len(report)]


def _plan(first: GpuLauncher, launch: GpuLauncher, kept: NDArray[np.int64], widths: dict[str, int]) -> GpuPlan:
    """Plan the first launch, whose addresses are kept, or later ones, which see all of ``shared``."""
    parts = len(kept)
    of_all = members(parts)
    at, words = first_words(of_all), np.zeros((parts, n_words(of_all)), np.int64)
    numbers: dict[str, Any] = {"part": np.arange(parts), "parts": parts}
    for name, value in (numbers | {"each": widths["own"], "among": widths["shared"]}).items():
        words[:, at[name]] = value
    keeps = launch is first
    own, memory = (first.arrays.index(n) if keeps else ~first.arrays.index(n) for n in ("own", "scratch"))
    return GpuPlan(
        kernel("bandwidths.cu", "lux_gather", THREADS, struct_text(of_all), THREADS=THREADS),
        words,
        struct=True,
        stores=[(at["own"], own), (at["shared"], launch.arrays.index("shared"))],
        before=np.outer(np.arange(parts), [0, 4 * widths["shared"] * keeps]),
        kept=kept,
        keeps=keeps,
        peers=[(at["peer"], 0)] if peers() and not keeps else [],
        scratch=memory,
        in_scratch=[(at["control"], 0)],
        zeroed=SCRATCH.zeroed,
        zeroed_always=SCRATCH.zeroed,
        reported=(0, CONTROL.itemsize),
        report_bytes=CONTROL.itemsize,
        number=at["number"],
    )


def copied(values: int, owners: int, *, zero_copy: bool) -> tuple[float, float]:
    """Measure seconds of an iteration's launch, and a byte that Legion copies, with values in one kind of memory.

    Legion copies while the next launches are made, so bytes take the launches' time, too: the longer of the two counts.

    Parameters
    ----------
    owners : int
        Memories of this kind, each of which has its part of the values and receives the rest.
    """
    few = _launch_seconds(FEW, zero_copy=zero_copy)
    if owners == 1:
        return few, 0.0
    nbytes = 4 * (values - FEW) * (owners - 1) / owners
    return few, _launch_seconds(values, zero_copy=zero_copy) / nbytes


def _launch_seconds(values: int, *, zero_copy: bool) -> float:
    """Measure launches in which GPUs read the values that all wrote in the one before, and do nothing else."""
    parts, names = runtime.gpus(), ("a", "b") if zero_copy else ()
    stores = [runtime.new_store(np.uint32, values, touched=False) for _ in range(2)]
    a, b = (allocated(store, parts, zero_copy=zero_copy) for store in stores)
    rows, found = runtime.even_ranges(values, parts), math.inf
    launch = runtime.internal(GpuLauncher("exchange_values", {"a": None}, {"b": "rows"}, zero_copy=names))
    for _ in range(TRIALS):
        runtime.finish()
        began = time.perf_counter()
        for _ in range(LAUNCHES):
            launch(parts, a=a, b=b, rows=rows, key=0, number=0)
            a, b = b, a
        runtime.finish()
        found = min(found, (time.perf_counter() - began) / LAUNCHES)
    return found
