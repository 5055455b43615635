# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of `benchmarks.first_calls`."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.tables import short, table

HEADS = {
    "nothing compiled": "nothing compiled",
    "installed": "first after the installation",
    "later": "later",
}


def commands(document: dict[str, Any]) -> str:
    """Make the table of whole commands: median seconds in each state."""
    rows = [[name, *(short(median(states[s])) for s in HEADS)] for name, states in document["seconds"].items()]
    return table(["seconds", *HEADS.values()], rows)


def answer(document: dict[str, Any], state: str) -> str:
    """Say how long a new process takes until the first PageRank."""
    seconds = next(iter(document["seconds"].values()))
    return f"{short(median(seconds[state]))} s"
