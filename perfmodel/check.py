# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Values that were read from a file, against the types of the fields that they stand in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

LARGEST = 2**63
"""Bound that integers must be below."""


def check(value: Any, hint: Any, name: str) -> None:
    """Raise `TypeError` or `ValueError` unless a value has an annotated type; numbers are finite and from 0 on.

    >>> check((1.0, -2.0), tuple[float, ...], "rates")
    Traceback (most recent call last):
        ...
    ValueError: rates[1] is -2.0, and should be a number from 0 on
    """
    kind = get_origin(hint) or hint
    if kind is Any:
        return
    if kind is UnionType:
        if value is not None or NoneType not in get_args(hint):
            check(value, next(of for of in get_args(hint) if of is not NoneType), name)
    elif kind in (int, float):
        _check_number(value, kind, name)
    elif kind is tuple and isinstance(value, tuple):
        _check_tuple(value, get_args(hint), name)
    elif kind is Mapping and isinstance(value, Mapping):
        key_type, value_type = get_args(hint)
        for key, each in value.items():
            check(key, key_type, f"a key of {name}")
            check(each, value_type, f"{name}[{str(key)[:60]!r}]")
    elif not isinstance(kind, type) or not isinstance(value, kind):
        raise TypeError(f"{name} is {str(value)[:60]!r}, and should be {getattr(kind, '__name__', kind)}")
    elif is_dataclass(kind):
        hints = _hints(kind)
        for field in fields(kind):
            check(getattr(value, field.name), hints[field.name], f"{name}.{field.name}".lstrip("."))


_hints = cache(get_type_hints)


def _check_tuple(value: tuple[Any, ...], of: tuple[Any, ...], name: str) -> None:
    every = of[:1] * len(value) if of[1:] == (...,) else of
    if len(every) != len(value):
        raise ValueError(f"{name} has {len(value)} values, and should have {len(every)}")
    for i, (each, its) in enumerate(zip(value, every, strict=True)):
        check(each, its, f"{name}[{i}]")


def _check_number(value: Any, kind: type, name: str) -> None:
    allowed = isinstance(value, int) or (kind is float and isinstance(value, float))
    if isinstance(value, bool) or not allowed:
        raise TypeError(f"{name} is {str(value)[:60]!r}, and should be {'a number' if kind is float else 'an integer'}")
    if not (0 <= value < LARGEST if isinstance(value, int) else math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} is {value}, and should be a number from 0 on")
