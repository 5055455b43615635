# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Profile of a machine: its processors and memories, and the rates measured on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from perfmodel import json_files
from perfmodel.errors import ModelError
from perfmodel.factors import FactorRate, Factors
from perfmodel.internode import InternodeRates, check_exchange
from perfmodel.locality import Caches
from perfmodel.programs import Program

VERSION, BEFORE = 3, (1, 2)
"""Version 1 has no `InternodeRates`, and those of version 2 are of another engine: they are not read."""
KIND = "Lux machine profile"
REMEDY = "python -m lux.calibration --output FILE measures one"
FOLDER = Path(__file__).parent / "profiles"
OVERFLOW, MIXED = "overflow", "gpu+cpu"
"""Keys beside placements: runs with several partitions on each GPU, and runs on GPUs and CPU cores at once."""
AHEAD = 8
"""Iterations that the driver has issued before it knows that a run has ended; `lux.engine.gpu.parts` has the same."""


@dataclass(frozen=True)
class Rate:
    """Rates of one program in one model on one worker, in seconds.

    Attributes
    ----------
    edge_near, edge_far : float
        For an edge whose source's value is in the cache, and one that misses it: the paper's gamma_c (pull) or gamma_c*
        (push; for each edge that leaves the frontier).
    vertex_near, vertex_far : float
        For a vertex, likewise; both are equal with two caches, as vertices are read in order.
    vertex_irregular : float
        Extra time of a vertex with more or fewer in-edges than the one before.
    serial : float
        Share of the work that more workers of a node do not speed up.
    activity : float
        Mean share of the edges that leave the frontier, over iterations in which it has over 5 % of the vertices.
    active : float
        Mean share of the vertices in the frontier, likewise: their values are gathered from other memories.
    quiet : float
        In pull, time of an iteration in which at most 5 % of the vertices are in the frontier, over that of others:
        a source's value is read only if it has changed.
    fixed : float
        Fixed seconds of an iteration, which more workers do not shorten: on GPUs, barriers between blocks.
    parted : mapping of placement to (float, float)
        For kernels on partitions, each on a GPU: seconds of an iteration instead of ``fixed``, and a factor for the
        seconds of edges and vertices.
    error : float
        Largest relative error on the graphs of the calibration.
    edge_hot : float or None
        For an edge whose source's value is in the first of two caches; None is ``edge_near``.
    crowded : float
        In push, for each edge into the most-referenced line: a GPU serialises atomics on a line, and more workers do
        not shorten it.
    crowded_parts : float or None
        ``crowded`` of kernels on partitions; None is ``crowded``.
    written : (float, float)
        For each vertex whose values a worker writes to zero-copy memory, and in addition for each irregular one:
        vertices are written by degree, so irregular ones are scattered.
    """

    edge_near: float
    edge_far: float
    vertex_near: float
    vertex_far: float
    vertex_irregular: float = 0.0
    serial: float = 0.0
    activity: float = 1.0
    active: float = 1.0
    quiet: float = 1.0
    fixed: float = 0.0
    parted: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    error: float = 0.0
    edge_hot: float | None = None
    crowded: float = 0.0
    crowded_parts: float | None = None
    written: tuple[float, float] = (0.0, 0.0)

    def edge(self, first: float, far: float) -> float:
        """Return an edge's seconds, given the shares that miss the first cache and both (equations 12 and 14: gamma_c).

        >>> rate = Rate(edge_hot=5e-12, edge_near=1e-11, edge_far=3e-11, vertex_near=0, vertex_far=0)
        >>> f"{rate.edge(0, 0):.3g} {rate.edge(1, 0):.3g} {rate.edge(0.5, 0.1):.3g} {rate.edge(1, 1):.3g}"
        '5e-12 1e-11 9.5e-12 3e-11'
        """
        hot = self.edge_near if self.edge_hot is None else self.edge_hot
        return hot + (self.edge_near - hot) * first + (self.edge_far - self.edge_near) * far

    def vertex(self, far: float, irregular: float) -> float:
        """Return the seconds of a vertex, given the shares of far values and of irregular vertices."""
        return self.vertex_near * (1 - far) + self.vertex_far * far + self.vertex_irregular * irregular

    def kernels(self, placement: str, *, one_task: bool, among: str = "") -> tuple[float, float]:
        """Return the fixed seconds of an iteration's kernels on each partition, and the factor for the rest.

        ``among`` may be `OVERFLOW`.

        >>> rate = Rate(1e-9, 1e-9, 0, 0, fixed=1e-5, parted={"peer": (2e-5, 1.1)})
        >>> rate.kernels("peer", one_task=False), rate.kernels("device", one_task=True)
        ((2e-05, 1.1), (1e-05, 1.0))
        """
        if one_task:
            return self.fixed, 1.0
        return self.parted.get(among, self.parted.get(placement, (self.fixed, 1.0)))


@dataclass(frozen=True)
class RunOverheads:
    """Run overheads besides kernels and transfers, on partitions in one placement; seconds.

    Attributes
    ----------
    run, vertex : float
        Of a whole run: constant, and for each vertex.
    iteration : float
        Of an iteration: launches, or the barrier between GPUs if one launch runs several iterations.
    load : float
        Fixed time of an iteration's gathering.
    frontier : float
        Extra time of an iteration of a program with a frontier, whose bitmap is one more store of each launch.
    run_each, iteration_each : float
        Of a run and of an iteration, for each processor but the first.
    end : float
        Extra time of a run that converges: iterations that were launched ahead and have no work.
    driver, driver_each : float
        Time in which the driver issues an iteration, and for each processor but the first. It issues while earlier
        kernels run, so this is the minimum of an iteration; a run that converges adds `AHEAD` of them.
    copies, copies_each : float
        Likewise, for the copies that Legion makes of values that cross partitions.

    Examples
    --------
    >>> start = RunOverheads(run=2e-3, iteration=1e-4, run_each=1e-3, iteration_each=5e-5).on(3)
    >>> round(start.run, 6), round(start.iteration, 6)
    (0.004, 0.0002)
    """

    run: float = 0.0
    vertex: float = 0.0
    iteration: float = 0.0
    load: float = 0.0
    run_each: float = 0.0
    iteration_each: float = 0.0
    frontier: float = 0.0
    end: float = 0.0
    driver: float = 0.0
    driver_each: float = 0.0
    copies: float = 0.0
    copies_each: float = 0.0

    def of_iteration(self, of: Program) -> float:
        """Return the seconds of an iteration of a program."""
        return self.iteration + self.frontier * of.frontier

    def of_driver(self, of: Program) -> float:
        """Return the seconds in which the driver issues an iteration of a program, on the processors of `on`.

        >>> from perfmodel.programs import program
        >>> start = RunOverheads(driver=1e-4, driver_each=5e-5, copies_each=2e-4).on(4)
        >>> [f"{start.of_driver(program(name)):.3g}" for name in ("pagerank", "bfs")]
        ['0.00085', '0.00025']
        """
        return self.driver + self.copies * of.crosses

    def of_run(self, of: Program, n_vertices: int) -> float:
        """Return the seconds of a whole run; programs with a frontier are assumed to converge.

        >>> from perfmodel.programs import program
        >>> start = RunOverheads(run=1e-3, vertex=1e-9, end=5e-4)
        >>> [f"{start.of_run(program(name), 10**6):.4g}" for name in ("pagerank", "bfs")]
        ['0.002', '0.0025']
        """
        end = self.end + AHEAD * self.of_driver(of)
        return self.run + self.vertex * n_vertices + end * of.frontier

    def on(self, processors: int) -> RunOverheads:
        """Return the overheads on so many processors."""
        more = processors - 1
        run, iteration = self.run + more * self.run_each, self.iteration + more * self.iteration_each
        driver, copies = self.driver + more * self.driver_each, self.copies + more * self.copies_each
        each = {"run_each": 0.0, "iteration_each": 0.0, "driver_each": 0.0, "copies_each": 0.0}
        return replace(self, run=run, iteration=iteration, driver=driver, copies=copies, **each)


@dataclass(frozen=True)
class Machine:
    """Machine: one node.

    Attributes
    ----------
    device : {"cpu", "gpu"}
        Processors that the rates belong to.
    name : str
        Name of the processor or the GPU.
    cores, gpus : int
        Number on a node.
    memory_bytes, gpu_bytes : int
        Memory of the node, and of one GPU.
    """

    device: str
    name: str
    cores: int
    gpus: int
    memory_bytes: int
    gpu_bytes: int

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "gpu") or self.workers() < 1:
            raise ModelError(f"a machine has device {self.device!r} and {self.cores} cores or {self.gpus} GPUs")

    def workers(self) -> int:
        """Return the number of processors of the kind that the rates belong to."""
        return self.gpus if self.device == "gpu" else self.cores

    def describe(self) -> str:
        """Describe the machine in a few words."""
        if self.device == "gpu":
            return f"{self.gpus} x {self.name}, {self.gpu_bytes / 2**30:.0f} GiB each"
        return f"{self.name}, {self.cores} cores, {self.memory_bytes / 2**30:.0f} GiB"


@dataclass(frozen=True)
class Profile:
    """Profile of a machine: its rates. A time in seconds per byte is None if it was not measured.

    Attributes
    ----------
    machine : Machine
    rates : mapping of program to mapping of "pull" and "push" to Rate
    cache_bytes : float
        Size of the last-level cache.
    hot_bytes : float or None
        Size of the cache before it; see `perfmodel.locality.Caches`.
    measured : mapping of placement to mapping of str to int
        Number of graphs on which each program and model (``pagerank pull``) ran; empty in older profiles.
    run_seconds, run_vertex_seconds, launch_seconds : float
        Of a whole run, constant and for each vertex, and of each iteration that launches several partitions.
    starts : mapping of placement to RunOverheads
        Overheads of runs on partitions, in place of the three before; ``host`` for CPU cores, also `OVERFLOW` and
        `MIXED`.
    zero_copy : float or None
        Seconds per byte from zero-copy memory to a GPU that is alone (gamma_l).
    zero_copy_shared : float
        Share of ``zero_copy`` for which the GPUs of a node wait for one another: 1 if they share a bus, as in the
        paper, and 0 if each has its own.
    overflow : float or None
        Seconds per byte of edges that kernels read from zero-copy memory; None is ``zero_copy``.
    peer : float or None
        Seconds per byte that one GPU's kernels gather from the memories of others.
    device : float or None
        Seconds per byte that Legion copies to one GPU from others.
    network : float or None
        Seconds per byte that a node receives (gamma_x); without it, several nodes cannot be planned.
    latency, burst : float
        Seconds of an exchange of a few bytes between all nodes, and seconds of traffic that pass at once after a pause.
    bisection : float or None
        Bytes per second between two halves of the nodes.
    exchange : {"maximum", "sum", "whole"}
        Form of the transfer in placements that were not measured on several nodes; see `perfmodel.internode`.
    between : mapping of str to InternodeRates
        Rates of runs on several nodes, by placement; for `lux.factorize`, by placement and kernel (``host als``).
    assumed : tuple of str
        Names of rates that were passed by the user, not measured.
    versions : mapping of str to str
        Versions of the software that was measured.
    factors : mapping of kernel to FactorRate
        Rates of `lux.factorize`, by `Factors.kernel`; empty if not measured.
    beside : Profile or None
        CPU cores of a machine of GPUs, which may work in the same iteration; None if not measured.
    """

    machine: Machine
    rates: Mapping[str, Mapping[str, Rate]]
    cache_bytes: float
    run_seconds: float
    run_vertex_seconds: float
    launch_seconds: float
    starts: Mapping[str, RunOverheads] = field(default_factory=dict)
    zero_copy: float | None = None
    zero_copy_shared: float = 1.0
    overflow: float | None = None
    peer: float | None = None
    device: float | None = None
    network: float | None = None
    latency: float = 0.0
    burst: float = 0.0
    bisection: float | None = None
    exchange: str = "maximum"
    assumed: tuple[str, ...] = ()
    versions: Mapping[str, str] | None = None
    factors: Mapping[str, FactorRate] = field(default_factory=dict)
    hot_bytes: float | None = None
    measured: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    beside: Profile | None = None
    between: Mapping[str, InternodeRates] = field(default_factory=dict)

    def nodes(self, where: str) -> InternodeRates | None:
        """Return the internode rates of a placement (and a factorization's kernel); None if not measured."""
        return self.between.get(where)

    def network_rate(self, nodes: int) -> float:
        """Return the seconds for each byte that one of so many nodes receives; raises `ModelError` if unknown."""
        if nodes == 1:
            return 0.0
        if self.network is None:
            raise ModelError(
                "the profile has no rate between nodes: pass --rate network=GB/S (what a node's link carries), or "
                "measure it on the nodes: legate --nodes 2 ... --module lux.calibration --programs link --base PROFILE "
                "--output FILE"
            )
        return self.network

    @property
    def cores(self) -> Profile:
        """Return the profile of the CPU cores beside the GPUs; raises `ModelError` if not measured."""
        if self.beside is None:
            raise ModelError(
                f"the profile of {self.machine.describe()} has no rates of CPU cores, which runs on GPUs and CPU cores "
                "in the same iteration need: add them with python -m lux.calibration --device gpu "
                "--programs cores --base PROFILE --output FILE on that machine"
            )
        return self.beside

    @property
    def overflow_rate(self) -> float:
        """Return the seconds per byte of edges in zero-copy memory; raises `ModelError` if unknown."""
        rate = self.zero_copy if self.overflow is None else self.overflow
        if rate is None:
            raise ModelError("the profile has no rate from zero-copy memory to GPUs: pass --rate zero-copy=GB/S")
        return rate

    @property
    def caches(self) -> Caches:
        """Caches of a processor."""
        return Caches(self.machine.device, self.cache_bytes, self.hot_bytes)

    def start(self, placement: str, processors: int, *, one_task: bool, among: str = "") -> RunOverheads:
        """Return the overheads of a run on these processors; ``among`` may be `OVERFLOW` or `MIXED`."""
        if not one_task and placement in self.starts:
            found = self.starts[placement].on(processors)
            # These overheads were measured with a program without a frontier.
            return replace(self.starts.get(among, found).on(processors), frontier=found.frontier, end=found.end)
        return RunOverheads(self.run_seconds, self.run_vertex_seconds, 0.0 if one_task else self.launch_seconds)

    def rate(self, program: str, model: str) -> Rate:
        """Return the rate of a program; raises `ModelError` if it was not calibrated."""
        if program not in self.rates or model not in self.rates[program]:
            has = ", ".join(sorted(self.rates)) or "none"
            raise ModelError(f"the profile has no rate of {program} in the {model} model (it has {has}): {REMEDY}")
        return self.rates[program][model]

    def factor_rate(self, factors: Factors) -> FactorRate:
        """Return the rate of `lux.factorize`'s kernel, or of its method; raises `ModelError` if there is none."""
        kernel, method = factors.kernel(self.machine.device), factors.method
        if kernel in self.factors:
            return self.factors[kernel]
        if method not in self.factors:
            raise ModelError(
                f"the profile of {self.machine.describe()} has no rate of factorize with method {method}: add it with "
                "python -m lux.calibration --programs factorize --base PROFILE --output FILE on that machine"
            )
        return self.factors[method]

    def write(self, path: str | PathLike[str]) -> None:
        """Write the profile as JSON."""
        json_files.write(path, KIND, VERSION, asdict(self))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Profile:
        """Read a profile; raises `ModelError` for any other file or version."""
        found = json_files.read(path, KIND, VERSION, REMEDY, *BEFORE)
        return json_files.build_dataclass(path, "is a profile", REMEDY, lambda: cls._of(found))

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Profile:
        found["machine"] = Machine(**found["machine"])
        rates = found["rates"].items()
        found["rates"] = {p: {model: _rate(rate) for model, rate in models.items()} for p, models in rates}
        found["starts"] = {placement: RunOverheads(**start) for placement, start in found.get("starts", {}).items()}
        found["factors"] = {method: FactorRate.of(rate) for method, rate in found.get("factors", {}).items()}
        found["assumed"] = tuple(found["assumed"])
        found["beside"] = None if found.get("beside") is None else cls._of(found["beside"])
        between = found.get("between", {}) if "latency" in found else {}  # since version 3
        found["between"] = {where: InternodeRates(**each) for where, each in between.items()}
        check_exchange(found["exchange"])
        return cls(**found)


def _rate(found: dict[str, Any]) -> Rate:
    parted = {placement: (float(a), float(b)) for placement, (a, b) in found.get("parted", {}).items()}
    vertex, irregular = found.get("written", (0.0, 0.0))
    return Rate(**{**found, "parted": parted, "written": (float(vertex), float(irregular))})


def shipped() -> list[str]:
    """Return the names of the profiles in this package.

    >>> "epyc-2-cores" in shipped()
    True
    """
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name: str | PathLike[str]) -> Profile:
    """Load a profile, by the name of a shipped one or of a file."""
    if str(name) in shipped():
        return Profile.read(FOLDER / f"{name}.json")
    if not Path(name).exists():
        raise ModelError(f"there is no profile {name}: pass a file, or one of {', '.join(shipped())}; {REMEDY}")
    return Profile.read(name)


def matching(machine: Machine) -> Profile:
    """Return the shipped profile of a machine; raises `ModelError` if there is none.

    Among profiles with other numbers of GPUs, take the smallest that has enough, or else the largest.
    """
    found = [profile for profile in map(load, shipped()) if alike(profile.machine, machine)]
    if not found:
        raise _unknown(machine)
    return min(found, key=lambda p: (p.machine.gpus < machine.gpus, abs(p.machine.gpus - machine.gpus)))


def nearest(machine: Machine) -> Profile:
    """Return the shipped profile of the most similar machine, as if of this one; raises `ModelError` if there is none.

    It has the same kind of device. Similar are processors whose names begin alike and, of these, machines with about
    as many of them.

    >>> nearest(Machine("cpu", "AMD Ryzen 9", 16, 0, 1 << 36, 0)).machine.describe()
    'AMD Ryzen 9, 16 cores, 64 GiB'
    """
    known = [profile for profile in map(load, shipped()) if profile.machine.device == machine.device]
    if not known:
        raise _unknown(machine)

    def likeness(profile: Profile) -> tuple[int, float]:
        other = profile.machine
        same = next(
            (k for k, (a, b) in enumerate(zip(other.name, machine.name, strict=False)) if a != b), len(other.name)
        )
        return same, -abs(math.log(machine.workers() / other.workers()))

    return replace(max(known, key=likeness), machine=machine)


def _unknown(machine: Machine) -> ModelError:
    return ModelError(
        f"no profile of this machine ({machine.describe()}) is known; shipped are {', '.join(shipped())}. "
        f"{REMEDY}: pass it as --profile, or name it in LUX_PROFILE"
    )


def alike(one: Machine, other: Machine) -> bool:
    """Return True if one machine's rates hold for the other: same processors, and as many CPU cores."""
    same = (one.device, one.name) == (other.device, other.name)
    return same and (one.device == "gpu" or one.cores == other.cores)
