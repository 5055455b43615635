# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The two index launches of a program: ``start`` and ``run`` (one iteration, or several with one partition)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lux.kernels.codegen import Writer
from lux.kernels.compile import kernels
from lux.program import Program
from lux.runtime import Launcher

# Values of the control store, int64.
CONTROL = ("n_vertices", "n_edges", "model", "max_iterations", "limit", "work_limit")


@dataclass(frozen=True)
class Step:
    """Launches of one program.

    Attributes
    ----------
    start, run : Launcher
    writer : Writer
        Names of what the kernels are given.
    """

    start: Launcher
    run: Launcher
    writer: Writer


@functools.cache
def step(program: type[Program], param_types: tuple[type, ...], one_partition: bool, push: bool) -> Step:
    """The launches of ``program``; ``push`` says whether edges by source are given too."""
    writer = Writer(program.spec)
    start, run = writer.signatures(kernels(program))
    scalars = {f"params_{n}": t for n, t in zip(writer.params, param_types, strict=True)}
    static = {"points": None, "queue_at": None, "word_at": None, "control": None, "in_offsets": "offsets"}
    static |= {"out_degree": _split(writer, "out_degree")} if writer.wants_out_degree() else {}
    static |= {f"given_{n}": _split(writer, n) for n in writer.constant}
    edges: dict[str, str | None] = {"sources": "edges"} | {f"in_{n}": "edges" for n in writer.edge}
    ins = "ins" if push and not one_partition else None
    edges |= {"ins_bits": ins, "ins_rank": ins, "out_offsets": "by_offsets" if push else None}
    edges |= {n: "edges" if push else None for n in ("destinations", *(f"out_{n}" for n in writer.edge))}
    new = _buffers(writer, "b", owned=True)
    old = _buffers(writer, "a", owned=one_partition)
    return Step(
        _launcher(
            *start,
            inputs=_rename(static),
            outputs=_buffers(writer, "new", owned=True) | {f"other_{n}": "vertices" for n in writer.state},
            scalars=scalars,
            counts=False,
        ),
        _launcher(
            *run,
            inputs=_rename(static) | edges | ({} if one_partition else old),
            updates=new | {"statistics": "statistics_rows"} | (old if one_partition else {}),
            scalars=scalars | {"slot": int},
            counts=True,
        ),
        writer,
    )


def _split(writer: Writer, name: str) -> str | None:
    return None if writer.spec.read_from_neighbours(name) else "vertices"


def _rename(static: dict[str, str | None]) -> dict[str, str | None]:
    """``points`` names the split of a launch's points, so the split points go by another name."""
    return {("points_array" if name == "points" else name): split for name, split in static.items()}


def _buffers(writer: Writer, which: str, owned: bool) -> dict[str, str | None]:
    """How one copy is split: a partition writes its own part, and reads the whole of what neighbours' values need."""
    splits: dict[str, str | None] = {}
    for name in writer.state:
        splits[f"{which}_{name}"] = "vertices" if owned or not writer.spec.read_from_neighbours(name) else None
    frontier = writer.spec.frontier and owned
    splits[f"{which}_queue"] = "queues" if frontier else None
    splits[f"{which}_bits"] = "words" if frontier else None
    splits[f"{which}_state"] = "rows" if owned else None
    splits[f"{which}_totals"] = "totals_rows" if owned else None
    if not writer.spec.frontier:
        del splits[f"{which}_queue"], splits[f"{which}_bits"]
    return splits


_NO_QUEUE = {"queue": np.empty(0, np.uint32), "bits": np.empty(0, np.uint64)}


def _launcher(
    kernel: Callable[..., Any],
    arguments: list[str],
    inputs: dict[str, str | None],
    scalars: dict[str, type],
    counts: bool,
    outputs: dict[str, str | None] | None = None,
    updates: dict[str, str | None] | None = None,
) -> Launcher:
    """A launch whose body puts its arguments into the kernel's order."""
    given = [*inputs, *(outputs or {}), *(updates or {}), *(["ran"] if counts else []), *scalars]
    position = {("points" if name == "points_array" else name): k for k, name in enumerate(given)}
    at_points, at_control = position["points"], position["control"]
    at_ran = position.get("ran")
    no_push = "ins_bits" in inputs and inputs["ins_bits"] is None

    def body(point: int, *values: Any) -> None:
        points, control = values[at_points], values[at_control]
        fixed = {"lo": int(points[point]), "hi": int(points[point + 1]), "part": point}
        fixed |= zip(CONTROL, map(int, control), strict=True)
        if no_push:
            fixed["ins_bits"] = values[position["ins_bits"]][:0]
        chosen = [fixed[n] if n in fixed else values[position[n]] if n in position else _NO_QUEUE[n.split("_")[-1]] for n in arguments]
        ran = kernel(*chosen)
        if at_ran is not None:
            values[at_ran][0] += ran

    body.__name__ = f"lux_{kernel.__name__}"
    return Launcher(
        body,
        inputs=inputs,
        outputs=outputs or {},
        updates=updates or {},
        sums={"ran": None} if counts else {},
        scalars=scalars,
    )
