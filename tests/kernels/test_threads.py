# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Threads of one task meet at barriers, and their atomic operations lose nothing."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvmlite import ir
from numba import njit

from lux.kernels.threads import BARRIER_WORDS, atomic_add, atomic_min, barrier, hint
from lux_cases.machine import run_team


@njit(nogil=True)
def _rounds(me, size, rounds, meeting, told, wrong):
    for r in range(rounds):
        told[me] = r
        barrier(meeting, size)
        for k in range(size):
            wrong[me] += told[k] != r
        barrier(meeting, size)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_barrier_shows_what_all_wrote_before_it(size: int) -> None:
    meeting, told, wrong = np.zeros(BARRIER_WORDS, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    run_team([lambda k=k: _rounds(k, size, 50, meeting, told, wrong) for k in range(size)])  # type: ignore[misc]
    assert (wrong == 0).all()
    assert (told == 49).all()


@njit(nogil=True)
def _count(counter, times):
    for k in range(times):
        atomic_add(counter, 0, np.int64(1))
        atomic_min(counter, 1, np.int64(-k))


def test_atomic_operations_lose_nothing() -> None:
    counter = np.zeros(2, np.int64)
    run_team([lambda: _count(counter, 10_000)] * 4)
    assert counter.tolist() == [40_000, -9_999]


@pytest.mark.check
@pytest.mark.parametrize("machine, instruction", [("x86_64", "pause"), ("aarch64", "yield"), ("ppc64le", "")])
def test_waiting_threads_give_way_on_every_machine(machine: str, instruction: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = ir.Module()
    module.triple = f"{machine}-unknown-linux-gnu"
    builder = ir.IRBuilder(ir.Function(module, ir.FunctionType(ir.VoidType(), []), "wait").append_basic_block())
    hint(builder)
    builder.ret_void()
    target = llvm.Target.from_triple(module.triple).create_target_machine()
    lines = {line.strip() for line in target.emit_assembly(llvm.parse_assembly(str(module))).splitlines()}
    assert lines & {"pause", "yield"} == ({instruction} if instruction else set())
