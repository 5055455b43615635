# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Predicted time of an iteration of a matrix factorization, step by step."""

from __future__ import annotations

from dataclasses import replace

from perfmodel import equations
from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.factors import FIRST, ExtraTimes, FactorRate, Factors, edge_terms, exchanged, seconds, vertex_terms
from perfmodel.internode import InternodeRates
from perfmodel.memory import check_engine, factorization_memory_need
from perfmodel.prediction import Prediction
from perfmodel.profile import Profile
from perfmodel.programs import program
from perfmodel.steps import received_byte
from perfmodel.summary import GraphSummary


def edge_seconds(rate: FactorRate, factors: Factors, values: float, device: str) -> float:
    """Return the seconds of an edge, on one worker.

    Parameters
    ----------
    values : float
        Vertices whose factors are gathered: `GraphSummary.gathered`.

    Examples
    --------
    >>> rate = FactorRate((1e-9, 2e-9), 1e-9, (0.0, 0.0), cache_bytes=1000)
    >>> near, far = (edge_seconds(rate, Factors(4, "gd"), values, "cpu") for values in (10, 1e12))
    >>> f"{near:.3g} {far:.3g}"  # 1 + 4 x 2, and 4 more
    '9e-09 1.3e-08'
    """
    far = 1 - equations.near_share(factors.row_bytes, values, rate.cache_bytes)
    return seconds(rate.edge, edge_terms(factors, device)) + rate.edge_far * factors.k * far


def predict_factors(
    summary: GraphSummary, profile: Profile, configuration: Configuration, factors: Factors
) -> Prediction:
    """Predict one configuration.

    Parameters
    ----------
    summary : GraphSummary
        Summary of the ratings in both directions.

    Raises
    ------
    ModelError
        A rate or a size that is needed was not measured.
    """
    check_engine(summary.n_vertices, configuration)
    if summary.directed and not summary.symmetrized:
        raise ModelError(
            "factorize takes ratings in both directions, and this is a summary of a directed graph's as they are: make "
            "one with lux autotune GRAPH --program factorize"
        )
    x, y, v, e = configuration.nodes, configuration.per_node, summary.n_vertices, summary.n_edges
    rate, alone = profile.factor_rate(factors), configuration.one_task
    edge = edge_seconds(rate, factors, summary.gathered(configuration.workers), configuration.device)
    vertex = seconds(rate.vertex, vertex_terms(factors, configuration.device))
    between = profile.nodes(place_of(configuration, factors)) if x > 1 else None
    besides = rate.alone if alone else _parted(rate, between, configuration)
    link = profile.network_rate(x) + (0.0 if between is None else between.byte)
    slower = 1.0 if between is None else between.factor("factorize", factors.method)
    crossing, sets = link * exchanged(factors.row_bytes, v, x, factors.sweeps), summary.of(x)
    read = summary.read_rows(x, factors.method)
    latency = profile.latency * factors.exchanges(configuration.device) if x > 1 else 0.0
    one = Prediction(
        configuration,
        load=_from_gpus(profile, rate, configuration, factors, v),
        compute=slower * equations.compute(edge, e, x, y, rate.serial),
        update=slower * equations.update(vertex, v, x, y, rate.serial),
        transfer_sum=equations.transfer_sum(link, factors.row_bytes, sets.uds_total * read / (sets.uds_most or 1)),
        launch=besides.iteration + besides.iteration_byte * factors.row_bytes * v + latency,
        exchange="maximum" if configuration.device == "cpu" else "whole",
        run=besides.run + besides.run_edge * e,
        error=rate.error if summary.counted(configuration.workers) else rate.error + summary.estimate_error(),
        need=factorization_memory_need(summary, program("factorize").edge_bytes, factors, configuration),
        fixed=rate.fixed if alone or configuration.workers == x else rate.fixed_parts,
        transfer_whole=max(crossing, _through_middle(profile, crossing, link, x)),
        transfer_byte=received_byte(link, sets, profile.bisection),
        value_bytes=factors.row_bytes,
        uds=read,
    )
    return one.with_run(FIRST[factors.method] * one.iteration)


def place_of(configuration: Configuration, factors: Factors) -> str:
    """Return the key with which `Profile.nodes` is asked.

    >>> place_of(Configuration("factorize", placement="device", nodes=2, parts=2), Factors(20))
    'device als in warps'
    """
    return f"{configuration.placement} {factors.kernel(configuration.device)}"


def _parted(rate: FactorRate, between: InternodeRates | None, configuration: Configuration) -> ExtraTimes:
    """Return the time of partitioned runs besides kernels and transfers between nodes."""
    if between is not None:
        return replace(rate.parted or rate.alone, iteration=between.launch(configuration.per_node), iteration_byte=0.0)
    if configuration.nodes > 1 and configuration.device == "gpu":  # several nodes run other kernels and launches
        raise ModelError(
            "the profile has rates of factorize on the GPUs of one process, and "
            f"{configuration.nodes} nodes were asked for: calibrate on several nodes"
            " (docs/explanation/performance-model.md)"
        )
    if rate.parted is None:
        raise ModelError(
            "the profile has no rate of factorize on several partitions: calibrate where Legate has several processors"
        )
    return rate.parted


def _from_gpus(
    profile: Profile, rate: FactorRate, configuration: Configuration, factors: Factors, n_vertices: int
) -> float:
    """Return the time of writes into other GPUs' memory; between nodes, of Legion's copies to a node's GPUs."""
    x, y = configuration.nodes, configuration.per_node
    if configuration.device == "cpu" or y == 1:
        return 0.0
    if x > 1:
        if profile.device is None:
            raise ModelError(
                "the profile has no rate between the GPUs of a node: pass --rate device=GB/S, or calibrate with several"
            )
        return factors.sweeps * equations.load_device(profile.device, factors.row_bytes, n_vertices, x, y)
    if configuration.placement != "peer":
        raise ModelError("factorize runs on the GPUs of one process, which write into each other's memory (peer)")
    if rate.exchange is None:
        raise ModelError("the profile has no rate of factorize between GPUs: calibrate with several")
    # Each side's factors are written once in an iteration, whatever the method.
    return rate.exchange * exchanged(factors.row_bytes, n_vertices, configuration.per_node)


def _through_middle(profile: Profile, crossing: float, link: float, nodes: int) -> float:
    """Return the seconds in which half of the received bytes crosses the network's bisection."""
    if profile.bisection is None or link == 0:
        return 0.0
    return nodes * crossing / link / 2 / profile.bisection
