# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rates of a user's program for the performance model, from one short run of it.

The model has no rates of such a program. But what an edge and a vertex take differs from a program that was calibrated
by a factor that is nearly the same on all graphs, processors and partitions: a few iterations find it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.autotune import tuning
from lux.autotune.summarize import summarize
from lux.engine import executor
from lux.program.fields import Edges
from perfmodel.configuration import Configuration
from perfmodel.predict_program import predict
from perfmodel.predict_sources import Sources
from perfmodel.profile import Profile, Rate
from perfmodel.programs import PROGRAMS, Program, program
from perfmodel.steps import LARGE
from perfmodel.summary import Frontier, GraphSummary

if TYPE_CHECKING:
    from lux.engine.run.statistics import Iteration
    from lux.graph.graph import Graph
    from lux.program.program import Program as UserProgram

ITERATIONS, WITH_FRONTIER = 5, 20
"""Most iterations of the run; with a frontier they differ from each other, and may be all that there are."""
FEW_SOURCES = 4
"""Sources of betweenness, for each processor."""
LIKE, LIKE_WITH_FRONTIER = "pagerank", "components"
"""Calibrated programs whose rates are multiplied."""


def name_of(of: type[UserProgram]) -> str:
    """Name a user's program in configurations."""
    return f"run:{of.__name__}"


def configure(
    of: type[UserProgram],
    graph: Graph,
    params: Mapping[str, Any],
    constants: Mapping[str, Any] | None,
    config: Any,
    parts: int | None,
    model: str,
) -> tuple[int | None, str]:
    """Choose partitions and model of a user's program; see `lux.autotune.tuning.apply`."""

    def learned(profile: Profile) -> Profile:
        return learn(of, graph, params, constants, profile)

    return tuning.apply(name_of(of), executor.edges_of(of, graph), config, parts, model, learn=learned)


def learn(
    of: type[UserProgram], graph: Graph, params: Mapping[str, Any], constants: Mapping[str, Any] | None, known: Profile
) -> Profile:
    """Run a program for a few iterations on one processor, and add its rates to a profile.

    The program becomes one of `perfmodel.programs.PROGRAMS`, under `name_of`. All processes must call this.

    Examples
    --------
    >>> import lux
    >>> from lux.algorithms.pagerank.pagerank import PageRank
    >>> from perfmodel.profile import load
    >>> found = learn(PageRank, lux.toy.kite(), {"alpha": 0.85, "stop": 0.0}, None, load("epyc-2-cores"))
    >>> sorted(found.rates["run:PageRank"]), program("run:PageRank").value_bytes
    (['pull'], 8)
    """
    used, name = executor.edges_of(of, graph), name_of(of)
    PROGRAMS[name] = _as_modelled(of, used)
    summary = summarize(used, [1], symmetrized=used is not graph)
    frontiers, summary = summary.frontiers, replace(summary, frontiers={})
    like = program(LIKE_WITH_FRONTIER if of.spec.frontier else LIKE)
    rates, most = {}, WITH_FRONTIER if of.spec.frontier else ITERATIONS
    for model in ("pull", "push") if of.spec.frontier else ("pull",):
        for _ in range(2):  # the first compiles
            done = executor.execute(of, graph, params, constants=constants, parts=1, model=model, max_iterations=most)
        rates[model] = rate_of(list(done.statistics), summary, known, like, name, model)
    if of.spec.frontier and done.converged:
        vertices, edges = _shares(list(done.statistics), summary).T.tolist()
        frontier = Frontier(tuple(vertices), tuple(edges))
        used.summary = replace(summary, frontiers={**frontiers, name: frontier})
    return replace(known, rates={**known.rates, name: rates})


def of_sources(graph: Graph, number: int) -> Sources:
    """Run betweenness from a few sources, on one processor and on all; return what `number` sources need.

    >>> import lux
    >>> of_sources(lux.toy.kite(), 10).number
    10
    """
    import lux

    def seconds(few: int, parts: int | None) -> float:
        chosen = graph.ids.to_numpy()[:: max(graph.n_vertices // few, 1)][:few]
        lux.betweenness(graph, sources=chosen[:1], parts=parts)  # compiles
        return lux.betweenness(graph, sources=chosen, parts=parts).seconds / len(chosen)

    workers = max(runtime.gpus() or runtime.processors(), 1)
    one = seconds(FEW_SOURCES, 1)
    if workers == 1:
        return Sources(number, one)
    share = seconds(FEW_SOURCES * workers, None) / one
    return Sources(number, one, min(max((share - 1 / workers) / (1 - 1 / workers), 0.0), 1.0))


def _as_modelled(of: type[UserProgram], graph: Graph) -> Program:
    """Return what the model knows of a program without a run: bytes, directions, and whether it has a frontier."""
    spec = of.spec
    sizes = {f.name: f.numpy_dtype(graph.id_dtype).itemsize * (f.length or 1) for f in spec.state}
    read = sum(size for field, size in sizes.items() if spec.read_from_neighbours(field))
    return Program(
        name_of(of),
        value_bytes=read or 4,
        state_bytes=sum(size * (1 if spec.owned(field) else 2) for field, size in sizes.items()),
        edge_bytes=sum(graph.property_types[p].itemsize for p in spec.edge_properties),
        both=spec.edges is Edges.BOTH,
        frontier=spec.frontier,
        crosses=read > 0,
    )


def _shares(steps: Sequence[Iteration], summary: GraphSummary) -> NDArray[np.float64]:
    """Return the shares of the vertices in the frontier, and of the edges that leave it, of each iteration."""
    v, e = summary.n_vertices, max(summary.n_edges, 1)
    return np.array([(s.frontier / v, min(s.frontier_edges / e, 1.0)) for s in steps])


def rate_of(
    steps: Sequence[Iteration], summary: GraphSummary, known: Profile, like: Program, name: str, model: str
) -> Rate:
    """Return the rate of a calibrated program, multiplied so that it predicts the iterations of a run."""
    of_like = known.rate(like.name, model)
    placement = "host" if known.machine.device == "cpu" else "device"
    guess = replace(known, rates={name: {model: replace(of_like, activity=1.0)}})
    one = predict(summary, guess, Configuration(name, model, placement))
    shares = _shares(steps, summary)
    edges = shares[:, 1] if model == "push" else np.ones(len(steps))
    measured = sum(float(s.seconds.max()) for s in steps)
    factor = measured / float(one.compute * edges.sum() + len(steps) * (one.update + one.fixed))
    large = shares[shares[:, 0] > LARGE] if (shares[:, 0] > LARGE).any() else np.ones((1, 2))
    scaled = {
        field: factor * getattr(of_like, field)
        for field in ("edge_near", "edge_far", "vertex_near", "vertex_far", "vertex_irregular", "crowded", "fixed")
    }
    if of_like.edge_hot is not None:
        scaled["edge_hot"] = factor * of_like.edge_hot
    active, activity = (float(share) for share in large.mean(axis=0))
    return replace(of_like, **scaled, active=active, activity=activity if model == "push" else 1.0)
