# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A vertex program on partitions of a graph, each on a GPU: a launch for an iteration, or for several.

Vertex fields that neighbours read, the state and, for programs with a frontier, its words (`lux.kernels.frontier`)
cross partitions; Legion moves them. A run has one of three placements:

- ``peer``: each GPU has its own vertices in its own memory, and at the start of an iteration gathers the members of
  its INS from the memory of the others, over NVLink. In one process. Where each partition has a GPU for itself, a
  launch runs many iterations, and the GPUs meet at a barrier of their own; else Legion orders the iterations, each a
  launch, by the state that all read.
- ``device``: each GPU has all vertices in its own memory, and Legion copies. Between processes each has its own
  vertices, and sends each other partition those that it reads (`lux.engine.gpu.messages`): a launch runs many
  iterations, and messages cross between them (`lux.runtime.gpu_exchange`).
- ``zero-copy``: the fields that neighbours read have one instance in each process's zero-copy memory. At the start of
  an iteration a GPU gathers the members of its INS from there, and it writes each finished vertex straight back.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.engine.gpu import by_source, ins_rebuild
from lux.engine.gpu.control import PIECES
from lux.engine.gpu.host_gather import Staging
from lux.engine.gpu.part_launches import MAX_STATISTICS_ROWS, OUTCOME, PartLaunches, roles
from lux.engine.gpu.placement import allocation_ledger, device_selection, placement_selection
from lux.engine.gpu.prepared_launches import NoCpuPartitions, PreparedLaunches
from lux.engine.gpu.single import kernel_of
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import GatherStatistics, Rows, Table, why
from lux.errors import ConfigurationError, LuxError
from lux.graph.core.partitions import points_for
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.runtime import GpuLauncher, GpuPlan, Store
from lux.runtime.gpu_exchange import GpuExchange

if TYPE_CHECKING:
    from lux.engine.cpu.beside_gpus import CpuPartitions
    from lux.engine.run.checkpoint import Checkpoint
    from lux.graph.indexes.warp_work import WarpWork
    from lux.launch.memory import Scratch
    from lux.partition.repartitioner import RepartitionDecision

OVERFLOW_PARTS = 8
"""Partitions on a GPU if edges of some of them overflow."""
MAX_PEERS = 64
"""Partitions that read each other's memory, at most: a kernel's arguments have all their addresses."""
MOST_MESSAGING = 4096
"""Partitions that send each other messages, at most: some tables of all pairs of them then take half a GB."""
LAUNCHES_IN_FLIGHT = 8
"""Launches that are issued before the outcome of the first of them is known; as many after the end do nothing."""
PEER_LOST = 3
"""Outcome that `partition.cuh` reports for a run whose GPUs did not meet."""
POLL_SECONDS = 1e-5
"""Seconds between two reads of the outcome, which a kernel writes to the host's memory."""


class PartitionedGpuRun(PartLaunches):
    """A run on partitions of GPUs; the parameters are those of `PartMemory`."""

    device = "gpu"
    placed_by = ""
    """The reason of its placement, if there was a choice."""
    checkpoint: Checkpoint | None = None
    """The run's checkpoint, if it is to keep one and can."""
    why_no_checkpoint = "CPU cores may gather its values (loading='cores' or 'auto')"
    """The reason why such runs keep no checkpoint; empty if they do."""
    _who = ""
    primed: ClassVar[set[tuple[int, ...]]] = set()
    """Partitions, with the kernels that their GPUs have loaded and the sizes of reports that they have made."""

    @classmethod
    def placed(cls, *arguments: Any, parts: int, asked: bool) -> PartitionedGpuRun | None:
        """Make a run with the placement that is set; None if nothing fits and CPU cores may take it.

        Parameters
        ----------
        arguments : tuple
            Arguments of the class before ``parts``.
        parts : int
        asked : bool
            True if the user has chosen the number of partitions; else there may be more of them, if edges overflow.
        """
        wanted = settings.current()
        make: Callable[..., PartitionedGpuRun] = functools.partial(cls, *arguments)
        if wanted.placement == "peer" and (why := cls._why_no_peers(parts)):
            raise ConfigurationError(f"placement='peer' was asked for, but {why}: use 'device' or 'auto'")
        if wanted.placement == "device" and (why := cls._why_no_messages(parts)):
            raise ConfigurationError(
                f"placement='device' was asked for, but {why}: give each process GPUs of its own, each with few "
                "partitions, or use 'zero-copy'"
            )
        more = parts if asked else min(OVERFLOW_PARTS * max(runtime.gpus(), 1), arguments[1].n_vertices)
        for overflow, count in ((False, parts), (True, more)):
            runs = (make(parts=count, placement=name, overflow=overflow) for name in cls.placements(count))
            fitting = (
                run for run in runs if allocation_ledger.fits(run.graph, *run.memory_bytes(), count) and run.fits_host()
            )
            several = count > 1 and runtime.gpus() > 1
            run = placement_selection.best(list(fitting)) if several else next(fitting, None)
            if run is not None:
                return run
        if wanted.device == "auto" and runtime.ranks() == 1:
            return None
        run = make(parts=parts, placement=cls.placements(parts)[0])
        run.check_memory()
        return run

    @staticmethod
    def placements(parts: int) -> list[str]:
        """List the possible placements; the first is the default."""
        wanted = settings.current().placement
        if wanted != "auto":
            return [wanted]
        several = parts > 1 and runtime.gpus() > 1 and not PartitionedGpuRun._why_no_peers(parts)
        device = [] if PartitionedGpuRun._why_no_messages(parts) else ["device"]
        return [*(["peer"] if several else []), *device, "zero-copy"]

    @staticmethod
    def _why_no_messages(parts: int) -> str:
        """Say why partitions cannot send each other messages between processes; empty if they can."""
        if parts > MOST_MESSAGING and runtime.ranks() > 1:
            return f"there are {parts} partitions (allowed are {MOST_MESSAGING}: each process has tables of all pairs)"
        return "processes share a GPU, which NCCL takes once" if parts > 1 and runtime.processes_share_gpus() else ""

    @staticmethod
    def _why_no_peers(parts: int) -> str:
        """Say why partitions cannot read each other's memory; empty if they can."""
        if runtime.ranks() > 1:
            return "there are several processes"
        if parts > MAX_PEERS:
            return f"there are {parts} partitions (allowed are {MAX_PEERS})"
        return "" if runtime.peer_access() else "these GPUs cannot read each other's memory"

    def execute(self, progress: Progress | None) -> Run:
        """Run to the end."""
        runtime.check_points(self.points)
        made = self.set_up()
        cpu_partitions, staging = (
            self.cpu_partitions(made.fields, made.control_stores),
            Staging(self, made.fields, made.control_stores),
        )
        self.load(made)
        rows = Rows(self.parts)
        done, noted, launched, finished = 0, 0, 0, fr.RUNNING
        began = time.perf_counter()
        try:
            self.begin(made)
            cpu_partitions.start()
            at = made.launchers[0].arrays.index("scratch")
            staging.begin(made.plans[1], self._staged_words(), made.scratch, made.kept[:, at])
            while finished == fr.RUNNING:
                left = -(-(self.limit + 1) // self.iterations_per_launch) - launched
                ahead = min(self.ahead(made, launched, done), left)
                if made.exchange:
                    made.exchange.launch(launched + 1, ahead)
                    launched, ahead = launched + ahead, 0
                for _ in range(ahead):
                    launched += 1
                    staging.before(launched, lambda: self.loads(made).seconds)
                    self.step(made, launched, staging.stores)
                    cpu_partitions.launch()
                before, (done, finished) = done, self.outcome(made, launched)
                if finished != fr.RUNNING or done - noted > self.statistics_rows // 2:
                    if not made.exchange:  # whose launches have ended
                        runtime.finish()
                    seconds = time.perf_counter() - began
                    self.check(made)
                    on_gpus = self.on_all_ranks(self.rows(made, noted, done))
                    rows.append(np.concatenate([on_gpus, cpu_partitions.rows(noted, done)]))
                    noted = done
                if progress is not None and done > before:
                    progress(done)
            loads, self._who = self.loads(made, by_cores=staging.loaded(done)), staging.why
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            made.unregister()
            cpu_partitions.close()
            staging.close()
        return self.ended(made.fields, rows, done, finished, seconds, loads)

    def set_up(self, fields: dict[str, Store] | None = None, memory: Store | None = None) -> PreparedLaunches:
        """Make all launches, plans and stores of the run, with these fields or new ones; registers the plans.

        Scratch memory may be that of a run that has ended, if it is as much.
        """
        # After a move, launches that wait for this one may run: partitions that take over bring their local ids.
        if (self.local or (self.lists and fields is None)) and self.makes_members:
            self.layout.members = ins_rebuild.made(self.layout, self.range_places)
        if self.pushes:
            self.by_source()  # first, as it takes most room while it is made
        if self.lists and not self.local and "members" in vars(self.layout):
            vars(self.layout.members).pop("local_sources", None)  # which were for `by_source` alone
        work = self.warp_work
        members = int(self.layout.members.sizes[: self.on_gpus].max()) if self.lists else 0
        boxes = self.slots.box_bytes if self.packed else (0, 0)
        scratch = self.scratch(max(work.n_items[: self.on_gpus]), members, boxes)
        static, splits = self.static()
        static["work"], splits["work"] = work.store, "work_rows"
        barrier_stores = self._barrier_stores()
        static, splits = static | barrier_stores, splits | dict.fromkeys(barrier_stores)
        fields, control_stores = self.field_stores() if fields is None else fields, self._new_control_stores()
        if memory is None or memory.nbytes != self.on_gpus * scratch.nbytes:
            memory = runtime.new_store(np.uint8, self.on_gpus * scratch.nbytes, touched=False)
        first, later = self.launchers(splits)
        kept = np.zeros((self.on_gpus, len(first.arrays)), np.int64)
        plans = self.plans(scratch, work, first, later, kept)
        keys = [runtime.register(plan) for plan in plans]
        for plan, key in zip(plans, keys, strict=True):
            plan.register(key)
        rectangles = self.split_stores(scratch, work)
        launchers = first, later
        return PreparedLaunches(
            launchers,
            plans,
            keys,
            static,
            splits,
            rectangles,
            barrier_stores,
            fields,
            control_stores,
            memory,
            scratch,
            kept,
            self._new_exchange(keys, scratch),
        )

    @property
    def makes_members(self) -> bool:
        """True if members of INS, or what is made with them, are not there yet, and GPUs have room; all must ask."""
        here = not self.mixed and not self.overflowing.any()
        if not here or self.graph.n_edges == 0 or self._has_members():
            return False
        more = self._each * ins_rebuild.memory_bytes(self._largest[1], self.graph.n_vertices)
        on_gpu, shared = self.memory_bytes()
        return allocation_ledger.fits(self.graph, on_gpu + more, shared, self.parts)

    @property
    def groups_on_gpus(self) -> bool:
        """True if GPUs group their edges by source: they have done so, or have room for that."""
        if self.layout.kept.get(self._by_source_on_gpus) is not None:
            return True
        if self.mixed or self.overflowing.any() or not (self._has_local or self.makes_members):
            return False
        vertices, edges = self.graph.n_vertices, self._largest[1]
        members = min(vertices, edges)
        beside = 0 if self._has_local else 4 * (members + edges)
        return by_source.has_room(self.layout, tuple(self.writer.edge), members, beside)

    def _has_members(self) -> bool:
        return "members" in vars(self.layout) and (self._has_local or not self.local)

    def _new_exchange(self, keys: list[int], scratch: Scratch) -> GpuExchange | None:
        """Make the exchange of messages between launches of the plans with these keys, if partitions send any."""
        if not self.packed:
            return None
        first, boxes = keys[0] if self.starts_by_exchange else 0, (scratch.at["outbox"], scratch.at["inbox"])
        return GpuExchange(keys[1], first, self.slots.words, *boxes, frontier=self.spec.frontier)

    @property
    def starts_by_exchange(self) -> bool:
        """True if the launch of iterations sets first values, too: its warm-up has had all stores placed."""
        return self.packed

    def plans(
        self, scratch: Scratch, work: WarpWork, first: GpuLauncher, later: GpuLauncher, kept: NDArray[np.int64]
    ) -> list[GpuPlan]:
        """Make the plans of the first launch, which writes addresses to ``kept``, and of later ones."""
        kernel = kernel_of(self.program, self.writer)
        return [
            self.gpu_plan(kernel, scratch, work, first, kept, [self.first_arrays(first, work)] * 2, keeps=True),
            self.gpu_plan(kernel, scratch, work, first, kept, [self.arrays(first, later, work, k) for k in (0, 1)]),
        ]

    def load(self, made: PreparedLaunches) -> None:
        """Have every GPU load kernels and allocate reports: impossible later, while GPUs wait for one another.

        An earlier run with the same kernel has done so, and its reports are there for this one; an exchange of messages
        takes those of its own plan before any launch.
        """
        key = self.parts, made.plans[1].struct.kernel, self.report_bytes
        if key in self.primed and not self.packed:
            return
        self.issue_load(made)
        runtime.finish()
        for which in range(len(made.plans)):
            self._reports(made, which)
        self.primed.add(key)

    def issue_load(self, made: PreparedLaunches) -> None:
        """Place the stores that the run only reads, and load kernels as `load`, without waiting."""
        if self.starts_by_exchange:
            self._first_launch(made, runtime.WARM_UP)
        else:
            load = GpuLauncher("load", made.splits, zero_copy=made.barrier_stores, **self.how_mapped(made.splits))
            load(self.points, **made.static, **made.rectangles, key=made.keys[0], number=runtime.WARM_UP)
        look = GpuLauncher("look", single_point=self.parts == 1)
        for key in made.keys[1:]:  # stores are in place, and each costs time
            look(self.points, key=key, number=runtime.WARM_UP)

    def loaded(self, made: PreparedLaunches) -> bool:
        """Tell whether every GPU has finished `issue_load`."""
        pairs = list(zip(made.plans, made.keys, strict=True))
        return all(len(plan.report(key, part, 1)) for plan, key in pairs for part in range(self.on_gpus))

    def begin(self, made: PreparedLaunches, **more: Store) -> None:
        """Issue the first launch, unless the exchange does so."""
        if not self.starts_by_exchange:
            self._first_launch(made, 0, **more)

    def _first_launch(self, made: PreparedLaunches, number: int, **more: Store) -> None:
        stores = made.static | made.rectangles | made.fields | roles(made.control_stores, 0) | more
        made.launchers[0](self.points, **stores, scratch=made.memory, key=made.keys[0], number=number)

    def step(self, made: PreparedLaunches, number: int, more: Mapping[str, Store], iterations: int = 0) -> None:
        """Issue one launch more, of ``iterations`` of a run if that is not 0 and launches have several."""
        order = {"begun": made.control_stores["0_state"], "after": made.control_stores["1_state"]}
        stores = {
            **made.rectangles,
            **self._moved(made.fields, number),
            **roles(made.control_stores, number),
            **order,
            **more,
        }
        made.launchers[1](self.points, **stores, key=made.keys[1], number=runtime.encode_launch(number, iterations))

    def ended(
        self,
        fields: Mapping[str, Store],
        rows: Rows,
        done: int,
        finished: int,
        seconds: float,
        loads: GatherStatistics,
        repartitions: Sequence[RepartitionDecision] = (),
        resumed: int = 0,
    ) -> Run:
        """Make the result of a run; ``rows`` are the statistics of all partitions."""
        if finished == PEER_LOST:
            raise LuxError(
                f"{self.program.__name__}: a GPU has waited in vain for the others: look at nvidia-smi for errors, or "
                "use placement='device'"
            )
        # After a launch that found the end, both copies hold the result.
        names = {n: f"0_{n}" if n in self.writer.swapped else f"own_{n}" for n in self.writer.state}
        stores = {n: fields[name] for n, name in names.items()}
        how: dict[str, Any] = {"device": self.device, "loads": loads, "repartitions": repartitions, "resumed": resumed}
        how["points"] = self.layout.points if self.spreads_fields else None
        kept, sums = rows.kept()
        return Run(stores, done, finished == fr.CONVERGED, seconds, self.parts, Table(kept, self._why, sums), **how)

    @property
    def spreads_fields(self) -> bool:
        """True if each of several GPUs, which reach one another's memory, has a part of every field."""
        several = self.parts > 1 and not self.mixed and not self.zero_copy
        return several and not device_selection.why_not_side_by_side(self.parts)

    def cpu_partitions(
        self, _fields: Mapping[str, Store], _control_stores: Mapping[str, Store]
    ) -> CpuPartitions | NoCpuPartitions:
        """Return the launches of the partitions that are not on GPUs."""
        return NoCpuPartitions()

    @property
    def points(self) -> int:
        """Points of a launch."""
        return points_for(self.on_gpus) if self.mixed else self.on_gpus

    def _reports(self, made: PreparedLaunches, which: int = 1) -> list[NDArray[np.uint8]]:
        """Collect each partition's report of one of the plans; empty for partitions of other processes."""
        reports = [made.plans[which].report(made.keys[which], part) for part in range(self.on_gpus)]
        if runtime.ranks() == 1 and not all(map(len, reports)):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        return reports

    def ahead(self, made: PreparedLaunches, launched: int, done: int) -> int:
        """Count the launches to issue before the next read of the outcome."""
        if made.exchange:
            return self.statistics_rows
        if self._reads_state:  # all processes read the same positions
            return min(max(LAUNCHES_IN_FLIGHT, launched // 4), MAX_STATISTICS_ROWS // 4)
        each = self.iterations_per_launch
        most = LAUNCHES_IN_FLIGHT if each == 1 else MAX_STATISTICS_ROWS // 2 // each
        return max(most - (launched - done // each), 0)

    def outcome(self, made: PreparedLaunches, number: int) -> tuple[int, int]:
        """Return the iterations that are known to be done, and whether the run has finished; alike on every process.

        Several processes read the state that the launch of this number writes, a single one the reports.
        """
        plan, key = made.plans[1], made.keys[1]
        if made.exchange:
            return self._exchanged_outcome(made)
        self.check(made)
        if self._reads_state:
            row = runtime.to_array(made.control_stores[f"{number & 1}_state"])
            return int(row[fr.ITERATIONS]), int(row[fr.FINISHED])
        time.sleep(POLL_SECONDS)
        found = [plan.report(key, part, OUTCOME.itemsize) for part in range(self.on_gpus)]
        if not all(map(len, found)):  # GPUs have not begun
            return 0, fr.RUNNING
        reports = [report.view(OUTCOME)[0] for report in found]
        if any(int(r["finished"]) == PEER_LOST for r in reports):
            return int(reports[0]["iterations"]), PEER_LOST
        return int(reports[0]["iterations"]), int(reports[0]["finished"])

    def _exchanged_outcome(self, made: PreparedLaunches) -> tuple[int, int]:
        """Read the outcome that any of the process's partitions reports, as all do; another's if it has none."""
        reports = [made.plans[1].report(made.keys[1], part, OUTCOME.itemsize) for part in range(self.parts)]
        found = next((report.view(OUTCOME)[0] for report in reports if len(report)), None)
        outcome = np.zeros(2) if found is None else np.array([found["iterations"], found["finished"]], np.float64)
        nodes = split_points.nodes_of(self.parts, runtime.ranks())
        if len(np.unique(nodes)) < runtime.ranks():
            outcome = runtime.allreduce_max(outcome)
        return int(outcome[0]), int(outcome[1])

    @property
    def _reads_state(self) -> bool:
        """True if the host learns a run's progress from the state, as several processes have to; else from reports."""
        return runtime.ranks() > 1 and not self.packed

    def check(self, made: PreparedLaunches) -> None:
        """Raise the failure of any GPU, on every process."""
        error = None
        try:
            for plan, key in zip(made.plans, made.keys, strict=True):
                plan.report(key, nbytes=0)
        except LuxError as failed:
            error = failed
        runtime.raise_on_all_ranks(error)

    def rows(self, made: PreparedLaunches, before: int, done: int) -> NDArray[np.float64]:
        """Collect rows of statistics of some iterations, of shape (parts, numbers)."""
        at = np.arange(before, done) % self.statistics_rows
        found = np.zeros((self.on_gpus, len(at), fr.STATISTICS_COLUMNS))
        for part, report in enumerate(self._reports(made)):
            if len(report):
                found[part] = report[OUTCOME.itemsize :].view(np.float64).reshape(self.statistics_rows, -1)[at]
        return found.reshape(self.on_gpus, -1)

    def sampled(self, made: PreparedLaunches) -> NDArray[np.float64] | None:
        """Collect the samples of partitions' pieces from the first launch that iterated, of shape (parts, `PIECES`).

        Samples are cycles of warps over its iterations, alike on every process. None before it has run, if it has not
        pulled, and if CPU cores have some of the partitions.
        """
        if self.mixed:
            return None
        found = np.zeros((self.parts, PIECES))
        for part, report in enumerate(self._reports(made)):
            if len(report):
                found[part] = report[: OUTCOME.itemsize].view(OUTCOME)[0]["spent"]
        found, some = runtime.allreduce_max(found), np.diff(self.layout.points) > 0
        return found if found[some].any(axis=1).all() else None

    def on_all_ranks(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Combine every partition's rows, on every process: none is negative, and others' are zero."""
        return runtime.allreduce_max(rows) if rows.size else rows

    def _staged_words(self) -> list[int]:
        """List the arguments that tell kernels whether CPU cores have gathered, in both halves of the plans."""
        members = list(self.writer.members)
        return [members.index("staged"), len(members) + members.index("staged")]

    def loads(self, made: PreparedLaunches, by_cores: int = 0) -> GatherStatistics:
        """Sum the gathers of launches so far, and of CPU cores."""
        outcomes = [r[: OUTCOME.itemsize].view(OUTCOME)[0] for r in self._reports(made) if len(r)]
        vertices = sum(int(o["loaded"]) for o in outcomes) + by_cores
        seconds = [max((1e-9 * int(o[f"{n}_nanoseconds"]) for o in outcomes), default=0.0) for n in ("load", "work")]
        moved = made.exchange.received() if made.exchange else 0
        return GatherStatistics(vertices, vertices * self.crossing_bytes, seconds[0], seconds[1], moved)

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        overflowing = np.count_nonzero(self.overflowing)
        if overflowing:
            return f"edges of {overflowing} of {self.parts} partitions are in zero-copy memory"
        if not self.spec.frontier and self.model == "auto":
            return f"without a frontier all vertices gather{self._who}{self.placed_by}"
        return why(self.graph, self.model, model, frontier, edges, before) + self._who + self.placed_by
