# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Build of CUDA C++ to machine code for one kind of GPU, kept on disk between processes.

NVRTC compiles the text and nvJitLink joins it with the LTO-IR of a program's functions, which end up inlined in it.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from legate_config import shipped
from lux.codegen import shipped_cubins
from lux.codegen.compile import cache_folder
from lux.errors import ConfigurationError, ProgramError

if TYPE_CHECKING:
    from lux.codegen.cuda_functions import Device

PACKAGE = Path(__file__).parents[1]

_kept: list[Any] = []
"""Compilations of this process, kept because cuda.core (1.2) complains when the cyclic garbage collector ends one."""


@functools.cache
def files() -> dict[str, Path]:
    """Find all CUDA C++ files of Lux by name; no two folders have one of the same name.

    >>> files()["bfs.cu"].parent.name
    'bfs'
    """
    return {path.name: path for path in sorted([*PACKAGE.rglob("*.cu"), *PACKAGE.rglob("*.cuh")])}


@functools.cache
def include_folders() -> list[str]:
    """List the folders that have headers."""
    return sorted({str(path.parent) for path in files().values() if path.suffix == ".cuh"})


def source(name: str, **macros: object) -> str:
    """Read a CUDA C++ file of Lux, with macros defined in front of it.

    >>> source("bfs.cu", THREADS=512).splitlines()[0]
    '#define THREADS 512'
    """
    return "".join(f"#define {k} {v}\n" for k, v in macros.items()) + files()[name].read_text()


def cubin(text: str, capability: tuple[int, int], functions: Sequence[Device] = ()) -> bytes:
    """Return the machine code of CUDA C++ ``text``, which may include the headers of Lux.

    It is part of the package, or in the user's cache; otherwise it is compiled, and kept there.

    Parameters
    ----------
    text : str
    capability : (int, int)
        The GPU's compute capability, e.g. (9, 0).
    functions : sequence of Device
        Functions that the text declares and calls.

    Raises
    ------
    lux.errors.ConfigurationError
        The packages that compile for GPUs are missing (``pip install 'lux-graph[gpu]'``).
    lux.errors.ProgramError
        One of the functions cannot be compiled for GPUs.
    """
    key = _key(text, functions)
    found = shipped_cubins.find(key, capability)
    if found is not None:
        return found
    if shipped.filling:
        code = _compile(text, capability, functions)
        shipped_cubins.keep(key, capability, code)
        return code
    path = _path(key, capability)
    if path.exists():
        return path.read_bytes()
    code = _compile(text, capability, functions)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(code)
    Path(file.name).replace(path)
    return code


def is_built(text: str, capability: tuple[int, int], functions: Sequence[Device] = ()) -> bool:
    """Tell whether `cubin` need not compile the machine code of its arguments."""
    key = _key(text, functions)
    if shipped_cubins.find(key, capability) is not None:
        return True
    with suppress(ConfigurationError):  # without the packages that compile there is nothing else
        return _path(key, capability).exists()
    return False


def _key(text: str, functions: Sequence[Device]) -> str:
    """Hash all that machine code depends on, but for the GPU and the compilers."""
    return _hash(text, *map(_source, functions), _headers())


def _path(key: str, capability: tuple[int, int]) -> Path:
    """Name the file of machine code in the user's cache."""
    return cache_folder() / f"lux_{_hash(key, repr(capability), *compilers())}.cubin"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _source(device: Device) -> str:
    """Return all that the code of a function depends on; modules by name, as their folders differ by machine."""
    constants = {k: v.__name__ if isinstance(v, ModuleType) else v for k, v in device.function.constants.items()}
    return f"{device.symbol} {device.declaration()} {device.source()} {constants}"


@functools.cache
def _headers() -> str:
    """Hash the headers."""
    return _hash(*(path.read_text() for name, path in sorted(files().items()) if name.endswith(".cuh")))


@functools.cache
def compilers() -> tuple[str, str]:
    """Return the versions of the packages that compile for GPUs; `ConfigurationError` if they are missing."""
    from importlib import metadata

    try:
        return metadata.version("cuda-core"), metadata.version("numba-cuda")
    except metadata.PackageNotFoundError as error:
        raise ConfigurationError(
            f"compiling for GPUs needs the package {error.name}: pip install 'lux-graph[gpu]', or use CPU cores with "
            "--device cpu (lux.using(device='cpu'))"
        ) from None


def _compile(text: str, capability: tuple[int, int], functions: Sequence[Device]) -> bytes:
    from cuda.core import Linker, LinkerOptions, ObjectCode, Program, ProgramOptions

    arch = shipped_cubins.architecture(capability)
    whole = ProgramOptions(
        std="c++17",
        arch=arch,
        include_path=include_folders(),
        relocatable_device_code=bool(functions) or None,
        link_time_optimization=bool(functions) or None,
    )
    program = Program(text, "c++", whole)
    _kept.append(program)
    if not functions:
        return bytes(program.compile("cubin").code)
    parts = [program.compile("ltoir"), *(ObjectCode.from_ltoir(_lto_ir(f, capability)) for f in functions)]
    return bytes(Linker(*parts, options=LinkerOptions(arch=arch, link_time_optimization=True)).link("cubin").code)


def _lto_ir(device: Device, capability: tuple[int, int]) -> bytes:
    from numba.cuda.core.errors import NumbaError

    from lux.codegen.compile import first_reason

    try:
        return device.compile(capability)
    except NumbaError as error:
        function = device.function
        raise ProgramError(
            f"{device.spec.name}.{function.name}, {function.file}, line {function.line}: it cannot be compiled for "
            f"GPUs: {first_reason(str(error))}"
        ) from None
