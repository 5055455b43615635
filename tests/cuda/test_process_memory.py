# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What `lux info` foretells of a process's memory in runs on GPUs."""

import lux
from lux.app import process_memory


def test_compilers_take_memory_where_kernels_may_have_to_be_compiled(machine, monkeypatch):
    monkeypatch.setattr(process_memory, "resident_bytes", lambda: 0)
    monkeypatch.setattr(process_memory, "started_bytes", lambda: 1 << 30)
    with machine(), lux.using(device="gpu"):
        rows = process_memory.process_memory(lux.generate("kronecker:8"))
    found = {row["process"]: row["bytes"] - (1 << 30) for row in rows}
    assert found["bfs"] == found["components"] == process_memory.COMPILING
    # It is looked for on disk, where somebody may have compiled it.
    assert found["pagerank"] in (process_memory.COMPILING, process_memory.COMPILING_PROGRAM)
