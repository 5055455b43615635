# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Components over the partitions of several processes, whose forests are joined."""

import pytest

from lux_cases.processes import SMALL_TWO, start_ranks

pytestmark = pytest.mark.multirank

ANSWERS = """
import numpy as np

import lux
from lux.algorithms.components import afforest
from lux.algorithms.components.components import verify

rng = np.random.default_rng(2)
order = rng.permutation(3000)  # paths through all processes, many times
inside = np.arange(2999) % 600 != 599
pairs = rng.integers(0, 900, (2, 700))
given = {
    "rmat": lux.generate("rmat:9,4", seed=3),
    "kronecker": lux.generate("kronecker:12"),
    "grid": lux.generate("grid:30x40"),
    "few edges": lux.from_edges([0, 90, 7], [3, 91, 90], n_vertices=100),
    "no edges": lux.from_edges([], [], n_vertices=5),
}
for directed in (False, True):
    given[f"paths {directed}"] = lux.from_edges(order[:-1][inside], order[1:][inside], directed=directed)
    given[f"many {directed}"] = lux.from_edges(*pairs, n_vertices=1000, directed=directed)
afforest.SHARE = 1 << 40
for room in (afforest.LEAST_ROOM, 1):  # pairs of labels in a message
    afforest.LEAST_ROOM = room
    for name, graph in given.items():
        for parts in (1, 2, 5) if room > 1 or name in ("paths True", "many True") else ():
            for asked in (graph, graph.reordered("degree")):
                result = lux.components(asked, parts=parts)
                assert parts == 1 or result.strategy == "partitions"
                verify(result)
"""


def test_two_processes_join_their_forests(tmp_path):
    done = start_ranks(tmp_path, ANSWERS, SMALL_TWO, tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
