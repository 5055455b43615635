# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of public functions' arguments before anything runs: what was passed, what is allowed and what to do."""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import ContextVar
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import legate_config
from lux.errors import LuxWarning, ParameterError

LARGEST = sys.float_info.max

LONGEST = 20
"""Digits of the largest integers of 64 bits."""


def described(value: Any) -> str:
    """Describe a value and its type, on one line.

    >>> described([1, 2]), described(None)
    ('the list [1, 2]', 'None')
    """
    if value is None:
        return "None"
    text = " ".join(_repr(value).split())
    return f"the {type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def checked_real(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a finite number from ``least`` to ``most``, or raise `ParameterError`.

    >>> checked_real("alpha", "0.85", 0, 1)
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: alpha='0.85' was passed; allowed are numbers from 0 to 1
    """
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not (real and abs(value) <= LARGEST and least <= value <= most):
        allowed = "finite numbers" if most == math.inf else "numbers"
        allowed += "" if least == -math.inf else f" from {least:g}"
        allowed += "" if most == math.inf else f" to {most:g}"
        raise ParameterError(f"{name}={_repr(value)} was passed; allowed are {allowed}")
    return float(value)


def checked_count(name: str, value: Any, least: int = 0) -> int:
    """Return a whole number from ``least`` on, or raise `ParameterError`.

    >>> checked_count("k", -1)
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: k=-1 was passed; allowed are whole numbers from 0
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < 2**63:
        most = " to 2^63 - 1" if isinstance(value, int) and value >= 2**63 else ""
        raise ParameterError(f"{name}={_repr(value)} was passed; allowed are whole numbers from {least}{most}")
    return int(value)


def _repr(value: Any) -> str:
    """Return Python's repr of a value, also for integers too long for it."""
    long = isinstance(value, int) and value.bit_length() > 64
    return f"(an integer {shown(value)})" if long else repr(value)


def checked_flag(name: str, value: Any, *, optional: bool = False) -> bool | None:
    """Return True or False (with ``optional`` also None), or raise `ParameterError`.

    >>> checked_flag("directed", "no")
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: directed='no' was passed; allowed are True and False
    """
    if not isinstance(value, bool | np.bool_) and not (optional and value is None):
        raise ParameterError(f"{name}={value!r} was passed; allowed are {'None, ' * optional}True and False")
    return None if value is None else bool(value)


def checked_names(name: str, value: Any) -> list[Any] | None:
    """Return names as a list, or None; raise `ParameterError` for a single name, which is a sequence of letters.

    >>> checked_names("properties", "weight")
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: properties='weight' was passed; allowed are None and a list of names
    """
    if value is not None and (isinstance(value, str) or not isinstance(value, Iterable)):
        raise ParameterError(f"{name}={value!r} was passed; allowed are None and a list of names")
    return None if value is None else list(value)


def checked_path(name: str, value: Any) -> str | PathLike[str]:
    """Return the name of a file or a folder, or raise `ParameterError`.

    >>> checked_path("path", 3)
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: path=3 was passed; allowed is the name of a file
    """
    if not isinstance(value, str | PathLike):
        raise ParameterError(f"{name}={value!r} was passed; allowed is the name of a file")
    return value


def checked_type(name: str, value: Any, allowed: Sequence[Any]) -> np.dtype[Any]:
    """Return one of the allowed types, or raise `ParameterError`.

    >>> checked_type("dtype", "foo", (np.float32, np.float64))
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: dtype='foo' was passed; allowed are float32 and float64
    """
    found: np.dtype[Any] | None = None
    with suppress(TypeError):
        found = np.dtype(value)
    if found is None or found not in allowed:
        names = " and ".join(np.dtype(t).name for t in allowed)
        raise ParameterError(f"{name}={repr(value) if found is None else found} was passed; allowed are {names}")
    return found


calling_frame: ContextVar[FrameType | None] = ContextVar("lux_calling_frame", default=None)
"""The frame that called Lux, where another thread works for it."""


def warn(message: str) -> None:
    """Show a `LuxWarning` at the caller's line outside of Lux; all processes call it, and the first one shows it."""
    frame = _outside(inspect.currentframe())
    if frame is None or frame.f_globals.get("__name__") == "threading":  # this is Lux's own thread
        frame = _outside(calling_frame.get())
    names: dict[str, Any] = {} if frame is None else frame.f_globals
    line = 1 if frame is None else frame.f_lineno
    file, module = ("sys", "sys") if frame is None else (frame.f_code.co_filename, names.get("__name__"))
    registry = names.setdefault("__warningregistry__", {})
    first = legate_config.rank_info().rank == 0
    unseen: AbstractContextManager[Any] = nullcontext() if first else warnings.catch_warnings(record=True)
    with unseen:  # warnings turned into errors are raised on every process
        warnings.warn_explicit(message, LuxWarning, file, line, module, registry)


def _outside(frame: FrameType | None) -> FrameType | None:
    """Return the first frame outside of Lux, from this one outwards."""
    home = f"{Path(__file__).parent}/"
    while frame is not None and frame.f_code.co_filename.startswith(home):
        frame = frame.f_back
    return frame


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
