# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The push model as text: the frontier's vertices push along their out-edges into the partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lux.codegen.cpu_vertex import (
    JIT,
    begin_vertex,
    block,
    end_vertex,
    inside,
    sparse_end,
    sync,
    totals_begin,
    totals_end,
)
from lux.codegen.cpu_writer import Place
from lux.program.fields import Reduction

if TYPE_CHECKING:
    from lux.codegen.cpu_writer import Writer


def push(w: Writer) -> str:
    """Write one iteration in the push model: the frontier's vertices push along their out-edges."""
    lines = [f"def push({', '.join([*inside(w), *w.scratch_arrays()])}):", "    count, out = 0, 0"]
    values = [w.slot("x", n) for n in w.reduced]
    done = w.spec.functions.get("done")
    if w.spec.sparse:
        lines += [sync(w), "    n_touched = 0", *_sparse_push(w, values)]
    else:
        lines += [block(w.scratch("now", w.state) + w.scratch("x", w.reduced), 1)]
        for f in w.spec.reduced:
            size = f"(hi - lo) * {f.length}" if f.length else "hi - lo"
            lines.append(f"    wide_{f.name} = accumulators(old_{f.name}, {size}, {f.reduce is Reduction.ADD})")
        sums = {n: Place(f"wide_{n}", f"i * {k}") for n, k in w.lengths.items()}
        into = [sums.get(n, f"acc_{n}") for n in w.reduced]
        scalars = [n for n in w.reduced if n not in w.lengths]
        begin = begin_vertex(w)
        begin += [w.copy(n, sums.get(n, f"wide_{n}[i]"), w.slot("now", n)) for n in w.reduced]
        begin += [w.store(n, "now", "new")[-1] for n in w.plain]
        lines += ["    for v in range(lo, hi):", "        i = v - lo", block(begin, 2)]
        per_edge = [f"acc_{n} = wide_{n}[i]" for n in scalars]
        if done is not None:
            per_edge += [f"if {w.call(done, 'acc', 'old')}:", "    continue"]
        per_edge += [*w.contribution(values, "out_edge"), *w.combine(into, values)]
        per_edge += [f"wide_{n}[i] = acc_{n}" for n in scalars]
        lines += [
            _push_edges(per_edge, "v - lo"),
            totals_begin(w),
            "    for v in range(lo, hi):",
            "        i = v - lo",
        ]
        end = [f"now_{n} = like(old_{n}, wide_{n}[i])" for n in scalars]
        end += [w.copy(n, w.slot("now", n), sums[n]) for n in w.reduced if n in sums]
        end += [w.copy(n, w.slot("now", n), w.row("new", n)) if n in sums else f"now_{n} = new_{n}[i]" for n in w.plain]
        lines += [block([*end, *end_vertex(w)], 2), totals_end(w)]
    lines.append("    return count, out")
    return JIT + "\n".join(x for x in lines if x)


def _sparse_push(w: Writer, values: Sequence[str | Place]) -> list[str]:
    """Write pushes that work on touched vertices only.

    A reduced field that only its owner reads is changed in place: its old value is saved at the first touch, which sets
    a bit of ``marks``. Other fields differ between the new and the old copy after the first touch.
    """
    accumulators = [f"acc_{n}" for n in w.reduced]
    done = w.spec.functions.get("done")
    finished = w.call(done, "old", "old") if done is not None else ""
    shared = [n for n in w.reduced if n not in w.saved]
    if w.saved:
        untouched = "marks[i >> np.uint64(6)] >> (i & np.uint64(63)) & np.uint64(1) == np.uint64(0)"
        per_edge = [f"untouched = {untouched}"]
        per_edge += [f"if untouched and {finished}:", "    continue"] if finished else []
    else:
        untouched = " and ".join(f"new_{n}[i] == {w.at('old', n, 'v', 'i')}" for n in shared)
        per_edge = [f"if {finished}:", "    continue"] if finished else []
    per_edge = [*per_edge, *(f"{a} = new_{n}[i]" for a, n in zip(accumulators, w.reduced, strict=True))]
    per_edge += [*w.contribution(values, "out_edge"), *w.combine(accumulators, values)]
    per_edge.append(f"if {' or '.join(f'acc_{n} != new_{n}[i]' for n in w.reduced)}:")
    first = [*(f"before_{n}[n_touched] = new_{n}[i]" for n in w.saved), "touched[n_touched] = i", "n_touched += 1"]
    first += ["marks[i >> np.uint64(6)] |= np.uint64(1) << (i & np.uint64(63))"] if w.saved else []
    per_edge += [f"    if {'untouched' if w.saved else untouched}:", block(first, 2)]
    per_edge += [f"    new_{n}[i] = acc_{n}" for n in w.reduced]
    end = ["i = np.uint64(touched[t])", "v = lo + np.int64(i)", *(f"now_{n} = new_{n}[i]" for n in w.state)]
    end += [f"was_{n} = " + (f"before_{n}[t]" if n in w.saved else w.at("old", n, "v", "i")) for n in w.state]
    end += ["marks[i >> np.uint64(6)] = np.uint64(0)"] if w.saved else []
    end += [*sparse_end(w, "was"), "if not active:", *(f"    new_{n}[i] = was_{n}" for n in w.reduced)]
    return [_push_edges(per_edge, "np.uint64(v - lo)"), "    for t in range(n_touched):", block(end, 2)]


def _push_edges(per_edge: list[str], index: str) -> str:
    """Write the loop over the frontier's out-edges into this partition, with prefetches, as rows lie anywhere."""
    return block(
        [
            "size = np.int64(0)",
            "for q in range(first_to_add(old_state, points), len(old_state) // STATE_COLUMNS):",
            "    size += old_state[q * STATE_COLUMNS + ACTIVE]",
            "frontier = np.empty(size, np.int64)",
            "size = all_members(old_state, points, queue_at, word_at, old_queue, old_bits, frontier)",
            "rows = frontier",
            "if len(ins) != 0:",
            "    rows = np.empty(size, np.int64)",
            "    size = rows_of(ins, frontier, size, rows)",
            "first_out = out_offsets[0]",
            "for s in range(size):",
            "    if s + ROWS_AHEAD < size:",
            "        prefetch(out_offsets, rows[s + ROWS_AHEAD])",
            "        prefetch(destinations, out_offsets[rows[s + ROWS_AHEAD // 2]] - first_out)",
            "    u, k = frontier[s], rows[s]",
            "    for e in range(np.uint64(out_offsets[k] - first_out), np.uint64(out_offsets[k + 1] - first_out)):",
            "        v = np.int64(destinations[e])",
            f"        i = {index}",
            block(per_edge, 2),
        ],
        1,
    )
