# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.codegen.shipped_cubins`: machine code for GPUs is found by its sources, and not if it is damaged."""

import pytest

from lux.codegen import cuda_build, shipped_cubins

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


@pytest.mark.parametrize("shipped", [None, b"code"])
def test_whether_machine_code_has_to_be_compiled(tmp_path, monkeypatch, shipped):
    monkeypatch.setattr(shipped_cubins, "find", lambda *_: shipped)
    monkeypatch.setattr(cuda_build, "cache_folder", lambda: tmp_path)
    assert cuda_build.is_built("text", HOPPER) == (shipped is not None)
