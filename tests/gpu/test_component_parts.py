# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Components on several GPUs (`components_multi_gpu.cu`) are those of one GPU and of CPU cores."""

import numpy as np
import pytest

import lux
from lux_cases.builtin import verify
from lux_cases.searches import MADE, counts, made

pytestmark = pytest.mark.gpu


def several():
    """Numbers of partitions, each on a GPU."""
    return counts(2, 3, 4, 8)


def check(graph, parts, expected):
    with lux.using(device="gpu"):
        found = lux.components(graph, parts=parts)
    assert (found.strategy, found.device, found.parts) == ("gpus", "gpu", parts)
    np.testing.assert_array_equal(found.labels.dense(), expected)
    return found


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", MADE)
def test_graphs(name, order):
    graph = made(name, order)
    with lux.using(device="cpu"):
        expected = lux.components(graph).labels.dense()
    for parts in [p for p in several() if p <= graph.n_vertices]:
        for _ in range(3):
            verify(check(graph, parts, expected))


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", ["kronecker:17,1", "kronecker:20", "grid:512x512", "rmat:18,2"])
def test_larger_graphs(name, order):
    """Roots that several GPUs hook at once, and paths between GPUs."""
    graph = lux.generate(name, seed=6).reordered(order)
    with lux.using(device="gpu"):
        expected = lux.components(graph, parts=1).labels.dense()
    for parts in several():
        for _ in range(3):
            check(graph, parts, expected)
