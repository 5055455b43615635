# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of what was tried: fuzzing, kills, repeated calls, and the cost of checkpoints."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import table


def fuzz(document: dict[str, Any]) -> str:
    """Sum the outcomes of mutated files, by format."""
    files = document["files"]
    totals = {key: sum(row[key] for row in files.values()) for key in ("read", "refused", "failures")}
    rows = [
        [str(len(files)), f"{document['count']:,}", *(f"{total:,}" for total in totals.values()), _minutes(document)]
    ]
    return table(["files", "inputs of each", "read", "refused", "failures", "minutes"], rows)


def kills(document: dict[str, Any]) -> str:
    """Compare the answers of killed and resumed programs with those of undisturbed ones."""
    rows = [
        [where, f"{done['killed']:,}", f"{done['resumed']:,}", f"{done['equal']:,}"]
        for where, done in document["kills"].items()
    ]
    return table(["on", "killed", "resumed from a checkpoint", "equal answers"], rows)


def soak(document: dict[str, Any]) -> str:
    """Sum calls and list the functions whose processes grew most, in MiB."""
    functions = document["functions"]
    grown = sorted(functions.items(), key=lambda item: item[1]["tenth"] - item[1]["end"])[:5]
    rows = [
        [name, f"{row['calls']:,}", f"{row['end'] - row['tenth']:.1f}", f"{row['malloc']:.1f}"] for name, row in grown
    ]
    calls, most = (
        sum(row["calls"] for row in functions.values()),
        max(r["end"] - r["tenth"] for r in functions.values()),
    )
    rows.insert(0, [f"**all {len(functions)} functions**", f"**{calls:,}**", f"**{most:.1f} at most**", ""])
    return table(["function", "calls", "MiB grown", "of C and C++"], rows)


def checkpoints(*documents: dict[str, Any]) -> str:
    """List the seconds of a checkpoint, and its share of a run that has one a minute."""
    rows = [
        [name, f"{row['bytes'] / 2**20:.1f}", f"{1e3 * row['seconds']:.0f}", f"{100 * row['share']:.2f} %"]
        for document in documents
        for name, row in document["runs"].items()
    ]
    return table(["run", "MiB", "ms of a checkpoint", "at one a minute"], rows)


def _minutes(document: dict[str, Any]) -> str:
    return f"{document['seconds'] / 60:.0f}"
