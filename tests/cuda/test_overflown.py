# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the model measures of edges in zero-copy memory: runs in which they overflow though there is room."""

import numpy as np

import lux
from perfmodel import Configuration
from perfmodel.measure_beside import BesideCase, cases, overflown


def test_edges_overflow_where_that_is_asked_for(machine):
    graph = lux.generate("uniform:9,8", seed=2)
    with machine(1):
        one = Configuration("pagerank", "pull", "device", 1, 1, 8)
        ranks = []
        for share in (0.0, 0.5):
            found, beside = overflown(graph, Configuration(**{**vars(one), "overflow": share}))
            ranks.append(lux.runtime.to_array(found.fields["rank"]).copy())
            assert abs(beside - share) < 0.1
            assert ("4 of 8 partitions are in zero-copy" in found.statistics[0].why) == (share > 0)
        np.testing.assert_array_equal(*ranks)
        case = next(cases("g", graph, (0.5,), ()))
        assert isinstance(case, BesideCase)
        assert case.prepare()
        case.run()
        sample = case.sample()
        assert (sample.parts, sample.workers, sample.iterations) == (8, 1, 10)
        assert 0.4 < sample.overflow < 0.6
        assert sample.kernel > 0
