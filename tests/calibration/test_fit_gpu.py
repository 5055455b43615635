# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What GPUs with known rates would measure gives these rates again, and predictions of what was measured."""

from dataclasses import replace

import pytest

from lux.calibration import fit_gpu
from lux.calibration.fit import Sample
from perfmodel import Configuration, GraphSummary, Machine, ModelError, Profile, Rate, Sizes, choose, predict
from perfmodel.profile import RunOverheads

MACHINE = Machine("gpu", "Test GPU", 16, 2, 1 << 37, 1 << 37)
RATE = Rate(6e-12, 1.2e-11, 2e-11, 2e-11, fixed=1e-5, parted={"peer": (3e-5, 1.25), "zero-copy": (2e-5, 1.25)})
RATE = replace(RATE, written=(1e-10, 1e-9))
MADE = Profile(
    MACHINE,
    {"pagerank": {"pull": RATE}},
    cache_bytes=32 * 2.0**20,
    run_seconds=2e-3,
    run_vertex_seconds=0.0,
    launch_seconds=1e-5,
    starts={
        "peer": RunOverheads(3e-3, 0.0, 1e-5, load=2e-6),
        "zero-copy": RunOverheads(2e-3, 0.0, 1e-4, 5e-6, run_each=1e-3, iteration_each=5e-5),
    },
    zero_copy=2e-11,
    zero_copy_shared=0.5,
    peer=4e-12,
)
RUNS = [("device", 1), ("zero-copy", 1), ("peer", 2), ("zero-copy", 2)]


def summary_of(v, degree, spread):
    """A graph of which each partition reads a share of the vertices."""
    sizes = {
        p: Sizes(int(spread * v * p), int(spread * v), int(spread * v * (p - 1)), int(spread * v * (p - 1) / p), 0)
        for p in (1, 2, 16)
    }
    sizes = {p: replace(s, edges_most=v * degree // p) for p, s in sizes.items()}
    return GraphSummary(v, v * degree, False, False, 0.9 * (degree != 8), 100, ((v, 10.0),), sizes)


SUMMARIES = {
    name: summary_of(*shape)
    for name, shape in {
        "a": (1 << 18, 32, 0.9),
        "b": (1 << 20, 32, 0.5),
        "c": (1 << 20, 8, 1.0),
        "d": (1 << 23, 4, 0.9),
        "e": (1 << 22, 32, 0.6),
        "f": (1 << 22, 4, 0.1),
        "g": (1 << 24, 2, 0.9),
        "h": (1 << 23, 16, 0.7),
    }.items()
}


def sample(name, placement, parts, iterations):
    """What `MADE` measures."""
    summary = SUMMARIES[name]
    p = predict(summary, MADE, Configuration("pagerank", "pull", placement, 1, parts, parts))
    sizes = summary.of(parts)
    return Sample(
        *(name, "pagerank", "pull", summary.n_vertices, summary.n_edges, parts),
        *(summary.gathered(parts), summary.irregular, 1.0),
        kernel=p.load + p.compute + p.update + p.fixed,
        rest=p.run + iterations * p.launch,
        iterations=iterations,
        parts=parts,
        bytes_in=8.0 * sizes.uds_most,
        placement=placement,
        load=p.load,
        ins_total=sizes.ins_total,
        ins_most=sizes.ins_most,
    )


@pytest.fixture(scope="module")
def samples():
    return [sample(name, *run, n) for name in SUMMARIES for run in RUNS for n in (5, 20)]


@pytest.fixture(scope="module")
def found(samples):
    return fit_gpu.fit(samples, MACHINE)


def test_the_rates_of_one_gpu(found):
    rate = found.rate("pagerank", "pull")
    assert found.cache_bytes == MADE.cache_bytes
    assert (rate.edge_near, rate.edge_far, rate.fixed) == pytest.approx((6e-12, 1.2e-11, 1e-5), rel=1e-3)
    assert found.run_seconds == pytest.approx(2e-3)


def test_gathering(found):
    assert (found.peer, found.zero_copy, found.zero_copy_shared) == pytest.approx((4e-12, 2e-11, 0.5), rel=1e-6)
    assert (found.starts["peer"].load, found.starts["zero-copy"].load) == pytest.approx((2e-6, 5e-6), rel=1e-3)
    assert found.device is None


def test_partitions(found):
    parted = found.rate("pagerank", "pull").parted
    assert parted["peer"] == pytest.approx((3e-5, 1.25), rel=1e-3)
    assert parted["zero-copy"] == pytest.approx((2e-5, 1.25), rel=1e-3)  # the same kernels, so the same factor
    assert found.rate("pagerank", "pull").written == pytest.approx((1e-10, 1e-9), rel=1e-2)
    assert found.rate("pagerank", "pull").error < 1e-3


def test_launches(found):
    start = found.starts["zero-copy"]
    assert (start.run, start.iteration) == pytest.approx((2e-3, 1e-4), rel=1e-3)
    assert (start.run_each, start.iteration_each) == pytest.approx((1e-3, 5e-5), rel=1e-3)
    # Nothing says what a third GPU adds where all ran on two.
    assert found.starts["peer"].on(2) == found.starts["peer"]
    assert found.starts["peer"].iteration == pytest.approx(1e-5, rel=1e-2)


def test_launches_of_runs_that_note_when_iterations_are_done(samples):
    """Then runs of 20 iterations are enough, and one odd note does not count."""
    noted = []
    for few, many in zip(samples[::2], samples[1::2], strict=True):
        each = (many.rest - few.rest) / (many.iterations - few.iterations)
        notes = [(k, k * each + (1e-3 if k == 9 else 0.0)) for k in range(1, 20)]
        noted.append(replace(many, noted=(*notes, (20, 21 * each + 1e-3))))
    start = fit_gpu.fit(noted, MACHINE).starts["zero-copy"]
    assert (start.run, start.iteration) == pytest.approx((2e-3, 1e-4), rel=1e-3)
    assert (start.run_each, start.iteration_each) == pytest.approx((1e-3, 5e-5), rel=1e-3)


def test_launches_after_the_end():
    """A run that ends by itself takes 0.8 ms more than one that is stopped."""
    notes, made = tuple((k, 1e-4 * k) for k in range(1, 21)), []
    for name in "ae":
        one = replace(sample(name, "zero-copy", 1, 20), noted=notes, rest=4e-3)
        made += [one, replace(one, program="sssp", rest=4.8e-3, ended=True)]
    start = fit_gpu.overheads_of(made)[0]
    assert (start.run, start.end, start.iteration) == pytest.approx((2e-3, 8e-4, 1e-4), rel=1e-6)


@pytest.mark.parametrize("placement, parts", RUNS)
def test_predictions_are_what_was_measured(found, placement, parts):
    for name, summary in SUMMARIES.items():
        p = predict(summary, found, Configuration("pagerank", "pull", placement, 1, parts, parts))
        s = sample(name, placement, parts, 20)
        assert p.iteration + p.run / 20 == pytest.approx(s.kernel + s.rest / 20, rel=1e-3)


def test_the_choice_weighs_what_runs_cost_besides(found):
    small, large = (choose(SUMMARIES[name], found, "pagerank").configuration for name in "ae")
    assert (small.placement, small.parts) == ("device", 1)  # 5 ms more for a run on two, and 20 microseconds won
    assert (large.placement, large.parts) == ("peer", 2)
    assert not any(
        p.configuration.parts == 2 for p in choose(SUMMARIES["e"], found, "pagerank", per_node=1).predictions
    )


def test_a_profile_of_gpus_comes_back(found, tmp_path):
    found.write(tmp_path / "p.json")
    assert Profile.read(tmp_path / "p.json") == found


def test_too_little_on_one_gpu(samples):
    with pytest.raises(ModelError, match="nothing ran on one GPU"):
        fit_gpu.fit([s for s in samples if s.parts == 2], MACHINE)


def test_peers_are_within_one_node(found):
    with pytest.raises(ModelError, match="several nodes cannot read each other's memory"):
        predict(
            replace(SUMMARIES["a"], sizes={**SUMMARIES["a"].sizes, 4: SUMMARIES["a"].of(2)}),
            replace(found, network=1e-9),
            Configuration("pagerank", "pull", "peer", 2, 2, 4),
        )
