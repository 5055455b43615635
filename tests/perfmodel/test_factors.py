# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Factorizations in the model: equations, memory, rates, choices, by hand."""

from dataclasses import replace

import pytest

from perfmodel import Configuration, FactorRate, Factors, ModelError, Profile, choose
from perfmodel.factors import ExtraTimes
from perfmodel.predict_factors import predict_factors

ALS = FactorRate((1e-9, 1e-10, 1e-11), 0.0, (1e-8, 0.0, 0.0, 1e-12), 1 << 30, alone=ExtraTimes(iteration=1e-5))
GD = FactorRate((1e-9, 1e-10), 0.0, (1e-8, 1e-9), 1 << 30, alone=ExtraTimes(iteration=1e-5))


@pytest.fixture
def cores(cpu):
    """Four cores, half of whose work does not become faster with more."""
    parted = ExtraTimes(iteration=1e-4, iteration_byte=1e-10)
    rates = {"als": replace(ALS, serial=0.5, parted=parted), "gd": replace(GD, serial=0.5, parted=parted)}
    return replace(cpu, factors=rates)


@pytest.fixture
def gpus(gpu):
    """Four GPUs that write to each other at 100 GB/s."""
    besides = {"alone": ExtraTimes(run=1e-3), "parted": ExtraTimes(run=2e-3)}
    more = {"fixed": 1e-6, "fixed_parts": 5e-6, "exchange": 1e-11, **besides}
    return replace(gpu, factors={"als": replace(ALS, **more), "gd": replace(GD, **more)})


def one(parts=1, per_node=1, nodes=1, placement="host"):
    return Configuration("factorize", "auto", placement, nodes, per_node, parts)


def test_an_iteration_by_hand(summary, cores):
    # 16,000 edges and 1,000 vertices; K = 20, in rows of 24.
    als = predict_factors(summary, cores, one(), Factors(20, "als"))
    assert als.compute == pytest.approx(16_000 * (1 + 2.4 + 4.8) * 1e-9)
    assert als.update == pytest.approx(1000 * (10 + 0.001 * 20 * 24 * 24) * 1e-9)
    assert (als.load, als.transfer, als.launch, als.run) == (0, 0, 1e-5, 0)
    gd = predict_factors(summary, cores, one(), Factors(20, "gd"))
    assert gd.compute == pytest.approx(16_000 * 3e-9)
    assert gd.update == pytest.approx(1000 * 30e-9)
    assert gd.run == pytest.approx(gd.iteration)  # a step more finds the first errors


def test_threads_and_partitions(summary, cores):
    alone = predict_factors(summary, cores, one(), Factors(20, "gd"))
    threads = predict_factors(summary, cores, one(None, 4), Factors(20, "gd"))
    parts = predict_factors(summary, cores, one(4, 4), Factors(20, "gd"))
    assert threads.compute == parts.compute == pytest.approx(alone.compute * (0.5 + 0.5 / 4))
    assert threads.launch == alone.launch
    assert parts.launch == pytest.approx(1e-4 + 1e-10 * 80 * 1000)


def test_nodes_send_the_factors_that_are_read(summary, cores):
    net, read = replace(cores, network=1e-9, latency=1e-5), summary.of(2)
    als = predict_factors(summary, net, one(2, 1, 2), Factors(20, "als"))
    assert als.transfer == pytest.approx(80 * read.uds_most * 1e-9)
    assert als.transfer_sum == pytest.approx(80 * read.uds_total * 1e-9)
    assert als.launch == predict_factors(summary, replace(net, latency=0.0), one(2, 1, 2), Factors(20)).launch + 2e-5
    double = predict_factors(summary, net, one(2, 1, 2), Factors(20, "gd", "float64"))
    assert double.transfer == pytest.approx(160 * read.uds_most * 1e-9)
    middle = predict_factors(summary, replace(net, bisection=1e8), one(2, 1, 2), Factors(20, "als"))
    assert middle.transfer == pytest.approx(80 * read.uds_total / 2 / 1e8)
    swept = replace(summary, swept={2: read.uds_most // 2})  # of two sweeps, as counted
    assert predict_factors(swept, net, one(2, 1, 2), Factors(20)).transfer == pytest.approx(als.transfer / 2)
    assert predict_factors(swept, net, one(2, 1, 2), Factors(20, "gd", "float64")) == double
    assert swept.scaled(2 * swept.n_edges).read_rows(2, "als") == read.uds_most
    with pytest.raises(ModelError, match="no rate between nodes"):
        predict_factors(summary, cores, one(2, 1, 2), Factors())


def test_gpus_write_into_each_other(summary, gpus):
    whole = predict_factors(summary, gpus, one(1, 1, placement="device"), Factors(20, "als"))
    two = predict_factors(summary, gpus, one(2, 2, placement="peer"), Factors(20, "als"))
    assert (whole.load, whole.fixed, whole.run) == (0, 1e-6, 1e-3)
    assert two.load == pytest.approx(1e-11 * 80 * 500)
    assert two.compute == pytest.approx(whole.compute / 2)
    assert (two.fixed, two.run) == (5e-6, 2e-3)
    with pytest.raises(ModelError, match="GPUs of one process"):
        predict_factors(summary, gpus, one(4, 2, 2, "peer"), Factors())
    alone = replace(gpus, factors={"als": replace(gpus.factors["als"], exchange=None)})
    with pytest.raises(ModelError, match="calibrate with several"):
        predict_factors(summary, alone, one(2, 2, placement="peer"), Factors())


def test_memory_by_hand(summary, cores, gpus):
    # An edge has an id of 4 bytes, a rating of 8 at most, and whether it is held out; 12 bytes a vertex.
    found = predict_factors(summary, cores, one(), Factors(20)).need
    assert found.host == pytest.approx(1.25 * (13 * 16_000 + 12 * 1000 + (2 + 3) * 80 * 1000))
    two = predict_factors(summary, gpus, one(2, 2, placement="peer"), Factors(20, "gd")).need
    assert two.gpu == pytest.approx(13 * 8000 + 16 * 1000 + 5.5 * 80 * 1000)


def test_choices(summary, cores, gpus):
    small = replace(cores, factors={"als": replace(cores.factors["als"], alone=ExtraTimes(), serial=1.0)})
    assert choose(summary, small, "factorize").configuration.parts == 1
    large = choose(summary.scaled(16e6), cores, "factorize", factors=Factors(50))
    assert (large.configuration.parts, large.configuration.per_node) == (None, 4)
    assert {p.configuration.placement for p in choose(summary, gpus, "factorize").predictions} == {"device", "peer"}
    assert choose(summary.scaled(16e6), gpus, "factorize").configuration.parts == 4
    assert choose(summary.scaled(1600), gpus, "factorize").configuration.parts == 1
    with pytest.raises(ModelError, match="GPUs of one process, and 2 nodes were asked for"):
        choose(summary, gpus, "factorize", nodes=2, all_nodes=True)
    with pytest.raises(ModelError, match="fits nowhere"):
        choose(summary.scaled(3e10), gpus, "factorize")


def test_what_the_engine_cannot_take_is_not_offered(summary, cores, gpus):
    with pytest.raises(ModelError, match="GPUs take graphs of at most 2,147,483,647 vertices"):
        choose(summary.scaled(1e12), gpus, "factorize")
    many = replace(cores, network=1e-12, machine=replace(cores.machine, cores=256))
    assert max(p.configuration.parts or 1 for p in choose(summary, many, "pagerank", nodes=512).predictions) == 2**16


def test_profiles_without_these_rates(summary, cpu, cores, tmp_path):
    gd = replace(cpu, factors={"als": GD})
    with pytest.raises(ModelError, match="a rate of factorize has 2 numbers, not 3: calibrate again"):
        choose(summary, gd, "factorize")
    with pytest.raises(ModelError, match=r"factorize with method als: add it with python -m lux.calibration"):
        choose(summary, cpu, "factorize")
    cores.write(tmp_path / "p.json")
    assert Profile.read(tmp_path / "p.json") == cores
    broken = (tmp_path / "p.json").read_text().replace('"vertex": [', '"vertex": 3, "x": [')
    (tmp_path / "p.json").write_text(broken)
    with pytest.raises(ModelError, match="something missing or wrong"):
        Profile.read(tmp_path / "p.json")
