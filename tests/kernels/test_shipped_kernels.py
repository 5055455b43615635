# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels in shared libraries give what Numba's give: a process compiles them, and calls both."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lux.kernels import shipped_kernels
from lux.kernels.kinds import array, flat, flat_values, kind_of, number

REPOSITORY = Path(__file__).parents[2]
KERNELS = """
from typing import NamedTuple
import numpy as np
from lux.kernels import njit

class Row(NamedTuple):
    values: np.ndarray
    weight: float

@njit(nogil=True, cache=True)
def numbers(a, b, c, d, e):
    return a + 1, b / 2, not c, d, e

@njit(nogil=True, cache=True)
def arrays(table, row, out):
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            out[i] += table[i, j] * row.values[j] * row.weight
    return out[::-1].copy(), len(out), np.empty(0, np.int8)

@njit(nogil=True, cache=True)
def strided(values):
    total = 0
    for value in values:
        total += value
    return total

@njit(cache=True)
def nothing(values):
    values[:] = 1

@njit(nogil=True, cache=True)
def fails(values):
    if len(values) == 0:
        raise ValueError("no values", 3)
    return values[0] // values[1]
"""
RUN = """
import sys
from pathlib import Path
import numpy as np
from legate_config import shipped
if sys.argv[2:] == ["fill"]:
    shipped.fill(Path(sys.argv[1]))
else:
    shipped.folder = Path(sys.argv[1])
import lux_cases_of_kernels as k

print(k.numbers(3, 2.5, False, np.uint32(2**32 - 1), np.float32(0.5)))
out = np.zeros(3)
table = np.asfortranarray(np.arange(6.0).reshape(3, 2)) if "F" in sys.argv else np.arange(6.0).reshape(3, 2)
found, count, none = k.arrays(table, k.Row(np.array([2.0, -3.0]), 0.5), out)
print(out.tolist(), found.tolist(), count, none.dtype, len(none))
readonly = np.arange(10)
readonly.flags.writeable = False
print(k.strided(np.arange(10)[::3]), k.strided(readonly))
ones = np.zeros(2, np.int8)
print(k.nothing(ones), ones.tolist())
for values in ([7, 2], [], [1, 0]):
    try:
        print(k.fails(np.array(values, np.int64)))
    except Exception as error:
        print(type(error).__name__, *error.args)
print("numba" in sys.modules)
"""


def run(folder, *words):
    own = {"PYTHONPATH": f"{folder}{os.pathsep}{REPOSITORY}", "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, folder / "shipped", *words],
        env=os.environ | own, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.mark.check
def test_libraries_give_what_numba_gives_without_numba(tmp_path):
    (tmp_path / "lux_cases_of_kernels.py").write_text(KERNELS)
    *by_numba, imported = run(tmp_path)
    assert by_numba[0] == "(4, 1.25, True, 4294967295, 0.5)"
    assert imported == "True"
    assert run(tmp_path, "fill") == [*by_numba, "True"]
    assert run(tmp_path) == [*by_numba, "False"]
    assert run(tmp_path, "F") == [*by_numba, "True"]  # of no such array


def test_kinds():
    assert kind_of(3) == kind_of(np.int64(3)) == number(np.int64)
    assert kind_of(True) == kind_of(np.bool_(1)) == number(bool)
    assert kind_of(np.zeros((2, 2), np.uint8)) == array(np.uint8, 2)
    assert kind_of(np.zeros((4, 2))[:, 0]).layout == "A"
    assert kind_of("text") is kind_of(np.array(3)) is kind_of((1, "text")) is None
    value = 1, (np.zeros(2), (2.5,))
    assert list(flat([kind_of(value)])) == list(map(kind_of, flat_values(value)))


def test_processors_are_portable_only_with_all_they_need(monkeypatch):
    flags = "abm avx avx2 bmi1 bmi2 cx16 f16c fma movbe popcnt sse4_2"
    for has, want in ((flags, os.uname().machine == "x86_64"), (flags.replace("avx2", ""), False), ("", False)):
        monkeypatch.setattr(shipped_kernels, "processor", lambda has=has: {"flags": has})
        assert shipped_kernels.is_portable() == want
