# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Choice of the best configuration within limits: predict all, leave out what does not fit, take the fastest."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from perfmodel import oversubscribed
from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.factors import Factors
from perfmodel.memory import GPU_SHARE, HOST_SHARE, memory_need
from perfmodel.predict_factors import predict_factors
from perfmodel.predict_program import predict
from perfmodel.predict_sources import Sources, predict_sources
from perfmodel.prediction import EXPECTED, Prediction
from perfmodel.profile import Profile
from perfmodel.programs import Program, program
from perfmodel.summary import GraphSummary

EDGES_PER_THREAD = 1 << 18
"""Stored edges that Lux thinks worth a thread; `lux.graph.graph` has the same."""
MAX_PEERS = 64
"""Partitions that read each other's memory, at most; `lux.engine.gpu.parts` has the same."""


@dataclass(frozen=True)
class Choice:
    """Choice of a configuration, and all predictions it was made from.

    Attributes
    ----------
    configuration : Configuration
    best : Prediction
        Prediction of the fastest configuration that fits: the chosen one unless ``kept`` says otherwise.
    predictions : list of Prediction
        All predictions, the fastest first; configurations that do not fit come last.
    notes : list of str
        Configurations that could not be predicted, and why.
    """

    configuration: Configuration
    best: Prediction
    predictions: list[Prediction]
    notes: list[str]


def counts(limit: int) -> list[int]:
    """Return the numbers of nodes or processors to try: all up to 8, then two for each doubling, and the limit.

    >>> counts(3), counts(20)
    ([1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20])
    """
    if limit < 1:
        raise ModelError(f"{limit} was passed as a limit of nodes or processors; allowed are numbers from 1")
    found = list(range(1, min(limit, 8) + 1))
    step = 8
    while step < limit:
        found += [n for n in (step + step // 2, 2 * step) if n < limit]
        step *= 2
    return [*found, limit] if limit > found[-1] else found


def layouts(
    profile: Profile, summary: GraphSummary, nodes: list[int], per_node: int, edge_work: int = 1
) -> Iterator[Configuration]:
    """Yield every placement and number of processors within limits; program and model are left open.

    Parameters
    ----------
    edge_work : int
        Cost of an edge on CPU threads, in edges of a simple program.
    """
    most = min(per_node, profile.machine.workers())
    for x in nodes:
        for y in counts(most):
            if profile.machine.device == "gpu":
                parts = x * y
                if 1 < y <= MAX_PEERS and x == 1 and profile.peer is not None:
                    yield Configuration("", "pull", "peer", x, y, parts)
                yield Configuration("", "pull", "device", x, y, parts)
                if profile.zero_copy is not None:
                    yield Configuration("", "pull", "zero-copy", x, y, parts)
            else:
                yield Configuration("", "pull", "host", x, y, x * y)
    threads = min(most, max(1, summary.n_edges * edge_work // EDGES_PER_THREAD))
    if profile.machine.device == "cpu" and threads > 1 and 1 in nodes:
        yield Configuration("", "pull", "host", 1, threads, None)


def factor_layouts(
    profile: Profile, summary: GraphSummary, nodes: list[int], per_node: int, k: int
) -> Iterator[Configuration]:
    """Yield the layouts in which a factorization runs: each GPU holds all factors, written peer to peer."""
    if profile.machine.device == "cpu":
        yield from layouts(profile, summary, nodes, per_node, k)
        return
    for x in nodes:
        for y in counts(min(per_node, profile.machine.workers(), MAX_PEERS)):
            yield Configuration("", "auto", "peer" if x == 1 and y > 1 else "device", x, y, x * y)


def sizes_needed(nodes: int, per_node: int) -> set[int]:
    """Return the partition counts whose sizes a choice within limits asks for."""
    return {x * y for x in counts(nodes) for y in counts(per_node)} | set(counts(nodes))


def choose(
    summary: GraphSummary,
    profile: Profile,
    name: str,
    nodes: int = 1,
    per_node: int | None = None,
    *,
    all_nodes: bool = False,
    factors: Factors | None = None,
    sources: Sources | None = None,
    cpus: int | None = None,
    devices: str = "auto",
    zero_copy_bytes: float | None = None,
) -> Choice:
    """Choose the fastest configuration.

    If the graph does not fit the GPUs, edges may overflow into zero-copy memory, or CPU cores may take some of them. A
    graph that fits stays on the GPUs alone, which is faster.

    Parameters
    ----------
    name : str
        The program.
    nodes, per_node : int
        The most nodes, and GPUs or CPU cores on each; by default all of the profile's node.
    all_nodes : bool
        Use all of the nodes, because the job runs already.
    factors : Factors, optional
        Options of ``factorize``; by default K = 20 and least squares.
    sources : Sources, optional
        Of ``betweenness``, which needs them.
    cpus : int, optional
        CPU cores beside the GPUs of a node; by default the cores that Legate leaves free.
    devices : {"auto", "gpu", "gpu+cpu"}
        On GPUs: CPU cores may work beside them (auto), must not (gpu), or must (gpu+cpu), wherever the graph fits.
    zero_copy_bytes : float, optional
        Zero-copy memory, if Legate runs already; by default a part of a node's memory.

    Raises
    ------
    ModelError
        The graph fits nowhere, or nothing can be predicted.
    """
    of = program(name)
    found: list[Prediction] = []
    notes: dict[str, None] = {}
    each = profile.machine.workers() if per_node is None else min(per_node, profile.machine.workers())
    many = [nodes] if all_nodes else counts(nodes)

    def fits(p: Prediction) -> bool:
        return p.need.fits(profile.machine) and (zero_copy_bytes is None or p.need.zero_copy <= zero_copy_bytes)

    def collect(candidates: Iterable[Callable[[], Prediction]]) -> None:
        for make in candidates:
            try:
                found.append(make())
            except ModelError as error:
                notes[str(error)] = None

    if devices != "gpu+cpu":
        collect(_candidates(summary, profile, of, many, each, factors or sources))
    if profile.machine.device == "gpu" and not (of.factors or of.sources) and not any(map(fits, found)):
        collect(_besides(summary, profile, of, many, each, cpus, devices))
    if not found:
        raise ModelError("; ".join(notes))
    if not any(map(fits, found)):
        raise ModelError("; ".join([_fits_nowhere(found, profile), *notes]))
    known = all(p.total is not None for p in found)

    def seconds(p: Prediction) -> float:
        return p.total if known and p.total is not None else p.iteration + p.run / EXPECTED

    found.sort(key=lambda p: (not fits(p), seconds(p), p.configuration.workers))
    best = found[0]
    configuration, strategy_notes = _against_strategy(best, summary, profile, of)
    return Choice(configuration, best, found, [*notes, *strategy_notes])


def _candidates(
    summary: GraphSummary,
    profile: Profile,
    of: Program,
    nodes: list[int],
    per_node: int,
    options: Factors | Sources | None,
) -> Iterator[Callable[[], Prediction]]:
    """Yield each configuration with the function that predicts it."""
    if of.sources:
        if not isinstance(options, Sources):
            raise ModelError(f"{of.name} is predicted from a short run: pass what one has shown, as sources")
        placement = "host" if profile.machine.device == "cpu" else "device"
        for x in nodes:
            for y in counts(min(per_node, profile.machine.workers())):
                one = Configuration(of.name, "auto", placement, x, y, None if y > 1 else 1)
                yield functools.partial(predict_sources, summary, profile, one, options)
        return
    if of.factors:
        asked = options if isinstance(options, Factors) else Factors()
        for layout in factor_layouts(profile, summary, nodes, per_node, asked.k):
            one = replace(layout, program=of.name, model="auto")
            yield functools.partial(predict_factors, summary, profile, one, asked)
        return
    for layout in layouts(profile, summary, nodes, per_node):
        for model in ("pull", "push", "auto") if of.frontier else ("pull", "push"):
            yield functools.partial(predict, summary, profile, replace(layout, program=of.name, model=model))


def _besides(
    summary: GraphSummary,
    profile: Profile,
    of: Program,
    nodes: list[int],
    gpus: int,
    cpus: int | None,
    devices: str,
) -> Iterator[Callable[[], Prediction]]:
    """Yield the configurations in which some edges are not in GPUs' memory, with their predictions."""

    def predicted(make: oversubscribed.Make) -> Prediction:
        return predict(summary, profile, make())

    for x in nodes:
        for make in oversubscribed.layouts(summary, profile, of, x, gpus, cpus, devices):
            yield functools.partial(predicted, make)


def _against_strategy(
    best: Prediction, summary: GraphSummary, profile: Profile, of: Program
) -> tuple[Configuration, list[str]]:
    """Return the faster of the best prediction and the program's own strategy."""
    if not of.strategy or best.configuration.cpus or best.configuration.overflow:  # a strategy needs one GPU
        return best.configuration, []
    auto = _of_strategy(best.configuration, summary, profile, of)
    frontier = summary.frontiers.get(of.rates_of)
    if frontier is None or frontier.strategy_seconds is None or best.total is None:
        return auto, ["so auto is kept, unpredicted: --measure runs the program and compares"]
    strategic = frontier.strategy_seconds * frontier.workers / auto.workers
    workers = f"{frontier.workers} processor{'s' * (frontier.workers != 1)}"
    found = f"auto took {frontier.strategy_seconds:.3g} s on {workers}, the best other: "
    found += f"{best.total:.3g} s predicted"
    return (auto, [found]) if strategic <= best.total else (best.configuration, [found])


def _of_strategy(best: Configuration, summary: GraphSummary, profile: Profile, of: Program) -> Configuration:
    """Return the configuration in which a program's own strategy runs best."""
    auto = replace(best, model="auto")
    if auto.nodes > 1:
        return auto
    if auto.device == "cpu":
        return replace(auto, parts=None)  # the strategies share a task's threads best
    one = Configuration(of.name, "auto", "device")  # on GPUs, one that holds the graph
    return one if memory_need(summary, of, one).fits(profile.machine) else auto


def _fits_nowhere(found: list[Prediction], profile: Profile) -> str:
    machine = profile.machine
    least = min(found, key=lambda p: (p.need.host / machine.memory_bytes, p.need.gpu))
    has = f"{HOST_SHARE * machine.memory_bytes / 2**30:.3g} GiB"
    needs = f"{least.need.host / 2**30:.3g} GiB on each node"
    if machine.device == "gpu":
        least = min(found, key=lambda p: p.need.gpu)
        needs = f"{least.need.host / 2**30:.3g} GiB on each node and {least.need.gpu / 2**30:.3g} GiB in each GPU"
        if least.need.zero_copy:
            needs += f", and {least.need.zero_copy / 2**30:.3g} GiB of zero-copy memory"
        has += f" and {GPU_SHARE * machine.gpu_bytes / 2**30:.3g} GiB"
    c = least.configuration
    nodes = f"{c.nodes} node{'s' * (c.nodes != 1)} with {c.per_node} processor{'s' * (c.per_node != 1)} each"
    return (
        f"the graph fits nowhere within these limits: on {nodes} it would need {needs}, and Lux may use {has}: allow "
        "more nodes, or larger ones"
    )
