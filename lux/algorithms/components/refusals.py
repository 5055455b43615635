# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Reasons of Afforest's strategies to leave a query to the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lux.algorithms.strategy import Query


def has_iterations(query: Query) -> str:
    """Say why Afforest, which has no iterations, cannot answer; empty where none are counted."""
    if query.max_iter is None:
        return ""
    return f"max_iter={query.max_iter} is asked for, and Afforest has no iterations: only the program counts them"
