# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that are shipped with Lux as shared libraries, which need no Numba.

`lux.kernels.shared_library` writes them while Lux is installed, of kernels that take and return numbers and arrays.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import os
import pickle
import re
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from legate_config import shipped
from lux.kernels.kinds import Group, Kind, flat, flat_values

Kinds = tuple[Kind | Group, ...]

OWN = ("lux.", "lux_")
"""Beginnings of the names of modules with kernels of Lux: its own, and generated ones (`lux.codegen.compile`)."""
ENTRY, RESULT, RELEASE = "lux_entry", "lux_result", "lux_release"
"""Names in a library: the function; NumPy's characters of what it returns, each after `ARRAY` if that is an array; and
the function that frees the memory of such an array."""
ARRAY, WORDS_OF_ARRAY = "[", 7
"""Array in one dimension: place of its allocation, of its object, elements, bytes of each, address, shape, stride."""
ROOM = 256
"""Bytes for a result, or for the place of a pickled exception and its length."""
RAISED = 1
"""Result of the function if the kernel has raised an exception; 0 if it has returned."""
DIGEST_BYTES = 32
PORTABLE = "x86-64-v3"
"""LLVM's name of the processors that wheels are compiled for: those with `_NEEDED`, made since about 2013."""
_NEEDED = ("abm", "avx", "avx2", "bmi1", "bmi2", "cx16", "f16c", "fma", "movbe", "popcnt", "sse4_2")
_HOST = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU variant", "CPU part", "Features")
_IMPORTS = re.compile(r"^(?:from|import) ((?:lux|perfmodel)[\w.]*)(?: import (\([^)]*\)|.*))?", re.MULTILINE)
_NAMES = re.compile(r"\w+")
_HARMLESS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS")
_OF_C = {"b": "b", "i": "q", "u": "Q", "f": "d"}


def find(function: Callable[..., Any], kinds: Kinds, options: dict[str, Any]) -> Callable[..., Any] | None:
    """Return a kernel's shipped code for arguments of these kinds, as a function; None if there is none to use."""
    if not _of_numbers(kinds) or object.__basicsize__ != 16:  # debug builds
        return None
    if (library := _found(function, kinds, nogil=bool(options.get("nogil")))) is not None:
        return _callable(library, kinds)
    return None


def find_body(function: Callable[..., Any]) -> int | None:
    """Return the address of a body's shipped code (`lux.kernels.native_body`); None if there is none to use."""
    library = _found(function, (), nogil=True)
    return None if library is None else ctypes.cast(library[ENTRY], ctypes.c_void_p).value


def _found(function: Callable[..., Any], kinds: Kinds, *, nogil: bool) -> ctypes.CDLL | None:
    loaded = (_load(path, nogil=nogil) for path in paths(function, kinds))
    return next(filter(None, loaded), None)


def paths(function: Callable[..., Any], kinds: Kinds) -> list[Path]:
    """List the files that may have a kernel's code; for functions that are not Lux's none."""
    name = f"{function.__module__}.{function.__qualname__}"
    if not name.startswith(OWN) or function.__closure__:
        return []
    key = hashlib.sha256(sources(function.__module__))
    key.update(repr((name, kinds)).encode())
    folder = shipped.folder / "kernels"
    return [folder / f"{name}-{_digest(key.digest() + target.encode())}.so" for target in _targets()]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


@functools.cache
def sources(module: str) -> bytes:
    """Hash a module and all modules of Lux that it imports at its top, directly or not: kernels have parts of them."""
    whole = hashlib.sha256()
    for text in _texts(module, set()):
        whole.update(text)
    return whole.digest()


def _texts(module: str, seen: set[str]) -> Iterator[bytes]:
    if module not in seen and module in sys.modules:
        seen.add(module)
        text = _text(str(sys.modules[module].__file__))
        yield text
        for found in _IMPORTS.finditer(text.decode()):
            yield from _texts(found[1], seen)
            for name in _NAMES.findall(found[2] or ""):
                yield from _texts(f"{found[1]}.{name}", seen)


@functools.cache
def _text(path: str) -> bytes:
    return Path(path).read_bytes()


def _of_numbers(kinds: Kinds) -> bool:
    return all(kind.dtype.kind in _OF_C and kind.dtype.isnative for kind in flat(kinds))


@functools.cache
def _targets() -> list[str]:
    """List the processors whose code may be used, the preferred ones first: none if Numba is to compile otherwise."""
    if shipped.filling:
        return [PORTABLE if portable_settings().items() <= os.environ.items() else host()]
    if any(name.startswith("NUMBA_") and name not in _HARMLESS for name in os.environ):
        return []
    config = sys.modules.get("numba.core.config")
    if Path(".numba_config.yaml").exists() or (config is not None and otherwise(config)):
        return []
    return [host(), *([PORTABLE] if is_portable() else [])]


def portable_settings() -> dict[str, str]:
    """Return the environment variables with which Numba compiles for `PORTABLE` processors."""
    return {"NUMBA_CPU_NAME": PORTABLE, "NUMBA_CPU_FEATURES": ""}


def otherwise(config: Any) -> bool:
    """Tell whether Numba's configuration has it compile otherwise than shipped kernels were."""
    return bool(config.OPT != 3 or not config.ENABLE_AVX or config.BOUNDSCHECK or config.DEBUGINFO_DEFAULT)


@functools.cache
def host() -> str:
    """Name this processor by all that decides which code it runs."""
    facts = processor()
    return _digest(repr([os.uname().machine, *(facts.get(name, "") for name in _HOST)]).encode())


def is_portable() -> bool:
    """Tell whether this is one of the `PORTABLE` processors."""
    flags = processor().get("flags", "").split()
    return os.uname().machine == "x86_64" and all(name in flags for name in _NEEDED)


@functools.cache
def processor() -> dict[str, str]:
    """Return what the system says of the first processor."""
    facts: dict[str, str] = {}
    with suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:  # noqa: PTH123
        for line in file:
            name, colon, value = line.partition(":")
            if not colon:
                break
            facts[name.strip()] = value.strip()
    return facts


def _load(path: Path, *, nogil: bool) -> ctypes.CDLL | None:
    """Load a library; None if it is not there, damaged, or not loadable here."""
    with suppress(OSError):
        if is_whole(path):
            return (ctypes.CDLL if nogil else ctypes.PyDLL)(str(path))
    return None


def is_whole(path: Path) -> bool:
    """Tell whether a library is there and not damaged."""
    whole = path.read_bytes() if path.exists() else b""
    return hashlib.sha256(whole[:-DIGEST_BYTES]).digest() == whole[-DIGEST_BYTES:]


def _callable(library: ctypes.CDLL, kinds: Kinds) -> Callable[..., Any]:
    """Return a function that calls a library's with the arguments as words: an array is its object's address."""
    entry = library[ENTRY]
    entry.argtypes, entry.restype = (ctypes.c_char_p, ctypes.c_char_p), ctypes.c_int32
    layout = struct.Struct("".join("q" if kind.ndim else _word(kind) for kind in flat(kinds)))
    returns = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, RESULT))).decode().split()
    result = struct.Struct("@" + "".join(f"{WORDS_OF_ARRAY}q" if each[0] == ARRAY else each for each in returns))
    has_arrays = any(each[0] == ARRAY for each in returns)
    release = library[RELEASE]
    release.argtypes, release.restype = (ctypes.c_void_p,), None
    arrays, has_groups = [bool(kind.ndim) for kind in flat(kinds)], not all(isinstance(kind, Kind) for kind in kinds)

    def call(*args: Any) -> Any:
        given = flat_values(args) if has_groups else args
        words = layout.pack(*[id(x) if is_array else x for x, is_array in zip(given, arrays, strict=True)])
        room = ctypes.create_string_buffer(ROOM)
        if entry(words, room) != 0:
            raise _raised(room)
        values: Any = result.unpack_from(room)
        if has_arrays:
            values = _with_arrays(iter(values), returns, release)
        return (values[0] if len(values) == 1 else tuple(values)) if values else None

    return call


def _with_arrays(words: Iterator[Any], returns: list[str], release: Callable[[int], None]) -> list[Any]:
    """Return values, of which arrays are copied from a library's memory, which is released."""
    values = []
    for each in returns:
        if each[0] != ARRAY:
            values.append(next(words))
            continue
        allocation, _, count, itemsize, address, _, _ = itertools.islice(words, WORDS_OF_ARRAY)
        values.append(np.empty(count, each[1:]))
        ctypes.memmove(values[-1].ctypes.data, address, count * itemsize)
        release(allocation)
    return values


def _word(kind: Kind) -> str:
    """Return the format of a number's word; the code takes as many of its bytes as it needs."""
    return "f4x" if kind.dtype.str == "<f4" else "?7x" if kind.dtype.kind == "b" else _OF_C[kind.dtype.kind]


def _raised(room: ctypes.Array[ctypes.c_char]) -> Exception:
    """Make the exception that a kernel has raised."""
    address, size = struct.unpack_from("qq", room)
    if not address:
        return SystemError("a kernel has failed")
    kind, arguments, *_ = pickle.loads(ctypes.string_at(address, size))  # noqa: S301  # part of the library
    return kind(*(arguments or ()))  # type: ignore[no-any-return]
