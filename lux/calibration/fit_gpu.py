# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of a GPU profile to measured runs: rates of one GPU, then the effects of partitions and placements.

A run on one GPU is one launch (`lux.calibration.fit_shared`). Partitioned runs use different kernels. In two placements
they begin by gathering values; with zero-copy memory they end by writing values there. Launches, and Legion's copies
between GPUs, add to a run. Each effect is fitted by itself, by ratios.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lux.calibration.fit import Sample, enough, fit_line, measured
from lux.calibration.fit_driver import driven
from lux.calibration.fit_shared import fit_rates, fit_ratios
from perfmodel.equations import load_shared, near_share, overflow
from perfmodel.errors import ModelError
from perfmodel.locality import crowd, line_vertices
from perfmodel.memory import bytes_of_edge
from perfmodel.profile import MIXED, OVERFLOW, Machine, Profile, Rate, RunOverheads
from perfmodel.programs import program
from perfmodel.steps import worker_rates

GATHERED = ("peer", "zero-copy")
"""Placements in which kernels gather values."""
LEAST_FACTOR = 0.25
"""Kernels on partitions are not taken to be faster than this."""
LEAST_SHARE = 0.02
"""Minimum share of a run's overheads that its iterations are assumed to have, and likewise the rest of the run."""


def fit(samples: Sequence[Sample], machine: Machine, lux_version: str = "") -> Profile:
    """Fit the profile of the GPUs on which the samples were measured.

    Raises
    ------
    ModelError
        Too little ran on one GPU as a whole.
    """
    whole = [s for s in samples if s.parts == 1 and s.placement == "device"]
    if not whole:
        raise ModelError("nothing ran on one GPU that holds a whole graph: look at what was left out, and why")
    rates, caches = fit_rates(enough(whole))
    parts = [s for s in samples if s.parts == s.workers and s not in whole]
    many = [s for s in samples if s.parts > s.workers and not s.cpu_share]
    mixed = [s for s in samples if s.cpu_share and s.rest_each is not None]
    run, run_vertex = fit_line([(float(s.n_vertices), s.rest) for s in whole])
    loads = {p: _loads(p, [s for s in parts if s.placement == p]) for p in GATHERED}
    starts, device = {}, None
    for placement in sorted({s.placement for s in parts}):
        those = [s for s in parts if s.placement == placement]
        start, copied = (placement == "device" and driven(those)) or overheads_of(those)
        starts[placement] = replace(start, load=loads[placement][0] if placement in loads else 0.0)
        device = copied if placement == "device" else device
    if mixed:
        starts[MIXED] = overheads_of(mixed)[0]
    versions = {"lux": lux_version, "measured": time.strftime("%Y-%m-%d", time.gmtime())}
    found = Profile(
        machine,
        rates,
        caches.cache_bytes,
        run,
        run_vertex,
        min((s.iteration for p, s in starts.items() if p != MIXED), default=0.0),
        starts=starts,
        zero_copy=loads["zero-copy"][1],
        zero_copy_shared=loads["zero-copy"][2],
        peer=loads["peer"][1],
        device=device,
        versions=versions,
        hot_bytes=caches.hot_bytes,
        measured=measured(samples),
    )
    return _with_overflow(replace(found, rates=_with_parts(found, parts)), many)


def _loads(placement: str, samples: Sequence[Sample]) -> tuple[float, float | None, float]:
    """Fit the seconds of an iteration's gathering (fixed, and for each byte), and the share in which GPUs wait.

    Whole lines cross the link to zero-copy memory, and an unordered graph touches nearly all of them. Only programs
    that gather all values in each iteration are used.
    """
    those = [s for s in samples if s.model == "pull" and not program(s.program).frontier and s.load > 0]
    if placement == "peer":
        if not those:
            return 0.0, None, 0.0
        fixed, rate = fit_line([(s.bytes_in, s.load) for s in those])
        return fixed, rate, 0.0
    alone = [(program(s.program).value_bytes * gathered(s)[1], s.load) for s in those if s.parts == 1]
    if not alone:
        return 0.0, None, 1.0
    fixed, rate = fit_line(alone)
    shares = []
    for s in those:
        each = rate * program(s.program).value_bytes
        total, most = (each * values for values in gathered(s))
        if s.parts > 1 and total > most > 0:
            shares.append((s.load - fixed - most) / (total - most))
    return fixed, rate, float(np.clip(np.median(shares), 0, 1)) if shares else 1.0


def _with_overflow(profile: Profile, samples: Sequence[Sample]) -> Profile:
    """Return the profile with overflow's rates: seconds per byte of such edges, and fixed seconds of many partitions.

    They are fitted to the time besides the known costs of these runs' edges and vertices.

    >>> machine, rate = Machine("gpu", "", 1, 1, 0, 0), Rate(1e-10, 1e-10, 0.0, 0.0)
    >>> made = Profile(machine, {"pagerank": {"pull": rate}}, 1e9, 0.0, 0.0, 0.0, zero_copy_shared=1.0)
    >>> one = Sample("g", "pagerank", "pull", 10**6, 10**6, 1, 1, 0, 1, 3e-4, 0, 20, 8, placement="device")
    >>> found = _with_overflow(made, [one, replace(one, kernel=3.5e-4, overflow=0.5)])  # 2 MB in 50 microseconds
    >>> f"{found.overflow:.3g} {found.rate('pagerank', 'pull').parted[OVERFLOW][0]:.3g}"
    '2.5e-11 2.5e-05'
    """
    if len(samples) < 2:
        return profile
    name, model = samples[0].program, samples[0].model
    rate = profile.rate(name, model)
    factor = max((factor for _, factor in rate.parted.values()), default=1.0)
    rows = []
    for s in samples:
        size = bytes_of_edge(s.n_vertices, program(s.program))
        read = overflow(1.0, size, s.n_edges, 1, s.workers, s.overflow, profile.zero_copy_shared)
        rows.append([s.parts / s.workers, read])
    known = [factor * variable(profile, s) / s.workers for s in samples]
    (fixed, each), _ = fit_ratios(rows, [s.kernel for s in samples], known)
    parted = {**rate.parted, OVERFLOW: (float(fixed), factor)}
    rates = {**profile.rates, name: {**profile.rates[name], model: replace(rate, parted=parted)}}
    starts = dict(profile.starts)
    if all(s.rest_each is not None for s in samples):
        starts[OVERFLOW] = overheads_of(samples)[0]
    return replace(profile, rates=rates, starts=starts, overflow=float(each) or None)


def overheads_of(samples: Sequence[Sample]) -> tuple[RunOverheads, float | None]:
    """Fit the overheads of runs in one placement, and seconds for each byte that Legion copies.

    Runs that noted when iterations were done tell iterations and set-up apart; of others only the sum is known.

    >>> one = Sample("g", "pagerank", "pull", 10**6, 10**7, 2, 1, 0, 1, 1, 0, 0, 2, 8e6, "device")
    >>> made = [replace(one, n_vertices=v, iterations=i, bytes_in=8 * v, rest=2e-3 + i * (1e-4 + 8e-11 * v))
    ...         for v in (10**5, 10**6, 10**7) for i in (5, 20)]
    >>> start, copied = overheads_of(made)
    >>> f"{start.run:.3g} {start.iteration:.3g} {copied:.3g}"
    '0.002 0.0001 1e-11'
    >>> noted = [[(k, k * (1e-4 + 8e-11 * s.n_vertices)) for k in range(1, 21)] for s in made[1::2]]
    >>> start, copied = overheads_of([replace(s, noted=tuple(each)) for s, each in zip(made[1::2], noted)])
    >>> f"{start.run:.3g} {start.iteration:.3g} {copied:.3g}"
    '0.002 0.0001 1e-11'
    """
    copies = samples[0].placement == "device" and any(s.bytes_in for s in samples)
    grows = len({s.workers for s in samples}) > 1  # else a term per processor cannot be fitted
    rows, rests = [], []
    for s in samples:
        others, each, frontier = (s.workers - 1) * grows, s.rest_each, program(s.program).frontier
        run = np.array([1.0, 1e-6 * s.n_vertices, others, s.ended])  # columns of like size
        iteration = np.array([1.0, 1e-6 * s.bytes_in * copies, others, frontier])
        if each is None:
            rows.append([*run, *(s.iterations * iteration)])
            rests.append(s.rest)
        else:
            rows += [[*run, *np.zeros(4)], [*np.zeros(4), *iteration]]
            least = LEAST_SHARE * s.rest
            rests += [max(s.rest - s.iterations * each, least), max(each, least / s.iterations)]
    found, _ = fit_ratios(rows, [max(rest, 1e-6) for rest in rests])
    run, vertex, run_each, end, iteration, copied, iteration_each, frontier = found.tolist()
    more = {"run_each": run_each, "iteration_each": iteration_each}
    start = RunOverheads(run, 1e-6 * vertex, iteration, frontier=frontier, end=end, **more)
    return start, 1e-6 * copied if copies else None


def _with_parts(profile: Profile, samples: Sequence[Sample]) -> dict[str, dict[str, Rate]]:
    """Return the rates with the fixed seconds and factors of kernels on partitions in each placement.

    All placements run the same kernels, so they share a factor; each has fixed seconds of an iteration, and a rate
    of writes to zero-copy memory.
    """
    found: dict[str, dict[str, Rate]] = {p: dict(models) for p, models in profile.rates.items()}
    for name, model in dict.fromkeys((s.program, s.model) for s in samples):
        if model in found.get(name, {}):
            of = [s for s in samples if (s.program, s.model) == (name, model)]
            found[name][model] = _parted(profile, found[name][model], of)
    return found


def _parted(profile: Profile, rate: Rate, samples: Sequence[Sample]) -> Rate:
    """Fit the partitioned kernels of one program and model."""
    places, frontier = sorted({s.placement for s in samples}), program(samples[0].program).frontier
    rows = np.zeros((len(samples), 4 + len(places)))
    for row, s in zip(rows, samples, strict=True):
        vertices = (s.active if frontier else 1.0) * s.n_vertices / s.workers * (s.placement == "zero-copy")
        row[:3] = variable(profile, s) / s.workers, vertices, vertices * s.irregular
        row[3] = crowding(s) if rate.crowded else 0.0
        row[4 + places.index(s.placement)] = 1.0
    known = [loaded(profile, s) for s in samples]
    (factor, vertex, irregular, crowded, *fixed), errors = fit_ratios(rows, [s.kernel for s in samples], known)
    parted = {place: (float(f), max(float(factor), LEAST_FACTOR)) for place, f in zip(places, fixed, strict=True)}
    error = max(rate.error, float(np.expm1(np.median(np.abs(errors)))))
    written, crowded = (float(vertex), float(irregular)), float(crowded) if rate.crowded else None
    return replace(rate, parted=parted, written=written, crowded_parts=crowded, error=error)


def crowding(sample: Sample) -> float:
    """Return the edges from active vertices into the most-referenced line."""
    if sample.summary is None:
        return 0.0
    return sample.activity * crowd(sample.summary, program(sample.program))


def variable(profile: Profile, sample: Sample) -> float:
    """Return the seconds of one GPU for the edges and vertices of an iteration."""
    rate, of = profile.rate(sample.program, sample.model), program(sample.program)
    if profile.hot_bytes is not None and sample.summary is not None:
        edge, vertex = worker_rates(sample.summary, profile.caches, rate, of, sample.model, sample.workers)
    else:
        far = 1 - near_share(of.value_bytes, sample.values, profile.cache_bytes)
        edge, vertex = rate.edge(1.0, far), rate.vertex(far, sample.irregular)
    return sample.activity * sample.n_edges * edge + sample.n_vertices * vertex


def loaded(profile: Profile, sample: Sample) -> float:
    """Return the gathering part of an iteration's kernel: as measured, or in proportion to the active share.

    Pushing gathers as well, and its rates include that time.
    """
    if sample.model == "push" or sample.placement not in GATHERED or not program(sample.program).crosses:
        return 0.0
    if not program(sample.program).frontier:
        return sample.load
    fixed, size = profile.starts[sample.placement].load, program(sample.program).value_bytes
    if sample.placement == "peer":
        return fixed + sample.active * (profile.peer or 0.0) * sample.bytes_in
    rate, shared = sample.active * (profile.zero_copy or 0.0), profile.zero_copy_shared
    return fixed + load_shared(rate, size, *gathered(sample), 1, shared)


def gathered(sample: Sample) -> tuple[float, float]:
    """Return the vertices that cross the link to zero-copy memory, in whole lines: in all, and for one GPU."""
    if sample.summary is None:
        return sample.ins_total, sample.ins_most
    return sample.summary.loaded(sample.workers, line_vertices("gpu", program(sample.program).value_bytes))
