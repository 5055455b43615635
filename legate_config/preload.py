# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Preloading of libraries that must be in the process before Legate's own are loaded."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from legate_config.native import native_library, package_folder


def preload_cuda() -> None:
    """Load the CUDA driver library, or its stub if there is none, and the CUDA runtime.

    Legate's libraries need ``libcuda.so.1`` and ``libcudart.so.12`` even without a GPU. A library that is already
    loaded under such a name satisfies them, so that no LD_LIBRARY_PATH is needed.
    """
    import ctypes

    if not has_cuda_driver():
        ctypes.CDLL(str(cuda_stub()), ctypes.RTLD_GLOBAL)
    ctypes.CDLL(str(package_folder("nvidia.cuda_runtime") / "lib" / "libcudart.so.12"), ctypes.RTLD_GLOBAL)


def has_cuda_driver() -> bool:
    """Return True if a real ``libcuda.so.1`` can be loaded: not the stub, which has no version."""
    import ctypes

    try:
        return hasattr(ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL), "cuDriverGetVersion")
    except OSError:
        return False


def cuda_driver_version() -> int:
    """Return the newest CUDA that the driver supports, e.g. 13000 for 13.0; 0 if unknown."""
    import ctypes

    version = ctypes.c_int()
    failed = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return 0 if failed else version.value


def cuda_stub() -> Path:
    """Return the path of the driver's stub, built if need be."""
    source = Path(__file__).with_name("cuda_stub.cc")
    return native_library("cuda_stub", [source], with_legate=False, soname="libcuda.so.1")


def preload_legate() -> None:
    """Load Legate's library, which starts nothing, and before it UCX as Legate's import does.

    It is loaded by a module that is compiled, and not imported here: such know where the libraries lie that it needs.

    Raises
    ------
    OSError
        It is not found.
    """
    import ctypes
    from importlib.machinery import EXTENSION_SUFFIXES

    with suppress(ImportError):  # not in wheels of Legate without networking
        import libucx

        libucx.load_library()
    ctypes.CDLL(str(package_folder("legate") / "core" / "_lib" / f"legate_defines{EXTENSION_SUFFIXES[0]}"))


def preload_gather() -> None:
    """Load what has UCC look for messages while several processes wait for one another (``ucc_gather.cc``).

    Without it they do not always end. Wheels of Legate without networking come without UCC, and need none of it.
    """
    import ctypes
    from importlib import util

    if util.find_spec("nvidia.libcal") is not None:
        ctypes.CDLL(str(gather_library()), ctypes.RTLD_GLOBAL)


def gather_library() -> Path:
    """Return the path of what `preload_gather` loads, built if need be."""
    source = Path(__file__).with_name("ucc_gather.cc")
    headers = package_folder("nvidia.libcal") / "cu12" / "include"
    return native_library("ucc_gather", [source], with_legate=False, includes=[headers])


def networks() -> list[str]:
    """Return the names of the networks that the installed Legate was built with: none in its wheels from 26.6 on."""
    from legate import install_info

    return list(install_info.networks)


def link_mpi() -> bool:
    """Make ``libmpi.so`` of the Open MPI wheel loadable; returns True if it is.

    The wheel ships a linker script under that name, and Legate loads the library by it. Does nothing if the wheel is
    not installed or the folder is not writable.
    """
    folder = Path(sys.prefix, "lib")
    library, link = folder / "libmpi.so.40", folder / "libmpi.so"
    if not library.exists():
        return False
    if not link.is_symlink():
        fresh = folder / f".libmpi.so.{os.uname().nodename}.{os.getpid()}"
        with suppress(OSError):
            fresh.symlink_to(library.name)
            fresh.replace(link)
    return link.is_symlink()
