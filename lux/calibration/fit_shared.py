# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of one GPU's rates for all programs at once, with shared rates for shared hardware.

A read that misses the last cache waits for the same memory in every program, so its extra cost is one number for pull,
and one for push. Sharing it identifies the cache's size even from few graphs that exceed it: values of 4 and of 8 bytes
miss it in different shares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from lux.calibration.fit import FINER, FIRST, Sample
from perfmodel.equations import near_share
from perfmodel.errors import ModelError
from perfmodel.locality import Caches, crowd
from perfmodel.profile import Rate
from perfmodel.programs import program

ROUNDS = 20
"""Rounds of the fit; each recomputes the weights."""
OUTLYING = 0.2
"""Errors beyond this, as the logarithm of a ratio, count linearly, no longer by their square."""
COLUMNS = 6
"""Columns of one program: edges, their misses of the first cache, vertices, irregular ones, crowded edges, and one."""


def fit_ratios(rows: Any, times: Any, known: Any = 0.0, most_known: float = 0.95) -> tuple[Any, Any]:
    """Fit rates, none negative, by the logarithms of predicted over measured times.

    ``known`` is the known part of each time, and counts as ``most_known`` of it at most. Half of a time is as wrong as
    twice of it. Least squares of relative errors take the half for less wrong, and so predict too little if something
    is unexplained.

    Examples
    --------
    >>> rates, errors = fit_ratios([[1.0], [1.0], [1.0]], [1.0, 1.0, 4.0])
    >>> f"{rates[0]:.2f} {errors[2]:.2f}"
    '1.11 -1.29'
    """
    from scipy.optimize import nnls

    rows, times = np.array(rows, np.float64), np.array(times, np.float64)
    known = np.minimum(known, most_known * times)
    scale = rows.max(axis=0)
    scale[scale == 0] = 1.0
    rows = rows / scale
    weights = 1 / times
    found, predicted = np.zeros(rows.shape[1]), times
    for _ in range(ROUNDS):
        found, _ = nnls(rows * weights[:, None], (times - known) * weights)
        predicted = np.maximum(rows @ found + known, 1e-3 * times)
        off = np.log(predicted / times)
        # Weighted differences whose sum of squares falls as that of the logarithms does.
        even = np.abs(off) < 1e-6
        slopes = np.where(even, 1.0, off) / np.where(even, times, predicted - times)
        weights = np.sqrt(slopes / predicted * np.minimum(1.0, OUTLYING / np.maximum(np.abs(off), 1e-9)))
    return found / scale, np.log(predicted / times)


def fit_rates(samples: Sequence[Sample]) -> tuple[dict[str, dict[str, Rate]], Caches]:
    """Fit the rates of every program and model on one GPU, and the sizes of its caches.

    Raises
    ------
    ModelError
        Nothing was measured.
    """
    if not samples:
        raise ModelError("nothing was measured: there is nothing to fit")
    models = [m for m in ("pull", "push") if any(s.model == m for s in samples)]
    known = all(s.summary is not None and s.summary.reads is not None for s in samples)
    first: Sequence[float | None] = FIRST["gpu"] if known else (None,)
    tried = [Caches("gpu", last, hot) for last in FINER for hot in first if hot is None or hot < last]

    def misfit(caches: Caches) -> float:
        return sum(float(_cost(_fit(samples, model, caches)[1])) for model in models)

    caches = min(tried, key=misfit)
    rates: dict[str, dict[str, Rate]] = defaultdict(dict)
    for model in models:
        for name, rate in _fit(samples, model, caches)[0].items():
            rates[name][model] = rate
    return dict(rates), caches


def _cost(errors: Any) -> Any:
    """Return the squares of small errors, and the size of others (Huber loss)."""
    size = np.abs(errors)
    return np.where(size < OUTLYING, size**2, OUTLYING * (2 * size - OUTLYING)).sum()


def _fit(samples: Sequence[Sample], model: str, caches: Caches) -> tuple[dict[str, Rate], Any]:
    """Fit the rates of one model by program; also returns the logarithms of all ratios."""
    of = [s for s in samples if s.model == model]
    names = list(dict.fromkeys(s.program for s in of))
    rows = np.zeros((len(of), COLUMNS * len(names) + 1))
    for row, s in zip(rows, of, strict=True):
        at = COLUMNS * names.index(s.program)
        row[at : at + COLUMNS], row[-1] = columns(s, caches)
    found, errors = fit_ratios(rows, [s.kernel for s in of])
    rates, more = {}, float(found[-1])
    for k, name in enumerate(names):
        hot, near_more, vertex, uneven, crowded, fixed = found[COLUMNS * k : COLUMNS * (k + 1)].tolist()
        alone = [s for s in of if s.program == name]
        wrong = [abs(e) for e, s in zip(errors, of, strict=True) if s.program == name]
        rates[name] = Rate(
            edge_hot=None if caches.hot_bytes is None else hot,
            edge_near=hot + near_more,
            edge_far=hot + near_more + more,
            vertex_near=vertex,
            vertex_far=vertex,
            vertex_irregular=uneven,
            crowded=crowded,
            activity=float(np.mean([s.activity for s in alone])),
            active=float(np.mean([s.active for s in alone])),
            fixed=fixed,
            error=float(np.expm1(max(wrong))),
        )
    return rates, errors


def columns(sample: Sample, caches: Caches) -> tuple[list[float], float]:
    """Return the columns of one program's rates, and the edges that miss the last cache."""
    edges, vertices, of = sample.activity * sample.n_edges, float(sample.n_vertices), program(sample.program)
    first, far, crowded = 0.0, 0.0, 0.0
    if caches.hot_bytes is None or sample.summary is None:
        far = 1 - near_share(of.value_bytes, sample.values, caches.cache_bytes)
    else:
        first, far = caches.missed(sample.summary, of, sample.model, sample.workers)
        crowded = sample.activity * crowd(sample.summary, of) * (sample.model == "push")
    return [edges, edges * first, vertices, vertices * sample.irregular, crowded, 1.0], edges * far
