# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Standard streams of commands."""

import os
import sys
from pathlib import Path

import pytest

from lux.app.console import terminal


@pytest.mark.check
def test_closed_standard_streams_lead_nowhere(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    terminal.reopen_closed()
    assert sys.stdout.write("lost")
    sys.stdout.close()


def test_only_the_first_process_has_a_terminal(monkeypatch):
    main, pseudo = os.openpty()
    with os.fdopen(pseudo, "w") as stream, Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        assert terminal.is_terminal(stream)
        assert not terminal.is_terminal(nowhere)
        for name in ("RANK", "LOCAL_RANK"):
            monkeypatch.setenv(f"OMPI_COMM_WORLD_{name}", "1")
        for name in ("SIZE", "LOCAL_SIZE"):
            monkeypatch.setenv(f"OMPI_COMM_WORLD_{name}", "2")
        assert not terminal.is_terminal(stream)
    os.close(main)
