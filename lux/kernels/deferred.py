# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that Numba compiles, and what only compiling needs: made when the first function is compiled.

Shipped kernels (`lux.kernels.shipped_kernels`) run without Numba, whose import takes a quarter of a second with all
that it makes of Lux's functions. A module of kernels takes Numba's decorators from here.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Iterable
from typing import Any

from legate_config import shipped
from lux.kernels import shipped_kernels
from lux.kernels.kinds import Group, Kind, kind_of

_lock = threading.RLock()
_waiting: list[Callable[[], object]] = []


def when_compiling(action: Callable[[], object]) -> None:
    """Call a function before Numba compiles what was not compiled before, with Numba there."""
    _waiting.append(action)


def prepare_numba() -> None:
    """Import Numba, give it Lux's settings, and do all that has waited for it.

    Raises
    ------
    lux.errors.ConfigurationError
        NUMBA_DISABLE_JIT is set.
    """
    with _lock:
        importlib.import_module("lux.kernels.numba_settings").apply()
        while _waiting:
            _waiting.pop(0)()


class Deferred:
    """An object of Numba's that a function which is compiled names, made when that is compiled."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    @property
    def made(self) -> Any:
        """The object of Numba's."""
        with _lock:
            if self._made is None:
                prepare_numba()
                self._made = self._make()
        return self._made

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of the object, which Numba asks for where compiled functions name it."""
        from numba.core.registry import cpu_target

        made = self.made
        cpu_target.typing_context.refresh()  # which finds what was made since Numba began
        return cpu_target.typing_context.resolve_value_type(made)


class Function(Deferred):
    """A function that is compiled for each combination of types that it is called with, if no code of it is shipped.

    What it lacks of Numba's functions, it takes from the one that Numba makes of it.

    Attributes
    ----------
    py_func : callable
        The function as it was written.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[], Any], options: dict[str, Any]) -> None:
        super().__init__(make)
        functools.update_wrapper(self, function)
        self.py_func = function
        self._options = options
        self._shipped: dict[Any, Callable[..., Any] | None] = {}
        self._any = False

    def __call__(self, *args: Any, **more: Any) -> Any:
        """Call the shipped code, or Numba's."""
        if self._made is None or self._any:
            found = self.shipped(map(kind_of, args)) if not more else None
            if found is not None:
                return found(*args)
        return self.made(*args, **more)

    def shipped(self, kinds: Iterable[Kind | Group | None]) -> Callable[..., Any] | None:
        """Return the shipped code for arguments of these kinds; None if there is none."""
        key = tuple(kinds)
        try:
            return self._shipped[key]
        except KeyError:
            usable = self._options.get("cache") and None not in key
            found = self._find(key) if usable else None  # type: ignore[arg-type]  # none is None
            self._shipped[key] = found
            self._any |= found is not None
            return found

    def _find(self, kinds: tuple[Kind | Group, ...]) -> Callable[..., Any] | None:
        """Return the shipped code, which is made if this process fills the package's folder."""
        found = shipped_kernels.find(self.py_func, kinds, self._options)
        if found is None and shipped.filling:
            prepare_numba()
            importlib.import_module("lux.kernels.shared_library").make(self.py_func, self._options, kinds)
            found = shipped_kernels.find(self.py_func, kinds, self._options)
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.made, name)


def njit(function: Callable[..., Any] | None = None, *, kind: type[Function] = Function, **options: Any) -> Any:
    """Compile a function as `numba.njit` does, when it is first called and no code of it is shipped."""

    def decorate(function: Callable[..., Any]) -> Function:
        def make() -> Any:
            import numba

            return numba.njit(**options)(function)

        return kind(function, make, options)

    return decorate if function is None else decorate(function)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make an intrinsic of Numba's of a function, as `numba.extending.intrinsic` does."""

    def make() -> Any:
        from numba.extending import intrinsic

        return intrinsic(function)

    return Deferred(make)


def overload(function: Callable[..., Any], **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say how Numba compiles another function, as `numba.extending.overload` does."""

    def decorate(typed: Callable[..., Any]) -> Callable[..., Any]:
        def register() -> None:
            from numba.extending import overload

            overload(function, **options)(typed)

        when_compiling(register)
        return typed

    return decorate


class _Module:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


types: Any = _Module("numba.types")
cgutils: Any = _Module("numba.core.cgutils")
ir: Any = _Module("llvmlite.ir")
arrayobj: Any = _Module("numba.np.arrayobj")
