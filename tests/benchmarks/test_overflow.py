# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What memory each case of the benchmark of edges that do not fit is given."""

from argparse import Namespace

import pytest

import lux
from benchmarks import overflow
from lux_cases.builtin import PageRank32

OPTIONS = Namespace(fbmem=4000, zcmem=500, cpus=3, sysmem=2000)
GIVEN = (PageRank32, {}, overflow.PARAMETERS, "auto", 20)


def flags(text):
    words = text.split()
    return {name.removeprefix("--"): int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


@pytest.mark.parametrize("case", ["fits", "cores=0.5"])
def test_cases_that_fit(case):
    expected = {"cpus": 3, "gpus": 1, "sysmem": 2000, "fbmem": 4000, "zcmem": 500}
    assert flags(overflow.config(case, {}, OPTIONS)) == expected


@pytest.mark.parametrize("share, partitions", [(0.25, 2), (0.5, 4), (1.0, 8)])
def test_so_many_partitions_overflow(share, partitions, pretend_gpus, monkeypatch):
    graph = lux.generate("kronecker:12,16", seed=1)
    pretend_gpus(1)
    memory = overflow.partition_memory(graph)
    monkeypatch.setattr(overflow, "MIB", 1)  # of a small graph
    given = flags(overflow.config(f"overflow={share}", memory, OPTIONS))
    pretend_gpus(1, fbmem=given["fbmem"], zcmem=given["zcmem"])
    run = overflow.PartitionedGpuRun(PageRank32, graph, *GIVEN[1:], overflow.PARTS, placement="device", overflow=True)
    on_gpu, shared = run.memory_bytes()
    assert run.overflowing.sum() == partitions
    assert on_gpu <= given["fbmem"]
    assert shared <= given["zcmem"]
