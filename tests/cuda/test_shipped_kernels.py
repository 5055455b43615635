# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.app.installation.gpu_kernels`: the installation compiles the kernels that default calls launch on GPUs."""

from contextlib import suppress

import numpy as np
import pytest

import lux
from lux.app.installation import gpu_kernels
from lux_cases.examples import covering
from lux_cases.machine import gpus
from lux_on_cores.functions import FUNCTIONS
from lux_on_cores.machine import Machine

HOPPER = (9, 0)


class Asked(Exception):  # noqa: N818
    """A kernel was asked for that cores do not run."""


def name_of(text, functions):
    return text, tuple(f"{f.symbol} {f.declaration()} {f.source()}" for f in functions)


@pytest.fixture(scope="module")
def shipped():
    return {name_of(*found) for found in gpu_kernels.texts(HOPPER)}


@pytest.fixture(params=[1, 2])
def launched(request, machine, spread_from, made_on_gpus_from, monkeypatch):
    """Yield the kernels that are asked for on so many GPUs."""
    spread_from(1)
    made_on_gpus_from(1)
    asked, code = {}, Machine.code

    def noted(self, text, capability, functions=()):
        asked[name_of(text, functions)] = text
        if functions and functions[0].spec.name not in FUNCTIONS:
            raise Asked
        return code(self, text, capability, functions)

    monkeypatch.setattr(Machine, "code", noted)
    with machine(request.param, block_memory=gpu_kernels.CAPABILITIES[HOPPER]), lux.using(device="gpu"):
        yield asked


CALLS = {
    "bfs": lambda graph: lux.bfs(graph, source=1),
    "components": lux.components,
    "sssp": lambda graph: lux.sssp(graph, source=1),
    "betweenness": lambda graph: lux.betweenness(graph, k=2),
    "pagerank": lux.pagerank,
    "pagerank float32": lambda graph: lux.pagerank(graph, dtype=np.float32),
    "pagerank weighted": lambda graph: lux.pagerank(graph, weight="weight"),
}
OF_WEIGHTS = {"sssp", "pagerank weighted"}
RANKED = {"pagerank", "pagerank float32", "pagerank weighted"}
"""Where there are weights, they count by default; their kernels are shipped for one GPU."""


def assert_shipped(launched, shipped):
    missing = [text for name, text in launched.items() if name not in shipped]
    assert launched
    assert not missing


@pytest.mark.parametrize(
    "weights, order", covering([None, np.int32, np.int64, np.float32, np.float64], ["given", "degree"])
)
def test_no_default_call_needs_a_compiler(launched, shipped, weights, order):
    u, v = np.random.default_rng(1).integers(0, 200, (2, 900))
    properties = {} if weights is None else {"weight": np.ones(900, weights)}
    for directed in (False, True):
        graph = lux.from_edges(u, v, directed=directed, drop_loops=True, **properties).reordered(order)
        for name, call in CALLS.items():
            missing = name in OF_WEIGHTS if weights is None else name in RANKED and gpus() > 1
            if not missing:
                with suppress(Asked):
                    call(graph)
    assert_shipped(launched, shipped)


@pytest.mark.parametrize("apart", [pytest.param(1, marks=pytest.mark.slow), 10**10])
def test_no_graph_needs_a_compiler(launched, shipped, apart):
    u, v = np.random.default_rng(1).integers(0, 200, (2, 1 << 18)) * apart
    for kind, repeats in ((np.int32, True), (np.float64, False)):
        lux.from_edges(u, v, np.ones(len(u), kind), directed=False, drop_repeats=repeats).reordered("degree")
    assert_shipped(launched, shipped)
