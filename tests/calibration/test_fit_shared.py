# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rates of GPUs: what programs share, lines that many edges enter, and what is written to zero-copy memory."""

from dataclasses import replace

import numpy as np
import pytest

from lux.calibration import cross_validation
from lux.calibration.fit import Sample
from lux.calibration.fit_shared import fit_rates, fit_ratios
from perfmodel import Configuration, Frontier, GraphSummary, Machine, Profile, Rate, Sizes, predict
from perfmodel.locality import Caches, SourceLocality, crowd
from perfmodel.profile import RunOverheads
from perfmodel.programs import program

MIB = 2.0**20
CACHES = Caches("gpu", 24 * MIB, 128 * 1024.0)
MORE = 2.5e-11
"""Seconds that a read from behind the last cache takes besides, in both programs."""
RATES = {
    ("pagerank", "pull"): Rate(8e-12, 8e-12 + MORE, 2e-11, 2e-11, 1e-11, fixed=2e-5, edge_hot=2e-12),
    ("components", "pull"): Rate(1.2e-11, 1.2e-11 + MORE, 7e-11, 7e-11, fixed=5e-5, edge_hot=3e-12),
    ("pagerank", "push"): Rate(1.2e-11, 6e-11, 5e-11, 5e-11, fixed=3e-5, edge_hot=9e-12, crowded=4e-9),
}


def summary_of(v, degree, random, hub=0.0, ranges=0, irregular=0.5):
    """A graph of whose edges a share reads any line, and the others one; and one of which a vertex has a share."""
    e = v * degree
    footprints = {
        group: tuple(
            (edges, 1 + v / group * (1 - (1 - group / v) ** (random * edges)))
            for edges in [4.0**k for k in range(13) if 4**k < e] + [float(e)]
        )
        for group in (4, 8, 16)
    }
    hottest = tuple(min(hub * 1.5**k, 1.0) for k in range(20))
    sizes = {p: Sizes(v * p, v, v * (p - 1), v * (p - 1) // p, e // p) for p in (1, 2, 16)}
    reads = SourceLocality(hottest, footprints, ranges)
    return GraphSummary(v, e, False, False, irregular, max(int(hub * e), degree), ((v, 10.0),), sizes, reads=reads)


GRAPHS = {
    "small": summary_of(1 << 18, 32, 0.9),
    "hubs": summary_of(1 << 20, 32, 0.5, hub=0.004),
    "by degree": summary_of(1 << 19, 32, 0.3, hub=0.004, ranges=2, irregular=0.0),
    "sparse": summary_of(1 << 20, 8, 1.0),
    "large": summary_of(1 << 23, 4, 1.0, irregular=0.9),
    "near": summary_of(1 << 21, 4, 0.01, irregular=0.0),
    "larger": summary_of(1 << 23, 16, 0.6),
}


def sample(name, summary, key):
    """What one GPU with `RATES` takes."""
    of, rate, push = program(key[0]), RATES[key], key[1] == "push"
    first, far = CACHES.missed(summary, of, key[1], 1)
    kernel = summary.n_edges * rate.edge(first, far) + summary.n_vertices * rate.vertex(far, summary.irregular)
    kernel += rate.fixed + (rate.crowded * crowd(summary, of) if push else 0.0)
    sizes = (summary.n_vertices, summary.n_edges, 1, summary.gathered(1), summary.irregular, 1.0)
    return Sample(name, *key, *sizes, kernel, 1e-3, 20, placement="device", summary=summary)


@pytest.fixture(scope="module")
def samples():
    return [sample(name, summary, key) for name, summary in GRAPHS.items() for key in RATES]


def test_rates_and_caches_are_found_again(samples):
    found, caches = fit_rates(samples)
    assert caches == CACHES
    for (name, model), made in RATES.items():
        rate = found[name][model]
        times = (made.edge_hot, made.edge_near, made.edge_far, made.vertex_near, made.fixed)
        again = (rate.edge_hot, rate.edge_near, rate.edge_far, rate.vertex_near, rate.fixed)
        assert again == pytest.approx(times, 1e-3)
        assert rate.crowded == pytest.approx(made.crowded, 1e-3)
        assert rate.error < 1e-3


def test_one_odd_time_hardly_counts():
    rates, _ = fit_ratios([[1.0]] * 10, [1.0] * 9 + [100.0])
    assert rates[0] == pytest.approx(np.exp(0.2 / 9), rel=1e-3)  # of its logarithm, 0.2 counts


def test_half_is_as_wrong_as_twice():
    rates, errors = fit_ratios([[1.0], [1.0]], [1.0, 1.44])
    assert rates[0] == pytest.approx(1.2, rel=1e-4)
    assert errors[0] == pytest.approx(-errors[1], rel=1e-3)
    rates, _ = fit_ratios([[1.0], [2.0]], [1.5, 2.5], known=[0.5, 0.5])  # half a second of each is known
    assert rates[0] == pytest.approx(1.0)


def test_the_most_crowded_line():
    """Of 1,000 edges the hottest vertices have 100, 160 for two, 240 for four, and so on."""
    shares = (0.1, 0.16, 0.24, 0.4, 0.6, 0.8)
    for ranges, edges in ((0, 100), (1, 600), (2, 400)):  # 16 values of 8 bytes; of two ranges, 32 vertices are in two
        found = replace(
            summary_of(1000, 1, 1.0), n_edges=1000, most_in_edges=100, reads=SourceLocality(shares, {}, ranges)
        )
        assert crowd(found, program("pagerank")) == edges


MACHINE = Machine("gpu", "Test GPU", 16, 2, 1 << 37, 1 << 37)
PROFILE = Profile(
    MACHINE,
    {
        "pagerank": {
            "pull": Rate(1e-11, 1e-11, 0.0, 0.0, written=(1e-10, 1e-9)),
            "push": Rate(1e-11, 1e-11, 1e-11, 1e-11, crowded=4e-9),
        },
        "sssp": {"pull": Rate(1e-11, 1e-11, 0.0, 0.0, active=0.5, written=(1e-9, 0.0))},
    },
    cache_bytes=CACHES.cache_bytes,
    hot_bytes=CACHES.hot_bytes,
    run_seconds=0.0,
    run_vertex_seconds=0.0,
    launch_seconds=0.0,
    starts={"zero-copy": RunOverheads(iteration=1e-4, frontier=5e-5), "device": RunOverheads()},
    zero_copy=2e-11,
    zero_copy_shared=0.0,
    device=0.0,
)


def test_what_crosses_to_zero_copy_memory_by_hand():
    """Of 2^20 vertices all lines are read: 8 MiB at 50 GB/s; then all are written, half of them by themselves."""
    p = predict(GRAPHS["sparse"], PROFILE, Configuration("pagerank", "pull", "zero-copy", 1, 1, 1))
    assert p.load == pytest.approx(2**23 * 2e-11, rel=1e-3)
    assert p.written == p.update == pytest.approx(2**20 * (1e-10 + 0.5 * 1e-9))
    assert p.launch == 1e-4
    two = predict(GRAPHS["sparse"], PROFILE, Configuration("pagerank", "pull", "zero-copy", 1, 2, 2))
    assert two.written == pytest.approx(p.written / 2)


def test_programs_with_a_frontier_move_what_is_active():
    p = predict(GRAPHS["sparse"], PROFILE, Configuration("sssp", "pull", "zero-copy", 1, 1, 1))
    assert p.load == pytest.approx(0.5 * 2**23 * 2e-11, rel=1e-3)
    assert p.written == pytest.approx(0.5 * 2**20 * 1e-9)
    assert p.launch == pytest.approx(1.5e-4)
    # One iteration with half of the vertices, and one with a hundredth.
    known = replace(GRAPHS["sparse"], frontiers={"sssp": Frontier((0.5, 0.01), (0.5, 0.01))})
    run = predict(known, PROFILE, Configuration("sssp", "pull", "zero-copy", 1, 1, 1))
    assert run.total == pytest.approx(2 * (p.compute + p.launch) + (p.load + p.written) * 1.02)


def test_more_gpus_do_not_shorten_a_crowded_line():
    one, two = (
        predict(GRAPHS["hubs"], PROFILE, Configuration("pagerank", "push", "device", 1, parts, parts))
        for parts in (1, 2)
    )
    waiting = 4e-9 * 0.004 * 2**25
    assert one.compute - waiting == pytest.approx(2**25 * 1e-11)
    assert two.compute - waiting == pytest.approx(2**25 * 1e-11 / 2)


def test_kernels_on_partitions_add_to_a_crowded_line_at_a_rate_of_their_own():
    rates = {"pagerank": {"push": replace(PROFILE.rate("pagerank", "push"), crowded_parts=1e-9)}}
    one, two, again = (
        predict(GRAPHS["hubs"], known, Configuration("pagerank", "push", "device", 1, parts, parts)).compute
        for known, parts in ((PROFILE, 1), (PROFILE, 2), (replace(PROFILE, rates=rates), 2))
    )
    assert two - again == pytest.approx(3e-9 * 0.004 * 2**25)
    assert predict(
        GRAPHS["hubs"], replace(PROFILE, rates=rates), Configuration("pagerank", "push", "device", 1, 1, 1)
    ).compute == pytest.approx(one)


def test_no_iteration_is_shorter_than_the_driver_takes():
    """0.3 ms of two GPUs, where values cross; eight are issued in vain before the end of a run is known."""
    start = RunOverheads(run=1e-3, iteration=1e-5, driver=1e-4, driver_each=5e-5, copies_each=1.5e-4)
    known = replace(PROFILE, starts={"device": start})
    where = Configuration("sssp", "pull", "device", 1, 2, 2)
    short, long = (predict(GRAPHS[name], known, where) for name in ("small", "larger"))
    assert short.iteration == pytest.approx(3e-4)
    assert short.kernels < 2e-4
    assert long.iteration == pytest.approx(long.kernels + 1e-5)
    assert long.kernels > 3e-4
    assert short.run == long.run == pytest.approx(1e-3 + 8 * 3e-4)
    two = replace(GRAPHS["larger"], frontiers={"sssp": Frontier((1.0, 0.5), (1.0, 0.5))})
    assert predict(two, known, where).total == pytest.approx(long.run + 2 * long.iteration)
    assert predict(GRAPHS["small"], known, replace(where, program="pagerank")).run == 1e-3  # it is stopped


def test_gpus_that_push_look_at_every_vertex():
    known = replace(GRAPHS["sparse"], frontiers={"pagerank": Frontier((1.0, 0.01), (1.0, 0.01))})
    run = predict(known, PROFILE, Configuration("pagerank", "push", "device", 1, 1, 1))
    assert run.total == pytest.approx(1.01 * run.compute + 2 * run.update)


def test_graphs_left_out_are_predicted_by_the_others(samples):
    pull = [s for s in samples if s.model == "pull"]
    found = {(s.graph, s.program): error for s, error in cross_validation.cross_validate(pull, MACHINE)}
    assert len(found) == len(pull)
    assert abs(found["hubs", "components"]) < 0.02
