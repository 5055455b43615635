# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of rates to measured factorizations, as in `lux.calibration.fit`: least squares of relative errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lux.calibration.fit import CACHES, FINER
from perfmodel.equations import near_share
from perfmodel.errors import ModelError
from perfmodel.factors import (
    FIRST,
    IN_WARPS,
    ExtraTimes,
    FactorRate,
    Factors,
    edge_terms,
    exchanged,
    seconds,
    vertex_terms,
)
from perfmodel.predict_factors import edge_seconds


@dataclass(frozen=True)
class FactorSample:
    """Factorization sample: one method on one graph.

    Attributes
    ----------
    graph : str
    factors : Factors
    n_vertices, n_edges : int
        An edge for each end of a rating.
    workers, parts : int
        ``parts`` is 1 where one task has all vertices.
    values : float
        `GraphSummary.gathered`.
    kernel : float
        Seconds of an iteration in the slowest worker's kernels.
    rest : float
        Seconds of the whole run that were in no kernel.
    iterations : int
        Iterations of the run, uncounted ones included (`perfmodel.factors.FIRST`).
    device : {"cpu", "gpu"}
    nodes : int
        Processes, on all of which ``workers`` are.
    uds : float
        The most vertices that one of them reads of others.
    """

    graph: str
    factors: Factors
    n_vertices: int
    n_edges: int
    workers: int
    parts: int
    values: float
    kernel: float
    rest: float
    iterations: int
    device: str = "cpu"
    nodes: int = 1
    uds: float = 0.0

    @property
    def counted(self) -> int:
        """Number of iterations that a result counts."""
        return self.iterations - FIRST[self.factors.method]


def fit_factors(samples: Iterable[FactorSample]) -> dict[str, FactorRate]:
    """Fit the rate of each measured kernel; of the whole method, if one of its kernels has too few runs.

    Raises
    ------
    ModelError
        A method ran on one worker with fewer than two graphs or two K.
    """
    kernels: dict[str, list[FactorSample]] = defaultdict(list)
    for sample in samples:
        kernels[sample.factors.kernel(sample.device)].append(sample)
    if IN_WARPS in kernels and min(min(_seen(kernels[kernel])) for kernel in (IN_WARPS, "als")) < 2:
        kernels["als"] += kernels.pop(IN_WARPS)
    return {kernel: _fit(kernel, of) for kernel, of in kernels.items()}


def _seen(samples: Sequence[FactorSample]) -> tuple[int, int]:
    """Return the graphs and values of K that one worker ran."""
    alone = [s for s in samples if s.workers == 1]
    return len({s.graph for s in alone}), len({s.factors.k for s in alone})


def _fit(method: str, samples: Sequence[FactorSample]) -> FactorRate:
    alone = [s for s in samples if s.workers == 1]
    graphs, ks = _seen(samples)
    if min(graphs, ks) < 2:
        raise ModelError(
            f"one worker ran factorize ({method}) on {graphs} graphs and with {ks} values of K, which are too few: "
            "calibrate on two or more of each"
        )
    times = np.array([s.kernel for s in alone])

    def fitted(cache: float) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        from scipy.optimize import nnls

        rows = np.array([_row(s, cache) for s in alone]) / times[:, None]
        scale = rows.max(axis=0)
        scale[scale == 0] = 1.0
        found, _ = nnls(rows / scale, np.ones(len(alone)))
        errors = rows / scale @ found - 1
        return float((errors**2).sum()), found / scale, errors

    caches = FINER if samples[0].device == "gpu" else CACHES
    cache = min(caches, key=lambda size: fitted(size)[0])
    _, found, errors = fitted(cache)
    edges, vertices = (len(terms(alone[0].factors, "cpu")) for terms in (edge_terms, vertex_terms))
    one = FactorRate(
        edge=tuple(found[:edges].tolist()),
        edge_far=float(found[edges]),
        vertex=tuple(found[edges + 1 : edges + 1 + vertices].tolist()),
        cache_bytes=cache,
        fixed=float(found[edges + 1 + vertices :].sum()),
        alone=_besides([s for s in samples if s.parts == 1]),
        error=float(np.abs(errors).max()),
    )
    several = [s for s in samples if s.parts > 1]
    serial, fixed, exchange = _several(one, [s for s in samples if s.workers > 1])
    parted = _besides(several) if several else None
    return replace(one, serial=serial, fixed_parts=fixed, exchange=exchange, parted=parted)


def _row(s: FactorSample, cache: float) -> list[float]:
    # The products of one factor leave time to fetch the next ones.
    far = 0.0 if s.factors.method == "als" else 1 - near_share(s.factors.row_bytes, s.values, cache)
    row = [s.n_edges * term for term in edge_terms(s.factors, s.device)]
    row += [s.n_edges * s.factors.k * far, *(s.n_vertices * term for term in vertex_terms(s.factors, s.device))]
    return [*row, 1.0] if s.device == "gpu" else row  # barriers of a GPU


def work(rate: FactorRate, s: FactorSample) -> float:
    """Return the seconds of one worker for the edges and vertices of an iteration."""
    vertex = seconds(rate.vertex, vertex_terms(s.factors, s.device))
    return edge_seconds(rate, s.factors, s.values, s.device) * s.n_edges + vertex * s.n_vertices


def _several(rate: FactorRate, samples: Sequence[FactorSample]) -> tuple[float, float, float | None]:
    """Fit the serial share; on GPUs also an iteration's fixed seconds, and the seconds of a byte."""
    if not samples:
        return 0.0, 0.0, None
    works = np.array([work(rate, s) for s in samples])
    workers = np.array([s.workers for s in samples], np.float64)
    kernels = np.array([s.kernel for s in samples])
    if samples[0].device == "cpu":
        return float(np.clip(np.median((kernels / works - 1 / workers) / (1 - 1 / workers)), 0, 1)), 0.0, None
    from scipy.optimize import nnls

    got = [exchanged(s.factors.row_bytes, s.n_vertices, s.workers) for s in samples]
    rows = np.column_stack([works * (1 - 1 / workers), np.ones(len(samples)), got])
    scale = rows.max(axis=0)
    more = np.maximum(kernels - works / workers, 0.0)
    (serial, fixed, byte), _ = nnls(rows / scale / kernels[:, None], more / kernels)
    return min(float(serial / scale[0]), 1.0), float(fixed), float(byte / scale[2])


def _besides(samples: Sequence[FactorSample]) -> ExtraTimes:
    """Fit the time besides kernels: on CPU cores in each iteration, on GPUs (one launch for many) in each run.

    >>> made = [FactorSample("g", Factors(8), v, 10**6, 1, 1, 1, 1, 4e-3 + 4e-10 * 32 * v, 4) for v in (10**4, 10**6)]
    >>> found = _besides(made)
    >>> f"{found.iteration:.3g} {found.iteration_byte:.3g}"
    '0.001 1e-10'
    """
    from scipy.optimize import nnls

    if not samples:
        return ExtraTimes()
    on_gpus = samples[0].device == "gpu"
    rests = np.array([max(s.rest, 1e-6) for s in samples])
    rows = np.array(
        [
            (1.0, s.n_edges) if on_gpus else (s.iterations, s.iterations * s.factors.row_bytes * float(s.n_vertices))
            for s in samples
        ]
    )
    scale = rows.max(axis=0)
    found, _ = nnls(rows / scale / rests[:, None], np.ones(len(rests)))
    each, more = (found / scale).tolist()
    return ExtraTimes(run=each, run_edge=more) if on_gpus else ExtraTimes(iteration=each, iteration_byte=more)
