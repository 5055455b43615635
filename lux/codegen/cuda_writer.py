# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Writer of a program's part in front of `single_gpu.cuh` or `partition.cuh`: fields and calls of its functions."""

from __future__ import annotations

from functools import cached_property

from lux.codegen.cuda_arguments import c_type
from lux.codegen.cuda_expressions import Expressions
from lux.codegen.cuda_struct import struct_text
from lux.kernels import frontier as fr
from lux.program.fields import Reduction
from perfmodel import direction


class Writer(Expressions):
    """The text of one program's kernel; the parameters are those of `Arguments`."""

    def text(self) -> str:
        """Return all text in front of `program.cuh`; written once."""
        return self._text

    @cached_property
    def _text(self) -> str:
        spec = self.spec
        scalars = [n for n in self.reduced if n not in spec.lengths]
        macros = {
            "SPARSE": int(spec.sparse), "HAS_FRONTIER": int(spec.frontier), "HAS_DONE": int("done" in spec.functions),
            "HAS_CONVERGED": int("converged" in spec.functions), "HAS_VECTORS": int(bool(spec.lengths)),
            "TOTALS": len(self.totals), "HOT": int(self.uses_hot), "RANGES": max(self.ranges, 1),
            "THREADS": self.threads, **direction.macros(direction.LUX),
            "PART": int(self.part), "LOCAL": int(self.local), "PEERS": self.peers,
            "PACKED": int(self.packed),
        }  # fmt: skip
        if self.part:
            columns = (
                "ITERATIONS",
                "FINISHED",
                "ACTIVE",
                "ACTIVE_EDGES",
                "FORM",
                "MODEL",
                "SENT",
                "SENT_WORDS",
                "TOTALS",
            )
            macros |= {f"STATE_{n}": getattr(fr, n) for n in columns} | {"STATE_COLUMNS": fr.STATE_COLUMNS}
            macros |= {f"FORM_{n}": getattr(fr, n) for n in ("QUEUE", "BITMAP", "EVERY")}
        inside = "__device__ __forceinline__"
        lines = ['#include "common.cuh"', '#include "words.cuh"']
        lines += [f"#define {k} {v}" for k, v in macros.items()]
        lines += [d.declaration() for d in self.devices()]
        lines += ["struct Item;", "struct Control;"]
        lines.append(f"struct Acc {{ {self._declare(self.reduced)} }};")
        lines.append(f"struct Value {{ {self._declare(self.state)} }};")
        lines.append(f"struct Owner {{ {self._declare(self.of_owner)} }};")
        by_size = sorted(self.of_neighbour, key=lambda n: -self.neighbour_type(n).itemsize)
        members = " ".join(f"{c_type(self.neighbour_type(n))} {n};" for n in by_size)
        lines.append(f"struct Neighbour {{ {members} }};")
        properties = " ".join(c_type(self.types["edge", n]) + f" {n};" for n in self.edge)
        lines.append(f"struct Edge {{ {properties} }};")
        lines.append(f"struct Known {{ i64 n_vertices, iteration; double total[{max(len(self.totals), 1)}]; }};")
        lines.append(f"struct Vertex {{ {' '.join(f'{kind} {n};' for n, (kind, _) in self.of_vertex.items())} }};")
        lines.append(f"struct Fields {{ {' '.join(f'{self.field(n)}* {n};' for n in self.state)} }};")
        lines.append(struct_text(self.members))
        lines += self._copies(inside)
        for side in ("in", "out"):
            values = ", ".join(f"__ldcs(g.{side}_edge_{n} + e)" for n in self.edge)
            lines.append(f"{inside} Edge g_{side}_edges(const Args& g, i64 e) {{ return Edge{{{values}}}; }}")
        before = ", ".join(f"load_either({array} + v)" for _, array in self.of_vertex.values())
        lines.append(
            f"{inside} Vertex load_vertex(const Args& g, const Fields& old, u32 v) {{ return Vertex{{{before}}}; }}"
        )
        own = ", ".join(f"old.{n}[v]" for n in self.of_owner)
        lines.append(f"{inside} Owner load_owner(const Args& g, const Fields& old, u32 v) {{ return Owner{{{own}}}; }}")
        lines.append(
            f"{inside} Neighbour load_neighbour(const Args& g, const Fields& old, u32 u) "
            f"{{ return Neighbour{{{', '.join(f'load_either({self._of_neighbour(n)} + u)' for n in by_size)}}}; }}"
        )
        lines += self._hot(inside, by_size) if self.uses_hot else []
        compute = spec.functions["compute"]
        call = self.call(compute, "lux_compute", "own", "own", [f"&x.{n}" for n in scalars], "x")
        lines.append(
            f"{inside} void contribution(const Args& g, const Known& known, const Fields& old, const Owner& own, u32 v, "
            f"const Neighbour& n, u32 u, const Edge& edge, Acc& x) {{ {call} }}"
        )
        clear = " ".join(self._each(f.name, f"a.{f.name}@ = {self.identity(f)};") for f in spec.reduced)
        lines.append(f"{inside} void identity(Acc& a) {{ {clear} }}")
        lines.append(f"{inside} void combine(Acc& a, const Acc& b) {{ {self._combine()} }}")
        moved = " ".join(
            self._each(n, f"y.{n}@ = ({self.field(n)})shuffle_word(mask, x.{n}@, d, width);") for n in self.reduced
        )
        lines.append(
            f"{inside} Acc shuffle_down(u32 mask, const Acc& x, int d, int width) {{ Acc y; {moved} return y; }}"
        )
        from_lane = " ".join(
            self._each(n, f"y.{n}@ = ({self.field(n)})shuffle_word_from(x.{n}@, lane);") for n in self.reduced
        )
        lines.append(f"{inside} Acc shuffle_from(const Acc& x, u32 lane) {{ Acc y; {from_lane} return y; }}")
        read = " ".join(self._each(n, f"y.{n}@ = __ldcg(&p->{n}@);") for n in self.reduced)
        lines.append(f"{inside} Acc load_partial(const Acc* p) {{ Acc y; {read} return y; }}")
        lines += self._vertices(inside)
        lines += self._pushes(inside)
        lines += self._tests(inside)
        if self.part:
            lines += self._parts(inside)
        return "\n".join([*lines, f'#include "{"partition" if self.part else "single_gpu"}.cuh"', ""])

    def _combine(self) -> str:
        spec = self.spec
        how = {
            Reduction.ADD: "a.{n}@ += b.{n}@;",
            Reduction.MIN: "a.{n}@ = b.{n}@ < a.{n}@ ? b.{n}@ : a.{n}@;",
            Reduction.MAX: "a.{n}@ = b.{n}@ > a.{n}@ ? b.{n}@ : a.{n}@;",
            Reduction.OR: "a.{n}@ |= b.{n}@;",
            Reduction.AND: "a.{n}@ &= b.{n}@;",
        }
        args = next((f for f in spec.reduced if f.arg_of is not None), None)
        if args is not None:
            key = next(f for f in spec.reduced if f.name == args.arg_of)
            sign = "<" if key.reduce is Reduction.MIN else ">"
            return (
                f"if (b.{key.name} {sign} a.{key.name} || (b.{key.name} == a.{key.name} && b.{args.name} < a.{args.name})) "
                f"{{ a.{key.name} = b.{key.name}; a.{args.name} = b.{args.name}; }}"
            )
        lines = [self._each(f.name, how[f.reduce].format(n=f.name)) for f in spec.reduced if f.reduce in how]
        own = spec.functions.get("combine")
        if own is not None:
            lines.append(self.call(own, "lux_combine", "a", "a", [f"&a.{n}" for n in own.writes]))
        return " ".join(lines)

    def _vertices(self, inside: str) -> list[str]:
        spec = self.spec
        known = "const Args& g, const Known& known"
        take = " ".join(self._each(n, f"base.{n}@ = now.{n}@;") for n in self.reduced)
        give = " ".join(self._each(n, f"now.{n}@ = base.{n}@;") for n in self.reduced)
        lines = [
            f"{inside} bool finish_vertex({known}, const Fields& old, const Fields& out, u32 v, const Vertex& before, "
            f"const Acc& acc, double* totals) {{ Value now; {self._begin('before')} "
            f"Acc base; {take} combine(base, acc); {give} {self._end('before')} }}"
        ]
        plain = " ".join(self._each(n, f"{self._at(f'out.{n}', n)} = now.{n}@;") for n in self.plain)
        again = " ".join(self._each(n, f"now.{n}@ = {self._at(f'out.{n}', n)};") for n in self.plain)
        lines.append(f"{inside} void pend_set(const Args& g, u32 v, const Acc& x);")
        lines.append(f"{inside} Acc pend_get(const Args& g, u32 v);")
        lines.append(
            f"{inside} void begin_push({known}, const Fields& old, const Fields& out, u32 v) "
            f"{{ Value now; {self._begin('old')} Acc base; {take} pend_set(g, v, base); {plain} }}"
        )
        lines.append(
            f"{inside} bool finish_pushed({known}, const Fields& old, const Fields& out, u32 v, double* totals) "
            f"{{ Value now; {again} const Acc base = pend_get(g, v); {give} {self._end('old')} }}"
        )
        start = spec.functions["start"]
        first = " ".join(self._each(f.name, f"now.{f.name}@ = {self.identity(f)};") for f in spec.state)
        results = [*(["&flag"] if start.returns_value else []), *(f"&now.{n}" for n in start.writes)]
        write = " ".join(self._each(n, self._put(n, f"now.{n}@")) for n in self.state)
        if self.part and spec.sparse:  # fields that no vertex changes are never written again
            write += " " + " ".join(self._each(n, f"{self._at(f'old.{n}', n)} = now.{n}@;") for n in self.swapped)
            write += " " + " ".join(self._each(n, f"{self._at(f'g.a_{n}', n)} = now.{n}@;") for n in self.remote)
        pend = f"Acc base; {take} pend_set(g, v, base);" if spec.sparse else ""
        lines.append(
            f"{inside} bool first_values({known}, u32 v, double* totals) "
            f"{{ const Fields old = old_fields(g, -1), out = new_fields(g, -1); Value now; "
            f"unsigned char flag = 1; {first} {self.call(start, 'lux_start', 'now', 'now', results)} "
            f"{self._add_totals('now')} {write} {pend} return flag; }}"
        )
        return lines

    def _begin(self, old: str) -> str:
        """Write a vertex's values before it takes contributions, in ``now``."""
        spec = self.spec
        load = [
            self._each(n, f"now.{n}@ = {self.identity(spec.fields[n])};")
            if n in self.reduced and not spec.frontier
            else self._each(n, f"now.{n}@ = {self._old(n, old)};")
            for n in self.state
        ]
        if "init" in spec.functions:
            f = spec.functions["init"]
            load.append(self.call(f, "lux_init", "now", old, [f"&now.{n}" for n in f.writes]))
        return " ".join(load)

    def _end(self, old: str) -> str:
        """Write the end of a vertex: update, aggregates, stores."""
        back = " ".join(self._each(n, f"now.{n}@ = {self._old(n, old)};") for n in self.state)
        store = " ".join(self._each(n, self._put(n, f"now.{n}@")) for n in self.state)
        kept = f"if (!active) {{ {back} }}" if self.spec.frontier else ""
        return f"{self._update(old)} {kept} {self._add_totals(old)} {store} return active;"

    def _update(self, old: str) -> str:
        f = self.spec.functions["update"]
        results = [*(["&flag"] if f.returns_value else []), *(f"&now.{n}" for n in f.writes)]
        return f"unsigned char flag = 1; {self.call(f, 'lux_update', 'now', old, results)} const bool active = flag;"

    def _add_totals(self, old: str) -> str:
        calls = (
            f"{{ double x; {self.call(f, f'lux_total_{k}', 'now', old, ['&x'])} totals[{k}] += x; }}"
            for k, f in enumerate(self.spec.totals.values())
        )
        return " ".join(calls)

    def _pushes(self, inside: str) -> list[str]:
        """Write the targets of pushed contributions: set, get, and push, which returns whether anything changed."""
        set_, get, push = (
            f"{inside} void pend_set(const Args& g, u32 v, const Acc& x)",
            f"{inside} Acc pend_get(const Args& g, u32 v)",
            f"{inside} bool pend_push(const Args& g, u32 v, const Acc& x)",
        )
        if self.how == "word":
            shift, pack, unpack = 0, [], []
            for n in sorted(self.reduced, key=lambda n: -self.dtype(n).itemsize):
                bits = 8 * self.dtype(n).itemsize
                pack.append(f"((u64)bits_of(x.{n}) << {shift})")
                unpack.append(f"from_bits((u{bits})(w >> {shift}), x.{n});")
                shift += bits
            return [
                f"{inside} u64 pack(const Acc& x) {{ return {' | '.join(pack)}; }}",
                f"{inside} Acc unpack(u64 w) {{ Acc x; {' '.join(unpack)} return x; }}",
                f"{set_} {{ g.pend[v] = pack(x); }}",
                f"{get} {{ return unpack(__ldcg(g.pend + v)); }}",
                f"{push} {{ u64 seen = __ldcg(g.pend + v); while (true) {{ Acc a = unpack(seen); combine(a, x); "
                "const u64 w = pack(a); if (w == seen) return false; "
                "const u64 was = atomicCAS(g.pend + v, seen, w); if (was == seen) return true; seen = was; } }",
            ]
        store = " ".join(self._each(n, f"{self._at(f'g.pend_{n}', n)} = x.{n}@;") for n in self.reduced)
        load = " ".join(
            self._each(n, f"x.{n}@ = ({self.field(n)})__ldcg(&{self._at(f'g.pend_{n}', n)});") for n in self.reduced
        )
        lines = [f"{set_} {{ {store} }}", f"{get} {{ Acc x; {load} return x; }}"]
        if self.how == "lock":
            differ = " ".join(self._each(n, f"changed |= a.{n}@ != before.{n}@;") for n in self.reduced)
            return [
                *lines,
                f"{push} {{ bool changed = false; for (bool done = false; !done;) {{ if (atomicCAS(g.locks + v, 0u, 1u) == 0u) "
                "{ __threadfence(); const Acc before = pend_get(g, v); Acc a = before; combine(a, x); "
                f"{differ} pend_set(g, v, a); __threadfence(); atomicExch(g.locks + v, 0u); done = true; }} }} return changed; }}",
            ]
        each = []
        for f in self.spec.reduced:
            operation = {
                Reduction.ADD: "Add",
                Reduction.MIN: "Min",
                Reduction.MAX: "Max",
                Reduction.OR: "Or",
                Reduction.AND: "And",
            }
            assert f.reduce is not None
            kind = c_type(self.pending(f.name))
            target = f"&{self._at(f'g.pend_{f.name}', f.name)}"
            each.append(
                self._each(f.name, f"changed |= push_word<{operation[f.reduce]}>({target}, ({kind})x.{f.name}@);")
            )
        return [*lines, f"{push} {{ bool changed = false; {' '.join(each)} return changed; }}"]

    def _tests(self, inside: str) -> list[str]:
        spec, lines = self.spec, []
        test = spec.functions.get("converged")
        call = "" if test is None else self.call(test, "lux_converged", "", "", ["&flag"])
        lines.append(
            f"{inside} bool has_converged(const Args& g, const Known& known) {{ unsigned char flag = 0; {call} return flag; }}"
        )
        if not spec.sparse:
            return lines
        vertex = "const Args& g, const Fields& old, u32 v"
        take = " ".join(f"x.{n} = old.{n}[v];" for n in self.reduced)
        lines.append(f"{inside} void begin_sparse({vertex}, Acc& x) {{ {take} }}")
        taken = " ".join(f"x.{n} = before.{n};" for n in self.reduced)
        lines.append(f"{inside} void take_sparse(const Vertex& before, Acc& x) {{ {taken} }}")
        differ = " || ".join(f"x.{n} != before.{n}" for n in self.reduced)
        lines.append(f"{inside} bool differs(const Vertex& before, const Acc& x) {{ return {differ}; }}")
        if "done" in spec.functions:
            f = spec.functions["done"]
            lines.append(
                f"{inside} bool done_before({vertex}) {{ unsigned char flag; "
                f"{self.call(f, 'lux_done', 'old', 'old', ['&flag'])} return flag; }}"
            )
            rest = " ".join(f"now.{n} = old.{n}[v];" for n in self.plain)
            now = " ".join(f"now.{n} = x.{n};" for n in self.reduced)
            lines.append(
                f"{inside} bool done_with({vertex}, const Acc& x) {{ Value now; {rest} {now} unsigned char flag; "
                f"{self.call(f, 'lux_done', 'now', 'old', ['&flag'])} return flag; }}"
            )
        now = " ".join(f"now.{n} = x.{n};" for n in self.reduced) + " ".join(
            f" now.{n} = old.{n}[v];" for n in self.plain
        )
        store = " ".join(self._put(n, f"now.{n}") for n in self.reduced)
        lines.append(
            f"{inside} bool update_vertex(const Args& g, const Known& known, const Fields& old, const Fields& out, u32 v) {{ "
            f"Acc x = pend_get(g, v); Value now; {now} {self._update('old')} "
            f"if (active) {{ {store} }} else {{ begin_sparse(g, old, v, x); pend_set(g, v, x); }} return active; }}"
        )
        return lines
