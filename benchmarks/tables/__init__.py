# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables and figures in text for pages, made of the JSON in benchmarks/results/; `benchmarks.pages` inserts them.

Each function takes documents and returns Markdown: a table, or a few words for a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a Markdown table.

    >>> print(table(["", "ms"], [["Lux", "5.8"]]))
    | | ms |
    |---|---|
    | Lux | 5.8 |
    """
    first, *others = ("|" + "".join(f" {text} |" if text else " |" for text in line) for line in [head, *rows])
    return "\n".join([first, "|" + "---|" * len(head), *others])


def short(value: float) -> str:
    """Round a time as tables have it: three digits below 20, at most two decimals, whole numbers from 20 on.

    >>> [short(x) for x in (0.352, 3.94, 12.32, 47.12, 1513.2)]
    ['0.35', '3.9', '12.3', '47', '1,513']
    """
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 20 else f"{value:,.0f}"


def percent(share: float, sign: str = "") -> str:
    """Round a share to whole percent.

    >>> percent(0.05), percent(-0.266, "+"), percent(0.005, "+"), percent(0, "+")
    ('5 %', '-27 %', '+0.5 %', '0 %')
    """
    value = 100 * share
    digits = 1 if 0 < abs(value) < 1 else 0
    return f"{value:{sign if round(value, digits) else ''}.{digits}f} %"
