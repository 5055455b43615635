# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The loops around a program's functions, as text; see `lux.kernels.codegen`.

Names in the generated text: ``v`` is a vertex (dense id) of the partition and ``i = v - lo`` its local index,
``u`` a neighbour, ``e`` an edge of the partition; ``old_F`` and ``new_F`` are the two copies of field F,
``now_F`` is its value while a vertex is worked on, ``acc_F`` what its edges have contributed so far.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lux.kernels.codegen import CONTROL, COPIES, Place
from lux.program import Reduction

if TYPE_CHECKING:
    from lux.kernels.codegen import Writer

_JIT = '@njit(nogil=True, error_model="numpy")\n'
_INLINED = "@inlined\n"
_CACHED = '@njit(nogil=True, error_model="numpy", cache=True)\n'
_SUM_BLOCK = 1024
_UNROLL = 4
_PREFETCH = 64  # edges between asking for a neighbour's value and reading it


def _block(lines: Iterable[str], depth: int) -> str:
    return textwrap.indent("\n".join(lines), "    " * depth)


def _common(w: Writer) -> list[str]:
    return [*w.shared(), *(f"params_{n}" for n in w.params)]


def _inside(w: Writer) -> list[str]:
    known = ["iteration", *(f"total_{n}" for n in w.totals)]
    return [*_common(w), *known, *w.edges(), *w.buffers("old"), *w.buffers("new")]


def _gather_arguments(w: Writer) -> list[str]:
    fields = [f"old_{n}" for n in w.state]
    # Vectors are added up in acc_F in place, and x_F is scratch for one contribution.
    base = [f"acc_{n}" for n in w.reduced] + [f"x_{n}" for n in w.reduced if n in w.lengths]
    known = ["iteration", *(f"total_{n}" for n in w.totals)]
    return ["v", "i", "j0", "j1", *base, *_common(w), *known, "sources", *(f"in_edge_{n}" for n in w.edge), *fields]


def gather(w: Writer) -> str:
    """``gather`` over all in-edges of a vertex, and ``gather_active`` over those from the frontier."""
    simple = "done" not in w.spec.functions and not any(f.arg_of or f.length for f in w.spec.reduced)
    parts = [_gather_unrolled(w) if simple else _gather_in_order(w, "gather", filtered=False)]
    if w.spec.frontier:
        parts.append(_gather_in_order(w, "gather_active", filtered=True))
    return "\n\n\n".join(parts)


def _gather_in_order(w: Writer, name: str, filtered: bool) -> str:
    arguments = _gather_arguments(w) + (["front"] if filtered else [])
    values = [w.slot("x", n) for n in w.reduced]
    accumulators = [w.slot("acc", n) for n in w.reduced]
    results = ", ".join(a for a in accumulators if isinstance(a, str))
    lines = [f"def {name}({', '.join(arguments)}):", "    e, end = np.uint64(j0), np.uint64(j1)", "    while e < end:"]
    lines.append("        u = sources[e]")
    body = [*w.contribution(values, "in_edge"), *w.combine(accumulators, values)]
    if "done" in w.spec.functions:
        body += [f"if {w.call(w.spec.functions['done'], 'acc', 'old')}:", "    break"]
    if filtered:
        body = ["if has_bit(front, u):", _block(body, 1)]
    lines += [_block(body, 2), "        e += np.uint64(1)", f"    return {results}"]
    return _INLINED + "\n".join(lines)


def _gather_unrolled(w: Writer) -> str:
    """Four independent accumulators; sums of long rows are added in float64, block by block."""
    values = [f"x_{n}" for n in w.reduced]
    lanes = [[f"lane{k}_{n}" for n in w.reduced] for k in range(_UNROLL)]
    lines = [f"def gather({', '.join(_gather_arguments(w))}):", "    j, end = np.uint64(j0), np.uint64(j1)"]
    sums = [f"sum_{n}" for n in w.reduced]
    for f, s in zip(w.spec.reduced, sums, strict=True):
        lines.append(f"    {s} = {'wide' if f.reduce is Reduction.ADD else ''}(acc_{f.name})")
    lines += ["    while j < end:", f"        stop = min(end, j + np.uint64({_SUM_BLOCK}))"]
    lines.append(f"        four = j + ((stop - j) & ~np.uint64({_UNROLL - 1}))")
    for lane in lanes:
        lines += [f"        {a} = {w.identity(f, 'old_' + f.name)}" for a, f in zip(lane, w.spec.reduced, strict=True)]
    lines.append("        while j < four:")
    shared = [n for n in w.state if w.spec.read_from_neighbours(n)]
    if shared and not w.ordered:  # hubs that lie together are in the cache already
        lines.append(f"            if j + np.uint64({_PREFETCH + _UNROLL}) < np.uint64(len(sources)):")
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
        lines.append(_block(step, 3))
    lines += [f"            j += np.uint64({_UNROLL})", "        while j < stop:"]
    lines.append(
        _block(["e = j", "u = sources[e]", *w.contribution(values, "in_edge"), *w.combine(lanes[0], values)], 3)
    )
    lines.append("            j += np.uint64(1)")
    lines.append(_block(w.combine(lanes[0], lanes[1]) + w.combine(lanes[2], lanes[3]), 2))
    lines.append(_block(w.combine(lanes[0], lanes[2]) + w.combine(sums, lanes[0]), 2))
    results = [f"like(old_{n}, {s})" for n, s in zip(w.reduced, sums, strict=True)]
    return _INLINED + "\n".join([*lines, f"    return {', '.join(results)}"])


def start(w: Writer) -> str:
    """The fields' first values, in both copies, and the first frontier."""
    arguments = [*_common(w), *w.buffers("new"), *(f"other_{n}" for n in w.shared_state)]
    function = w.spec.functions["start"]
    body = [w.clear(f, "now", "new") for f in w.spec.state]
    body += w.results(function, "now", "now", "now", "active")
    for name in w.state:
        body += w.store(name, "now", "new")
    body += [w.store(name, "now", "other")[-1] for name in w.shared_state]
    if w.spec.frontier:
        body += _mark_active(w)
    body += _add_totals(w, "now")
    lines = [
        f"def start({', '.join(arguments)}):",
        "    iteration, count, out = np.int64(0), 0, 0",
        "    new_state[:] = 0",
    ]
    if w.spec.frontier:
        lines.append("    members = np.empty(hi - lo, np.uint32)")
    lines += [_block(w.scratch("now", w.state, like="new"), 1)]
    lines += [_totals_begin(w), "    for v in range(lo, hi):", "        i = v - lo", _block(body, 2), _totals_end(w)]
    lines.append(_publish(w))
    return _CACHED + "\n".join(x for x in lines if x)


def _mark_active(w: Writer) -> list[str]:
    return ["if active:", "    members[count] = i", "    count += 1", f"    out += np.int64({w.out_degree('v', 'i')})"]


def _publish(w: Writer) -> str:
    if not w.spec.frontier:
        return "    new_state[ACTIVE], new_state[ACTIVE_EDGES] = hi - lo, 0\n    new_state[FORM] = EVERY"
    return _block(
        [
            "new_state[ACTIVE] = count",
            "new_state[ACTIVE_EDGES] = out",
            "if count == hi - lo:",
            "    new_state[FORM] = EVERY",
            "else:",
            "    new_state[FORM] = publish(members, count, lo, new_queue, new_bits)",
        ],
        1,
    )


def _totals_begin(w: Writer) -> str:
    return "\n".join(f"    sum_{n}, part_{n} = 0.0, 0.0" for n in w.totals)


def _add_totals(w: Writer, old: str) -> list[str]:
    if not w.totals:
        return []
    lines = [f"part_{n} += {w.call(f, 'now', old)}" for n, f in w.spec.totals.items()]
    lines += [f"if i & {_SUM_BLOCK - 1} == {_SUM_BLOCK - 1}:"]
    return lines + [f"    sum_{n} += part_{n}; part_{n} = 0.0" for n in w.totals]


def _totals_end(w: Writer) -> str:
    return "\n".join(f"    new_totals[TOTALS + {k}] = sum_{n} + part_{n}" for k, n in enumerate(w.totals))


def _sync(w: Writer) -> str:
    """Bring the new copy up to date where the last iteration changed the old one."""
    copy = [f"new_{n}[i] = {w.at('old', n, 'v', 'i')}" for n in w.shared_state]
    if not copy:
        return ""
    return _block(
        [
            "changed = np.empty(old_state[part * STATE_COLUMNS + ACTIVE], np.int64)",
            "for k in range(members_of(part, old_state, points, queue_at, word_at, old_queue, old_bits, changed)):",
            "    v = changed[k]",
            "    i = v - lo",
            _block(copy, 1),
        ],
        1,
    )


def _begin_vertex(w: Writer) -> list[str]:
    """``now_F`` at the start of an iteration: what init assigns, else the default."""
    lines = []
    for f in w.spec.state:
        fresh = f.name in w.reduced and not w.spec.frontier
        lines.append(w.clear(f, "now", "old") if fresh else w.load(f.name, "now"))
    if "init" in w.spec.functions:
        lines += w.results(w.spec.functions["init"], "now", "old", "now")
        lines += [f"now_{n} = like(old_{n}, now_{n})" for n in w.spec.functions["init"].writes]
    return lines


def _end_vertex(w: Writer) -> list[str]:
    """Update, and store."""
    lines = w.results(w.spec.functions["update"], "now", "old", "now", "active")
    if w.spec.frontier:
        lines += ["if not active:", _block([w.load(n, "now") for n in w.state], 1)]
    lines += [line for n in w.state for line in w.store(n, "now", "new")[:-1]]
    lines += _add_totals(w, "old")  # before an owned field's old value is overwritten
    lines += [w.store(n, "now", "new")[-1] for n in w.state]
    return lines + (_mark_active(w) if w.spec.frontier else [])


def _sparse_end(w: Writer, old: str) -> list[str]:
    """Update of a vertex that contributions have changed, for programs whose update assigns nothing."""
    lines = w.results(w.spec.functions["update"], "now", old, "now", "active")
    return lines + _mark_active(w)


def _gather_call(w: Writer) -> list[str]:
    names = [a for a in _gather_arguments(w) if a not in ("j0", "j1")]
    call = ", ".join([*names[:2], "in_offsets[i] - e0", "in_offsets[i + 1] - e0", *names[2:]])
    into = ", ".join(f"acc_{n}" for n in w.reduced if n not in w.lengths)
    into += " = " if into else ""
    if not w.spec.frontier:
        return [f"{into}gather({call})"]
    return ["if every:", f"    {into}gather({call})", "else:", f"    {into}gather_active({call}, front)"]


def _each_vertex(body: list[str]) -> str:
    return _block(["for v in range(lo, hi):", "    i = v - lo", _block(body, 1)], 1)


def _each_candidate(w: Writer, body: list[str]) -> str:
    """Only vertices that are not done and have in-edges; found without branches, as either is hard to predict.

    Their rows are left early, so the hardware does not see the next one coming: it is asked for ahead.
    """
    done = w.call(w.spec.functions["done"], "old", "old")
    return _block(
        [
            "candidates = np.empty(CANDIDATES, np.uint32)",
            "for first in range(lo, hi, CANDIDATES):",
            "    n_candidates = 0",
            "    for v in range(first, min(first + CANDIDATES, hi)):",
            "        i = v - lo",
            "        candidates[n_candidates] = i",
            f"        n_candidates += np.int64((not {done}) & (in_offsets[i] != in_offsets[i + 1]))",
            "    for c in range(n_candidates):",
            "        if c + AHEAD < n_candidates:",
            "            prefetch(sources, in_offsets[candidates[c + AHEAD]] - e0)",
            "        i = np.int64(candidates[c])",
            "        v = lo + i",
            _block(body, 2),
        ],
        1,
    )


def pull(w: Writer) -> str:
    """One iteration in the pull model: every vertex gathers over its in-edges."""
    lines = [
        f"def pull({', '.join([*_inside(w), 'every', 'members'])}):",
        "    count, out = 0, 0",
        "    e0 = in_offsets[0]",
    ]
    if w.spec.frontier:
        lines.append("    front = np.empty(0, np.uint64)\n    if not every:")
        lines.append("        front = frontier_bits(old_state, points, queue_at, word_at, old_queue, old_bits)")
    if w.spec.sparse:
        lines.append(_sync(w))
    lines += [_block([*w.scratch("now", w.state), *_gather_scratch(w)], 1), _totals_begin(w)]
    if w.spec.sparse:
        body = [*(f"acc_{n} = {w.at('old', n, 'v', 'i')}" for n in w.reduced), *_gather_call(w)]
        body.append("if " + " or ".join(f"acc_{n} != {w.at('old', n, 'v', 'i')}" for n in w.reduced) + ":")
        changed = [f"now_{n} = acc_{n}" for n in w.reduced] + [f"now_{n} = {w.at('old', n, 'v', 'i')}" for n in w.plain]
        changed += [*_sparse_end(w, "old"), "if active:", *(f"    new_{n}[i] = acc_{n}" for n in w.reduced)]
        body.append(_block(changed, 1))
        lines.append(_each_candidate(w, body) if "done" in w.spec.functions else _each_vertex(body))
    else:
        body = [*_begin_vertex(w), *_begin_gather(w), *_gather_call(w)]
        body += [w.copy(n, w.slot("now", n), w.slot("acc", n)) for n in w.reduced]
        body += _end_vertex(w)
        lines.append(_each_vertex(body))
    lines += [_totals_end(w), "    return count, out"]
    return _JIT + "\n".join(x for x in lines if x)


def _begin_gather(w: Writer) -> list[str]:
    """``acc_F`` before the first edge; sums are kept in float64."""
    sums = {f.name for f in w.spec.reduced if f.reduce is Reduction.ADD and f.length is None}
    return [
        f"acc_{n} = wide(now_{n})" if n in sums else w.copy(n, w.slot("acc", n), w.slot("now", n)) for n in w.reduced
    ]


def _gather_scratch(w: Writer) -> list[str]:
    return w.scratch("acc", w.reduced, wide=True) + w.scratch("x", w.reduced)


def _push_edges(per_edge: list[str], index: str) -> str:
    """The loop over the frontier's out-edges into this partition; rows are asked for ahead, as they lie anywhere."""
    return _block(
        [
            "size = np.int64(0)",
            "for q in range(len(points) - 1):",
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
            _block(per_edge, 2),
        ],
        1,
    )


def _sparse_push(w: Writer, values: Sequence[str | Place]) -> list[str]:
    """Pushes that work on touched vertices only.

    A reduced field that only its owner looks at is changed in place: its old value is saved at the first touch, which
    a bit of ``marks`` remembers. Of other fields the new copy differs from the old one after the first touch.
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
    per_edge += [f"    if {'untouched' if w.saved else untouched}:", _block(first, 2)]
    per_edge += [f"    new_{n}[i] = acc_{n}" for n in w.reduced]
    end = ["i = np.uint64(touched[t])", "v = lo + np.int64(i)", *(f"now_{n} = new_{n}[i]" for n in w.state)]
    end += [f"was_{n} = " + (f"before_{n}[t]" if n in w.saved else w.at("old", n, "v", "i")) for n in w.state]
    end += ["marks[i >> np.uint64(6)] = np.uint64(0)"] if w.saved else []
    end += [*_sparse_end(w, "was"), "if not active:", *(f"    new_{n}[i] = was_{n}" for n in w.reduced)]
    return [_push_edges(per_edge, "np.uint64(v - lo)"), "    for t in range(n_touched):", _block(end, 2)]


def push(w: Writer) -> str:
    """One iteration in the push model: the frontier's vertices push along their out-edges."""
    lines = [f"def push({', '.join([*_inside(w), *w.scratch_arrays()])}):", "    count, out = 0, 0"]
    values = [w.slot("x", n) for n in w.reduced]
    done = w.spec.functions.get("done")
    if w.spec.sparse:
        lines += [_sync(w), "    n_touched = 0", *_sparse_push(w, values)]
    else:
        lines += [_block(w.scratch("now", w.state) + w.scratch("x", w.reduced), 1)]
        for f in w.spec.reduced:
            size = f"(hi - lo) * {f.length}" if f.length else "hi - lo"
            lines.append(f"    wide_{f.name} = accumulators(old_{f.name}, {size}, {f.reduce is Reduction.ADD})")
        sums = {n: Place(f"wide_{n}", f"i * {k}") for n, k in w.lengths.items()}
        into = [sums.get(n, f"acc_{n}") for n in w.reduced]
        scalars = [n for n in w.reduced if n not in w.lengths]
        begin = _begin_vertex(w)
        begin += [w.copy(n, sums.get(n, f"wide_{n}[i]"), w.slot("now", n)) for n in w.reduced]
        begin += [w.store(n, "now", "new")[-1] for n in w.plain]
        lines += ["    for v in range(lo, hi):", "        i = v - lo", _block(begin, 2)]
        per_edge = [f"acc_{n} = wide_{n}[i]" for n in scalars]
        if done is not None:
            per_edge += [f"if {w.call(done, 'acc', 'old')}:", "    continue"]
        per_edge += [*w.contribution(values, "out_edge"), *w.combine(into, values)]
        per_edge += [f"wide_{n}[i] = acc_{n}" for n in scalars]
        lines += [
            _push_edges(per_edge, "v - lo"),
            _totals_begin(w),
            "    for v in range(lo, hi):",
            "        i = v - lo",
        ]
        end = [f"now_{n} = like(old_{n}, wide_{n}[i])" for n in scalars]
        end += [w.copy(n, w.slot("now", n), sums[n]) for n in w.reduced if n in sums]
        end += [w.copy(n, w.slot("now", n), w.row("new", n)) if n in sums else f"now_{n} = new_{n}[i]" for n in w.plain]
        lines += [_block([*end, *_end_vertex(w)], 2), _totals_end(w)]
    lines.append("    return count, out")
    return _JIT + "\n".join(x for x in lines if x)


def _end_test(w: Writer) -> list[str]:
    lines = []
    if w.spec.frontier:
        lines += ["if finished == RUNNING and active == 0:", "    finished = CONVERGED"]
    if "converged" in w.spec.functions:
        test = w.call(w.spec.functions["converged"], "old", "old")
        lines += [f"if finished == RUNNING and iteration > 0 and {test}:", "    finished = CONVERGED"]
    return [*lines, "if finished == RUNNING and iteration >= max_iterations:", "    finished = STOPPED"]


def iterate(w: Writer) -> str:
    """One iteration, unless the run has finished; returns the work of all partitions in edges and vertices, or -1."""
    control = ["model", "max_iterations", "n_edges", "statistics", "slot", *w.scratch_arrays()]
    arguments = [*_common(w), *w.edges(), *w.buffers("old"), *w.buffers("new"), *control]
    rule = "active + active_edges > n_edges // PULL_ABOVE"
    if "done" in w.spec.functions:
        rule += " or (old_state[row + MODEL] == PULL and active > n_vertices // PUSH_BELOW)"
    pull_model = f"PULL if {rule} else PUSH" if w.spec.frontier else "PULL"
    totals = [f"total_{n} = 0.0" for n in w.totals]
    totals += ["for q in range(len(points) - 1):"] if w.totals else []
    totals += [f"    total_{n} += old_totals[q * STATE_COLUMNS + TOTALS + {k}]" for k, n in enumerate(w.totals)]
    inside = ", ".join(_inside(w))
    pushed = "active" if w.spec.sparse else "n_vertices"
    lines = [
        "row = part * STATE_COLUMNS",
        "iteration, finished = old_state[row + ITERATIONS], old_state[row + FINISHED]",
        "active, active_edges, every = np.int64(0), np.int64(0), True",
        "for q in range(len(points) - 1):",
        "    active += old_state[q * STATE_COLUMNS + ACTIVE]",
        "    active_edges += old_state[q * STATE_COLUMNS + ACTIVE_EDGES]",
        "    every = every and old_state[q * STATE_COLUMNS + ACTIVE] == points[q + 1] - points[q]",
        *totals,
        *_end_test(w),
        "if finished != RUNNING:",
        "    new_state[:] = old_state[row : row + STATE_COLUMNS]",
        "    new_state[FINISHED] = finished",
        "    new_state[ACTIVE], new_state[FORM] = 0, QUEUE",
        _carry(w),
        "    return np.int64(-1)",
        "began = seconds()",
        "if model == 0:",
        f"    model = {pull_model}",
        "if model == PUSH:",
        f"    count, out = push({inside}, {', '.join(w.scratch_arrays())})",
        "else:",
        f"    count, out = pull({inside}, every, members)",
        "new_state[ITERATIONS] = iteration + 1",
        "new_state[FINISHED], new_state[MODEL] = RUNNING, model",
    ]
    end = [
        "statistics[4 * slot] = model",
        "statistics[4 * slot + 1] = active",
        "statistics[4 * slot + 2] = active_edges",
        "statistics[4 * slot + 3] = seconds() - began",
        f"return {pushed} + active_edges if model == PUSH else n_vertices + n_edges",
    ]
    text = f"def iterate({', '.join(arguments)}):\n" + _block(lines, 1) + "\n" + _publish(w) + "\n" + _block(end, 1)
    return _JIT + text


def _carry(w: Writer) -> str:
    """After the end: the result goes into the new copy too, so that it is in whichever was written last."""
    if w.spec.sparse:
        return _sync(w)
    whole = [n for n in w.shared_state if w.spec.read_from_neighbours(n)]
    widths = {n: f"lo * {w.lengths[n]} : hi * {w.lengths[n]}" if n in w.lengths else "lo:hi" for n in whole}
    parts = {n: f"[{widths[n]}]" if n in whole else "" for n in w.shared_state}
    return _block([f"new_{n}[:] = old_{n}{part}" for n, part in parts.items()], 1)


def run(w: Writer) -> str:
    """Up to ``limit`` iterations; returns how many ran.

    Where the threads of one task hold all partitions, several iterations run in it: the two copies swap roles in
    place, and the result always ends in the ``b`` copy. Otherwise ``limit`` is 1. All threads see the same state,
    so all go equally far.
    """
    copies = [name for which in COPIES for name in w.buffers(which)]
    arguments = [*_common(w), *w.edges(), *copies, *CONTROL]

    def call(old: str, new: str) -> str:
        given = [*_common(w), *w.edges(), *w.buffers(old), *w.buffers(new), "model", "max_iterations", "n_edges"]
        return f"iterate({', '.join(given)}, statistics, k, {', '.join(w.scratch_arrays())})"

    lines = [
        "k, work, done = 0, np.int64(0), np.int64(0)",
        # Scratch for the vertices that become active, and for those that pushes have changed; once for all iterations.
        f"members = np.empty({'hi - lo' if w.spec.frontier else '0'}, np.uint32)",
        f"touched = np.empty({'hi - lo' if w.spec.sparse else '0'}, np.uint32)",
        *(["marks = np.zeros((hi - lo + 63) // 64, np.uint64)"] if w.saved else []),
        *(f"before_{n} = accumulators(a_{n}, hi - lo, False)" for n in w.saved),
        "while k < limit and done >= 0 and (work < work_limit or k & 1 == 0):",
        f"    done = {call('a', 'bw')} if k & 1 == 0 else {call('b', 'aw')}",
        "    barrier(meeting, threads)",
        "    if done >= 0:",
        "        k += 1",
        "        work += done",
        "if done < 0 and k & 1 == 1:",
        "    bw_state[:] = aw_state",
        "return k",
    ]
    return _CACHED + f"def run({', '.join(arguments)}):\n" + _block(lines, 1)
