# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The pull model as text: every vertex gathers over its in-edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lux.codegen import cpu_ranges
from lux.codegen.cpu_vertex import (
    JIT,
    SUM_BLOCK,
    begin_vertex,
    block,
    common,
    end_vertex,
    inside,
    offer,
    sparse_end,
    sync,
    totals_begin,
    totals_end,
)
from lux.program.fields import Reduction

if TYPE_CHECKING:
    from lux.codegen.cpu_writer import Writer

_INLINED = "@inlined\n"
_UNROLL = 4
_PREFETCH = 64  # edges between requesting a neighbour's value and reading it


def gather(w: Writer) -> str:
    """Write ``gather`` over all in-edges of a vertex, and ``gather_active`` over those from the frontier."""
    simple = "done" not in w.spec.functions and not any(f.arg_of or f.length for f in w.spec.reduced)
    parts = [_gather_unrolled(w) if simple else _gather_in_order(w, "gather", filtered=False)]
    if w.spec.frontier:
        parts.append(_gather_in_order(w, "gather_active", filtered=True))
    return "\n\n\n".join(parts)


def gather_arguments(w: Writer) -> list[str]:
    """List arguments of the functions that gather."""
    fields = [f"old_{n}" for n in w.state]
    # Vectors are added up in acc_F in place, and x_F is scratch for one contribution.
    base = [f"acc_{n}" for n in w.reduced] + [f"x_{n}" for n in w.reduced if n in w.lengths]
    known = ["iteration", *(f"total_{n}" for n in w.totals)]
    far = [] if w.blocked else ["far"]
    return ["v", "i", "j0", "j1", *base, *common(w), *known, *w.in_edges(), *fields, *far]


def _gather_in_order(w: Writer, name: str, filtered: bool) -> str:
    arguments = gather_arguments(w) + (["front"] if filtered else [])
    values = [w.slot("x", n) for n in w.reduced]
    accumulators = [w.slot("acc", n) for n in w.reduced]
    results = ", ".join(a for a in accumulators if isinstance(a, str))
    lines = [f"def {name}({', '.join(arguments)}):", "    e, end = np.uint64(j0), np.uint64(j1)", "    while e < end:"]
    lines.append("        u = sources[e]")
    body = [*w.contribution(values, "in_edge"), *w.combine(accumulators, values)]
    if "done" in w.spec.functions:
        body += [f"if {w.call(w.spec.functions['done'], 'acc', 'old')}:", "    break"]
    if filtered:
        body = ["if has_bit(front, u):", block(body, 1)]
    lines += [block(body, 2), "        e += np.uint64(1)", f"    return {results}"]
    return _INLINED + "\n".join(lines)


def _gather_unrolled(w: Writer) -> str:
    """Write four independent accumulators; sums of long rows are added in float64, block by block.

    Values of near sources are in a cache already: nothing is prefetched, and a row of four edges takes no loop.
    """
    values = [f"x_{n}" for n in w.reduced]
    lanes = [[f"lane{k}_{n}" for n in w.reduced] for k in range(_UNROLL)]
    lines = [f"def gather({', '.join(gather_arguments(w))}):", "    j, end = np.uint64(j0), np.uint64(j1)"]
    sums = [f"sum_{n}" for n in w.reduced]
    for f, s in zip(w.spec.reduced, sums, strict=True):
        lines.append(f"    {s} = {'wide' if f.reduce is Reduction.ADD else ''}(acc_{f.name})")
    lines += [f"    if not far and end - j == np.uint64({_UNROLL}):", block(_four(w, lanes, sums), 2)]
    lines += ["    while j < end:", f"        stop = min(end, j + np.uint64({SUM_BLOCK}))"]
    lines.append(f"        four = j + ((stop - j) & ~np.uint64({_UNROLL - 1}))")
    for lane in lanes:
        lines += [
            f"        {a} = {'wide' if f.reduce is Reduction.ADD else ''}({w.identity(f, 'old_' + f.name)})"
            for a, f in zip(lane, w.spec.reduced, strict=True)
        ]
    lines.append("        while j < four:")
    shared = [n for n in w.state if w.spec.read_from_neighbours(n)]
    if shared:
        lines.append(f"            if far and j + np.uint64({_PREFETCH + _UNROLL}) < np.uint64(len(sources)):")
        for k in range(_UNROLL):
            ahead = f"np.int64(sources[j + np.uint64({_PREFETCH + k})])"
            lines += [f"                prefetch(old_{n}, {ahead})" for n in shared]
    for k, lane in enumerate(lanes):
        step = [
            f"e = j + np.uint64({k})",
            "u = sources[e]",
            *w.contribution(values, "in_edge"),
            *w.combine(lane, values),
        ]
        lines.append(block(step, 3))
    lines += [f"            j += np.uint64({_UNROLL})", "        while j < stop:"]
    lines.append(
        block(["e = j", "u = sources[e]", *w.contribution(values, "in_edge"), *w.combine(lanes[0], values)], 3)
    )
    lines.append("            j += np.uint64(1)")
    lines.append(block(w.combine(lanes[0], lanes[1]) + w.combine(lanes[2], lanes[3]), 2))
    lines.append(block(w.combine(lanes[0], lanes[2]) + w.combine(sums, lanes[0]), 2))
    return _INLINED + "\n".join([*lines, f"    return {_gathered(w, sums)}"])


def _four(w: Writer, lanes: list[list[str]], sums: list[str]) -> list[str]:
    """Write the gather over a row of as many edges as there are accumulators."""
    lines = []
    for k, lane in enumerate(lanes):
        values = [f"x{k}_{n}" for n in w.reduced]
        lines += [f"e = j + np.uint64({k})", "u = sources[e]", *w.contribution(values, "in_edge")]
        for f, a, x in zip(w.spec.reduced, lane, values, strict=True):
            lines.append(f"{a} = {'wide' if f.reduce is Reduction.ADD else ''}({x})")
    lines += w.combine(lanes[0], lanes[1]) + w.combine(lanes[2], lanes[3])
    lines += w.combine(lanes[0], lanes[2]) + w.combine(sums, lanes[0])
    return [*lines, f"return {_gathered(w, sums)}"]


def _gathered(w: Writer, sums: list[str]) -> str:
    """Return what ``gather`` returns: sums as they are where `cpu_ranges` converts them, else of the fields' types."""
    return ", ".join(sums if w.in_ranges else [f"like(old_{n}, {s})" for n, s in zip(w.reduced, sums, strict=True)])


def pull(w: Writer) -> str:
    """Write one iteration in the pull model: every vertex gathers over its in-edges."""
    lines = [
        f"def pull({', '.join([*inside(w), 'between', 'written', 'far', 'every', 'members'])}):",
        "    count, out = 0, 0",
        "    e0 = in_offsets[0]",
    ]
    if w.spec.frontier:
        lines.append("    front = np.empty(0, np.uint64)\n    if not every:")
        lines.append("        front = frontier_bits(old_state, points, queue_at, word_at, old_queue, old_bits)")
    if w.spec.sparse:
        lines.append(sync(w))
    lines += [block([*w.scratch("now", w.state), *_gather_scratch(w)], 1), totals_begin(w)]
    if w.in_ranges:
        lines.append(_each_range(w))
    elif w.spec.sparse:
        body = [*(f"acc_{n} = {w.at('old', n, 'v', 'i')}" for n in w.reduced), *_gather_call(w)]
        body.append("if " + " or ".join(f"acc_{n} != {w.at('old', n, 'v', 'i')}" for n in w.reduced) + ":")
        changed = [f"now_{n} = acc_{n}" for n in w.reduced] + [f"now_{n} = {w.at('old', n, 'v', 'i')}" for n in w.plain]
        changed += [*sparse_end(w, "old"), "if active:", *(f"    new_{n}[i] = acc_{n}" for n in w.reduced)]
        body.append(block(changed, 1))
        lines.append(_each_candidate(w, body) if "done" in w.spec.functions else _each_vertex(w, body))
    else:
        body = [*begin_vertex(w), *_begin_gather(w), *_gather_call(w)]
        body += [w.copy(n, w.slot("now", n), w.slot("acc", n)) for n in w.reduced]
        body += end_vertex(w)
        lines.append(_each_vertex(w, body))
    lines += ["    " + offer(w, "hi"), totals_end(w), "    return count, out"]
    return JIT + "\n".join(x for x in lines if x)


def _begin_gather(w: Writer) -> list[str]:
    """Write ``acc_F`` before the first edge; sums are kept in float64."""
    sums = {f.name for f in w.spec.reduced if f.reduce is Reduction.ADD and f.length is None}
    return [
        f"acc_{n} = wide(now_{n})" if n in sums else w.copy(n, w.slot("acc", n), w.slot("now", n)) for n in w.reduced
    ]


def _gather_scratch(w: Writer) -> list[str]:
    return w.scratch("acc", w.reduced, wide=True) + w.scratch("x", w.reduced)


def _gather_call(w: Writer) -> list[str]:
    names = [a for a in gather_arguments(w) if a not in ("j0", "j1")]
    call = ", ".join([*names[:2], "in_offsets[i] - e0", "in_offsets[i + 1] - e0", *names[2:]])
    into = ", ".join(f"acc_{n}" for n in w.reduced if n not in w.lengths)
    into += " = " if into else ""
    if not w.spec.frontier:
        return [f"{into}gather({call})"]
    return ["if every:", f"    {into}gather({call})", "else:", f"    {into}gather_active({call}, front)"]


def _each_range(w: Writer) -> str:
    """Write a loop over ranges of vertices, which gather one by one, and are then updated together."""
    names = [a for a in gather_arguments(w) if a not in ("v", "i", "j0", "j1")]
    adds = [f.reduce is Reduction.ADD for f in w.spec.reduced]
    first = [
        f"acc_{f.name} = {'wide' if add else ''}({w.identity(f, 'old_' + f.name)})"
        for f, add in zip(w.spec.reduced, adds, strict=True)
    ]
    into = [f"gathered_{n}[k]" for n in w.reduced]
    gathers = [
        "i = first - lo + k",
        "v, j1 = first + k, ends[k] - e0",
        *first,
        f"{', '.join(into)}{' = ' if into else ''}gather(v, i, j0, j1, {', '.join(names)})",
        "j0 = j1",
    ]
    return block(
        [
            *(
                f"gathered_{n} = accumulators(old_{n}, {SUM_BLOCK}, {add})"
                for n, add in zip(w.reduced, adds, strict=True)
            ),
            "j0 = np.int64(0)",
            f"for first in range(lo, hi, {SUM_BLOCK}):",
            f"    last = min(first + {SUM_BLOCK}, hi)",
            "    ends = in_offsets[first - lo + 1 : last - lo + 1]",
            "    for k in range(last - first):",
            block(gathers, 2),
            block([*cpu_ranges.call(w, [f"gathered_{n}[: last - first]" for n in w.reduced]), offer(w, "last")], 1),
        ],
        1,
    )


def _each_vertex(w: Writer, body: list[str]) -> str:
    return block(
        [
            "for first in range(lo, hi, CANDIDATES):",
            "    last = min(first + CANDIDATES, hi)",
            "    for v in range(first, last):",
            "        i = v - lo",
            block(body, 2),
            "    " + offer(w, "last"),
        ],
        1,
    )


def _each_candidate(w: Writer, body: list[str]) -> str:
    """Write a loop over the vertices that are not done and have in-edges; found without branches, hard to predict here.

    Loops leave their rows early, so the hardware does not foresee the next row: a prefetch requests it.
    """
    done = w.call(w.spec.functions["done"], "old", "old")
    return block(
        [
            "candidates = np.empty(CANDIDATES, np.uint32)",
            "for first in range(lo, hi, CANDIDATES):",
            "    n_candidates = 0",
            "    last = min(first + CANDIDATES, hi)",
            "    for v in range(first, last):",
            "        i = v - lo",
            "        candidates[n_candidates] = i",
            f"        n_candidates += np.int64((not {done}) & (in_offsets[i] != in_offsets[i + 1]))",
            "    for c in range(n_candidates):",
            "        if c + PREFETCH_DISTANCE < n_candidates:",
            "            prefetch(sources, in_offsets[candidates[c + PREFETCH_DISTANCE]] - e0)",
            "        i = np.int64(candidates[c])",
            "        v = lo + i",
            block(body, 2),
            "    " + offer(w, "last"),
        ],
        1,
    )
