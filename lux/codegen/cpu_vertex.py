# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The work of generated loops on each vertex, as text; see `lux.codegen.cpu_loops` for the names."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lux.codegen.cpu_writer import Writer

JIT = '@inner(error_model="numpy")\n'
CACHED = '@njit(nogil=True, error_model="numpy", cache=True)\n'
SUM_BLOCK = 1024
"""Values that are added up before their sum joins the total."""


def block(lines: Iterable[str], depth: int) -> str:
    """Indent lines of text."""
    return textwrap.indent("\n".join(lines), "    " * depth)


def common(w: Writer) -> list[str]:
    """List arguments that all generated functions take."""
    return [*w.shared(), *(f"params_{n}" for n in w.params)]


def inside(w: Writer) -> list[str]:
    """List arguments of ``pull`` and ``push``."""
    known = ["iteration", *(f"total_{n}" for n in w.totals)]
    return [*common(w), *known, *w.edges(), *w.buffers("old"), *w.buffers("new")]


def offer(w: Writer, end: str) -> str:
    """Write the offer of the new values of vertices before ``end`` to other processes."""
    changed = "members.ctypes.data, count" if w.spec.frontier else "0, 0"
    return f"offer(between, written, {end}, {changed})"


def mark_active(w: Writer) -> list[str]:
    """Write a vertex into the next frontier."""
    return ["if active:", "    members[count] = i", "    count += 1", f"    out += np.int64({w.out_degree('v', 'i')})"]


def totals_begin(w: Writer) -> str:
    """Write the aggregates before the first vertex."""
    return "\n".join(f"    sum_{n}, part_{n} = 0.0, 0.0" for n in w.totals)


def add_totals(w: Writer, old: str) -> list[str]:
    """Add a vertex to the aggregates, block by block."""
    if not w.totals:
        return []
    lines = add_parts(w, old)
    lines += [f"if i & {SUM_BLOCK - 1} == {SUM_BLOCK - 1}:"]
    return lines + [f"    sum_{n} += part_{n}; part_{n} = 0.0" for n in w.totals]


def add_parts(w: Writer, old: str) -> list[str]:
    """Add a vertex to its block's share of the aggregates."""
    return [f"part_{n} += {w.call(f, 'now', old)}" for n, f in w.spec.totals.items()]


def totals_end(w: Writer) -> str:
    """Write the partition's share of the aggregates."""
    return "\n".join(f"    new_totals[TOTALS + {k}] = sum_{n} + part_{n}" for k, n in enumerate(w.totals))


def sync(w: Writer) -> str:
    """Write the update of the new copy where the last iteration changed the old one."""
    copy = [f"new_{n}[i] = {w.at('old', n, 'v', 'i')}" for n in w.shared_state]
    if not copy:
        return ""
    return block(
        [
            "changed = np.empty(old_state[part * STATE_COLUMNS + ACTIVE], np.int64)",
            "for k in range(members_of(part, old_state, points, queue_at, word_at, old_queue, old_bits, changed)):",
            "    v = changed[k]",
            "    i = v - lo",
            block(copy, 1),
        ],
        1,
    )


def begin_vertex(w: Writer) -> list[str]:
    """Write ``now_F`` at the start of an iteration: values assigned by init, else the default."""
    lines = []
    for f in w.spec.state:
        fresh = f.name in w.reduced and not w.spec.frontier
        lines.append(w.clear(f, "now", "old") if fresh else w.load(f.name, "now"))
    if "init" in w.spec.functions:
        lines += w.results(w.spec.functions["init"], "now", "old", "now")
        lines += [f"now_{n} = like(old_{n}, now_{n})" for n in w.spec.functions["init"].writes]
    return lines


def end_vertex(w: Writer, add: Callable[[Writer, str], list[str]] = add_totals) -> list[str]:
    """Write the update of a vertex, and its stores; ``add`` adds it to the aggregates."""
    lines = w.results(w.spec.functions["update"], "now", "old", "now", "active")
    if w.spec.frontier:
        lines += ["if not active:", block([w.load(n, "now") for n in w.state], 1)]
    lines += [line for n in w.state for line in w.store(n, "now", "new")[:-1]]
    lines += add(w, "old")  # before an owned field's old value is overwritten
    lines += [w.store(n, "now", "new")[-1] for n in w.state]
    return lines + (mark_active(w) if w.spec.frontier else [])


def sparse_end(w: Writer, old: str) -> list[str]:
    """Write the update of a vertex that contributions have changed, for programs whose update assigns nothing."""
    lines = w.results(w.spec.functions["update"], "now", old, "now", "active")
    return lines + mark_active(w)
