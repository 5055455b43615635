# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions that generated kernels call, shipped with Lux (`legate_config.shipped`) for Numba.

What Python calls is in shared libraries (`lux.kernels.shared_library`). Numba compiles what is not found there, as it
does for any function with ``cache=True``, and keeps it for the user.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding
from numba.core import caching, ccallback, dispatcher
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]
from numba.core.serialize import dumps

from legate_config import shipped
from lux.kernels import shared_library, shipped_kernels
from lux.kernels.shipped_kernels import OWN, PORTABLE, sources

NEEDED = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
_config: Any = numba.config  # its variables exist once it is imported


def use() -> None:
    """Have Numba look for functions of Lux among the shipped ones first."""
    dispatcher.FunctionCache = ccallback.FunctionCache = _ShippedFirst  # type: ignore[attr-defined]


@functools.cache
def portable() -> bool:
    """Tell whether this is one of the `PORTABLE` processors."""
    has = binding.get_host_cpu_features()
    return binding.get_default_triple().startswith("x86_64") and all(has.get(name, False) for name in NEEDED)


@functools.cache
def _targets() -> list[str]:
    """List the processors whose code may be used, the preferred ones first: none if Numba is to compile otherwise."""
    if shipped_kernels.otherwise(_config):
        return []
    host = f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    if shipped.filling:
        return [host if _config.CPU_NAME is None else _config.CPU_NAME]
    if _config.CPU_NAME is not None or _config.CPU_FEATURES is not None:
        return []
    return [host, *([PORTABLE] if portable() else [])]


class _ShippedFirst(caching.FunctionCache):
    """Numba's cache of a function, with shipped code before it."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what is shipped, without the types and rules of all Python, which only compiling needs: 0.15 s less."""
        if self._enabled:
            for found in filter(None, map(_load, _paths(self._py_func, sig))):
                _name_runtime()
                return self._impl.rebuild(target_context, found)
        return None if shipped.filling else super().load_overload(sig, target_context)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return Numba's key, and a hash of the modules that the function has parts of: Numba sees its file alone."""
        key, module = super()._index_key(sig, codegen), self._py_func.__module__
        return (*key, sources(module)) if module.startswith(OWN) else key

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not shipped.filling:
            super()._save_overload(sig, data)
        elif self._py_func.__module__.startswith("lux.") and self._impl.check_cachable(data):  # not generated
            for path in _paths(self._py_func, sig):
                saved = dumps(self._impl.reduce(data))
                shared_library.write(path, hashlib.sha256(saved).digest() + saved)


@functools.cache
def _name_runtime() -> None:
    """Tell the linker the functions of Numba's runtime, as Numba does before it compiles."""
    for name, address in _nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _paths(function: Any, signature: Any) -> list[Path]:
    """List the files that may have a compiled function of Lux; for other functions none."""
    name, types = f"{function.__module__}.{function.__qualname__}", repr(signature)
    if not name.startswith(OWN) or " at 0x" in types or function.__closure__:
        return []
    key = hashlib.sha256(sources(function.__module__) + function.__code__.co_code)
    key.update(repr((name, types, *versions())).encode())
    folder = shipped.folder / "kernels"
    return [folder / f"{name}-{_digest(key.digest() + target.encode())}" for target in _targets()]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


def versions() -> tuple[str, ...]:
    """Return the versions that compiled code depends on: not NumPy's, which Numba's own cache does not ask for either.

    Machine code takes an array as Numba's struct of its address, shape and strides.
    """
    return (str(sys.implementation.cache_tag), numba.__version__, llvmlite.__version__)


def _load(path: Path) -> Any:
    """Return what was saved; None if it is not there, or damaged."""
    with suppress(OSError):
        digest, data = (whole := path.read_bytes())[:32], whole[32:]
        if hashlib.sha256(data).digest() == digest:
            return pickle.loads(data)  # noqa: S301  # as safe as Lux's sources
    return None
