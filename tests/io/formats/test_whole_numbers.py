# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The parser of lines of whole numbers, against the general one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lux.errors import FormatError
from lux.io.files.content import FileContent
from lux.io.formats import text_file, whole_numbers
from lux.io.formats.text import Dialect, Table
from lux.io.formats.text_file import TextFile

NUMBERS = st.one_of(st.integers(0, 99), st.integers(0, 2**32 - 1)).map(str)
LINES = st.one_of(
    st.tuples(NUMBERS, st.sampled_from([" ", "\t", " \t  "]), NUMBERS, st.sampled_from(["", " ", "\t", " \r"])).map(
        "".join
    ),
    st.sampled_from(["", "  ", "# 1 2", "%", " # x", "\r", "007 0000000001"]),
)


def opened(folder, content):
    path = folder / "e.el"
    path.write_bytes(content)
    return TextFile(path, "el")


@settings(max_examples=80)
@given(
    lines=st.lists(LINES, min_size=1, max_size=25),
    last=st.booleans(),
    chunk=st.sampled_from([1, 2, 5, 16, 1 << 20]),
    tail=st.sampled_from([40, 1 << 12]),
)
def test_blocks_of_any_length_give_the_same_columns(tmp_path_factory, lines, last, chunk, tail):
    text = opened(tmp_path_factory.mktemp("text"), ("\n".join(lines) + ("\n" if last else "")).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "CHUNK", chunk)
        patch.setattr(whole_numbers, "TAIL", tail)
        found = whole_numbers.read(text, 0, 2, b"#%")
    wanted = Table(text, 0, Dialect(), ["integer", "integer"]).columns
    assert found is not None
    for column, general in zip(found, wanted, strict=True):
        assert column.dtype == np.uint32
        np.testing.assert_array_equal(column, general)


@pytest.mark.parametrize(
    "line",
    ["1", "1 2 3", "1 -2", "1 +2", "1 x", "1 2.5", f"1 {2**32}", "1 18446744073709551617", '"1" 2', "1\v2", "1,2"],
)
@pytest.mark.parametrize("chunk", [4, 1 << 20])
def test_other_lines_are_left_to_the_general_parser(tmp_path, monkeypatch, line, chunk):
    monkeypatch.setattr(text_file, "CHUNK", chunk)
    assert whole_numbers.read(opened(tmp_path, f"1 2\n3 4\n{line}\n5 6\n".encode()), 0, 2, b"#%") is None


def test_a_line_longer_than_the_tail_is_left_to_the_general_parser(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "CHUNK", 8)
    monkeypatch.setattr(whole_numbers, "TAIL", 8)
    assert whole_numbers.read(opened(tmp_path, b"1 2\n" + b" " * 100 + b"3 4\n1 2\n"), 0, 2, b"#%") is None


def test_a_file_that_is_truncated_meanwhile(tmp_path, monkeypatch):
    text = opened(tmp_path, b"1 2\n" * 1000)
    monkeypatch.setattr(FileContent, "__len__", lambda _: 5000)
    with pytest.raises(FormatError, match="truncated while it was read"):
        whole_numbers.read(text, 0, 2, b"#%")
