# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole numbers in the decimal digits of a file or a user, of any length."""

from __future__ import annotations

LONGEST = 20
"""Digits of the largest integers of 64 bits."""


def is_integer(text: str) -> bool:
    """Tell whether a text is a decimal integer.

    >>> is_integer("-07"), is_integer("-"), is_integer("1.0")
    (True, False, False)
    """
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def integer(text: str, low: int = -(2**63), high: int = 2**64 - 1) -> int | None:
    """Parse an integer; None for a text that is none, or one that is not from ``low`` to ``high``.

    ``low`` and ``high`` have `LONGEST` digits at most: longer texts are not converted, whatever their length.

    >>> integer("-07"), integer("9" * 5000), integer("0" * 5000 + "7"), integer("x")
    (-7, None, 7, None)
    """
    if not is_integer(text):
        return None
    sign, digits = ("-" if text[0] == "-" else ""), text.removeprefix("-").lstrip("0") or "0"
    value = int(sign + digits) if len(digits) <= LONGEST else None
    return value if value is not None and low <= value <= high else None


def shown(value: int | str) -> str:
    """Format a number or a text for messages: long ones are cut.

    >>> shown("ada"), shown(10**20), shown(10**5000), len(shown("9" * 5000))
    ("'ada'", '100000000000000000000', 'of 16610 bits', 62)
    """
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 256 else f"of {value.bit_length()} bits"
    return repr(value if len(value) <= 60 else value[:57] + "...")
