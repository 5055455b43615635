# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Predicted time of betweenness, whose sources processors share out; an iteration is a source."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.memory import HEADROOM, MemoryNeed, check_engine
from perfmodel.prediction import Prediction
from perfmodel.profile import Profile
from perfmodel.summary import GraphSummary

SCORE_BYTES, THREAD_BYTES, GPU_BYTES = 8, 48, 64
"""Bytes of a vertex: of its score, and of what a thread or a GPU needs for a source."""


@dataclass(frozen=True)
class Sources:
    """Sources of a run, and what a short run has shown of one.

    Attributes
    ----------
    number : int
    seconds : float
        Of a source on one processor.
    serial : float
        Share of that which more processors of a node do not speed up.
    """

    number: int
    seconds: float
    serial: float = 0.0


def predict_sources(
    summary: GraphSummary, profile: Profile, configuration: Configuration, sources: Sources
) -> Prediction:
    """Predict one configuration; each node holds the whole graph, and sends the others its scores at the end.

    Raises
    ------
    ModelError
        The engine cannot take it, or the network's rate is not known.
    """
    check_engine(summary.n_vertices, configuration)
    x, y, v = configuration.nodes, configuration.per_node, summary.n_vertices
    each = equations.compute(sources.seconds, 1.0, x, y, sources.serial)
    scores = equations.transfer_whole(profile.network_rate(x), SCORE_BYTES, x * v, x, profile.bisection)
    edges = 2 * (4 if v <= 2**32 else 8) * summary.n_edges
    on_gpus = configuration.device == "gpu"
    return Prediction(
        configuration,
        load=0.0,
        compute=each,
        update=0.0,
        transfer_sum=0.0,
        launch=0.0,
        exchange="maximum",
        run=scores,
        error=0.0,
        need=MemoryNeed(
            HEADROOM * (edges + 24 * v + SCORE_BYTES * v),
            edges + (24 + GPU_BYTES) * v if on_gpus else 0.0,
            own=0.0 if on_gpus else float(THREAD_BYTES * v * y),
        ),
        iterations=sources.number,
        total=scores + sources.number * each,
    )
