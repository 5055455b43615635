# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.caching import CacheImpl

from lux.errors import ConfigurationError
from lux.kernels import numba_settings
from lux.kernels.deferred import prepare_numba
from lux.kernels.frontier import publish

FUNCTION = publish.py_func
prepare_numba()


def _folder(function):
    source = function.__code__.co_filename
    found = (locator.from_function(function, source) for locator in CacheImpl._locator_classes)
    return next(locator for locator in found if locator is not None).get_cache_path()


def test_compiled_functions_are_kept_beside_their_source_or_in_a_folder_of_ones_own(tmp_path, monkeypatch):
    beside = str(Path(FUNCTION.__code__.co_filename).with_name("__pycache__"))
    assert _folder(FUNCTION) == beside
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != beside and access(path, mode))
    assert _folder(FUNCTION).startswith(f"{tmp_path}/lux/numba/kernels_")
    assert not _folder(lambda: None).startswith(str(tmp_path))  # of nobody else's functions


@pytest.mark.check
def test_a_folder_that_is_chosen_for_numba_is_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chosen = tmp_path / "chosen"
    chosen.mkdir(mode=0o700)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(chosen))
    assert _folder(FUNCTION).startswith(str(chosen))
    chosen.chmod(0o777)
    assert _folder(FUNCTION).startswith(f"{tmp_path}/lux/numba/kernels_")


def test_numba_must_compile(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    with pytest.raises(ConfigurationError, match=r"NUMBA_DISABLE_JIT is set.*unset it"):
        numba_settings.apply()


def test_kernels_start_without_scipy_and_still_have_it():
    program = """
import sys
import numpy as np
from lux.kernels import njit
add = njit(lambda x: x + 1)
assert add(1) == 2 and "scipy.linalg" not in sys.modules
assert njit(lambda a, b: np.dot(a, b))(np.ones((2, 2)), np.ones((2, 2)))[0, 0] == 2
"""
    subprocess.run([sys.executable, "-c", program], check=True)
