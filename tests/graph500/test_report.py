# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The output has the reference code's keys and the specification's fields, with the numbers that belong to them."""

import pytest

from lux.graph500.benchmark import Outcome, Plan, Runs
from lux.graph500.report import block, fields, further_lines, lines

QUARTILES = ["min", "firstquartile", "median", "thirdquartile", "max"]
HEAD = ["SCALE", "edgefactor", "NBFS", "graph_generation", "num_mpi_processes", "construction_time"]


def outcome(kernels=("bfs", "sssp")):
    runs = {
        "bfs": Runs([1.0, 2.0], [0.5, 0.5], [100, 100], [80, 80]),
        "sssp": Runs([4.0, 4.0], [0.5, 0.7], [100, 100], [80, 80]),
    }
    return Outcome(Plan(5, kernels=kernels), [3, 1], 0.25, 0.75, {name: runs[name] for name in kernels})


def keys(prefix, what, mean=""):
    return [f"{prefix}{name}_{what}" for name in (*QUARTILES, f"{mean}mean", f"{mean}stddev")]


def test_keys_of_the_reference_code():
    """In the order of src/main.c, version 3, compiled with SSSP."""
    expected = [*HEAD, *keys("bfs  ", "time"), *keys("sssp ", "time"), *keys("", "nedge")]
    for what, mean in (("TEPS", "harmonic_"), ("validate", "")):
        expected += keys("bfs  ", what, mean) + keys("sssp ", what, mean)
    assert [key for key, _, _ in lines(outcome(), 1)] == expected
    without = [key for key in expected if not key.startswith("sssp")]
    assert [key for key, _, _ in lines(outcome(("bfs",)), 1)] == without


def test_fields_of_the_specification():
    """Section "Output", version 3."""
    required = {"SCALE", "edgefactor", "NBFS", "construction_time"}
    for kernel in ("bfs_", "sssp_"):
        required |= {*keys(kernel, "time"), *keys(kernel, "nedge"), *keys(kernel, "TEPS", "harmonic_")}
    assert required <= fields(outcome(), 1).keys()
    lone = fields(outcome(("sssp",)), 1)
    assert {lone[key] for key in keys("bfs_", "TEPS", "harmonic_")} == {0}


def test_numbers():
    found = dict(line.split(":", 1) for line in block(lines(outcome(), 2)).splitlines())
    assert found["NBFS"].strip() == found["num_mpi_processes"].strip() == "2"
    assert found["bfs  harmonic_mean_TEPS"].split() == ["!", "66.6667"]
    assert found["sssp max_TEPS"].strip() == "25"
    assert found["mean_nedge"].strip() == "100"
    more = {key: value for key, value, _ in further_lines(outcome())}
    assert more["mean_distinct_nedge"] == 80
    assert more["bfs  harmonic_mean_distinct_TEPS"] == pytest.approx(80 / 1.5)
    values = [line[32:] for line in block(lines(outcome(), 2)).splitlines()]
    assert all(value == value.strip() != "" for value in values)  # one column


def test_one_search():
    lone = Outcome(Plan(5), [3], 0.25, 0.75, {"bfs": Runs([1.0], [-1.0], [100], [80])})
    assert "bfs  stddev_time:               nan" in block(lines(lone, 1))
    assert fields(lone, 1)["bfs_stddev_time"] is None
    assert fields(lone, 1)["bfs_min_validate"] == -1
