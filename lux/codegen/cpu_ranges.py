# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The update of a range of vertices that have gathered, as text.

The loop reads neither edges nor neighbours, so the compiler makes vector code of it: updating PageRank vertex by vertex
takes longer than gathering over four edges. Every array begins with the range, since the compiler must know that no
index is negative; owned fields are read and written under one name, since it must know that they are the same; and the
aggregates may be added up in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lux.codegen.cpu_vertex import add_parts, begin_vertex, block, end_vertex
from lux.program.fields import Reduction

if TYPE_CHECKING:
    from lux.codegen.cpu_writer import Writer


def update(w: Writer) -> str:
    """Write ``update_range``, which returns the range's share of the aggregates."""
    lines = [f"new_{n} = old_{n}" for n in w.owned]
    lines += [f"part_{n} = 0.0" for n in w.totals]
    lines += ["for i in range(hi - lo):", block(["v = lo + i", *_update_vertex(w)], 1)]
    lines += [f"return {', '.join(f'part_{n}' for n in w.totals)}"] if w.totals else []
    arguments = ", ".join(["lo", "hi", *(f"gathered_{n}" for n in w.reduced), *_arguments(w)])
    return f'@inner(error_model="numpy", fastmath={{"reassoc"}})\ndef update_range({arguments}):\n' + block(lines, 1)


def _update_vertex(w: Writer) -> list[str]:
    lines = begin_vertex(w)
    if not w.blocked:
        return [*lines, *(f"now_{n} = like(old_{n}, gathered_{n}[i])" for n in w.reduced), *end_vertex(w, add_parts)]
    for f in w.spec.reduced:
        n = f.name
        lines += [f"acc_{n} = {'wide' if f.reduce is Reduction.ADD else ''}(now_{n})", f"x_{n} = gathered_{n}[i]"]
        lines.append(f"gathered_{n}[i] = {w.identity(f, 'old_' + n)}")
    lines += w.combine([f"acc_{n}" for n in w.reduced], [f"x_{n}" for n in w.reduced])
    return [*lines, *(f"now_{n} = like(old_{n}, acc_{n})" for n in w.reduced), *end_vertex(w, add_parts)]


def _arguments(w: Writer) -> dict[str, str]:
    """Map the arguments after what was gathered to their values for vertices ``first`` to ``last - 1``."""
    own, here = "[first - lo : last - lo]", dict[str, str]()
    here["in_offsets"] = "in_offsets[first - lo : last - lo + 1]"
    if w.wants_out_degree():
        here["out_degree"] = "out_degree" + ("" if w.spec.read_from_neighbours("out_degree") else own)
    for prefix, names in (("given", w.constant), ("old", w.state)):
        here |= {f"{prefix}_{n}": f"{prefix}_{n}" + ("" if w.spec.read_from_neighbours(n) else own) for n in names}
    here |= {f"new_{n}": f"new_{n}{own}" for n in w.shared_state}
    known = ["n_vertices", "iteration", *(["order"] if w.wants_order else []), *(f"params_{n}" for n in w.params)]
    return here | {n: n for n in [*known, *(f"total_{n}" for n in w.totals)]}


def call(w: Writer, gathered: list[str]) -> list[str]:
    """Write the update of vertices ``first`` to ``last - 1``, from what they have gathered, and add up aggregates."""
    given = ", ".join(["first", "last", *gathered, *_arguments(w).values()])
    into = f"{', '.join(f'part_{n}' for n in w.totals)} = " if w.totals else ""
    return [f"{into}update_range({given})", *(f"sum_{n} += part_{n}; part_{n} = 0.0" for n in w.totals)]
