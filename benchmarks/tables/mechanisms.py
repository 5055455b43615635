# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of published searches with and without, from the JSON of `benchmarks/mechanisms.py`."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import percent, table


def separated(document: dict[str, Any]) -> str:
    """Make the table of searches with delegates; times are divided by those of the defaults."""
    (usual,) = (row["ms"] for row in document["separated"] if row["way"] == "as by default")
    head = ["degree-separated", "delegates, of vertices with edges", "nn edges, of all", "edges looked at, of all"]
    rows = []
    for row in document["separated"]:
        shares = [_share(share) for share in (row["delegates"], row["nn"], _looked_at(document, row))]
        threshold = f" (threshold {row['threshold']})" if row["way"] == "as by default" else ""
        rows.append([row["way"] + threshold, *shares, f"{row['exchanged'] / 1e3:.0f}", f"{row['ms'] / usual:.2f}"])
    return table([*head, "kB sent", "time / the default's"], rows)


def directions(document: dict[str, Any]) -> str:
    """Make the table of rules of directions; times are divided by those of searches that go forwards only."""
    (usual,) = (row["ms"] for row in document["directions"] if row["way"] == "all forwards")
    rows = []
    for row in document["directions"]:
        counts = [f"{row['levels']:.1f}", f"{row['backward']:.1f}", _share(_looked_at(document, row))]
        rows.append([row["way"], *counts, f"{row['ms'] / usual:.2f}"])
    return table(["levels go", "levels", "of them backward", "edges looked at, of all", "time / forwards'"], rows)


def _share(share: float) -> str:
    """Round a share to two digits.

    >>> _share(1.0), _share(0.0743), _share(0.00429)
    ('100 %', '7.4 %', '0.43 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def _looked_at(document: dict[str, Any], row: dict[str, Any]) -> float:
    return float(row["looked_at"] / document["graph"]["stored_edges"])


def forms(document: dict[str, Any]) -> str:
    """Make the table of forms of rows: bytes of the index a row, all bytes beside CSR's, and the time of a row."""
    grids = sorted({row["parts"] for row in document["forms"]})
    found = {(row["form"], row["parts"]): row for row in document["forms"]}
    head = ["form"]
    for parts in grids:
        empty = percent(found["CSR", parts]["empty_rows"])
        head += [f"{parts} processors ({empty} of the rows empty): MB", "of it index", "ns a row"]
    rows = []
    for form in dict.fromkeys(name for name, _ in found):
        cells = [found[form, parts] for parts in grids]
        numbers = [
            [f"{row['bytes'] / 1e6:.2f}", f"{row['index_bytes'] / 1e6:.2f}", f"{row['ns_a_row']:.0f}"] for row in cells
        ]
        rows.append([form, *(number for each in numbers for number in each)])
    return table(head, rows)
