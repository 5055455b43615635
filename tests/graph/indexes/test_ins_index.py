# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The vertices that each partition reads, and their local numbers."""

import numpy as np
import pytest

import lux
from lux_cases.stores import to_array


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_members_of_ins(order, parts):
    g = lux.generate("kronecker:8", seed=3, weights=(1, 255)).reordered(order)
    layout = g.layout(parts)
    members, sources = layout.members, to_array(g.sources)
    places, local = to_array(members.places), to_array(members.local_sources)
    begin = 0
    for part, size in enumerate(members.sizes.tolist()):
        edges = slice(*layout.edge_points[part : part + 2].tolist())
        mine, begin = places[begin : begin + size], begin + size
        np.testing.assert_array_equal(mine, np.unique(sources[edges]))
        np.testing.assert_array_equal(mine[local[edges]], sources[edges])
        wanted = np.array([0, 5, g.n_vertices])
        np.testing.assert_array_equal(members.first_of(wanted)[part], np.searchsorted(mine, wanted))
