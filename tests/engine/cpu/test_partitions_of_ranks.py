# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs on the partitions of several processes: what they exchange, and the answers of one process."""

import numpy as np
import pytest

import lux
from lux_cases.examples import QUICK, one_order
from lux_cases.processes import PROGRAM_ANSWERS, SMALL_TWO, assert_same_answers, start_ranks
from lux_cases.programs import Small


@pytest.mark.multirank
def test_answers_are_those_of_one_process(tmp_path, chance):
    order = f"order={one_order(chance)[0]}"
    alone = start_ranks(tmp_path, PROGRAM_ANSWERS, ("python",), tmp_path, "one", "1", order)
    assert (alone.returncode, alone.stderr) == (0, ""), alone.stderr[-3000:]
    both = start_ranks(tmp_path, PROGRAM_ANSWERS, SMALL_TWO, tmp_path, "parts", "5" if QUICK else "2 5", order)
    assert (both.returncode, both.stderr) == (0, ""), both.stderr[-3000:]
    assert_same_answers(tmp_path, least=100 if QUICK else 200)


def test_values_of_the_user_stay_when_their_array_changes():
    """Constants are taken when a run begins, also by partitions."""
    given = np.linspace(0, 1, 64, dtype=np.float32)
    graph = lux.generate("uniform:6,4", seed=1)
    expected = lux.run(Small, graph, constants={"height": given}, parts=1, max_iter=9)
    found = lux.run(Small, graph, constants={"height": given}, parts=3, max_iter=9)
    given[:] = -1
    np.testing.assert_array_equal(found["seen"].dense(), expected["seen"].dense())
