# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Stores of a run on partitions, and its two kinds of launches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu import by_source
from lux.engine.gpu.control import CONTROL_TYPE, PIECES
from lux.engine.gpu.messages import ExportLists, MessageSlots, list_exports
from lux.engine.gpu.part_memory import PartMemory
from lux.engine.gpu.single import MODELS, word_of
from lux.engine.run.program_launches import vectors
from lux.graph.core.partitions import rectangles
from lux.graph.indexes import warp_work, warp_work_gpu
from lux.kernels import frontier as fr
from lux.launch.memory import Scratch, allocated
from lux.runtime import GpuLauncher, GpuPlan, Store

if TYPE_CHECKING:
    from lux.graph.indexes.csr_by_source import CsrBySource
    from lux.graph.indexes.warp_work import WarpWork

MAX_STATISTICS_ROWS = 256
"""Rows of statistics in a report."""
EXCHANGED_STATISTICS_ROWS = 4096
"""Rows where messages cross inside a launch, and most iterations of such a launch."""
ITERATIONS_PER_LAUNCH = 32
"""Most iterations of a launch that has several (`partition.cuh` has the same constant): an even number, as two copies
swap their roles.
"""
VERTICES_OF_BLOCK = 1024
"""Vertices, or edges, of the largest partition for each block, of which small partitions need few."""
WARP_WORK = "warp work"
"""Name by which a layout keeps `PartLaunches.warp_work`."""
ARRIVALS_STRIDE = 8
"""Words between two GPUs' words of the barrier; equal to the constant of `partition.cuh`."""
OUTCOME = np.dtype(
    [
        ("iterations", np.int64), ("finished", np.int64), ("loaded", np.int64), ("load_nanoseconds", np.int64),
        ("work_nanoseconds", np.int64), ("found_by", np.int64), ("unused", np.int64, 2), ("spent", np.uint64, PIECES),
    ]
)  # fmt: skip
"""Outcome of a launch, which `partition.cuh` writes to the beginning of a point's report; ``found_by``: the number of
the launch that found the end.
"""


class PartLaunches(PartMemory):
    """Stores and launches of a run on partitions.

    Attributes
    ----------
    samples : bool
        True if kernels record, in the first launch that iterates, the time of the pieces of their partitions.
    """

    samples = False

    @property
    def statistics_rows(self) -> int:
        """Rows of statistics in a report."""
        return EXCHANGED_STATISTICS_ROWS if self.packed else MAX_STATISTICS_ROWS

    @property
    def report_bytes(self) -> int:
        """Bytes of a point's report."""
        return OUTCOME.itemsize + 8 * fr.STATISTICS_COLUMNS * self.statistics_rows

    def static(self) -> tuple[dict[str, Store], dict[str, str | None]]:
        """Return the stores that the run only reads, and their splits."""
        graph, writer, layout, spec = self.graph, self.writer, self.layout, self.spec
        edge_names = tuple(writer.edge)
        stores = {"in_offsets": graph.offsets, "sources": layout.members.local_sources if self.local else graph.sources}
        splits: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges"}
        stores |= {f"in_edge_{e}": graph.properties[e] for e in edge_names}
        splits |= {f"in_edge_{e}": "edges" for e in edge_names}
        if self.lists:
            stores["members"], splits["members"] = layout.members.places, "member_rows"
        if self.own_degrees or spec.read_from_neighbours("out_degree"):
            stores["out_degree"] = graph.out_degree_store
            splits["out_degree"] = "vertices" if self.own_degrees else None
        if self.packed:
            stores |= {"exports": self.exports.places, "slots": self.slots.facts}
            splits |= {"exports": "export_rows", "slots": "slot_rows"}
        if self.pushes:
            pushed = self.by_source()
            stores |= {"out_offsets": pushed.offsets, "destinations": pushed.destinations}
            splits |= {"out_offsets": "by_offsets", "destinations": "edges"}
            stores |= {f"out_edge_{e}": p for e, p in pushed.properties.items()}
            splits |= {f"out_edge_{e}": "edges" for e in pushed.properties}
        if writer.ordered and graph.order is not None:
            stores["order"], splits["order"] = graph.order.vertices, None
        stores |= {f"given_{n}": s for n, s in self.given.items()}
        return stores, splits | {f"given_{n}": self.split_by(n) for n in self.given}

    def by_source(self) -> CsrBySource:
        """Return each partition's edges by source: made on the GPUs that have them if they have room, else on cores."""
        layout, names = self.layout, tuple(self.writer.edge)
        if not layout.has_by_source(names, listed=self.local) and not self.mixed and not self.overflowing.any():
            made = layout.cached(self._by_source_on_gpus, lambda layout: by_source.made(layout, names))
            if made is not None:
                return made
        return layout.by_source(names, listed=self.local)

    @property
    def _by_source_on_gpus(self) -> str:
        """Name by which the layout keeps `by_source` of GPUs."""
        return f"by source on GPUs {tuple(self.writer.edge)}"

    @property
    def warp_work(self) -> WarpWork:
        """Each partition's own data for its kernel: made on GPUs, or on cores where these have partitions, too."""
        return self.layout.cached(WARP_WORK, warp_work.on_cores if self.mixed else warp_work_gpu.on_gpus)

    def split_by(self, name: str) -> str | None:
        """Return the split of a field: none for values of neighbours, unless the partition gathers them itself."""
        whole = self.spec.read_from_neighbours(name) and not (self.owned and name in self.writer.state)
        return None if whole else self._own(name)

    def _own(self, name: str) -> str:
        lengths = self.spec.lengths
        return vectors(lengths[name]) if name in lengths else "vertices"

    def split_stores(self, scratch: Scratch, work: WarpWork) -> dict[str, Store]:
        """Make rectangles of every split."""
        layout, each = self.layout, np.arange(self.parts + 1, dtype=np.int64)
        found = {n: layout.splits[n] for n in ("vertices", "offsets", "edges", "words", "rows")}
        found |= {vectors(k): runtime.ranges(layout.points * k) for k in self.spec.lengths.values()}
        if self.lists:
            found["member_rows"] = layout.members.rows
        if self.packed:
            found |= rectangles({"export_rows": self.exports.cuts, "slot_rows": self.slots.fact_cuts})
        if self.pushes:
            found["by_offsets"] = self.by_source().splits["by_offsets"]
        return found | {"scratch_rows": runtime.ranges(each * scratch.nbytes), "work_rows": work.rows}

    @property
    def exports(self) -> ExportLists:
        """The vertices that partitions read of one another."""
        return self.layout.cached("exports", list_exports)

    @property
    def slots(self) -> MessageSlots:
        """The slots of the messages."""
        sizes, frontier = [self.writer.bytes_of(n) for n in self.writer.exchanged], self.spec.frontier
        return self.layout.cached(
            f"slots {sizes} {frontier}", lambda _: MessageSlots(self.exports, sizes, frontier=frontier)
        )

    def _field(self, name: str) -> Store:
        store = runtime.new_store(
            self.writer.dtype(name), self.graph.n_vertices * self.spec.lengths.get(name, 1), touched=False
        )
        if self.split_by(name) is None:
            self.allocate(store, zero_copy=self.zero_copy)
        return store

    def allocate(self, store: Store, *, zero_copy: bool) -> Store:
        """Have Legion allocate a whole store on every GPU, or once in the zero-copy memory of each process."""
        return allocated(store, self.parts, zero_copy=zero_copy)

    def numbers(self, part: int, work: WarpWork) -> dict[str, Any]:
        """Return the kernel's arguments that are numbers."""
        graph, writer, layout, n = self.graph, self.writer, self.layout, self.graph.n_vertices
        members = int(layout.members.sizes[part]) if self.lists else n
        lo, hi = layout.points[part : part + 2].tolist()
        found: dict[str, Any] = {
            "lo": lo,
            "hi": hi,
            "n_vertices": n,
            "n_edges": graph.n_edges,
            "n_rows": members,
            "n_neighbours": members if self.local else n,
            "limit": self.iterations_per_launch,
            "max_iterations": self.limit,
            "model": MODELS[self.model],
            "n_items": work.n_items[part],
            "n_segments": work.n_segments[part],
            "chunks_length": self._chunks,
            "hot": writer.hot_each(n),
            "part": part,
            "parts": self.parts,
            "n_members": members if self.lists else 0,
            "noted": self.statistics_rows,
            "staged": 0,
            "sampled": self.samples,
        }
        found |= {name: int(self._ranges[part, k]) for k, name in enumerate(writer.range_names)}
        return found | {f"params_{n}": v for n, v in self.values.items()}

    @property
    def range_places(self) -> NDArray[np.int64]:
        """Begins of the ranges, as positions of the graph, for each partition."""
        length = -(-self.graph.n_vertices // max(self.writer.ranges, 1))
        return np.arange(1, len(self.writer.range_names) + 1, dtype=np.int64) * length

    @cached_property
    def _ranges(self) -> NDArray[np.int64]:
        """Begins of the ranges in which vertices with more edges come first, for each partition's neighbours."""
        places = self.range_places
        if self.local and len(places):
            return self.layout.members.first_of(places)
        return np.broadcast_to(places, (self.parts, len(places)))

    def field_stores(self) -> dict[str, Store]:
        """Make the stores of the fields: two copies of those that swap roles, else one."""
        writer = self.writer
        names = [f"{c}_{n}" if n in writer.swapped else f"own_{n}" for c in (0, 1) for n in writer.state]
        return {name: self._field(name.partition("_")[2]) for name in dict.fromkeys(names)}

    def _new_control_stores(self) -> dict[str, Store]:
        """Make the control stores, in two copies: state and words of the frontier."""
        layout = self.layout
        sizes = {"state": (np.int64, self.parts * fr.STATE_COLUMNS), "words": (np.uint64, int(layout.word_at[-1]))}
        found = {f"{c}_{n}": runtime.new_store(*sizes[n], touched=False) for c in (0, 1) for n in self.control_stores}
        for name, store in found.items():
            if name[2:] not in self._private_control_stores:
                self.allocate(store, zero_copy=True)
        return found

    def _moved(self, fields: Mapping[str, Store], number: int) -> dict[str, Store]:
        """Return the fields that Legion moves before a launch, in their roles."""
        found = {f"a_{n}": fields[f"{1 - (number & 1)}_{n}"] for n in self._moving}
        return found | {f"b_{n}": fields[f"{number & 1}_{n}"] for n in self._moving}

    @property
    def control_stores(self) -> tuple[str, ...]:
        """Names of the control stores, which Legion moves or, with CPU cores, orders launches by."""
        return ("state", "words") if self.spec.frontier else ("state",)

    @property
    def _private_control_stores(self) -> tuple[str, ...]:
        """Control stores that stay private to a partition between repartitionings: messages carry their content."""
        return self.control_stores if self.packed else ()

    @cached_property
    def iterations_per_launch(self) -> int:
        """Iterations of a launch: several if all GPUs reach each other's memory and run side by side."""
        return ITERATIONS_PER_LAUNCH if self.peers and runtime.on_distinct_gpus(self.parts) else 1

    def _barrier_stores(self) -> dict[str, Store]:
        """Make the store where GPUs meet, if a launch has several iterations: a word each, with others between."""
        if self.iterations_per_launch == 1:
            return {}
        store = runtime.new_store(np.uint64, ARRIVALS_STRIDE * self.parts, touched=False)
        self.allocate(store, zero_copy=True).fill(0)
        return {"arrivals": store}

    @property
    def _later_known(self) -> tuple[str, ...]:
        """Control stores whose addresses later launches reuse from the first launch."""
        return self.control_stores if self.iterations_per_launch > 1 or self.mixed else self._private_control_stores

    @property
    def _moving(self) -> list[str]:
        """Fields that cross partitions by copies of Legion: between the memories of GPUs, or of processes."""
        return self.writer.crossing if not self.packed and (runtime.ranks() > 1 or not self.local) else []

    def launchers(self, splits: Mapping[str, str | None]) -> tuple[GpuLauncher, GpuLauncher]:
        """Make the launch that sets first values, and the launch of an iteration.

        Legion takes 10 microseconds a launch, point and store. So the first launch takes all stores, each in the memory
        of the GPU whose partition it belongs to, and later launches take only stores that Legion moves or orders them
        by; other stores stay in place, as no other launch uses them before the run is over.
        """
        writer = self.writer
        words, at = self.control_stores, {"state": "rows", "words": "words"}
        fields = {f"own_{n}": self._own(n) for n in writer.state if n not in writer.swapped}
        fields |= {f"{c}_{n}": self._own(n) for c in (0, 1) for n in writer.swapped}
        control_stores = {f"new_{n}": at[n] for n in words}
        others = {f"old_{n}": at[n] for n in self._later_known}
        zero_copy = ["arrivals", "begun", "after", "gathered"]
        zero_copy += [f"{c}_{n}" for c in ("a", "b", 0, 1) for n in writer.remote]
        zero_copy += [f"{c}_{n}" for c in ("old", "new") for n in words if n not in self._private_control_stores]
        how: dict[str, Any] = {"zero_copy": zero_copy, **self.how_mapped(splits)}
        first = self._first_launcher(splits, fields, control_stores | others | {"scratch": "scratch_rows"}, how)
        if (
            self.iterations_per_launch > 1
        ):  # each point after the first launch of all, and after its own point of the launch before
            return first, GpuLauncher("run_iterations", {"begun": None}, {"after": "rows"}, **how)
        if self.mixed:
            return first, GpuLauncher("run_iteration", {"old_state": None}, {"new_state": "rows"}, **how)
        if self.packed:  # later iterations take no stores (`lux.runtime.gpu_exchange`)
            return first, first
        reads = {f"a_{n}": self.split_by(n) for n in self._moving} | {f"old_{n}": None for n in words}
        writes = {f"b_{n}": self._own(n) for n in self._moving}
        # Only touched vertices are written where possible, so the copy written two iterations ago is kept.
        kept, written = (writes, {}) if self.spec.sparse else ({}, writes)
        reads |= {"gathered": "gathered_rows"} if self.stages else {}
        return first, GpuLauncher("run_iteration", reads, {**written, **control_stores}, kept, **how)

    def _first_launcher(
        self,
        splits: Mapping[str, str | None],
        fields: Mapping[str, str | None],
        others: Mapping[str, str | None],
        how: Mapping[str, Any],
    ) -> GpuLauncher:
        return GpuLauncher("run_first", splits, {**fields, **others}, **how)

    def how_mapped(self, splits: Mapping[str, str | None]) -> dict[str, Any]:
        """Return the mapping of launches that take static stores with these splits."""
        edges = [n for n, split in splits.items() if split == "edges"]
        points = sum(1 << p for p in np.flatnonzero(self.overflowing).tolist())
        return {"single_point": self.parts == 1, "overflow": edges, "overflowing": points}

    def first_arrays(self, first: GpuLauncher, work: WarpWork) -> dict[str, int]:
        """Map each kernel argument of the first launch to its store."""
        found = {
            n: first.arrays.index(n) for n in first.split_of if n not in ("work", "scratch") and not n[0].isdigit()
        }
        found |= dict.fromkeys(work.at, first.arrays.index("work"))
        for n in self.writer.state:
            names = (f"own_{n}", f"own_{n}") if n not in self.writer.swapped else (f"1_{n}", f"0_{n}")
            found.pop(f"own_{n}", None)
            found |= {f"{role}_{n}": first.arrays.index(name) for role, name in zip("ab", names, strict=True)}
        return found

    def arrays(self, first: GpuLauncher, later: GpuLauncher, work: WarpWork, number: int) -> dict[str, int]:
        """Map each kernel argument of an even or odd launch to its store, mostly by the first launch's addresses."""
        found = {n: ~k for n, k in self.first_arrays(first, work).items() if n[:4] not in ("new_", "old_")}
        for n in self.writer.swapped:
            found[f"a_{n}"] = ~first.arrays.index(f"{1 - number}_{n}")
            found[f"b_{n}"] = ~first.arrays.index(f"{number}_{n}")
        for n in self._later_known:
            copies = [~first.arrays.index(f"{role}_{n}") for role in ("new", "old")]  # as the first launch has them
            found |= {f"new_{n}": copies[number], f"old_{n}": copies[1 - number]}
        ordered = self.iterations_per_launch > 1 or self.packed
        given = () if ordered else (n for n in later.split_of if n != "gathered")
        return found | {n: later.arrays.index(n) for n in given}

    def gpu_plan(
        self,
        kernel: Any,
        scratch: Scratch,
        work: WarpWork,
        first: GpuLauncher,
        kept: NDArray[np.int64],
        arrays: list[dict[str, int]],
        *,
        keeps: bool = False,
    ) -> GpuPlan:
        """Plan launches whose arguments are the stores of ``arrays``, for even and for odd numbers."""
        writer, members, halves = self.writer, list(self.writer.members), range(2)
        size = len(members)
        numbers = np.zeros((self.on_gpus, 2, size), np.int64)
        for part in range(self.on_gpus):
            for name, value in self.numbers(part, work).items():
                numbers[part, :, members.index(name)] = word_of(value, writer.members[name])
        names = list(arrays[0])
        lo, place = self.layout.points[: self.on_gpus], first.arrays.index("scratch")
        at = [(members.index(n), at - lo * self._moved_back(n)) for n, at in scratch.at.items()]
        if self.spec.frontier and not self.local:
            at.append((members.index("front"), np.full(self.on_gpus, scratch.at["all_front"])))
        written = [(members.index("outcome"), 0), (members.index("statistics"), OUTCOME.itemsize)]
        moving = [] if keeps else self._moving
        before = np.stack([self.bytes_before(n, work, moving)[: self.on_gpus] for n in names], axis=1)
        peers = [
            (half * size + members.index(f"peer_{n}_0"), half * len(names) + names.index(f"a_{n}"))
            for n in (writer.crossing if self.peers and not keeps else [])
            for half in halves
        ]

        def stores(number: int) -> list[tuple[int, int]]:
            """List the stores of an even or odd launch, whose first half has the arguments of even iterations."""
            of = [arrays[1], arrays[0]] if self.iterations_per_launch > 1 else [arrays[number]] * 2
            return [(half * size + members.index(n), of[half][n]) for half in halves for n in names]

        def both(pairs: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
            return [(half * size + argument, where) for half in halves for argument, where in pairs]

        return GpuPlan(
            kernel,
            numbers.reshape(self.on_gpus, -1),
            struct=True,
            stores=stores(0),
            odd_stores=stores(1),
            before=np.hstack([before] * 2),
            kept=kept,
            keeps=keeps,
            peers=peers,
            scratch=place if keeps else ~place,
            in_scratch=both(at),
            zeroed=scratch.zeroed,
            zeroed_always=CONTROL_TYPE.itemsize,
            written=both(written),
            report_bytes=self.report_bytes,
            blocks=1 + max(self._largest) // VERTICES_OF_BLOCK,
            number=members.index("number"),
            iteration_arguments=[
                half * size + members.index("limit") for half in halves if self.iterations_per_launch > 1
            ],
        )

    def bytes_before(self, argument: str, work: WarpWork, moving: list[str]) -> NDArray[np.int64]:
        """Count the bytes by which the address of a kernel's argument is moved back in each partition."""
        if argument in work.at:
            return -work.at[argument]
        role, _, name = argument.partition("_")
        layout = self.layout
        if argument == "new_state" or (argument == "old_state" and (self.iterations_per_launch > 1 or self.packed)):
            return 8 * fr.STATE_COLUMNS * np.arange(self.parts, dtype=np.int64)
        if argument == "old_words" and "words" in self._later_known:
            return 8 * layout.word_at[:-1]
        if argument == "in_offsets":
            return 8 * layout.points[:-1]
        if argument == "out_degree" and self.own_degrees:
            return np.multiply(layout.points[:-1], self.graph.degree_dtype.itemsize)
        if argument == "sources" or argument.startswith("in_edge_"):
            size = 4 if argument == "sources" else self.graph.property_types[argument[8:]].itemsize
            return np.multiply(layout.edge_points[:-1], size)
        whole = self.split_by(name) is None if role == "given" else role == "a" and name in moving
        if role in ("a", "b", "given") and not whole:
            return np.multiply(layout.points[:-1], self.bytes_of([name]))
        return np.zeros(self.parts, np.int64)


def roles(control_stores: Mapping[str, Store], number: int) -> dict[str, Store]:
    """Return the two copies of the control stores in their roles in a launch."""
    return {f"{'new' if n[0] == str(number & 1) else 'old'}_{n[2:]}": store for n, store in control_stores.items()}
