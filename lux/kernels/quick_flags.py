# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numba's flags of a compilation are compared by what was set.

Numba looks up the implementation of each operation by its types and flags. The hash of flags is alike for all, so each
look-up compares some, and Numba makes a dictionary of all forty options for that: a fifth of compiling, and more in a
process that has compiled much.
"""

from __future__ import annotations

from typing import Any

from numba.core.targetconfig import TargetConfig

_compare: Any = TargetConfig.__eq__


def use() -> None:
    """Have Numba compare flags so."""
    TargetConfig.__eq__ = _equal  # type: ignore[method-assign]
    TargetConfig.__hash__ = _hash  # type: ignore[method-assign]


def _equal(self: Any, other: Any) -> Any:
    """Compare the options that were set in either; all others have the values of their class."""
    if type(self) is not type(other):
        return _compare(self, other)
    ours, theirs = self._values, other._values  # noqa: SLF001
    if ours == theirs:
        return True
    options = self.options
    return all(
        ours.get(name, options[name].default) == theirs.get(name, options[name].default)
        for name in ours.keys() | theirs.keys()
    )


def _hash(self: Any) -> int:
    """Return the hash of the names of options, as Numba does, without their values: flags change after look-ups."""
    return hash(tuple(self.options))
