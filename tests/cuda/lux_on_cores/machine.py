# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""GPUs on CPU cores, and what Lux calls instead of the real ones."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import legate_config
import lux.runtime.mapper_library
from lux import runtime
from lux.algorithms.factorization import gpu
from lux.codegen import cuda_build
from lux.engine.gpu import single
from lux.engine.gpu.placement import bandwidths as rates
from lux.engine.gpu.placement.bandwidths import Rates
from lux.graph.graph import graphs
from lux.kernels import frontier as fr
from lux.launch import call
from lux.runtime import WARM_UP, GpuLauncher, allocations, gpu_exchange
from lux_on_cores.compiled import OnCoresError, compiled
from lux_on_cores.functions import FUNCTIONS
from lux_on_cores.memory import GappedScratch, Memory, Stores

_driver, _launcher, _start = (import_module(f"lux.runtime.{name}") for name in ("cuda_driver", "launcher", "start"))

OF_ANY_SIZE = (
    *(b"lux_run", b"lux_step", b"lux_resume", b"lux_take", b"lux_validate"),
    *(b"lux_places", b"lux_set", b"lux_positions", b"lux_gather"),
)
"""Kernels whose blocks may have any number of threads."""
GAPPED = (
    *("lux.engine.gpu.single", "lux.engine.gpu.part_memory", "lux.engine.gpu.ins_rebuild"),
    *("lux.algorithms.bfs.multi_gpu_memory", "lux.algorithms.sssp.multi_gpu_memory"),
    *("lux.algorithms.components.multi_gpu", "lux.algorithms.betweenness.gpu_weighted"),
    *("lux.algorithms.bfs.distributed.grid.gpu", "lux.graph500.on_gpu"),
)
"""Modules whose kernels are given the address of each array in scratch memory."""

NVLINK = Rates(peer=3.4e-12, zero_copy=2e-11, device=2.5e-12, between=0.0, launch=1e-4, device_launch=1.4e-4)
"""What these GPUs are taken for where Lux chooses a placement."""


@dataclass
class Planned:
    """A plan (``Plan`` of ``gpu.cc``), and where each point reports to."""

    plan: Any
    reports: list[Memory | None]

    def table(self, name: str, *shape: int) -> NDArray[np.int64]:
        """The numbers at an address in the plan; writing to it changes them."""
        size = int(np.prod(shape))
        if size == 0:
            return np.zeros(shape, np.int64)
        found = (ctypes.c_int64 * size).from_address(getattr(self.plan, name))
        return np.frombuffer(found, np.int64).reshape(shape)

    @property
    def kept(self) -> NDArray[np.int64]:
        """Addresses that the first launch of a run keeps, of shape (points, arrays)."""
        return self.table("kept", len(self.reports), self.plan.n_kept)


@dataclass
class Messages:
    """Messages of a run (``Messages`` of ``gpu_exchange.cc``), and the words that have arrived."""

    first_key: int
    words: NDArray[np.int64]
    outbox_at: int
    inbox_at: int
    frontier: bool
    received: int = 0


class Machine:
    """GPUs, and what is in their memory.

    Parameters
    ----------
    gpus : int
    blocks, threads : int
        Of each GPU and, at most, of a block; kernels that are written for blocks of 1024 threads have these.
    seed : int
        Of the order in which threads take turns, and of what memory holds that nobody has written.
    block_memory : int
        Shared memory of a block, in bytes.
    macros : mapping of str to int
        Defined in front of all kernels.
    eager : int
        Words of a message's first round.
    rates : Rates or None
        Of the exchange between them, by which Lux chooses a placement; None: they cannot be measured.

    Attributes
    ----------
    lost : collection of int
        GPUs on which no kernel runs but the first of a run.
    launched : list of str
        The kernels that have run.
    """

    def __init__(
        self,
        gpus: int = 1,
        *,
        blocks: int = 2,
        threads: int = 128,
        seed: int = 1,
        block_memory: int = 8192,
        macros: Mapping[str, int] = MappingProxyType({}),
        eager: int = 4096,
        rates: Rates | None = NVLINK,
    ) -> None:
        self.rates, self.eager = rates, eager
        self._messages: dict[int, Messages] = {}
        self.gpus, self.blocks, self.threads, self.seed = gpus, blocks, threads, seed
        self.block_memory, self.macros = block_memory, macros
        self.lost: Collection[int] = ()
        self.launched: list[str] = []
        self._random = np.random.default_rng(seed)
        self._stores = Stores(self._random)
        self._kernels: list[tuple[Any, str, int]] = []
        self._plans: dict[int, Planned] = {}
        self._kept_alive: list[Any] = []
        self._native = lux.runtime.mapper_library.functions()

    # What Lux calls of the mapper's library; all else it has.

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def lux_kernel(self, code: bytes, _size: int, name: bytes, threads: int, shared_bytes: int) -> int:
        """A kernel's handle."""
        threads = min(threads, self.threads) if name in OF_ANY_SIZE else threads
        self._kernels.append((compiled(code.decode(), name.decode(), shared_bytes), name.decode(), threads))
        return len(self._kernels)

    def lux_plan(self, key: int, plan: Any, points: int) -> None:
        """Make a plan known."""
        self._plans[key] = Planned(plan._obj, [None] * points)

    def lux_report(self, key: int, point: int, error: Any) -> int | None:
        """Where a point has reported to."""
        error._obj.value = b""
        report = self._plans[key].reports[point]
        return None if report is None else report.address

    def lux_ended(self, _key: int, _point: int) -> int:
        """Whether a launch has ended: all have."""
        return 1

    def lux_forget_plan(self, key: int) -> None:
        """Take a plan back."""
        self._kept_alive.append(self._plans.pop(key))

    def lux_gpu_messages(
        self, key: int, first_key: int, parts: int, words: int, outbox_at: int, inbox_at: int, frontier: bool
    ) -> None:
        """Make the messages of a run known."""
        table = np.frombuffer((ctypes.c_int64 * parts**2).from_address(words), np.int64).reshape(parts, parts)
        self._messages[key] = Messages(first_key, table.copy(), outbox_at, inbox_at, frontier)

    def lux_gpu_received(self, key: int) -> int:
        """Words that have arrived."""
        return self._messages[key].received

    def lux_forget_gpu_messages(self, key: int) -> None:
        """Take them back."""
        self._messages.pop(key)

    def lux_upload(self, _key: int, _point: int, _thread: int, to: int, of: int, nbytes: int) -> None:
        """Copy from the host's memory."""
        ctypes.memmove(to, of, nbytes)

    lux_download = lux_upload

    @property
    def plans(self) -> int:
        """Number of plans that are known."""
        return len(self._plans)

    def flush(self) -> None:
        """Give Legate what kernels have written."""
        self._stores.flush()

    def forget_stores(self) -> None:
        """Forget all stores, which this machine would keep alive."""
        self._stores = Stores(self._random)

    # Launches

    def launch(self, launcher: GpuLauncher, points: int, arguments: Mapping[str, Any]) -> None:
        """Do what the points of a launch do, one side by side with the others (``run`` of ``gpu.cc``)."""
        if arguments["key"] == 0:
            self._stores.touch(arguments[name] for name in launcher._kinds["writes"])
            return
        planned, number = self._plans[arguments["key"]], arguments["number"]
        number, iterations = (number, 0) if number == WARM_UP else (number & 0xFFFFFFFF, number >> 32)
        plan, points = planned.plan, min(points, len(planned.reports))
        arrays = [
            [self._stores.address(launcher, k, point, arguments) for k in range(len(launcher.arrays))]
            for point in range(points)
        ]
        if plan.keeps:
            planned.kept[:points, : len(launcher.arrays)] = arrays
        if number == WARM_UP or plan.kernel:
            self._make_reports(planned, points)
        if number == WARM_UP:
            return
        if not plan.kernel:
            for to, of, nbytes in planned.table("copies", points * plan.n_copies, 3).tolist():
                ctypes.memmove(to, of, nbytes)
            return
        scratch = planned.kept[:, ~plan.scratch] if plan.scratch < 0 else np.array(arrays)[:, plan.scratch]
        words = [_words(planned, arrays, int(scratch[point]), point, number) for point in range(points)]
        for row in words if iterations else ():
            row[planned.table("iteration_arguments", plan.n_iteration_arguments)] = iterations
        self._run(plan, number, np.stack([w for point, w in enumerate(words) if not (number and point in self.lost)]))
        for point, report in enumerate(planned.reports[:points] if plan.reported else ()):
            ctypes.memmove(report.address, int(scratch[point]) + plan.reported_at, plan.reported)
        self._check()

    def iterate(self, key: int, first: int, count: int) -> None:
        """Launch a plan many times, and move messages in between (`Point` of ``gpu_exchange.cc``)."""
        planned, ended = self._plans[key], 0
        scratch = planned.kept[:, ~planned.plan.scratch].tolist()

        def run(planned: Planned, number: int) -> None:
            kept = planned.kept.tolist()
            words = [_words(planned, kept, at, point, number) for point, at in enumerate(scratch)]
            self._run(planned.plan, number, np.stack(words))

        if first == 1:
            if self._messages[key].first_key:
                run(self._plans[self._messages[key].first_key], 0)
            self._exchange(key, scratch)
        for number in range(first, first + count):
            run(planned, number)
            self._exchange(key, scratch)
            ended += bool(planned.reports[0].data[:16].view(np.int64)[1])
            if ended > 2:
                break  # launches after the end do nothing
        self._check()

    def _exchange(self, key: int, scratch: list[int]) -> None:
        messages = self._messages[key]
        words, size = messages.words, len(scratch)
        waits = messages.frontier and words.max() > self.eager
        for one, other in ((p, q) for p in range(size) for q in range(size) if p != q):
            at = scratch[one] + messages.outbox_at + 8 * int(words[one, :other].sum())
            to = scratch[other] + messages.inbox_at + 8 * int(words[:one, other].sum())
            length = int(words[one, other])
            if waits and length > self.eager:
                length = max((ctypes.c_int64 * 16).from_address(at)[fr.SENT_WORDS], self.eager)
                if length > words[one, other]:
                    raise OnCoresError(f"a message of {length} words is longer than its slot, {words[one, other]}")
            ctypes.memmove(to, at, 8 * length)
            messages.received += length

    def _make_reports(self, planned: Planned, points: int) -> None:
        for point in range(points if planned.plan.report_bytes else 0):
            if planned.reports[point] is None:
                report = planned.reports[point] = Memory(planned.plan.report_bytes, self._random)
                report.data[: planned.plan.cleared] = 0

    def _run(self, plan: Any, number: int, words: NDArray[np.int64]) -> None:
        launch, name, threads = self._kernels[plan.kernel - 1]
        self.launched.append(name)
        self.seed += 1
        wrong = launch(words.ctypes.data, words.shape[1], len(words), self.blocks, threads, self.seed)
        if wrong is not None:
            raise OnCoresError(f"{name}, launch {number}, seed {self.seed}: {wrong.decode()}")

    def _check(self) -> None:
        self._stores.check()
        for planned in self._plans.values():
            for report in planned.reports:
                if report is not None:
                    report.check("a report")

    # Instead of the real ones

    def code(self, text: str, _capability: Any, functions: Any = ()) -> bytes:
        """Instead of machine code: the text, and the program's functions."""
        defined = "".join(f"#define {name} {value}\n" for name, value in self.macros.items())
        return (defined + text + (FUNCTIONS[functions[0].spec.name] if functions else "")).encode()

    @contextmanager
    def running(self) -> Iterator[Machine]:
        """Lux finds these GPUs, and no others."""
        settings = replace(legate_config.settings(), gpus=self.gpus, fbmem_bytes=2**30, zcmem_bytes=2**28)
        count, launch = _start._count, _launcher.LaunchKind.__call__

        def launched(launcher: Any, points: int, **arguments: Any) -> None:
            if isinstance(launcher, GpuLauncher):
                self.launch(launcher, points, arguments)
            else:
                self._stores.before_cores(launcher, arguments)
                launch(_on_cores(launcher), points, **arguments)

        instead: list[tuple[Any, str, Any]] = [
            (lux.runtime.mapper_library, "functions", lambda: self),
            (legate_config, "settings", lambda: settings),
            (_start, "_count", lambda kind: self.gpus if kind == "GPU" else count(kind)),
            (_driver, "_attribute", lambda _, k: self.block_memory if k == _driver._BLOCK_MEMORY else 9),
            (runtime, "peer_access", lambda: True),
            (runtime, "on_distinct_gpus", lambda points: points <= self.gpus),
            (cuda_build, "cubin", self.code),
            (rates, "rates", lambda _has_room: self.rates),
            (gpu_exchange, "iterate", self.iterate),
            (allocations, "noted", allocations.Noted()),  # other machines have other memory
            (_launcher.LaunchKind, "__call__", launched),
            *((import_module(name), "Scratch", GappedScratch) for name in GAPPED),
        ]
        real = [(where, name, getattr(where, name)) for where, name, _ in instead]
        _forget_kernels()
        runtime.give_spare_back()
        GappedScratch.gaps_of.clear()
        try:
            for where, name, value in instead:
                setattr(where, name, value)
            yield self
            self._stores.flush()
        finally:
            try:
                for layout in [layout for graph in graphs() for layout in graph._layouts.values()]:
                    layout.exclusive.clear()  # searches on this machine are of no use to others
            finally:
                for where, name, value in real:
                    setattr(where, name, value)
                _forget_kernels()


def _on_cores(launcher: Any) -> Any:
    """The same launch where there is no zero-copy memory, which Legate has beside GPUs alone."""
    if not getattr(launcher, "zero_copy_mask", 0):
        return launcher
    found = copy.copy(launcher)
    found.zero_copy_mask = 0
    return found


def _words(planned: Planned, arrays: list[list[int]], scratch: int, point: int, number: int) -> NDArray[np.int64]:
    """A point's arguments; clears what is to be zero."""
    plan, points, kept = planned.plan, len(planned.reports), planned.kept
    stores = planned.table("stores", 2, plan.n_stores, 2)[number & 1]
    before = planned.table("before", points, plan.n_stores)
    words = planned.table("arguments", points, plan.n_arguments)[point].copy()

    def address(k: int, of: int) -> int:
        array = int(stores[k, 1])
        return (int(kept[of, ~array]) if array < 0 else arrays[of][array]) - int(before[of, k])

    for k, argument in enumerate(stores[:, 0]):
        words[argument] = address(k, point)
    for first, k in planned.table("peers", plan.n_peers, 2).tolist():
        words[first : first + points] = [address(k, of) for of in range(points)]
    at = planned.table("scratch_at", points, plan.n_scratch)[point]
    words[planned.table("in_scratch", plan.n_scratch)] = scratch + at
    for argument, place in planned.table("written", plan.n_written, 2).tolist():
        words[argument] = planned.reports[point].address + place
    if plan.number_argument >= 0:
        words[plan.number_argument] = number
    ctypes.memset(scratch, 0, plan.zeroed_always if number else plan.zeroed)
    if not number and plan.given_bytes:
        ctypes.memmove(scratch + plan.given_at, plan.given + point * plan.given_bytes, plan.given_bytes)
    return words


def _forget_kernels() -> None:
    """Those of other machines."""
    call.kernel.cache_clear()
    gpu.kernel.cache_clear()
    single._kernels.clear()
