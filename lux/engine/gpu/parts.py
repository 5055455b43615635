# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A vertex program on partitions of a graph, each on a GPU: a launch for each iteration.

What crosses partitions are vertex fields that neighbours read, the state and, where there is a frontier, its words
(`lux.kernels.frontier`); Legion moves them. They are placed in one of three ways:

- ``peer``: each GPU has its own vertices in its own memory, and at the start of an iteration gathers the members of
  its INS from the memory of the others, over NVLink. Legion orders the iterations by the state that all read. In one
  process.
- ``device``: each GPU has all vertices in its own memory, and Legion copies.
- ``zero-copy``: the fields that neighbours read have one instance in each process's zero-copy memory. At the start of
  an iteration a GPU gathers the members of its INS from there, and it writes each finished vertex straight back.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime, settings
from lux.engine.gpu.memory import CONTROL_TYPE, Scratch, words
from lux.engine.gpu.program import CHUNK, MODELS, MOST_BLOCKS, kernel_of, word_of, writer_of
from lux.engine.gpu.work import Work
from lux.engine.statistics import Table
from lux.engine.step import Shared, collect, vectors
from lux.errors import ConfigurationError, MemoryNeededError
from lux.kernels import frontier as fr
from lux.runtime import GpuLauncher, GpuPlan, Store

if TYPE_CHECKING:
    from lux.engine.layout import Layout
    from lux.engine.loop import Progress, Run
    from lux.graph import Graph
    from lux.kernels.cuda.writer import Writer
    from lux.program import Program

AHEAD = 8
"""Launches that are issued before the outcome of the first of them is known; so many after the end do nothing."""
LOOK_SECONDS = 1e-5
"""Between two looks at the outcome, which a kernel writes to the host's memory."""
NOTED = 256
"""Rows of statistics in a report."""
OUTCOME = np.dtype(
    [
        ("iterations", np.int64), ("finished", np.int64), ("loaded", np.int64), ("load_nanoseconds", np.int64),
        ("work_nanoseconds", np.int64), ("unused", np.int64, 3),
    ]
)  # fmt: skip
"""What `part.cuh` writes to the beginning of a point's report."""


@dataclass(frozen=True)
class Loads:
    """What the partitions of this process gathered of their INS.

    Attributes
    ----------
    vertices : int
        Over all iterations and partitions.
    nbytes : int
        Of their fields.
    seconds, work_seconds : float
        Kernel time until everything was there, and from then on; of the slowest partition.
    """

    vertices: int
    nbytes: int
    seconds: float
    work_seconds: float


class PartRun:
    """One run on partitions. The other parameters are those of `lux.engine.gpu.program.GpuRun`.

    Parameters
    ----------
    parts : int
    placement : {"peer", "device", "zero-copy"}
    """

    def __init__(
        self,
        program: type[Program],
        graph: Graph,
        given: Mapping[str, Store],
        values: Mapping[str, Any],
        model: str,
        max_iterations: int,
        parts: int,
        *,
        placement: str,
    ) -> None:
        self.program, self.spec, self.graph, self.model, self.limit = (
            program,
            program.spec,
            graph,
            model,
            max_iterations,
        )
        self.given, self.values = given, values
        self.zero_copy, self.peers = placement == "zero-copy", parts if placement == "peer" else 0
        self.local = placement != "device"
        self.writer: Writer = writer_of(program, graph, values, part=True, local=self.local, peers=self.peers)
        self.pushes = model == "push" or (model == "auto" and self.spec.frontier)
        self.layout: Layout = graph.layout(parts)
        self.parts = parts
        self.lists = self.local or (self.pushes and parts > 1)

    @classmethod
    def placed(cls, *arguments: Any) -> PartRun | None:
        """A run with the placement that is set; None where nothing fits and CPU cores may take it.

        ``arguments`` are those of the class, up to ``parts``.
        """
        wanted = settings.current()
        names = ["device", "zero-copy"] if wanted.placement == "auto" else [wanted.placement]
        if "device" in names and arguments[-1] > 1 and runtime.ranks() == 1 and runtime.peer_access():
            names = ["peer", *names]
        elif wanted.placement == "peer" and runtime.ranks() > 1:
            raise ConfigurationError("placement='peer' was asked for in several processes: use 'device' or 'auto'")
        given, make = legate_config.settings(), functools.partial(cls, *arguments)
        for name in names:
            run = make(placement=name)
            on_gpu, shared = run.needed()
            if on_gpu <= given.fbmem_bytes and shared <= given.zcmem_bytes:
                return run
        if wanted.device == "auto" and runtime.ranks() == 1:
            return None
        run = make(placement=names[0])
        run.check_memory()
        return run

    def _bytes_of(self, names: list[str]) -> int:
        return sum(self.writer.dtype(n).itemsize * self.spec.lengths.get(n, 1) for n in names)

    @cached_property
    def _largest(self) -> tuple[int, int]:
        """Vertices and in-edges of a partition, at most."""
        return int(np.diff(self.layout.points).max()), int(np.diff(self.layout.edge_points).max())

    # Memory

    def needed(self) -> tuple[int, int]:
        """Bytes that the run takes on the GPU that needs most, and of zero-copy memory in each process."""
        spec, writer, n = self.spec, self.writer, self.graph.n_vertices
        each = -(-self.parts // max(runtime.gpus(), 1))
        vertices, edges = self._largest
        properties = sum(self.graph.property_types[e].itemsize for e in spec.edge_properties)
        copies = 2 if self.pushes else 1
        members = min(n, edges) if self.lists else 0
        fixed = copies * edges * (4 + properties) + 16 * vertices + (8 * members if self.pushes else 0) + 4 * members
        whole = [f for f in writer.swapped if spec.read_from_neighbours(f)]
        own = self._bytes_of([f for f in writer.state if f not in whole])
        crossing = self._bytes_of(whole)
        in_full = 2 * crossing * (vertices if self.peers else 0 if self.zero_copy else n)
        fields = 2 * own * vertices + in_full
        told = n // 2 * spec.frontier + 2**16
        constants = self._bytes_of(writer.constant) * n
        scratch = self.scratch(edges // 512 + 64, members).nbytes
        return each * (fixed + fields + constants + scratch), told + (2 * crossing * n if self.zero_copy else 0)

    def check_memory(self) -> None:
        """Refuse what does not fit."""
        on_gpu, shared = self.needed()
        what = f"{self.program.__name__} on {self.parts} partitions"
        runtime.check_gpu_memory(on_gpu, what)
        given = legate_config.settings().zcmem_bytes
        error = None
        if shared > given:
            mib = -(-shared // 2**20)
            error = MemoryNeededError(
                f"{what} needs {mib} MiB of zero-copy memory, and Legate was given {given // 2**20} MiB: start with "
                f"--zcmem {mib + mib // 8} (in MiB), or use placement='device'"
            )
        runtime.agree(error)

    def scratch(self, n_items: int, members: int) -> Scratch:
        """A partition's scratch memory."""
        n, spec, writer = self._largest[0], self.spec, self.writer
        lengths = spec.lengths
        rows = members if self.lists else self.graph.n_vertices
        zeroed = {"control": CONTROL_TYPE.itemsize, "partial_count": 4 * n_items}
        size = self._bytes_of(writer.reduced)
        others = {
            "block_totals": 8 * 3 * MOST_BLOCKS * max(len(writer.totals), 1),
            "partial": (size + 8 * len(writer.reduced)) * n_items,
        }
        if spec.frontier:
            others |= {"all_front": words(self.graph.n_vertices), "bits": words(n)}
            others |= {"front": words(members)} if self.local else {}
        if spec.frontier and self.pushes:
            others |= {"small": 4 * rows, "chunks": 8 * self._chunks}
        if spec.sparse:
            zeroed["marks"] = words(n)
            others["touched"] = 4 * n
        if writer.how == "lock":
            zeroed["locks"] = 4 * n
        if (self.pushes or spec.sparse) and writer.how == "word":
            others["pend"] = 8 * n
        elif self.pushes or spec.sparse:
            others |= {f"pend_{f}": writer.pending(f).itemsize * lengths.get(f, 1) * n for f in writer.reduced}
        for f in writer.remote:
            others |= dict.fromkeys((f"m0_{f}", f"m1_{f}"), self._bytes_of([f]) * n)
        for f in writer.near:
            others[f"near_{f}"] = writer.neighbour_type(f).itemsize * lengths.get(f, 1) * members
        return Scratch(zeroed, others)

    @property
    def _chunks(self) -> int:
        return 2 * self._largest[1] // CHUNK + 1

    def _moved_back(self, name: str) -> int:
        """Bytes by which an array in scratch memory that is indexed by place is moved back for each place."""
        writer, lengths = self.writer, self.spec.lengths
        kind, _, field = name.partition("_")
        if name in ("pend", "locks"):
            return 8 if name == "pend" else 4
        if kind == "pend":
            return writer.pending(field).itemsize * lengths.get(field, 1)
        return self._bytes_of([field]) if kind in ("m0", "m1") else 0

    # Stores

    def static(self) -> tuple[dict[str, Store], dict[str, str | None]]:
        """Stores that the run only reads, and how they are split."""
        graph, writer, layout, spec = self.graph, self.writer, self.layout, self.spec
        edge_names = tuple(writer.edge)
        stores = {"sources": layout.members.local_sources if self.local else graph.sources}
        splits: dict[str, str | None] = {"sources": "edges"}
        stores |= {f"in_edge_{e}": graph.properties[e] for e in edge_names}
        splits |= {f"in_edge_{e}": "edges" for e in edge_names}
        if self.lists:
            stores["members"], splits["members"] = layout.members.places, "member_rows"
        if spec.read_from_neighbours("out_degree"):
            stores["out_degree"], splits["out_degree"] = graph.out_degree_store, None
        if self.pushes:
            by_source = layout.by_source(edge_names, listed=self.local)
            stores |= {"out_offsets": by_source.offsets, "destinations": by_source.destinations}
            splits |= {"out_offsets": "by_offsets", "destinations": "edges"}
            stores |= {f"out_edge_{e}": p for e, p in by_source.properties.items()}
            splits |= {f"out_edge_{e}": "edges" for e in by_source.properties}
        if writer.ordered and graph.order is not None:
            stores["order"], splits["order"] = graph.order.vertices, None
        stores |= {f"given_{n}": s for n, s in self.given.items()}
        return stores, splits | {f"given_{n}": self._split(n) for n in self.given}

    def _split(self, name: str) -> str | None:
        """A partition sees all of a field that neighbours read, unless it reads it itself, and its part of others."""
        whole = self.spec.read_from_neighbours(name) and not (self.peers and name in self.writer.state)
        return None if whole else self._own(name)

    def _own(self, name: str) -> str:
        lengths = self.spec.lengths
        return vectors(lengths[name]) if name in lengths else "vertices"

    def _split_stores(self, scratch: Scratch, work: Work) -> dict[str, Store]:
        """Rectangles of every split."""
        layout, each = self.layout, np.arange(self.parts + 1, dtype=np.int64)
        found = {n: layout.splits[n] for n in ("vertices", "edges", "words", "rows")}
        found |= {vectors(k): runtime.ranges(layout.points * k) for k in self.spec.lengths.values()}
        if self.lists:
            found["member_rows"] = layout.members.rows
        if self.pushes:
            found["by_offsets"] = layout.by_source(tuple(self.writer.edge), listed=self.local).splits["by_offsets"]
        return found | {"scratch_rows": runtime.ranges(each * scratch.nbytes), "work_rows": work.rows}

    def _field(self, name: str) -> Store:
        store = runtime.new_store(
            self.writer.dtype(name), self.graph.n_vertices * self.spec.lengths.get(name, 1), touched=False
        )
        if self._split(name) is None:
            self._allocate(store, zero_copy=self.zero_copy)
        return store

    def _allocate(self, store: Store, *, zero_copy: bool) -> Store:
        """Have Legion allocate all of a store on every GPU, or once in the zero-copy memory of each process."""
        writer, reader = _touchers(zero_copy)
        writer(1, x=store, key=0, number=0)
        if not zero_copy or runtime.ranks() > 1:
            reader(self.parts, x=store, key=0, number=0)
        return store

    # Running

    def numbers(self, part: int, work: Work) -> dict[str, Any]:
        """The kernel's arguments that are numbers."""
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
            "limit": 1,
            "max_iterations": self.limit,
            "model": MODELS[self.model],
            "n_items": work.n_items[part],
            "chunks_length": self._chunks,
            "hot": writer.hot_each(n),
            "part": part,
            "parts": self.parts,
            "n_members": members if self.lists else 0,
            "noted": NOTED,
        }
        found |= {name: int(self._ranges[part, k]) for k, name in enumerate(writer.range_names)}
        return found | {f"params_{n}": v for n, v in self.values.items()}

    @cached_property
    def _ranges(self) -> NDArray[np.int64]:
        """Where ranges in which vertices with more edges come first begin, for each partition's neighbours."""
        length = -(-self.graph.n_vertices // max(self.writer.ranges, 1))
        places = np.arange(1, len(self.writer.range_names) + 1, dtype=np.int64) * length
        if self.local and len(places):
            return self.layout.members.first_of(places)
        return np.broadcast_to(places, (self.parts, len(places)))

    def execute(self, progress: Progress | None) -> Run:
        """Run to the end."""
        from lux.engine.loop import Run

        runtime.check_points(self.parts)
        writer, spec = self.writer, self.spec
        kernel = kernel_of(self.program, writer)
        own_degrees = spec.frontier or spec.uses("v", "out_degree")
        work = self.layout.gpu_work(own_degrees and not spec.read_from_neighbours("out_degree"))
        scratch = self.scratch(max(work.n_items), int(self.layout.members.sizes.max()) if self.lists else 0)
        static, splits = self.static()
        static["work"], splits["work"] = work.store, "work_rows"
        fields, told = self._stores()
        memory = runtime.new_store(np.uint8, self.parts * scratch.nbytes, touched=False)
        first, later = self._launchers(splits)
        kept = np.zeros((self.parts, len(first.arrays)), np.int64)
        plans = [
            self._plan(kernel, scratch, work, first, kept, [self._first_arrays(first, work)] * 2, keeps=True),
            self._plan(kernel, scratch, work, first, kept, [self._arrays(first, later, work, k) for k in (0, 1)]),
        ]
        keys = [runtime.share(plan) for plan in plans]
        for plan, key in zip(plans, keys, strict=True):
            plan.share(key)
        rectangles = self._split_stores(scratch, work)
        load = GpuLauncher("load", splits, alone=self.parts == 1)
        load(self.parts, **static, **rectangles, key=0, number=0)
        runtime.finish()
        began = time.perf_counter()
        rows: list[NDArray[np.float64]] = []
        done, noted, launched, finished = 0, 0, 0, fr.RUNNING
        first(self.parts, **static, **rectangles, **fields, **_at_first(told), scratch=memory, key=keys[0], number=0)
        while finished == fr.RUNNING:
            for _ in range(min(self._ahead(launched, done), self.limit + 1 - launched)):
                launched += 1
                roles = _roles(told, launched)
                later(self.parts, **rectangles, **self._moved(fields, launched), **roles, key=keys[1], number=launched)
            before, (done, finished) = done, self._outcome(plans[1], keys[1], told[f"{launched & 1}_state"])
            if finished != fr.RUNNING or done - noted > NOTED // 2:
                runtime.finish()
                rows.append(self._rows(plans[1], keys[1], noted, done))
                noted = done
            if progress is not None and done > before:
                progress(done)
        seconds = time.perf_counter() - began
        loads = self._loads(plans[1], keys[1])
        for plan, key in zip(plans, keys, strict=True):
            plan.forget(key)
            runtime.unshare(key)
        # After a launch that found the end, both copies hold the result.
        stores = {n: fields[f"0_{n}" if n in writer.swapped else f"own_{n}"] for n in writer.state}
        statistics = Table(self._together(np.concatenate(rows, axis=1)), self._why)
        return Run(stores, done, finished == fr.CONVERGED, seconds, self.parts, statistics, device="gpu", loads=loads)

    def _stores(self) -> tuple[dict[str, Store], dict[str, Store]]:
        """Fields (two copies of those that swap roles, else one), and what partitions tell each other."""
        writer, layout = self.writer, self.layout
        names = [f"{c}_{n}" if n in writer.swapped else f"own_{n}" for c in (0, 1) for n in writer.state]
        fields = {name: self._field(name.partition("_")[2]) for name in dict.fromkeys(names)}
        sizes: dict[str, tuple[Any, int]] = {"state": (np.int64, self.parts * fr.STATE_COLUMNS)}
        sizes |= {"words": (np.uint64, int(layout.word_at[-1]))} if self.spec.frontier else {}
        told = {
            f"{c}_{name}": self._allocate(runtime.new_store(kind, length, touched=False), zero_copy=True)
            for c in (0, 1)
            for name, (kind, length) in sizes.items()
        }
        return fields, told

    def _moved(self, fields: Mapping[str, Store], number: int) -> dict[str, Store]:
        """Fields that Legion moves before a launch, in their roles."""
        found = {f"a_{n}": fields[f"{1 - (number & 1)}_{n}"] for n in self._moving}
        return found | {f"b_{n}": fields[f"{number & 1}_{n}"] for n in self._moving}

    @property
    def _moving(self) -> list[str]:
        """Fields that cross partitions by copies of Legion: between the memories of GPUs, or of processes."""
        return self.writer.crossing if runtime.ranks() > 1 or not self.local else []

    def _launchers(self, splits: Mapping[str, str | None]) -> tuple[GpuLauncher, GpuLauncher]:
        """The launch that sets first values, and that of an iteration.

        Legion takes 10 microseconds a launch, point and store. So the first launch takes all stores, each in the
        memory of the GPU whose partition it belongs to, and later ones only what Legion moves or orders them by; the
        rest stays where it is, as nobody else knows these stores before the run is over.
        """
        writer = self.writer
        words = ("state", "words") if self.spec.frontier else ("state",)
        at = {"state": "rows", "words": "words"}
        fields = {f"own_{n}": self._own(n) for n in writer.state if n not in writer.swapped}
        fields |= {f"{c}_{n}": self._own(n) for c in (0, 1) for n in writer.swapped}
        told = {f"new_{n}": at[n] for n in words}
        zero_copy = [f"{c}_{n}" for c in ("a", "b", 0, 1) for n in writer.remote]
        zero_copy += [f"{c}_{n}" for c in ("old", "new") for n in words]
        how: dict[str, Any] = {"zero_copy": zero_copy, "alone": self.parts == 1}
        first = GpuLauncher("run_first", splits, fields | told | {"scratch": "scratch_rows"}, **how)
        reads = {f"a_{n}": self._split(n) for n in self._moving} | {f"old_{n}": None for n in words}
        writes = {f"b_{n}": self._own(n) for n in self._moving}
        # Only touched vertices are written where that is possible, so the copy written two iterations ago is kept.
        kept, written = (writes, {}) if self.spec.sparse else ({}, writes)
        return first, GpuLauncher("run_iteration", reads, {**written, **told}, kept, **how)

    def _first_arrays(self, first: GpuLauncher, work: Work) -> dict[str, int]:
        """For each argument of the first launch's kernel the store that it is the address of."""
        found = {
            n: first.arrays.index(n) for n in first.split_of if n not in ("work", "scratch") and not n[0].isdigit()
        }
        found |= dict.fromkeys(work.at, first.arrays.index("work"))
        for n in self.writer.state:
            names = (f"own_{n}", f"own_{n}") if n not in self.writer.swapped else (f"1_{n}", f"0_{n}")
            found.pop(f"own_{n}", None)
            found |= {f"{role}_{n}": first.arrays.index(name) for role, name in zip("ab", names, strict=True)}
        return found

    def _arrays(self, first: GpuLauncher, later: GpuLauncher, work: Work, number: int) -> dict[str, int]:
        """The same for a launch of even or odd number, which has most of them from the first launch."""
        found = {n: ~k for n, k in self._first_arrays(first, work).items() if not n.startswith("new_")}
        for n in self.writer.swapped:
            found[f"a_{n}"] = ~first.arrays.index(f"{1 - number}_{n}")
            found[f"b_{n}"] = ~first.arrays.index(f"{number}_{n}")
        return found | {n: later.arrays.index(n) for n in later.split_of}

    def _plan(
        self,
        kernel: Any,
        scratch: Scratch,
        work: Work,
        first: GpuLauncher,
        kept: NDArray[np.int64],
        arrays: list[dict[str, int]],
        *,
        keeps: bool = False,
    ) -> GpuPlan:
        writer, members = self.writer, list(self.writer.members)
        numbers = np.zeros((self.parts, len(members)), np.int64)
        for part in range(self.parts):
            for name, value in self.numbers(part, work).items():
                numbers[part, members.index(name)] = word_of(value, writer.members[name])
        names = list(arrays[0])
        lo, place = self.layout.points[:-1], first.arrays.index("scratch")
        at = [(members.index(n), at - lo * self._moved_back(n)) for n, at in scratch.at.items()]
        if self.spec.frontier and not self.local:
            at.append((members.index("front"), np.full(self.parts, scratch.at["all_front"])))
        return GpuPlan(
            kernel,
            numbers,
            struct=True,
            stores=[(members.index(n), arrays[0][n]) for n in names],
            odd_stores=[(members.index(n), arrays[1][n]) for n in names],
            before=np.stack([self._before(n, work, [] if keeps else self._moving) for n in names], axis=1),
            kept=kept,
            keeps=keeps,
            peers=[
                (members.index(f"peer_{n}_0"), names.index(f"a_{n}"))
                for n in (writer.crossing if self.peers and not keeps else [])
            ],
            scratch=place if keeps else ~place,
            in_scratch=at,
            zeroed=scratch.zeroed,
            zeroed_always=CONTROL_TYPE.itemsize,
            written=[(members.index("outcome"), 0), (members.index("statistics"), OUTCOME.itemsize)],
            report_bytes=OUTCOME.itemsize + 8 * fr.STATISTICS_COLUMNS * NOTED,
            first=members.index("first"),
        )

    def _before(self, argument: str, work: Work, moving: list[str]) -> NDArray[np.int64]:
        """Bytes by which the address of a kernel's argument is moved back in each partition."""
        if argument in work.at:
            return -work.at[argument]
        role, _, name = argument.partition("_")
        layout = self.layout
        if argument == "new_state":
            return 8 * fr.STATE_COLUMNS * np.arange(self.parts, dtype=np.int64)
        if argument == "sources" or argument.startswith("in_edge_"):
            size = 4 if argument == "sources" else self.graph.property_types[argument[8:]].itemsize
            return np.multiply(layout.edge_points[:-1], size)
        whole = self._split(name) is None if role == "given" else role == "a" and name in moving
        if role in ("a", "b", "given") and not whole:
            return np.multiply(layout.points[:-1], self._bytes_of([name]))
        return np.zeros(self.parts, np.int64)

    # Reports

    def _reports(self, plan: GpuPlan, key: int) -> list[NDArray[np.uint8]]:
        """What each partition has reported; empty for those of other processes."""
        reports = [plan.report(key, part) for part in range(self.parts)]
        if runtime.ranks() == 1 and not all(map(len, reports)):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        return reports

    def _ahead(self, launched: int, done: int) -> int:
        """How many launches to issue before the next look at the outcome."""
        if runtime.ranks() > 1:  # all processes look at the same places
            return min(max(AHEAD, launched // 4), NOTED // 4)
        return max(AHEAD - (launched - done), 0)

    def _outcome(self, plan: GpuPlan, key: int, state: Store) -> tuple[int, int]:
        """Iterations that are known to be done, and whether the run has finished; alike on every process."""
        if runtime.ranks() > 1:
            row = runtime.to_array(state)
            return int(row[fr.ITERATIONS]), int(row[fr.FINISHED])
        time.sleep(LOOK_SECONDS)
        report = plan.report(key, nbytes=OUTCOME.itemsize)
        if not len(report):
            return 0, fr.RUNNING
        return int(report.view(OUTCOME)[0]["iterations"]), int(report.view(OUTCOME)[0]["finished"])

    def _rows(self, plan: GpuPlan, key: int, before: int, done: int) -> NDArray[np.float64]:
        """Rows of statistics since the last look, of shape (parts, numbers)."""
        at = np.arange(before, done) % NOTED
        found = np.zeros((self.parts, len(at), fr.STATISTICS_COLUMNS))
        for part, report in enumerate(self._reports(plan, key)):
            if len(report):
                found[part] = report[OUTCOME.itemsize :].view(np.float64).reshape(NOTED, -1)[at]
        return found.reshape(self.parts, -1)

    def _together(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Every partition's rows, on every process."""
        if runtime.ranks() == 1 or rows.shape[1] == 0:
            return rows
        shared = Shared(self.layout.points.tolist(), {}, {})
        for part in range(self.parts):
            shared.statistics[part].append(rows[part])
        key = runtime.share(shared)
        out = runtime.new_store(np.float64, rows.size)
        collect()(self.parts, out=out, statistics_rows=self.layout.rows(rows.shape[1]), key=key)
        found = runtime.to_array(out).reshape(rows.shape)
        runtime.unshare(key)
        return found

    def _loads(self, plan: GpuPlan, key: int) -> Loads:
        outcomes = [r[: OUTCOME.itemsize].view(OUTCOME)[0] for r in self._reports(plan, key) if len(r)]
        vertices = sum(int(o["loaded"]) for o in outcomes)
        seconds = [max((1e-9 * int(o[f"{n}_nanoseconds"]) for o in outcomes), default=0.0) for n in ("load", "work")]
        return Loads(vertices, vertices * self._bytes_of(self.writer.crossing), *seconds)

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        from lux.engine.loop import why

        if not self.spec.frontier and self.model == "auto":
            return "without a frontier all vertices gather"
        return why(self.graph, self.model, model, frontier, edges, before)


def _at_first(told: Mapping[str, Store]) -> dict[str, Store]:
    """What the first launch writes of what partitions tell each other."""
    return {f"new_{n[2:]}": store for n, store in told.items() if n[0] == "0"}


def _roles(told: Mapping[str, Store], number: int) -> dict[str, Store]:
    """The two copies of what partitions tell each other, in the roles that they have in a launch."""
    return {f"{'new' if n[0] == str(number & 1) else 'old'}_{n[2:]}": store for n, store in told.items()}


@functools.cache
def _touchers(zero_copy: bool) -> tuple[GpuLauncher, GpuLauncher]:
    names = ("x",) if zero_copy else ()
    return GpuLauncher("touch", outputs={"x": None}, zero_copy=names), GpuLauncher(
        "touch", inputs={"x": None}, zero_copy=names
    )
