# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The loops around a program's functions, as text; see `lux.codegen.cpu_writer`.

Names in the generated text: ``v`` is a vertex (dense id) of the partition and ``i = v - lo`` its local index, ``u`` a
neighbour, ``e`` an edge of the partition; ``old_F`` and ``new_F`` are the two copies of field F, ``now_F`` is its value
while a vertex is worked on, ``acc_F`` the contributions of its edges so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lux.codegen import cpu_tiled_pull
from lux.codegen.cpu_vertex import (
    CACHED,
    JIT,
    add_totals,
    block,
    common,
    inside,
    mark_active,
    sync,
    totals_begin,
    totals_end,
)
from lux.codegen.cpu_writer import COPIES, FACTORS

if TYPE_CHECKING:
    from lux.codegen.cpu_writer import Writer


def start(w: Writer) -> str:
    """Write ``start``: the fields' first values, in both copies, and the first frontier."""
    arguments = [*common(w), *w.buffers("new"), *(f"other_{n}" for n in w.shared_state)]
    function = w.spec.functions["start"]
    body = [w.clear(f, "now", "new") for f in w.spec.state]
    body += w.results(function, "now", "now", "now", "active")
    for name in w.state:
        body += w.store(name, "now", "new")
    body += [w.store(name, "now", "other")[-1] for name in w.shared_state]
    if w.spec.frontier:
        body += mark_active(w)
    body += add_totals(w, "now")
    lines = [
        f"def start({', '.join(arguments)}):",
        "    iteration, count, out = np.int64(0), 0, 0",
        "    new_state[:] = 0",
    ]
    if w.spec.frontier:
        lines.append("    members = np.empty(hi - lo, np.uint32)")
    lines += [block(w.scratch("now", w.state, like="new"), 1)]
    lines += [totals_begin(w), "    for v in range(lo, hi):", "        i = v - lo", block(body, 2), totals_end(w)]
    lines.append(_publish(w))
    return CACHED + "\n".join(x for x in lines if x)


def _publish(w: Writer) -> str:
    if not w.spec.frontier:
        return "    new_state[ACTIVE], new_state[ACTIVE_EDGES] = hi - lo, 0\n    new_state[FORM] = EVERY"
    return block(
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


def iterate(w: Writer) -> str:
    """Write an iteration, unless the run has finished; returns all partitions' work in edges and vertices, or -1."""
    control = ["model", "max_iterations", "n_edges", "statistics", "slot", "between", *w.scratch_arrays()]
    control += FACTORS if w.estimates else []
    arguments = [*common(w), *w.edges(), *w.buffers("old"), *w.buffers("new"), *control]
    pulled = "old_state[row + MODEL] == PULL" if "done" in w.spec.functions else "False"
    rule = f"by_share({pulled}, active, active_edges, n_vertices, n_edges)"
    pull_model = f"PULL if {rule} else PUSH" if w.spec.frontier else "PULL"
    totals = [f"total_{n} = 0.0" for n in w.totals]
    totals += ["for q in range(first, rows):"] if w.totals else []
    totals += [f"    total_{n} += old_totals[q * STATE_COLUMNS + TOTALS + {k}]" for k, n in enumerate(w.totals)]
    pushed = "active" if w.spec.sparse else "n_vertices"
    lines = [
        "row = part * STATE_COLUMNS",
        "iteration, finished = old_state[row + ITERATIONS], old_state[row + FINISHED]",
        "active, active_edges = np.int64(0), np.int64(0)",
        "first, rows = first_to_add(old_state, points), len(old_state) // STATE_COLUMNS",
        "for q in range(first, rows):",
        "    active += old_state[q * STATE_COLUMNS + ACTIVE]",
        "    active_edges += old_state[q * STATE_COLUMNS + ACTIVE_EDGES]",
        "every = active == n_vertices",
        *totals,
        *_end_test(w),
        "if finished != RUNNING:",
        "    copy_into(new_state, old_state[row : row + STATE_COLUMNS])",
        "    new_state[FINISHED] = finished",
        "    new_state[ACTIVE], new_state[FORM] = 0, QUEUE",
        _carry(w),
        "    return np.int64(-1)",
        "began = seconds()",
        "if model == 0:",
        f"    model = {pull_model}",
        "phase = model",
        *(_estimated() if w.estimates else []),
        *_model(w),
        "new_state[ITERATIONS] = iteration + 1",
        "new_state[FINISHED], new_state[MODEL] = RUNNING, phase",
    ]
    end = [
        "statistics[4 * slot] = model",
        "statistics[4 * slot + 1] = active",
        "statistics[4 * slot + 2] = active_edges",
        "took = seconds() - began",
        "statistics[4 * slot + 3] = took",
        "new_state[NANOSECONDS] = smoothed_seconds(old_state[row + NANOSECONDS], np.int64(1e9 * took))",
        f"return {pushed} + active_edges if model == PUSH else n_vertices + n_edges",
    ]
    text = f"def iterate({', '.join(arguments)}):\n" + block(lines, 1) + "\n" + _publish(w) + "\n" + block(end, 1)
    return JIT + text


def _estimated() -> list[str]:
    """Write the choice of the model by estimates, if that is asked for; see `lux.codegen.direction`."""
    return [
        "if model == ESTIMATES:",
        "    visited = old_state[row + VISITED] + active",
        "    new_state[VISITED] = visited",
        "    forward = forward_estimate(active, n_vertices, n_edges)",
        "    backward = backward_estimate(visited, n_vertices)",
        "    phase = next_phase(old_state[row + MODEL], forward, backward, do_a, do_b)",
        "    model = PULL if phase == PULL else PUSH",
    ]


def _model(w: Writer) -> list[str]:
    """Write the iteration in the chosen model."""
    given, scratch = ", ".join(inside(w)), ", ".join(w.scratch_arrays())
    if w.blocked:
        return [f"count, out = pull({given}, between, 1 - (slot & 1), {scratch})"]
    return [
        "if model == PUSH:",
        f"    count, out = push({given}, {scratch})",
        "else:",
        f"    count, out = pull({given}, between, 1 - (slot & 1), far, every, members)",
    ]


def _end_test(w: Writer) -> list[str]:
    lines = []
    if w.spec.frontier:
        lines += ["if finished == RUNNING and active == 0:", "    finished = CONVERGED"]
    if "converged" in w.spec.functions:
        test = w.call(w.spec.functions["converged"], "old", "old")
        lines += [f"if finished == RUNNING and iteration > 0 and {test}:", "    finished = CONVERGED"]
    return [*lines, "if finished == RUNNING and iteration >= max_iterations:", "    finished = STOPPED"]


def _carry(w: Writer) -> str:
    """Write the end of a run: the result goes into the new copy too, so that the copy written last has it."""
    if w.spec.sparse:
        return sync(w)
    whole = [n for n in w.shared_state if w.spec.read_from_neighbours(n)]
    widths = {n: f"lo * {w.lengths[n]} : hi * {w.lengths[n]}" if n in w.lengths else "lo:hi" for n in whole}
    parts = {n: f"[{widths[n]}]" if n in whole else "" for n in w.shared_state}
    return block([f"copy_into(new_{n}, old_{n}{part})" for n, part in parts.items()], 1)


def _scratch(w: Writer) -> list[str]:
    """Write what all iterations share: `far_sources`, and scratch for vertices that become active or pushes change."""
    return [
        "far = far_sources(lo, hi, in_offsets, sources)",
        f"members = np.empty({'hi - lo' if w.spec.frontier else '0'}, np.uint32)",
        f"touched = np.empty({'hi - lo' if w.spec.sparse else '0'}, np.uint32)",
        *(["marks = np.zeros((hi - lo + 63) // 64, np.uint64)"] if w.saved else []),
        *(f"before_{n} = accumulators(a_{n}, hi - lo, False)" for n in w.saved),
    ]


def run(w: Writer) -> str:
    """Write ``run``: up to ``limit`` iterations; it returns how many ran.

    Where the threads of one task hold all partitions, several iterations run in it: the two copies swap roles in
    place, and the result always ends in the ``b`` copy. Otherwise ``limit`` is 1. All threads see the same state,
    so all go equally far. With other processes (``between`` is not empty) they exchange what others read.
    """
    copies = [name for which in COPIES for name in w.buffers(which)]
    arguments = [*common(w), *w.edges(), *copies, *w.control()]

    def call(old: str, new: str) -> str:
        given = [*common(w), *w.edges(), *w.buffers(old), *w.buffers(new), "model", "max_iterations", "n_edges"]
        last = [*w.scratch_arrays(), *(FACTORS if w.estimates else [])]
        return f"iterate({', '.join(given)}, statistics, k, between, {', '.join(last)})"

    lines = [
        "k, work, done = np.int64(0), np.int64(0), np.int64(0)",
        *(cpu_tiled_pull.sums(w) if w.blocked else _scratch(w)),
        "while k < limit and done >= 0 and (work < work_limit or k & 1 == 0):",
        f"    done = {call('a', 'bw')} if k & 1 == 0 else {call('b', 'aw')}",
        "    if done >= 0 and len(between) != 0:",
        "        exchange(between, 1 - (k & 1))",
        "    else:",
        "        barrier(meeting, threads)",
        "    if done >= 0:",
        "        k += 1",
        "        work += done",
        "if done < 0 and k & 1 == 1:",
        "    copy_into(bw_state, aw_state)",
        "return k",
    ]
    return CACHED + f"def run({', '.join(arguments)}):\n" + block(lines, 1)
