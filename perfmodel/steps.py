# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Steps of an iteration on one kind of processor: Table 1 of the paper with this package's additions."""

from __future__ import annotations

from dataclasses import replace

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.locality import Caches, crowd, line_vertices
from perfmodel.memory import bytes_of_edge, memory_need
from perfmodel.prediction import Prediction
from perfmodel.profile import OVERFLOW, Profile, Rate
from perfmodel.programs import Program, program
from perfmodel.summary import EXACT, Frontier, GraphSummary, Sizes

LARGE = 0.05
"""Share of the vertices above which the paper counts an iteration of a frontier (section 6.2)."""


def steps(
    summary: GraphSummary, profile: Profile, configuration: Configuration, frontier: Frontier | None, share: float = 1.0
) -> Prediction:
    """Predict the steps of one pull or push iteration on one kind of processor; totals of a run are left out.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the profile's processors; model ``auto`` is ``pull``.
    frontier : Frontier or None
        Frontier of a run on this graph, if there was one.
    share : float
        Part of the graph on these processors; other processors have the rest.
    """
    of, model = program(configuration.program), "push" if configuration.model == "push" else "pull"
    rate, x, y = profile.rate(of.rates_of, model), configuration.nodes, configuration.per_node
    edge, vertex = worker_rates(summary, profile.caches, rate, of, model, _counted(summary, x * y, share))
    activity = 1.0
    if model == "push":
        activity = rate.activity if frontier is None else large_activity(frontier)
    sets = summary.of(x)
    placement, one_task = configuration.placement, configuration.one_task
    among = OVERFLOW if _each(configuration) > 1 else ""
    fixed, factor = rate.kernels(placement, one_task=one_task, among=among)
    start = profile.start(placement, configuration.workers, one_task=one_task, among=among)
    run, launch = start.of_run(of, summary.n_vertices), start.of_iteration(of)
    between = profile.nodes(placement) if x > 1 else None
    link, exchange = profile.network_rate(x), profile.exchange
    if between is not None:
        link, exchange, factor = link + between.byte, between.exchange, factor * between.factor(of.rates_of, model)
        launch = between.launch(y, frontier=of.frontier)
    launch += profile.latency if x > 1 else 0.0
    active = rate.active if frontier is None else large_vertices(frontier)
    changed = active if of.frontier or model == "push" else 1.0
    values = of.value_bytes if of.crosses or not of.frontier else 0
    read = 0.0
    if between is not None:
        run = between.of_run(of.rates_of, model, summary.n_vertices, values * sets.uds_most)
        read = between.of_read(of.rates_of, model) * changed * sets.uds_most / y
    load = _load(summary, profile, configuration, of, active if configuration.device == "gpu" else rate.active, share)
    if between is not None and placement == "device":
        load = between.load + between.load_byte * active * of.value_bytes * summary.of(x * y).ins_most
    written = 0.0 if one_task or placement != "zero-copy" else written_seconds(rate, of, summary, active) / (x * y)
    written *= share
    # The most-referenced line belongs to one worker, whatever their number.
    crowded = rate.crowded if one_task or rate.crowded_parts is None else rate.crowded_parts
    crowded = crowded * activity * crowd(summary, of) if crowded else 0.0
    hidden = model == "push"  # Table 1; but launches wait for what Legion copies before them
    waited = load if hidden and placement in profile.starts and between is None else 0.0
    edges, vertices = share * summary.n_edges, share * summary.n_vertices
    overflow = activity * _overflow(summary, profile, configuration, of)
    found = Prediction(
        configuration,
        load=0.0 if hidden else load,
        compute=factor * equations.compute(edge, activity * edges, x, y, rate.serial) + read + crowded + overflow,
        update=factor * equations.update(vertex, vertices, x, y, rate.serial) + written,
        transfer_sum=equations.transfer_sum(link, values, sets.uds_total),
        transfer_byte=received_byte(link, sets, profile.bisection),
        value_bytes=values,
        uds=sets.uds_most,
        launch=launch + waited,
        exchange=exchange,
        run=run,
        error=_error(summary, configuration, rate.error),
        need=memory_need(summary, of, configuration),
        fixed=fixed * _each(configuration),
        written=written,
        overflow=overflow,
        driver=start.of_driver(of) if between is None else 0.0,
        transfer_whole=equations.transfer_whole(link, of.value_bytes, summary.n_vertices, x, profile.bisection),
        changed=changed,
        burst=profile.burst if x > 1 and placement == "host" else 0.0,
        quiet=rate.quiet,
    )
    if placement != "host" or of.frontier:  # readers set the first values, or few vertices are active
        return found
    # The first values are sent before the first iteration.
    first = equations.after_pause(found.transfer_maximum, profile.burst, profile.burst)
    return replace(found.with_run(first), first=first)


def _each(configuration: Configuration) -> float:
    """Return the partitions of a GPU, which run one after the other."""
    if configuration.device == "cpu":
        return 1.0
    return (configuration.parts or 1) / configuration.workers


def _counted(summary: GraphSummary, workers: int, share: float) -> int:
    """Return the number of equal workers that would share all edges at this share each."""
    return workers if share == 1 else summary.nearest(min(workers / max(share, 1e-3), EXACT))


def _overflow(summary: GraphSummary, profile: Profile, configuration: Configuration, of: Program) -> float:
    """Return the seconds in which GPUs read all edges that do not fit."""
    if not configuration.overflow:
        return 0.0
    rate, x, y = profile.overflow_rate, configuration.nodes, configuration.per_node
    size, shared = bytes_of_edge(summary.n_vertices, of), profile.zero_copy_shared
    return equations.overflow(rate, size, summary.n_edges, x, y, configuration.overflow, shared)


def worker_rates(
    summary: GraphSummary, caches: Caches, rate: Rate, of: Program, model: str, workers: int
) -> tuple[float, float]:
    """Return the seconds of one worker for an edge, and for a vertex."""
    first, far = caches.missed(summary, of, model, workers)
    return rate.edge(first, far), rate.vertex(far, summary.irregular)


def written_seconds(rate: Rate, of: Program, summary: GraphSummary, active: float) -> float:
    """Return the seconds to write all (with a frontier, all changed) vertices to zero-copy memory."""
    vertex, irregular = rate.written
    share = active if of.frontier else 1.0
    return share * summary.n_vertices * (vertex + irregular * summary.irregular)


def large_vertices(frontier: Frontier) -> float:
    """Return the mean share of the vertices in iterations whose frontier has over 5 % of them.

    >>> large_vertices(Frontier((1.0, 0.5, 0.01), (1.0, 0.8, 0.01)))
    0.75
    """
    large = [v for v in frontier.vertices if v > LARGE]
    return sum(large) / len(large) if large else 0.0


def large_activity(frontier: Frontier) -> float:
    """Return the mean share of the edges over iterations whose frontier has over 5 % of the vertices.

    >>> large_activity(Frontier((1.0, 0.5, 0.01), (1.0, 0.8, 0.01)))
    0.9
    """
    large = [e for v, e in zip(frontier.vertices, frontier.edges, strict=True) if v > LARGE]
    return sum(large) / len(large) if large else 0.0


def received_byte(link: float, sets: Sizes, bisection: float | None) -> float:
    """Return the seconds of each byte of the node that receives most, given those of its link."""
    return equations.transfer_maximum(link, 1, 1.0, sets.uds_total / (sets.uds_most or 1), bisection)


def _load(
    summary: GraphSummary, profile: Profile, configuration: Configuration, of: Program, active: float, share: float
) -> float:
    """Return the seconds to load remote values; 0 on CPU cores, which read one shared instance.

    Legion copies all values (``device``). Kernels gather the values of active vertices; in push this is part of
    their rate per edge.
    """
    x, y, placement = configuration.nodes, configuration.per_node, configuration.placement
    if placement == "host" or configuration.one_task or (configuration.device == "gpu" and not of.crosses):
        return 0.0
    if placement == "device":
        if y == 1 or (x > 1 and profile.nodes(placement) is not None):
            return 0.0
        if profile.device is None:
            raise ModelError(
                "the profile has no rate between the GPUs of a node: pass --rate device=GB/S, or calibrate with several"
            )
        return equations.load_device(profile.device, of.value_bytes, summary.n_vertices, x, y)
    if placement == "peer" and x > 1:
        raise ModelError("GPUs of several nodes cannot read each other's memory: use device or zero-copy")
    rate = profile.peer if placement == "peer" else profile.zero_copy
    if rate is None:
        where = "from the GPUs of a node" if placement == "peer" else "from zero-copy memory"
        raise ModelError(f"the profile has no rate {where} to GPUs: pass --rate {placement}=GB/S")
    if configuration.model == "push":
        return 0.0
    each = _each(configuration)
    fixed = each * profile.start(placement, y, one_task=False).load
    parts = configuration.parts or 1
    if placement == "peer":
        return fixed + each * equations.load_peer(active * rate, of.value_bytes, summary.of(parts).uds_most)
    counted = _counted(summary, parts, share)
    total, most = summary.loaded(counted, line_vertices("gpu", of.value_bytes))
    total, most = total * parts / counted, each * most
    return fixed + equations.load_shared(active * rate, of.value_bytes, total, most, x, profile.zero_copy_shared)


def _error(summary: GraphSummary, configuration: Configuration, error: float) -> float:
    counted = summary.counted(configuration.workers) and summary.counted(configuration.nodes)
    return error if counted else error + summary.estimate_error()
