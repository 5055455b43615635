# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Predicted time of an iteration and of a run, on GPUs, on CPU cores, or on both at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfmodel.configuration import Configuration
from perfmodel.direction import by_share
from perfmodel.errors import ModelError
from perfmodel.memory import check_engine, memory_need
from perfmodel.prediction import Prediction
from perfmodel.profile import MIXED, Profile
from perfmodel.programs import program
from perfmodel.steps import LARGE, large_activity, large_vertices, steps
from perfmodel.summary import Frontier, GraphSummary


def predict(summary: GraphSummary, profile: Profile, configuration: Configuration, share: float = 1.0) -> Prediction:
    """Predict one configuration.

    Parameters
    ----------
    share : float
        Part of the graph on these processors; other processors have the rest.

    Raises
    ------
    ModelError
        A rate or a size that is needed was not measured.
    """
    check_engine(summary.n_vertices, configuration)
    of = program(configuration.program)
    if of.both and summary.directed and not summary.symmetrized:
        raise ModelError(
            f"{of.name} takes edges in both directions, and this is a summary of a directed graph's as they are: make "
            f"one with lux autotune GRAPH --program {of.name}"
        )
    if configuration.cpus:
        return _mixed(summary, profile, configuration)
    # PageRank that pushes on GPUs has a frontier as well: the vertices whose ranks still change.
    pushes = configuration.model == "push" and configuration.device == "gpu"
    frontier = summary.frontiers.get(of.rates_of) if of.frontier or pushes else None
    if configuration.model == "auto" and of.frontier:
        if of.strategy:
            raise ModelError(f"auto of {of.name} {of.strategy}: that is not iterations of pull and push")
        if frontier is None:
            raise ModelError(f"auto of {of.name} needs the frontier of a run: pass --measure")
        pull, push = (
            predict(summary, profile, replace(configuration, model=model), share) for model in ("pull", "push")
        )
        return _by_rule(summary, configuration, pull, push, frontier)
    one = steps(summary, profile, configuration, frontier, share)
    return one if frontier is None else _with_total(one, frontier)


def sides(summary: GraphSummary, profile: Profile, configuration: Configuration) -> tuple[Prediction, Prediction]:
    """Return the steps of a mixed iteration on the GPUs, and on the CPU cores, each by its own rates."""
    share, cores, cpus = configuration.cpu_share, profile.cores, configuration.cpus
    gpus = replace(configuration, parts=configuration.per_node, cpus=0, cpu_share=0.0)
    beside = Configuration(configuration.program, configuration.model, "host", 1, cpus, cpus)
    return predict(summary, profile, gpus, 1 - share), predict(summary, cores, beside, share)


def _mixed(summary: GraphSummary, profile: Profile, configuration: Configuration) -> Prediction:
    """Predict GPUs and CPU cores at once: the slower side's steps, and both sides' launches as measured.

    Without measured launches, add up what either side takes alone. CPU cores then write no values, as these lie in
    zero-copy memory: no time of theirs counts for each vertex.
    """
    gpus, cores = sides(summary, profile, configuration)
    of = program(configuration.program)
    if MIXED in profile.starts:
        start = profile.start("zero-copy", configuration.workers, one_task=False, among=MIXED)
        launch, run = start.of_iteration(of), start.of_run(of, summary.n_vertices)
    else:
        start = profile.cores.start("host", configuration.cpus, one_task=False)
        launch, run = gpus.launch + start.iteration, gpus.run + start.run
    slower, faster = sorted((gpus, cores), key=lambda side: side.kernels, reverse=True)
    one = replace(
        slower,
        configuration=configuration,
        launch=launch,
        run=run,
        error=max(gpus.error, cores.error),
        need=memory_need(summary, of, configuration),
        beside=faster.kernels,
        iterations=None,
        total=None,
        each=(),
    )
    if not gpus.each or len(gpus.each) != len(cores.each):
        return one
    return _of_all(one, [max(both) for both in zip(gpus.each, cores.each, strict=True)])


def _with_total(one: Prediction, frontier: Frontier) -> Prediction:
    """Return the prediction with the time of all iterations; only active vertices are gathered and written."""
    crossing = one.load + one.written
    whole = large_vertices(frontier) or 1.0
    each = one.compute + one.update - one.written
    works = [each * (1.0 if v > LARGE else one.quiet) + crossing * v / whole for v in frontier.vertices]
    if one.configuration.model == "push":
        works = _pushes(one, frontier)
    works = [work + one.fixed for work in works]
    transfers = _transfers(one, frontier, works, [one.configuration.sends_early] * len(works))
    return _of_all(one, [work + wire for work, wire in zip(works, transfers, strict=True)])


def _transfers(one: Prediction, frontier: Frontier, works: Sequence[float], early: Sequence[bool]) -> list[float]:
    """Return the transfer time of each iteration, given its other work, and whether values travel during that.

    What a token bucket holds is used up by iterations that send much, and fills up in those that send little.
    """
    if one.configuration.device != "cpu" or one.exchange != "maximum":
        return [one.transfer_of(v) for v in frontier.vertices]
    found, ready = [0.0], one.burst
    for work, beside, changed in zip(works, early, frontier.vertices[1:], strict=False):
        ready += work
        if not beside:
            ready = min(ready, one.burst)
        wire = one.wire(changed)
        found.append(max(wire - ready, 0.0))
        ready = min(max(ready - wire, 0.0), one.burst)
    return found[: len(frontier.vertices)]


def _of_all(one: Prediction, each: Sequence[float]) -> Prediction:
    """Return the prediction with the seconds of each iteration, launches excepted."""
    total = one.run + sum(max(work + one.launch, one.driver) for work in each)
    return replace(one, iterations=len(each), total=total, each=tuple(each))


def _pushes(push: Prediction, frontier: Frontier) -> list[float]:
    """Return the compute and update time of each iteration, by the edges and vertices of its frontier.

    GPUs scan the frontier's bits of every vertex; only vertices that change are written to zero-copy memory.
    """
    whole, large = large_activity(frontier) or 1.0, large_vertices(frontier) or 1.0
    pairs = zip(frontier.vertices, frontier.edges, strict=True)
    if push.configuration.device == "gpu":
        each = push.update - push.written
        return [push.compute * edges / whole + each + push.written * vertices / large for vertices, edges in pairs]
    return [push.compute * edges / whole + push.update * vertices for vertices, edges in pairs]


def _by_rule(
    summary: GraphSummary, configuration: Configuration, pull: Prediction, push: Prediction, frontier: Frontier
) -> Prediction:
    """Predict iterations that pull or push by Lux's rule; steps are means over all of them."""
    compute = update = load = 0.0
    works, early = [], []
    pairs = list(zip(frontier.vertices, frontier.edges, _pushes(push, frontier), strict=True))
    for vertices, edges, pushing in pairs:
        active, leaving = vertices * summary.n_vertices, edges * summary.n_edges
        early.append(by_share(False, active, leaving, summary.n_vertices, summary.n_edges))
        if early[-1]:
            compute, update, load = compute + pull.compute, update + pull.update, load + pull.load
            works.append(pull.kernels - pull.transfer)
        else:
            compute += pushing
            works.append(pushing + pull.fixed)
    n, transfers = len(pairs), _transfers(pull, frontier, works, early)
    error = max(pull.error, push.error)
    mean = replace(pull, configuration=configuration, load=load / n, compute=compute / n, update=update / n)
    return _of_all(replace(mean, error=error, need=push.need), list(map(sum, zip(works, transfers, strict=True))))
