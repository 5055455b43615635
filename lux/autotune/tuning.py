# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``config=``: partitions, model and placement from the performance model, or from a file that `lux autotune` wrote."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import legate_config
from lux import runtime, settings
from lux.checks import warn
from lux.engine.gpu.placement import device_selection
from lux.errors import ConfigurationError, ParameterError

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from perfmodel import Choice, Configuration, Factors, Profile

PROFILE = "LUX_PROFILE"
"""Environment variable that names the profile of this machine, if none of the shipped ones fits."""


P = ParamSpec("P")
R = TypeVar("R")


def tuned(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function that calls `apply`: the placement set by `apply` holds until the function returns."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with settings.using():
            return function(*args, **kwargs)

    return run


def apply(
    program: str,
    graph: Graph,
    config: Any,
    parts: int | None,
    model: str = "auto",
    factors: Factors | None = None,
    learn: Callable[[Profile], Profile] | None = None,
) -> tuple[int | None, str]:
    """Choose partitions and model of a run, and set where it runs for the call of a `tuned` function.

    The setting is the placement on GPUs, and the share of CPU cores beside them.

    Parameters
    ----------
    program : str
        Name of the program in `perfmodel.programs`.
    config : None, "auto", path or Configuration
        None takes the configuration of `lux.using`. ``auto`` predicts every configuration of the processors that Legate
        has and takes the fastest; CPU cores work beside GPUs where the graph does not fit these, or with
        ``device="gpu+cpu"``.
    parts, model
        The caller's choice; anything but None and ``auto`` stands, and so do ``placement`` and ``cpu_share`` in
        `lux.using`.
    factors : Factors, optional
        Sizes of a ``factorize`` call.
    learn : callable, optional
        Adds the program's rates to a profile (`lux.autotune.short_run`), if the profile is needed.

    Raises
    ------
    ConfigurationError
        The configuration is for another program, device or number of nodes, or nothing can be predicted.
    """
    config = settings.current().config if config is None else config
    if config is None:
        return parts, model
    from perfmodel import Configuration, ModelError, Profile

    found, error = None, None
    try:
        found = (
            profile_here(_device().partition("+")[0]) if isinstance(config, str) and config == "auto" else _read(config)
        )
    except ModelError as raised:
        error = ConfigurationError(str(raised))
    except ConfigurationError as raised:
        error = raised
    runtime.raise_on_all_ranks(error)  # a file may be missing on one rank only
    try:
        if isinstance(found, Profile):
            known = found if learn is None else learn(found)
            found = choice(program, graph, known, factors).configuration
    except ModelError as raised:
        raise ConfigurationError(str(raised)) from None
    chosen = found
    assert isinstance(chosen, Configuration)
    _check(chosen, program)
    wanted = settings.current()
    if chosen.device != "cpu" and wanted.placement == "auto":
        settings.place(placement=chosen.placement)
    if chosen.cpus:
        share = chosen.cpu_share if wanted.cpu_share is None else wanted.cpu_share
        settings.place(device=device_selection.MIXED, cpu_share=share)
    return chosen.parts if parts is None else parts, chosen.model if model == "auto" else model


def _read(config: Any) -> Configuration:
    from perfmodel import Configuration

    if isinstance(config, Configuration):
        return config
    if not isinstance(config, str | PathLike):
        raise ParameterError(f"config={config!r} was passed; allowed are 'auto', a file and a Configuration")
    return Configuration.read(config)


def _device() -> str:
    """Name the device that runs take unless a configuration has CPU cores work beside GPUs."""
    device = settings.current().device
    if runtime.gpus() == 0 or device == "cpu":
        return "cpu"
    return device_selection.MIXED if device == device_selection.MIXED else "gpu"


def _check(found: Configuration, program: str) -> None:
    if found.program != program:
        raise ConfigurationError(
            f"the configuration is for {found.program}, and {program} runs: lux autotune GRAPH --program {program}"
        )
    if found.nodes != runtime.ranks():
        running = "1 process runs" if runtime.ranks() == 1 else f"{runtime.ranks()} processes run"
        wanted = f"{found.nodes} node{'s' * (found.nodes != 1)}"
        raise ConfigurationError(
            f"the configuration is for {wanted}, and {running}: start the program as lux autotune says"
        )
    device = _device()
    if (device == "cpu") != (found.device == "cpu"):
        flag = "with --gpus 0" if found.device == "cpu" else "with --gpus 1 or more"
        has = "cpu" if device == "cpu" else "gpu"
        raise ConfigurationError(f"the configuration is for {found.device}, and Legate has {has}s: start it {flag}")
    if found.device != device and (device == device_selection.MIXED or settings.current().device == "gpu"):
        raise ConfigurationError(
            f"the configuration is for {found.device}, and device={settings.current().device!r} was asked for: leave "
            "device= (--device) out"
        )
    if found.cpus > (cpus := runtime.processors()) or (found.cpus and found.per_node != runtime.gpus()):
        raise ConfigurationError(
            f"the configuration is for {found.per_node} GPUs and {found.cpus} CPU cores at once, and Legate has "
            f"{runtime.gpus()} and {cpus}: start it with --gpus {found.per_node} --cpus {found.cpus}"
        )
    if found.device == "gpu" and found.per_node > runtime.gpus() // runtime.ranks():
        raise ConfigurationError(
            f"the configuration is for {found.per_node} GPUs on each node, and Legate has "
            f"{runtime.gpus() // runtime.ranks()}: start it with --gpus {found.per_node}"
        )


def choice(program: str, graph: Graph, profile: Profile, factors: Factors | None = None) -> Choice:
    """Predict all configurations of the processors that Legate has, and return the fastest.

    >>> import lux
    >>> from perfmodel.profile import load
    >>> choice("pagerank", lux.toy.kite(), load("epyc-2-cores")).configuration.model
    'pull'
    """
    from lux.autotune.summarize import summarize_for
    from perfmodel import choose
    from perfmodel.choose_configuration import sizes_needed
    from perfmodel.summary import DOUBLINGS

    nodes, on_gpus = runtime.ranks(), profile.machine.device == "gpu"
    per_node = (runtime.gpus() if on_gpus else runtime.processors()) // nodes
    # Only traffic between memories depends on the sizes of other partitions.
    needed = sizes_needed(nodes, per_node) if nodes > 1 or on_gpus else {*range(1, per_node + 1)}
    _, summary = summarize_for(program, graph, needed | {*DOUBLINGS})
    how = _on_gpus() if on_gpus else {}
    here = on_this_network(as_started(profile))
    return choose(summary, here, program, nodes, per_node, all_nodes=True, factors=factors, **how)


def on_this_network(profile: Profile) -> Profile:
    """Return the profile with what the network between this run's processes carries; all must call this.

    GPUs keep the profile's rate.
    """
    if runtime.ranks() == 1 or profile.machine.device == "gpu":
        return profile
    from lux.runtime import link

    found = link.measured()
    return replace(profile, network=found.byte, latency=found.latency, burst=found.burst)


def _on_gpus() -> dict[str, Any]:
    """Collect the arguments of `perfmodel.choose` for CPU cores beside GPUs and for zero-copy memory."""
    wanted = settings.current()
    devices = wanted.device
    if runtime.ranks() > 1 or wanted.placement not in (
        "auto",
        "zero-copy",
    ):  # see `lux.engine.gpu.placement.device_selection`
        devices = "gpu"
    has = legate_config.settings().zcmem_bytes
    return {"cpus": runtime.processors(), "devices": devices, "zero_copy_bytes": has}


def as_started(profile: Profile) -> Profile:
    """Return the profile with as much of each GPU's memory as Legate was given."""
    from perfmodel.memory import GPU_SHARE

    given = legate_config.settings().fbmem_bytes
    if profile.machine.device == "cpu" or not given:
        return profile
    machine = replace(profile.machine, gpu_bytes=min(profile.machine.gpu_bytes, int(given / GPU_SHARE)))
    return replace(profile, machine=machine)


def profile_here(device: str, *, warns: bool = True) -> Profile:
    """Load the profile of this machine: the one that LUX_PROFILE names, a shipped one, or that of a similar machine.

    Parameters
    ----------
    device : {"cpu", "gpu"}
        The device whose rates are needed.
    warns : bool
        A `LuxWarning` tells that predictions take the rates of another machine.

    Raises
    ------
    ConfigurationError, perfmodel.ModelError
        ``LUX_PROFILE`` names the profile of another machine, or there is none with such a device.
    """
    from perfmodel import ModelError, profile
    from perfmodel.this_machine import this_machine

    machine = this_machine(device)
    named = os.environ.get(PROFILE)
    if not named:
        try:
            return profile.matching(machine)
        except ModelError as error:
            why = str(error)
        if warns:
            warn(f"predictions are rough, with the rates of a similar machine: {why}")
        return profile.nearest(machine)
    found = profile.load(named)
    if not profile.alike(found.machine, machine):
        raise ConfigurationError(
            f"{PROFILE}={named} is the profile of another machine ({found.machine.describe()}; this one is "
            f"{machine.describe()}): {profile.REMEDY}"
        )
    return found
