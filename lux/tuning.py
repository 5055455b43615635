# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``config=``: partitions, model and placement from the performance model, or from a file that `lux autotune` wrote."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from lux import runtime, settings
from lux.engine.gpu import place
from lux.errors import ConfigurationError, ParameterError

if TYPE_CHECKING:
    from lux.graph import Graph
    from perfmodel import Choice, Configuration, Factors, Profile

PROFILE = "LUX_PROFILE"
"""Environment variable that names the profile of this machine, where none of the shipped ones is."""


P = ParamSpec("P")
R = TypeVar("R")


def tuned(function: Callable[P, R]) -> Callable[P, R]:
    """A function that calls `apply`: the placement that this sets holds until it returns."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with settings.using():
            return function(*args, **kwargs)

    return run


def apply(
    program: str, graph: Graph, config: Any, parts: int | None, model: str = "auto", factors: Factors | None = None
) -> tuple[int | None, str]:
    """Partitions and model of a run; on GPUs its placement is set, for the call of a `tuned` function.

    Parameters
    ----------
    program : str
        Its name in `perfmodel.programs`.
    config : None, "auto", path or Configuration
        None is `lux.using`'s. ``auto`` predicts every configuration of the processors that Legate has and takes the
        fastest.
    parts, model
        What the caller asked for; anything but None and ``auto`` stands, and so does a placement in `lux.using`.
    factors : Factors, optional
        Of ``factorize``.

    Raises
    ------
    ConfigurationError
        The configuration is for another program, device or number of nodes, nothing can be predicted, or GPUs and CPU
        cores are to be used at once.
    """
    config = settings.current().config if config is None else config
    if config is None:
        return parts, model
    if place.mixed():
        raise ConfigurationError(
            f"config={config!r} was passed with device={place.MIXED!r}, and configurations are for GPUs or CPU cores: "
            "leave config= out, or use device='gpu'"
        )
    from perfmodel import Configuration, ModelError, Profile

    found, error = None, None
    try:
        found = profile_here(_device()) if isinstance(config, str) and config == "auto" else _read(config)
    except ModelError as raised:
        error = ConfigurationError(str(raised))
    except ConfigurationError as raised:
        error = raised
    runtime.agree(error)  # a file may be missing on one rank only
    try:
        chosen = choice(program, graph, found, factors).configuration if isinstance(found, Profile) else found
    except ModelError as raised:
        raise ConfigurationError(str(raised)) from None
    assert isinstance(chosen, Configuration)
    _check(chosen, program)
    if chosen.device == "gpu" and settings.current().placement == "auto":
        settings.place(chosen.placement)
    return chosen.parts if parts is None else parts, chosen.model if model == "auto" else model


def _read(config: Any) -> Configuration:
    from perfmodel import Configuration

    if isinstance(config, Configuration):
        return config
    if not isinstance(config, str | PathLike):
        raise ParameterError(f"config={config!r} was passed; allowed are 'auto', a file and a Configuration")
    return Configuration.read(config)


def _device() -> str:
    """What runs take."""
    return "gpu" if runtime.gpus() and settings.current().device != "cpu" else "cpu"


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
    if found.device != device:
        flag = "with --gpus 1 or more" if found.device == "gpu" else "with --gpus 0"
        raise ConfigurationError(f"the configuration is for {found.device}, and Legate has {device}s: start it {flag}")
    if found.device == "gpu" and found.per_node > runtime.gpus() // runtime.ranks():
        raise ConfigurationError(
            f"the configuration is for {found.per_node} GPUs on each node, and Legate has "
            f"{runtime.gpus() // runtime.ranks()}: start it with --gpus {found.per_node}"
        )


def choice(program: str, graph: Graph, profile: Profile, factors: Factors | None = None) -> Choice:
    """The fastest configuration of the processors that Legate has.

    >>> import lux
    >>> from perfmodel.profile import load
    >>> choice("pagerank", lux.toy.kite(), load("epyc-2-cores")).configuration.model
    'pull'
    """
    from lux.summary import summarize
    from perfmodel import choose
    from perfmodel.choose import sizes_needed
    from perfmodel.programs import program as program_of
    from perfmodel.summary import DOUBLINGS

    nodes, on_gpus = runtime.ranks(), profile.machine.device == "gpu"
    per_node = (runtime.gpus() if on_gpus else runtime.processors()) // nodes
    used = graph.symmetrized() if program_of(program).both else graph
    # Only what crosses between memories depends on the sizes of other partitions.
    needed = sizes_needed(nodes, per_node) if nodes > 1 or on_gpus else {*range(1, per_node + 1)}
    summary = summarize(used, needed | {*DOUBLINGS}, symmetrized=used is not graph)
    return choose(summary, profile, program, nodes, per_node, all_nodes=True, factors=factors)


def profile_here(device: str) -> Profile:
    """The profile of this machine: the one that LUX_PROFILE names, or a shipped one.

    Parameters
    ----------
    device : {"cpu", "gpu"}
        What the rates are of.

    Raises
    ------
    ConfigurationError, perfmodel.ModelError
        ``LUX_PROFILE`` names the profile of another machine, or there is none of this one.
    """
    from perfmodel import profile
    from perfmodel.here import this_machine

    machine = this_machine(device)
    named = os.environ.get(PROFILE)
    if not named:
        return profile.matching(machine)
    found = profile.load(named)
    if not profile.alike(found.machine, machine):
        raise ConfigurationError(
            f"{PROFILE}={named} is the profile of another machine ({found.machine.describe()}; this one is "
            f"{machine.describe()}): {profile.REMEDY}"
        )
    return found
