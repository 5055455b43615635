# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.codegen.shipped_cubins`: machine code for GPUs is found by its sources, and not if it is damaged."""

from lux.codegen import shipped_cubins

HOPPER = (9, 0)


def test_machine_code_is_found_by_what_was_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped_cubins.shipped, "folder", tmp_path)
    assert shipped_cubins.find("key", HOPPER) is None
    shipped_cubins.keep("key", HOPPER, b"code")
    assert shipped_cubins.find("key", HOPPER) == b"code"
    assert shipped_cubins.find("key", (9, 9)) == b"code"
    assert shipped_cubins.find("key", (8, 0)) is None
    path = next((tmp_path / "cubins").iterdir())
    path.write_bytes(path.read_bytes()[:-2])
    assert shipped_cubins.find("key", HOPPER) is None
