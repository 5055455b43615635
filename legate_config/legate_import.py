# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Import of Legate without what it imports in vain."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

TABLES = "legate.util.ui"
"""Module by which Legate's launcher prints tables: with Rich, whose import takes longer than that of the rest."""


@contextmanager
def without_tables() -> Iterator[None]:
    """Have Legate's import find functions in place of `TABLES` that import it when they are called.

    Legate asks where its own library lies, and the module that knows has a class that prints itself as a table.
    """
    if TABLES in sys.modules:
        yield
        return
    sys.modules[TABLES] = _Functions(TABLES)
    try:
        yield
    finally:
        del sys.modules[TABLES]


class _Functions(ModuleType):
    """A module of functions that are found, by any name, in the module that it stands for."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(importlib.import_module(self.__name__), name)(*args, **kwargs)

        return call
