# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ways to run a graph that does not fit the GPUs: edges overflow into zero-copy memory, or CPU cores have some.

Sections 4.2 and 4.3 of the Lux paper; `lux.engine.gpu.parts` and `lux.engine.gpu.mixed`. Either has as little beside
the GPUs as there must be, unless CPU cores do more in the same time.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace

from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.memory import MIB, need, on_gpu, room
from perfmodel.predict import sides
from perfmodel.profile import Machine, Profile
from perfmodel.programs import Program, program
from perfmodel.summary import EXACT, GraphSummary

OVERFLOW_PARTS = 8
"""Partitions on a GPU, where edges of some of them overflow; `lux.engine.gpu.parts` has the same."""
MOST_OVERFLOWING = 63
"""Partitions in all, then; `lux.runtime` has the same."""
SHARES = 64
"""Steps in which the part of CPU cores is looked for."""
SPARE = 0.9
"""Of a GPU's memory, what the rest is to fit: a run counts more exactly, and refuses what does not."""
SMALL_MACHINE = 8
"""With at least this many cores, one is left to Legate and one to each GPU; `legate_config.flags` has the same."""
Make = Callable[[], Configuration]


def layouts(
    summary: GraphSummary, profile: Profile, of: Program, nodes: int, gpus: int, cpus: int | None, devices: str
) -> Iterator[Make]:
    """What makes each configuration of all GPUs, program and models included.

    Parameters
    ----------
    nodes, gpus : int
        GPUs of each node.
    cpus : int or None
        CPU cores of each node; None for those that Legate leaves.
    devices : {"auto", "gpu", "gpu+cpu"}
        Whether CPU cores may take part, or must.
    """
    for model in ("pull", "push", "auto") if of.frontier else ("pull", "push"):
        if devices != "gpu+cpu":
            parts = parts_of(summary, nodes * gpus)
            for placement in ("peer", "device", "zero-copy") if parts else ():
                if placement != "peer" or (gpus > 1 and nodes == 1 and profile.peer is not None):
                    one = Configuration(of.name, model, placement, nodes, gpus, parts)
                    yield functools.partial(overflowing, summary, one, profile.machine)
        if devices != "gpu" and nodes == 1:
            yield functools.partial(shared_out, summary, profile, of.name, model, gpus, cpus)


def parts_of(summary: GraphSummary, gpus: int) -> int:
    """Partitions of a run whose edges overflow: eight on a GPU, or as many as there may be and have known sizes; or 0.

    >>> sizes = dict.fromkeys((1, 2, 4, 8, 16, 32, 64))
    >>> known = GraphSummary(1, 1, True, False, 0, 1, (), sizes)
    >>> [parts_of(known, n) for n in (1, 2, 3, 4, 8)]
    [8, 16, 0, 32, 32]
    """
    most = min(OVERFLOW_PARTS, MOST_OVERFLOWING // gpus)
    counted = (each * gpus for each in range(most, 1, -1) if each * gpus in summary.sizes or each * gpus > EXACT)
    return next(counted, 0)


def overflowing(summary: GraphSummary, configuration: Configuration, machine: Machine) -> Configuration:
    """The configuration with as few partitions' edges in zero-copy memory as fit the GPUs."""
    each = (configuration.parts or 1) // configuration.workers
    held = on_gpu(summary, program(configuration.program), configuration)
    lacking = max(held.all_of(each) - room(machine), 0.0)
    beside = min(math.ceil(lacking / held.edges), each)
    return _launched(summary, replace(configuration, overflow=beside / each), machine)


def shared_out(
    summary: GraphSummary, profile: Profile, name: str, model: str, gpus: int, cpus: int | None
) -> Configuration:
    """GPUs and CPU cores at once, which have what the GPUs have no room for, and at least what they do meanwhile.

    Raises
    ------
    ModelError
        The profile has no rates of CPU cores.
    """
    machine, of = profile.machine, program(name)
    cores = profile.cores.machine.cores
    if cpus is not None and cpus > cores:
        raise ModelError(f"{cpus} CPU cores beside the GPUs were asked for, and the machine has {cores}: ask for fewer")
    beside = max(cores - (1 + gpus if cores >= SMALL_MACHINE else 0), 1) if cpus is None else cpus
    one = Configuration(name, model, "zero-copy", 1, gpus, gpus + beside, beside)

    def enough(step: int) -> bool:
        made = replace(one, cpu_share=step / SHARES)
        if need(summary, of, made).gpu > SPARE * room(machine):
            return False
        on_gpus, on_cores = sides(summary, profile, made)
        return on_cores.kernels >= on_gpus.kernels

    share = bisect_left(range(SHARES), True, key=enough) / SHARES
    return _launched(summary, replace(one, cpu_share=share), machine)


def _launched(summary: GraphSummary, configuration: Configuration, machine: Machine) -> Configuration:
    """The configuration with the memory that Legate must be given."""
    if not (configuration.cpus or configuration.overflow):
        return configuration
    pinned = need(summary, program(configuration.program), configuration).zcmem
    return replace(configuration, fbmem=int(room(machine)) // MIB, zcmem=pinned)
