# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A job of more nodes than two ends once its program has: closing connections, each process answers all others."""

import pytest

from lux_cases.processes import environment

pytestmark = pytest.mark.multirank

LIMIT_S = 120
ENDS = """
import sys

import lux
from lux_cases import machine

graph = lux.generate("grid:64x64")
lux.bfs(graph, 0)
lux.pagerank(graph)
print("at the end", machine.rank(), flush=True)
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", [0, 3])
def test_four_nodes_end(cluster, tmp_path, code):
    made = cluster(4)
    (tmp_path / "program.py").write_text(ENDS)
    process = made.start(made.command(tmp_path / "program.py", code, sysmem=500), tmp_path, environment())
    out, error = process.communicate(timeout=LIMIT_S)
    assert process.returncode == code, out + error
    assert sorted(line for line in out.splitlines() if line.startswith("at the end")) == [
        f"at the end {rank}" for rank in range(4)
    ]
