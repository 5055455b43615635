# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Words that threads put into another process's memory during a launch arrive whole, and before their flag."""

import pytest

from lux_cases.processes import SMALL_TWO, start_ranks

GO_ROUND = """
import numpy as np

from lux_cases.machine import on_several_nodes, ranks
from lux_cases.ring import go_round

HEAD, WORD = 32, 8
for parts, rounds, words in ((1, 3, 5), (2, 9, 1), (2, 4, 1 << 17), (2, 2, 1 << 20), (3, 20, 64), (5, 7, 4096)):
    if parts < ranks():
        continue
    found, sent = go_round(parts, rounds, words)
    for point, last in found.items():
        first = (point - rounds + 1) % parts
        assert (last == first * words + np.arange(words) + rounds - 1).all(), (parts, rounds, words, point)
    puts = rounds * (HEAD + WORD * words) if ranks() > 1 else 0  # one processor's right neighbour is elsewhere
    assert puts <= sent < puts + 10_000, (parts, rounds, words, sent)
assert not on_several_nodes()
"""


@pytest.mark.check
def test_words_go_round_in_one_process(tmp_path):
    done = start_ranks(tmp_path, GO_ROUND, ("python",))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]


@pytest.mark.multirank
def test_words_go_round_two_processes(tmp_path):
    done = start_ranks(tmp_path, GO_ROUND, SMALL_TWO)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
