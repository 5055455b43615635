# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What Legate's memory has no room for is refused before the start, and what it has room for is not.

The least memory of the calls was measured by ``python -m benchmarks.least_memory --graph kronecker:18``, which refuses
nothing and has Legate end processes whose memory is too small.
"""

import sys

import pytest

from lux_cases.processes import start

LEAST = {"load": 32, "labels": 68}
"""MiB of Legate's memory; cutting the graph takes nothing more than loading it."""
PROGRAM = """
import lux

try:
    step = "load"
    graph = lux.generate("kronecker:18")
    step = "partition"
    graph.layout(4).splits
    step = "labels"
    lux.components(graph, strategy="program", parts=2)
    print("all")
except lux.errors.MemoryNeededError as error:
    assert "start with --sysmem" in str(error)
    print(step)
"""


@pytest.mark.parametrize(
    "share, of, refused",
    [(0.8, "load", "load"), (1.2, "load", "labels"), (0.8, "labels", "labels"), (1.2, "labels", "all")],
)
def test_a_fifth_below_the_least_memory_is_refused_and_a_fifth_above_is_not(tmp_path, share, of, refused):
    config = f"--cpus 2 --gpus 0 --sysmem {round(share * LEAST[of])}"
    done = start(tmp_path, PROGRAM, [sys.executable], LEGATE_CONFIG=config)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [refused]
