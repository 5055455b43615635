# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Numba for Lux: it compiles, and keeps compiled code where nobody else can write."""

from __future__ import annotations

import functools
import importlib.util
import os
from pathlib import Path
from typing import Any

from legate_config.own_folder import own_cache_folder, why_not
from lux.errors import ConfigurationError
from lux.kernels.numba_without_yaml import numba  # isort: split

from numba.core import caching, cpu

from lux.kernels import compiling_notice, lazy_machine_code, precompiled, quick_flags, shipped_kernels

_config: Any = numba.config  # its variables exist once it is imported


def apply() -> None:
    """Refuse a Numba that does not compile, and choose the folders of compiled functions.

    Raises
    ------
    lux.errors.ConfigurationError
        NUMBA_DISABLE_JIT is set.
    """
    if _config.DISABLE_JIT:
        raise ConfigurationError(
            "NUMBA_DISABLE_JIT is set, but Lux's kernels and programs run only compiled: unset it (lux.run with "
            "max_iter=k shows the fields after k iterations)"
        )
    if _OwnFolder not in caching.CacheImpl._locator_classes:  # noqa: SLF001  # Numba's setting is for all functions
        caching.CacheImpl._locator_classes.insert(0, _OwnFolder)  # noqa: SLF001
        cpu.CPUContext.load_additional_registries = _prepare_to_compile  # type: ignore[method-assign]
        precompiled.use()
        lazy_machine_code.use()
        quick_flags.use()
        compiling_notice.show()


_registries = cpu.CPUContext.load_additional_registries


def _prepare_to_compile(context: cpu.CPUContext) -> None:
    """Prepare Numba's context, which only compiling needs."""
    _import_without_scipy()
    _registries(context)


@functools.cache
def _import_without_scipy() -> None:
    """Import Numba's array functions, which compiling needs, without SciPy, which takes as long as Numba.

    They only ask whether it is there; Numba imports and checks it when it compiles a function that needs it.
    """
    from numba.np import linalg

    check = linalg.ensure_blas
    linalg.ensure_blas = _find_scipy
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = check


def _find_scipy() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("there is no SciPy")


class _OwnFolder(caching.UserWideCacheLocator):
    """Numba's cache for functions of Lux, where it would otherwise be in a folder that is not checked.

    Numba keeps compiled functions in NUMBA_CACHE_DIR, or in ``__pycache__`` beside the source, as Python does; where
    that cannot be written, in the user's cache. Numba executes the files it finds.
    """

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = str(own_cache_folder("numba")[0] / self.get_suitable_cache_subpath(py_file))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """Return the locator of a function of Lux whose cache Numba would put elsewhere; None for others."""
        name = py_func.__module__ or ""
        if not name.startswith(shipped_kernels.OWN) or _safe(Path(py_file)):
            return None
        return super().from_function(py_func, py_file)


def _safe(source: Path) -> bool:
    """Tell whether Numba chooses a folder that is as safe as the source, or that only this user can write to."""
    if _config.CACHE_DIR:
        chosen = Path(_config.CACHE_DIR).absolute()
        return not why_not(chosen.parent, (chosen.name,))
    beside = source.parent / "__pycache__"
    return os.access(beside if beside.exists() else source.parent, os.W_OK)
