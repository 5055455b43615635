# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Threads inside one task: their errors are raised."""

from __future__ import annotations

import pytest

from lux.runtime import run_team


@pytest.mark.check
def test_an_error_in_a_thread_is_raised_by_the_caller() -> None:
    def fail() -> None:
        raise ValueError("in a thread")

    with pytest.raises(ValueError, match="in a thread"):
        run_team([lambda: None, fail])
    run_team([lambda: None, lambda: None])  # the team goes on
