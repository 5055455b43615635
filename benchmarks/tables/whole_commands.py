# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Table of `benchmarks.whole_commands`."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import short, table


def commands(document: dict[str, Any]) -> str:
    """Make the table of commands of Lux beside those of GAPBS: median seconds, and their ratio."""
    rows = []
    for found in document["results"]:
        ours, theirs = (f"`{' '.join(found['commands'][who])}`" for who in ("lux", "gapbs"))
        medians = (short(found[f"{who}_median"]) for who in ("lux", "gapbs"))
        rows.append([ours, theirs, *medians, f"{found['ratio']:.2f}"])
    return table(["Lux", "GAPBS", "Lux, s", "GAPBS, s", "ratio"], rows)
