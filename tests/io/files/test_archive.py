# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Archives of arrays: whatever is wrong with one is a `FormatError`."""

import io
import zipfile

import numpy as np
import pytest

from lux.errors import FileError, FormatError, LuxWarning
from lux.io.files import archive
from lux.io.files.sidecar import read_sidecar
from lux_cases.edges import ids_of


def archived(arrays: dict[str, object]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


GOOD = archived({"a": np.arange(50), "b": np.array("x")})


def encrypted(content: bytes) -> bytes:
    """The archive whose first entry says in its list that it is encrypted."""
    at = content.index(b"PK\x01\x02") + 8  # the flags
    return content[:at] + bytes([content[at] | 1]) + content[at + 1 :]


def with_header(header: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("a.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        GOOD[:-30],
        GOOD[:60] + b"\xff\xff\xff" + GOOD[63:],  # zlib
        encrypted(GOOD),
        archived({"a": np.array([{}], object)}),
        archived({"a": np.array([[0x41, 0x110000]], np.uint32).view("<U2")}),
        archived({"a": np.array([0x110000], ">u4").view(">U1").reshape(())}),
        with_header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"),
        with_header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999,), }"),
        with_header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b",), }"),
        with_header(b"{'descr': '<i8', 'fortran_order': False, 'shape': " + b"(" * 900),
        with_header(b"{'descr': '"),
        with_header(b"\xff" * 90),
        np.lib.format.magic(1, 0),
    ],
)
def test_damaged_archives(content, tmp_path):
    path = tmp_path / "g.lux.ids.npz"
    path.write_bytes(content)
    (tmp_path / "g.lux").touch()
    for read, name in ((archive.read_arrays, path), (read_sidecar, tmp_path / "g.lux")):
        with pytest.raises(FormatError, match=r"g\.lux\.ids\.npz"):
            read(name)


@pytest.mark.check
def test_arrays_larger_than_memory(tmp_path, monkeypatch):
    path = tmp_path / "g.npz"
    path.write_bytes(GOOD)
    monkeypatch.setattr("os.sysconf", lambda _: 10)
    with pytest.raises(FileError, match=r"its arrays have .* bytes, and this machine has 100"):
        archive.read_arrays(path)


@pytest.mark.check
def test_a_direction_that_is_no_boolean(tmp_path):
    path = tmp_path / "g.ids.npz"
    np.savez(path, undirected=np.array("yes"), **ids_of(["a"], ["b"]).to_arrays())
    (tmp_path / "g").touch()
    with (
        pytest.warns(LuxWarning, match="does not say to which file"),
        pytest.raises(FormatError, match="does not say whether its graph is undirected"),
    ):
        read_sidecar(tmp_path / "g")
