# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of internode rates, added to a profile of one node: launches, the rate between nodes, and slower kernels.

In each placement, the time besides kernels is fitted by ratios of whole iterations, with each form of the transfer that
the placement may have; the best form is kept. Kernels have one node's rates, times a factor if they are slower: each
node scans a whole frontier, and its cores may poll the network.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.calibration.fit import Sample, fit_line, measured
from lux.calibration.fit_factors import FactorSample, work
from lux.calibration.fit_gpu import LEAST_FACTOR, LEAST_SHARE
from lux.calibration.fit_shared import fit_ratios
from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.factors import exchanged
from perfmodel.internode import InternodeRates, Link
from perfmodel.predict_factors import place_of
from perfmodel.predict_program import predict
from perfmodel.profile import Profile
from perfmodel.programs import program
from perfmodel.summary import Frontier, GraphSummary

FORMS = {"host": ("maximum",), "device": ("maximum", "whole"), "zero-copy": ("maximum", "whole")}
"""Forms of the transfer that each placement may have; of two that fit equally, the first is taken."""
LEAST = 1e-4
"""Minimum seconds of an iteration's kernels for a fit of rates."""
REMEDY = (
    "python -m lux.calibration --base PROFILE, started by legate with several processes"
    " (docs/explanation/performance-model.md)"
)


def added(
    base: Profile, samples: Sequence[Sample], factors: Sequence[FactorSample] = (), link: Link | None = None
) -> Profile:
    """Add rates measured on several nodes to a profile of one node.

    Parameters
    ----------
    link : Link, optional
        What the network carries. Without it, as on GPUs, its rate is the least that a placement needs for a byte, 0
        where the exchange of small graphs is lost in their launches.

    Raises
    ------
    ModelError
        Nothing was measured, or ``base`` lacks rates that the fit needs.
    """
    if not samples and not factors and link is None:
        raise ModelError(f"nothing ran on several nodes: {REMEDY}")
    groups: dict[str, list[Sample]] = defaultdict(list)
    for s in samples:
        groups[s.placement].append(s)
    found = {where: _between(base, of, link) for where, of in groups.items()}
    kernels: dict[str, list[FactorSample]] = defaultdict(list)
    for f in factors:
        kernels[place_of(layout_of(f), f.factors)].append(f)
    found |= {where: _between_factors(base, kernel, link) for where, kernel in kernels.items()}
    if link is None:
        link = Link(min(rates.byte for rates in found.values()), 0.0)
        found = {where: replace(rates, byte=rates.byte - link.byte) for where, rates in found.items()}
    between, counts = {**base.between, **found}, {**base.measured, **measured(samples)}
    return replace(base, between=between, measured=counts, network=link.byte, latency=link.latency, burst=link.burst)


def layout_of(sample: Sample | FactorSample) -> Configuration:
    """Return the configuration that was measured."""
    each = sample.workers // sample.nodes
    if isinstance(sample, FactorSample):
        placement = "host" if sample.device == "cpu" else "device"
        return Configuration("factorize", "auto", placement, sample.nodes, each, sample.parts)
    return Configuration(sample.program, sample.model, sample.placement, sample.nodes, each, sample.parts)


def summary_of(sample: Sample) -> GraphSummary:
    """Return the graph's summary with the frontier of the run; raises `ModelError` without one."""
    if sample.summary is None:
        raise ModelError(f"the samples lack the summary of {sample.graph}: measure again")
    known = {program(sample.program).rates_of: Frontier((sample.active,), (sample.activity,))}
    return replace(sample.summary, frontiers=known)


def crossing(sample: Sample, form: str) -> float:
    """Return the bytes that a node receives in an iteration.

    >>> one = Sample("g", "pagerank", "pull", 1000, 1, 2, 1, 0, 1, 1, 0, 20, 2, bytes_in=2000.0, nodes=2)
    >>> crossing(one, "whole"), crossing(one, "maximum")
    (4000.0, 2000.0)
    """
    if form == "maximum":
        return sample.bytes_in
    return program(sample.program).value_bytes * sample.n_vertices * (sample.nodes - 1) / sample.nodes


def read_bytes(sample: Sample) -> float:
    """Return the bytes of all values that a node reads of others."""
    of = program(sample.program)
    if sample.summary is None or (of.frontier and not of.crosses):
        return 0.0
    return of.value_bytes * float(sample.summary.of(sample.nodes).uds_most)


def _between(base: Profile, samples: Sequence[Sample], link: Link | None) -> InternodeRates:
    """Fit the internode rates of one placement."""
    forms = FORMS[samples[0].placement]
    tried = {form: _rests(samples, form, link) for form in forms}
    best = min(forms, key=lambda form: round(tried[form][1], 3))
    load, load_byte = _loads(samples) if samples[0].placement == "device" else (0.0, 0.0)
    slower, read = _slower(base, samples)
    return replace(tried[best][0], load=load, load_byte=load_byte, slower=slower, read=read)


def _loads(samples: Sequence[Sample]) -> tuple[float, float]:
    """Fit the seconds of gathering received values, fixed and for each byte, by programs that gather all values."""
    those = [s for s in samples if s.model == "pull" and not program(s.program).frontier and s.load > 0]
    return fit_line([(program(s.program).value_bytes * s.ins_most, s.load) for s in those]) if those else (0.0, 0.0)


def _rests(samples: Sequence[Sample], form: str, link: Link | None) -> tuple[InternodeRates, float]:
    """Fit the time in no kernel, if so many bytes cross; also returns the mean error, as the logarithm of a ratio."""
    grows = len({s.workers // s.nodes for s in samples}) > 1  # else a term per processor cannot be fitted
    names = sorted({_name(s) for s in samples})
    rows, rests, known = [], [], []
    for s in samples:  # columns of like size
        n, others, each = s.iterations, (s.workers // s.nodes - 1) * grows, s.rest_each
        first = 1e-6 * read_bytes(s) if s.placement == "host" else 0.0
        once = np.array([1.0, *(1e-6 * s.n_vertices * (name == _name(s)) for name in names), first])
        turn = np.array([1.0, others, program(s.program).frontier, 1e-6 * crossing(s, form)])
        wire = 0.0
        if link is not None:
            of_link, early = link.byte * crossing(s, form), layout_of(s).sends_early
            wire = link.latency + equations.after_pause(of_link, s.kernel, link.burst, early=early)
        if each is None:
            rows.append([*once, *(n * turn)])
            rests.append(s.rest + n * s.kernel)
            known.append(n * (wire + s.kernel))
            continue
        rows.append([*once, *np.zeros_like(turn)])
        rests.append(max(s.rest - n * each, LEAST_SHARE * s.rest))
        known.append(0.0)
        # Of frontiers only the mean is known, but a token bucket counts each iteration's bytes.
        if link is None or not program(s.program).frontier or wire < 2 * link.latency:
            rows.append([*np.zeros_like(once), *turn])
            rests.append(max(each, LEAST_SHARE * s.rest / n) + s.kernel)
            known.append(wire + s.kernel)
    found, errors = fit_ratios(rows, [max(rest, 1e-6) for rest in rests], known, most_known=np.inf)
    run, *vertex, first, iteration, more, frontier, byte = found.tolist()
    of_vertex = {name: 1e-6 * seconds for name, seconds in zip(names, vertex, strict=True)}
    rates = InternodeRates(run, of_vertex, 1e-6 * first, iteration, more, frontier, 1e-6 * byte, form)
    return rates, float(np.abs(errors).mean())


def _name(sample: Sample) -> str:
    return f"{program(sample.program).rates_of} {sample.model}"


def _slower(base: Profile, samples: Sequence[Sample]) -> tuple[dict[str, float], dict[str, float]]:
    """Fit each program's and model's factor on the kernel times of equations 12 and 14.

    On CPU cores a kernel also takes time for each vertex that it reads of other nodes, which is returned, too: it goes
    through the vertices that its edges leave, of which each node has nearly all where edges are random.
    """
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for s in samples:
        if s.kernel > LEAST:
            try:
                one = predict(summary_of(s), _of_one(base), layout_of(s))
            except ModelError:
                continue  # not calibrated on one node
            gathered = one.load if program(s.program).frontier and s.placement == "zero-copy" else s.load
            seconds = s.kernel - one.fixed - (gathered if s.model == "pull" else 0.0)
            changed = s.active if program(s.program).frontier or s.model == "push" else 1.0
            read = changed * summary_of(s).of(s.nodes).uds_most if s.placement == "host" else 0.0
            found[_name(s)].append((seconds, one.compute + one.update, 1e-6 * read))
    slower, reads = dict[str, float](), dict[str, float]()
    for name, rows in found.items():
        slower[name] = _median([seconds / alone for seconds, alone, _ in rows])
        if sum(read > 0 for *_, read in rows) > 1 and len(rows) > 2:
            (factor, read), _ = fit_ratios([row[1:] for row in rows], [row[0] for row in rows])
            slower[name], reads[name] = max(float(factor), LEAST_FACTOR), 1e-6 * float(read)
    return slower, reads


def _median(ratios: Sequence[float]) -> float:
    return max(float(np.median(ratios)), LEAST_FACTOR)


def _of_one(base: Profile) -> Profile:
    """Return a profile whose nodes exchange nothing."""
    return replace(base, network=0.0, between={})


def received(sample: FactorSample) -> float:
    """Return the bytes that a node receives in an iteration: factors that it reads; on GPUs all, after each sweep."""
    if sample.device == "cpu":
        return sample.factors.row_bytes * sample.uds
    return exchanged(sample.factors.row_bytes, sample.n_vertices, sample.nodes, sample.factors.sweeps)


def _between_factors(base: Profile, samples: Sequence[FactorSample], link: Link | None) -> InternodeRates:
    """Fit the internode rates of one kernel of `lux.factorize`."""
    rate = base.factor_rate(samples[0].factors)
    besides = rate.parted or rate.alone
    rows: NDArray[Any] = np.zeros((len(samples), 2))
    for row, s in zip(rows, samples, strict=True):
        row[:] = s.iterations, 1e-6 * s.iterations * received(s)
    runs = np.array([besides.run + besides.run_edge * s.n_edges for s in samples])
    most_known = 0.95 if link is None else np.inf
    if link is not None:
        latencies = [link.latency * s.factors.exchanges(s.device) for s in samples]
        runs += [s.iterations * (wait + link.byte * received(s)) for s, wait in zip(samples, latencies, strict=True)]
    (iteration, byte), _ = fit_ratios(rows, [max(s.rest, 1e-6) for s in samples], runs, most_known)
    ratios = []
    for s in samples:
        each, fixed = s.workers // s.nodes, rate.fixed if s.workers == s.nodes else rate.fixed_parts
        alone = equations.compute(work(rate, s), 1, s.nodes, each, rate.serial)
        ratios += [(s.kernel - fixed) / alone] if s.kernel > LEAST else []
    known = {f"factorize {samples[0].factors.method}": _median(ratios)} if ratios else {}
    return InternodeRates(iteration=float(iteration), byte=1e-6 * float(byte), slower=known)
