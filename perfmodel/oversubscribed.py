# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Configurations for graphs larger than the GPUs' memory: overflow into zero-copy memory, or edges on CPU cores.

Sections 4.2 and 4.3 of the Lux paper; `lux.engine.gpu.parts` and `lux.engine.mixed`. Both keep as many edges on the
GPUs as fit, unless CPU cores can process more in the same time.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace

from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.memory import MIB, memory_need, on_gpu, room
from perfmodel.predict_program import sides
from perfmodel.profile import Machine, Profile
from perfmodel.programs import Program, program
from perfmodel.summary import EXACT, GraphSummary

OVERFLOW_PARTS = 8
"""Partitions on a GPU if edges of some of them overflow; `lux.engine.gpu.parts` has the same."""
SHARES = 64
"""Steps of the search for the CPU cores' part."""
SPARE = 0.9
"""Share of a GPU's memory that the rest must fit: the run itself counts more exactly, and refuses excess."""
SMALL_MACHINE, BESIDE_GPUS = 8, 2
"""With at least so many cores, one is left to Legate, one to each GPU, and two to the threads beside them;
`legate_config.flags` has the same."""
Make = Callable[[], Configuration]


def layouts(
    summary: GraphSummary, profile: Profile, of: Program, nodes: int, gpus: int, cpus: int | None, devices: str
) -> Iterator[Make]:
    """Yield, with all GPUs, functions that build a configuration of a given program and model.

    Parameters
    ----------
    nodes, gpus : int
        GPUs of each node.
    cpus : int or None
        CPU cores of each node; None for all that Legate leaves free.
    devices : {"auto", "gpu", "gpu+cpu"}
        CPU cores may take part (auto), must not (gpu), or must (gpu+cpu).
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
    """Return the partitions of an overflowing run: eight on a GPU, or as many as are counted; or 0.

    >>> sizes = dict.fromkeys((1, 2, 4, 8, 16, 32, 64))
    >>> known = GraphSummary(1, 1, True, False, 0, 1, (), sizes)
    >>> [parts_of(known, n) for n in (1, 2, 3, 4, 8)]
    [8, 16, 0, 32, 64]
    """
    counted = (
        each * gpus for each in range(OVERFLOW_PARTS, 1, -1) if each * gpus in summary.sizes or each * gpus > EXACT
    )
    return next(counted, 0)


def overflowing(summary: GraphSummary, configuration: Configuration, machine: Machine) -> Configuration:
    """Return the configuration that fits the GPUs with the fewest partitions' edges in zero-copy memory."""
    each = (configuration.parts or 1) // configuration.workers
    held = on_gpu(summary, program(configuration.program), configuration)
    lacking = max(held.all_of(each) - room(machine), 0.0)
    beside = min(math.ceil(lacking / held.edges), each)
    return _launched(summary, replace(configuration, overflow=beside / each), machine)


def shared_out(
    summary: GraphSummary, profile: Profile, name: str, model: str, gpus: int, cpus: int | None
) -> Configuration:
    """Split between GPUs and CPU cores: cores take what does not fit, and at least what they finish in the GPUs' time.

    Raises
    ------
    ModelError
        The profile has no rates of CPU cores.
    """
    machine, of = profile.machine, program(name)
    cores = profile.cores.machine.cores
    if cpus is not None and cpus > cores:
        raise ModelError(f"{cpus} CPU cores beside the GPUs were asked for, and the machine has {cores}: ask for fewer")
    beside = max(cores - (1 + gpus + BESIDE_GPUS) * (cores >= SMALL_MACHINE), 1) if cpus is None else cpus
    one = Configuration(name, model, "zero-copy", 1, gpus, gpus + beside, beside)

    def enough(step: int) -> bool:
        made = replace(one, cpu_share=step / SHARES)
        if memory_need(summary, of, made).gpu > SPARE * room(machine):
            return False
        on_gpus, on_cores = sides(summary, profile, made)
        return on_cores.kernels >= on_gpus.kernels

    share = bisect_left(range(SHARES), True, key=enough) / SHARES
    return _launched(summary, replace(one, cpu_share=share), machine)


def _launched(summary: GraphSummary, configuration: Configuration, machine: Machine) -> Configuration:
    """Return the configuration with the memory that Legate must be given."""
    if not (configuration.cpus or configuration.overflow):
        return configuration
    pinned = memory_need(summary, program(configuration.program), configuration).zcmem
    return replace(configuration, fbmem=int(room(machine)) // MIB, zcmem=pinned)
