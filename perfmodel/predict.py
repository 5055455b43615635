# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The time of an iteration, step by step, and of a run: Table 1 of the paper with this package's additions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.memory import Need, need
from perfmodel.profile import Profile, Rate
from perfmodel.programs import Program, program
from perfmodel.reads import Caches, crowd, line_vertices
from perfmodel.summary import Frontier, GraphSummary

PULL_ABOVE = 20
"""Lux pulls when the frontier and its edges exceed 1/20 of all edges; `lux.kernels.frontier` has the same."""
LARGE = 0.05
"""Share of the vertices above which the paper counts an iteration of a frontier (section 6.2)."""


@dataclass(frozen=True)
class Prediction:
    """One configuration's times in seconds, and bytes.

    Attributes
    ----------
    load, compute, update : float
        Steps of an iteration; of a program with a frontier, of its mean iteration with over 5 % of the vertices.
    transfer_sum, transfer_maximum : float
        The inter-node transfer in both forms.
    launch : float
        What each iteration's launches add.
    fixed : float
        What each iteration's kernels take besides edges and vertices.
    written : float
        Of ``update``, what is written to zero-copy memory.
    exchange : {"sum", "maximum"}
        The form that counts.
    run : float
        What a whole run adds once.
    error : float
        Relative error on the graphs of the calibration, and of estimated sizes.
    need : Need
    iterations : int or None
        Known from a run on this graph.
    total : float or None
        Of all its iterations.
    """

    configuration: Configuration
    load: float
    compute: float
    update: float
    transfer_sum: float
    transfer_maximum: float
    launch: float
    exchange: str
    run: float
    error: float
    need: Need
    iterations: int | None = None
    total: float | None = None
    fixed: float = 0.0
    written: float = 0.0

    @property
    def transfer(self) -> float:
        """The transfer time in the form that counts."""
        return self.transfer_sum if self.exchange == "sum" else self.transfer_maximum

    @property
    def iteration(self) -> float:
        """Seconds of one iteration."""
        return self.load + self.compute + self.update + self.fixed + self.transfer + self.launch

    def with_run(self, more: float) -> Prediction:
        """The same where a whole run takes so much more."""
        return replace(self, run=self.run + more)

    @property
    def range(self) -> tuple[float, float]:
        """Least and most seconds of one iteration, by the calibration's errors and by both forms of the transfer."""
        rest = self.iteration - self.transfer
        low, high = sorted((self.transfer_sum, self.transfer_maximum))
        shorter, longer = (rest + low) / (1 + self.error), (rest + high) * (1 + self.error)
        return min(shorter, self.iteration), max(longer, self.iteration)  # roundings


def predict(summary: GraphSummary, profile: Profile, configuration: Configuration) -> Prediction:
    """Predict one configuration.

    Raises
    ------
    ModelError
        A rate or a size that is needed was not measured.
    """
    of = program(configuration.program)
    if of.both and summary.directed and not summary.symmetrized:
        raise ModelError(
            f"{of.name} takes edges in both directions, and this is a summary of a directed graph's as they are: make "
            f"one with lux autotune GRAPH --program {of.name}"
        )
    # PageRank that pushes on GPUs has one as well: the vertices whose ranks still change.
    pushes = configuration.model == "push" and configuration.device == "gpu"
    frontier = summary.frontiers.get(of.rates_of) if of.frontier or pushes else None
    if configuration.model == "auto" and of.frontier:
        if of.strategy:
            raise ModelError(f"auto of {of.name} {of.strategy}: that is not iterations of pull and push")
        if frontier is None:
            raise ModelError(f"auto of {of.name} needs the frontier of a run: pass --measure")
        pull, push = (predict(summary, profile, replace(configuration, model=model)) for model in ("pull", "push"))
        return _by_rule(summary, configuration, pull, push, frontier)
    model = "pull" if configuration.model == "auto" else configuration.model
    rate, x, y = profile.rate(of.rates_of, model), configuration.nodes, configuration.per_node
    edge, vertex = worker_rates(summary, profile.caches, rate, of, model, configuration.workers)
    activity = 1.0
    if model == "push":
        activity = rate.activity if frontier is None else large_activity(frontier)
    sets = summary.of(x)
    link = network_rate(profile, x)
    placement, one_task = configuration.placement, configuration.one_task
    fixed, factor = rate.kernels(placement, one_task=one_task)
    start = profile.start(placement, configuration.workers, one_task=one_task)
    active = rate.active if frontier is None else large_vertices(frontier)
    load = _load(summary, profile, configuration, of, active if configuration.device == "gpu" else rate.active)
    written = 0.0 if one_task or placement != "zero-copy" else written_seconds(rate, of, summary, active) / (x * y)
    # The line that most edges enter is of one worker, whatever their number.
    crowded = rate.crowded * activity * crowd(summary, of) if rate.crowded else 0.0
    hidden = model == "push"  # Table 1; but launches wait for what Legion copies before them
    waited = load if hidden and placement in profile.starts else 0.0
    one = Prediction(
        configuration,
        load=0.0 if hidden else load,
        compute=factor * equations.compute(edge, activity * summary.n_edges, x, y, rate.serial) + crowded,
        update=factor * equations.update(vertex, summary.n_vertices, x, y, rate.serial) + written,
        transfer_sum=equations.transfer_sum(link, of.value_bytes, sets.uds_total),
        transfer_maximum=equations.transfer_maximum(
            link, of.value_bytes, sets.uds_most, sets.uds_total, profile.bisection
        ),
        launch=start.iteration + start.frontier * of.frontier + waited,
        exchange=profile.exchange,
        run=start.run + start.vertex * summary.n_vertices,
        error=_error(summary, configuration, rate.error),
        need=need(summary, of, configuration),
        fixed=fixed,
        written=written,
    )
    return one if frontier is None else _with_total(one, frontier)


def worker_rates(
    summary: GraphSummary, caches: Caches, rate: Rate, of: Program, model: str, workers: int
) -> tuple[float, float]:
    """Seconds of one worker for an edge, and for a vertex."""
    first, far = caches.missed(summary, of, model, workers)
    return rate.edge(first, far), rate.vertex(far, summary.irregular)


def written_seconds(rate: Rate, of: Program, summary: GraphSummary, active: float) -> float:
    """Seconds in which all vertices are written to zero-copy memory; of programs with a frontier, those that change."""
    vertex, irregular = rate.written
    share = active if of.frontier else 1.0
    return share * summary.n_vertices * (vertex + irregular * summary.irregular)


def large_vertices(frontier: Frontier) -> float:
    """Mean share of the vertices in those iterations.

    >>> large_vertices(Frontier((1.0, 0.5, 0.01), (1.0, 0.8, 0.01)))
    0.75
    """
    large = [v for v in frontier.vertices if v > LARGE]
    return sum(large) / len(large) if large else 0.0


def large_activity(frontier: Frontier) -> float:
    """Mean share of the edges over iterations in which the frontier has over 5 % of the vertices.

    >>> large_activity(Frontier((1.0, 0.5, 0.01), (1.0, 0.8, 0.01)))
    0.9
    """
    large = [e for v, e in zip(frontier.vertices, frontier.edges, strict=True) if v > LARGE]
    return sum(large) / len(large) if large else 0.0


def _with_total(one: Prediction, frontier: Frontier) -> Prediction:
    """The same with the time of all iterations: what is gathered and written is of active vertices."""
    crossing = one.load + one.written
    whole = large_vertices(frontier) or 1.0
    each = [one.compute + one.update - one.written + crossing * v / whole for v in frontier.vertices]
    if one.configuration.model == "push":
        each = _pushes(one, frontier)
    fixed = one.transfer + one.launch + one.fixed
    return replace(one, iterations=len(each), total=one.run + len(each) * fixed + sum(each))


def _pushes(push: Prediction, frontier: Frontier) -> list[float]:
    """Compute and update time of each iteration: by the edges and vertices of its frontier.

    GPUs look at every vertex, as frontiers are bits; what they write to zero-copy memory are those that change.
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
    """Iterations that pull or push by Lux's rule; the steps are means over all of them."""
    compute = update = load = 0.0
    pairs = list(zip(frontier.vertices, frontier.edges, _pushes(push, frontier), strict=True))
    for vertices, edges, pushing in pairs:
        if vertices * summary.n_vertices + edges * summary.n_edges > summary.n_edges / PULL_ABOVE:
            compute, update, load = compute + pull.compute, update + pull.update, load + pull.load
        else:
            compute += pushing
    n = len(pairs)
    error = max(pull.error, push.error)
    mean = replace(pull, configuration=configuration, load=load / n, compute=compute / n, update=update / n)
    return replace(mean, error=error, need=push.need, iterations=n, total=mean.run + n * mean.iteration)


def network_rate(profile: Profile, nodes: int) -> float:
    """Seconds for each byte that a node receives; raises `ModelError` where nobody knows."""
    if nodes == 1:
        return 0.0
    if profile.network is None:
        raise ModelError(
            "the profile has no rate between nodes: pass --rate network=GB/S (what a node's link carries), or "
            "calibrate on several nodes"
        )
    return profile.network


def _load(summary: GraphSummary, profile: Profile, configuration: Configuration, of: Program, active: float) -> float:
    """Nothing on CPU cores, which read one shared instance.

    What Legion copies (``device``) are all values. What kernels gather are those of active vertices, and in the push
    model that is a part of their rate per edge.
    """
    x, y, placement = configuration.nodes, configuration.per_node, configuration.placement
    if placement == "host" or configuration.one_task:
        return 0.0
    if placement == "device":
        if y == 1:
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
    fixed = profile.start(placement, y, one_task=False).load
    if placement == "peer":
        return fixed + equations.load_peer(active * rate, of.value_bytes, summary.of(configuration.workers).uds_most)
    total, most = summary.loaded(configuration.workers, line_vertices("gpu", of.value_bytes))
    return fixed + equations.load_shared(active * rate, of.value_bytes, total, most, x, profile.zero_copy_shared)


def _error(summary: GraphSummary, configuration: Configuration, error: float) -> float:
    counted = summary.counted(configuration.workers) and summary.counted(configuration.nodes)
    return error if counted else error + summary.estimate_error()
