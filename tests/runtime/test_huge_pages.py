# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Legate's host memory lies in huge pages where the system has them."""

import re
from pathlib import Path

import pytest

import legate_config
from lux import runtime
from lux.runtime import huge_pages

ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def test_legates_memory_may_have_huge_pages():
    if not ENABLED.exists() or "[never]" in ENABLED.read_text():
        pytest.skip("this system has no huge pages")
    runtime.start()
    asked = legate_config.settings().sysmem_bytes
    flags = {}
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            begin, end = (int(x, 16) for x in found.groups())
        elif line.startswith("VmFlags:") and end - begin >= asked:
            flags[begin] = line.split()[1:]
    pieces = huge_pages.pieces(huge_pages.MAPS.read_text().splitlines(), asked)
    assert pieces
    assert all("hg" in flags[begin] for begin, _ in pieces)


def test_which_memory():
    maps = [
        "00400000-00600000 rw-p 00000000 08:01 42 /usr/bin/python3",
        "00600000-00a00000 rw-p 00000000 00:00 0 [heap]",
        "10000000-10400000 r--p 00000000 00:00 0",
        "20000000-20400000 rw-s 00000000 00:00 0",
        "30000000-30400000 rw-p 00000000 00:00 0 ",
        "40000000-40001000 rw-p 00000000 00:00 0 ",
    ]
    assert huge_pages.pieces(maps, 1 << 20) == [(0x30000000, 0x30400000)]


def test_a_system_without_maps(monkeypatch, tmp_path):
    monkeypatch.setattr(huge_pages, "MAPS", tmp_path / "none")
    assert huge_pages.ask_for_huge_pages(1 << 20) == 0
