# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ compiled for CPU cores, and kept on disk between processes."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from legate_config.native import find_compiler
from lux.codegen import cuda_build
from lux.codegen.compile import cache_folder

HERE = Path(__file__).parent
FLAGS = (
    *("-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-fno-strict-aliasing", "-pthread", "-w"),
    *("-U_FORTIFY_SOURCE", "-DLUX_ON_CORES", *(f"-I{folder}" for folder in cuda_build.include_folders()), f"-I{HERE}"),
)


class OnCoresError(AssertionError):
    """A kernel did what it must not do."""


@functools.cache
def compiled(text: str, name: str, shared_bytes: int = 0) -> Any:
    """The kernel ``name`` of some CUDA C++, as a function that launches it.

    Parameters
    ----------
    text : str
    name : str
    shared_bytes : int
        Dynamic shared memory of a block.

    Returns
    -------
    callable ``launch(words, n_words, gpus, blocks, threads, seed)``
        Of ``cores.h``: ``words`` is the address of each GPU's arguments, and what went wrong is returned as bytes.
    """
    scheduler = _built("cores.so", '#include "cores.cc"\n', "-shared", "-fvisibility=default")
    ctypes.CDLL(str(scheduler), ctypes.RTLD_GLOBAL)
    memory = f"thread_local __align__(16) unsigned char dynamic_memory[{shared_bytes}];\n" if shared_bytes else ""
    library = _built(f"{name}.so", f"{text}\n{memory}LUX_LAUNCHED({name})\n", "-shared", "-include", _header())
    launch = ctypes.CDLL(str(library)).launch_on_cores
    launch.argtypes = (ctypes.c_void_p, *[ctypes.c_int] * 4, ctypes.c_uint)
    launch.restype = ctypes.c_char_p
    return launch


@functools.cache
def _header() -> str:
    """The name of ``cores.h`` compiled beforehand: reading it as text is half of compiling a small kernel."""
    return str(_built("cores.h.gch", '#include "cores.h"\n', "-x", "c++-header").with_suffix(""))


def _built(name: str, text: str, *more: str) -> Path:
    """A library made of C++, or a header that is compiled beforehand."""
    command = [*find_compiler(), *FLAGS, *more]
    headers = [p.read_bytes() for p in sorted([*cuda_build.files().values(), *HERE.glob("cores.*")])]
    key = hashlib.sha256(b"\0".join([text.encode(), *map(str.encode, command), *headers])).hexdigest()[:24]
    path = cache_folder() / f"lux_on_cores_{key}_{name}"
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        source, made = Path(folder) / "text.cc", Path(folder) / "made"
        source.write_text(text)
        everything = [*command, str(source), "-o", str(made)]
        without = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer's
        done = subprocess.run(everything, env=without, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OnCoresError(f"{name} does not compile:\n{done.stderr[:4000]}")
        made.replace(path)
    return path
