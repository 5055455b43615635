# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What counts as the same answer."""

import numpy as np
import pytest

from benchmarks.agreement import DisagreementError, check


def test_ranks_may_differ_within_the_precision():
    ranks = np.array([0.2, 0.3, 0.5])
    assert check("pagerank", "float64", ranks, ranks) == 0
    assert check("pagerank", "float32", ranks * (1 + 5e-5), ranks) == pytest.approx(5e-5)
    with pytest.raises(DisagreementError, match=r"a rank differs by 5e-05, relative; allowed is 1e-09"):
        check("pagerank", "float64", ranks * (1 + 5e-5), ranks)
    with pytest.raises(DisagreementError, match="a rank differs by nan"):
        check("pagerank", "float32", ranks * np.nan, ranks)


def test_dependencies_of_all_but_the_source():
    reference = np.array([9.0, 0.0, 1.5, 2.0])
    assert check("betweenness", "float64", np.array([0.0, 0.0, 1.5, 2.0]), reference, 0) == 0
    with pytest.raises(DisagreementError, match="1 values that are 0 in the reference are not"):
        check("betweenness", "float64", np.array([9.0, 1e-30, 1.5, 2.0]), reference, 0)
    with pytest.raises(DisagreementError, match="a dependency differs by 1"):
        check("betweenness", "float64", np.array([9.0, 0.0, 1.5, 0.0]), reference, 0)


@pytest.mark.parametrize("work", ["bfs", "sssp"])
def test_distances_are_equal(work):
    reference = np.array([0.0, np.inf, 3.0])
    assert check(work, "", reference.copy(), reference, 0) == 0
    with pytest.raises(DisagreementError, match="1 distances differ"):
        check(work, "", np.array([0.0, np.inf, 4.0]), reference, 0)
    with pytest.raises(DisagreementError, match="2 values and 3 in the reference"):
        check(work, "", reference[:2], reference, 0)


def test_components_are_equal_up_to_their_names():
    reference = np.array([0, 0, 2, 2, 4])
    assert check("components", "", np.array([7, 7, 1, 1, 0]), reference) == 0
    with pytest.raises(DisagreementError, match="2 components and 3 in the reference, 3 intersections"):
        check("components", "", np.array([7, 7, 1, 1, 1]), reference)
    with pytest.raises(DisagreementError, match="3 components and 3 in the reference, 4 intersections"):
        check("components", "", np.array([7, 1, 1, 1, 0]), reference)
