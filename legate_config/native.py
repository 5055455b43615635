# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Native libraries: builds C++ against the installed Legate, once, into a cache folder."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from legate_config import shipped
from legate_config.errors import ConfigError
from legate_config.own_folder import own_cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ANY = "any"
"""Instead of a release of Legate, in the folders of libraries that do not use it."""
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra")
CUDA_13_HEADERS = "nvidia.cu13"
"""Package whose headers those of CUDA 12's runtime include: ``nvidia-cuda-crt``, which has them since CUDA 13."""


def native_library(
    name: str,
    sources: Sequence[Path],
    headers: Sequence[Path] = (),
    *,
    with_legate: bool = True,
    includes: Sequence[Path] = (),
    soname: str | None = None,
) -> Path:
    """Return a shared library made of ``sources``: the shipped one, or one that is built on the first call.

    It is in ``<release of Legate>-<hash of sources and command>`` of the shipped code, or of `cache_folder` (without
    Legate, in ``any-<hash>``). Processes that build at once do not disturb one another.

    Parameters
    ----------
    name
        The library is called ``lib<name>.so``.
    sources
        C++ files.
    headers
        Files beside them that they include.
    with_legate
        Compile and link against Legate and the CUDA headers.
    includes
        Folders of other headers.
    soname
        Name under which the dynamic loader will know the library.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ConfigError
        There is no compiler, or it failed: the message has its whole output.
    """
    import hashlib

    flags = [*FLAGS]
    if soname is not None:
        flags.append(f"-Wl,-soname,{soname}")
    # The key has Legate's release but not its folder, so that a folder with built libraries can be moved.
    key = hashlib.sha256()
    for part in (
        os.environ.get("CXX", "g++").encode(),
        *map(str.encode, flags),
        *(s.read_bytes() for s in (*sources, *headers)),
    ):
        key.update(part + b"\0")
    key_text = f"{legate_release() if with_legate else ANY}-{key.hexdigest()[:16]}"
    shipped_library = _shipped(key_text, f"lib{name}.so")
    if shipped_library is not None:
        return shipped_library
    folder = _shipped_folder(_glibc()) / key_text if shipped.filling else cache_folder() / key_text
    library = folder / f"lib{name}.so"
    if library.is_file():
        return library
    flags += [f"-isystem{path}" for path in includes]
    compiler = find_compiler()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        if not library.is_file():
            sys.stderr.write(f"compiling {library.name}, once: it is kept in {folder}\n")
            _build(compiler, flags, sources, headers, library, with_legate=with_legate)
    return library


def _shipped(key: str, name: str) -> Path | None:
    """Return a shipped library that was built for this C library, or an older one."""
    found = [(at, path) for path in _shipped_folder().glob(f"*/{key}/{name}") if (at := _version(path.parts[-3]))]
    usable = [(at, path) for at, path in found if at <= _version(_glibc())]
    return max(usable)[1] if usable else None


def _shipped_folder(*more: str) -> Path:
    return shipped.folder.joinpath("native", *more)


def _glibc() -> str:
    """Return the name and version of the C library, e.g. ``glibc-2.36``."""
    return (os.confstr("CS_GNU_LIBC_VERSION") or "libc 0").replace(" ", "-")


def _version(libc: str) -> tuple[int, ...]:
    return tuple(int(part) for part in libc.partition("-")[2].split(".") if part.isdecimal())


def legate_library(folder: Path) -> Path:
    """Return the `native_library` of all C++ files of a folder, against Legate, named ``lux_`` and the folder."""
    return native_library(f"lux_{folder.name}", sorted(folder.glob("*.cc")), sorted(folder.glob("*.h")))


def find_compiler() -> list[str]:
    """Return the command of the C++ compiler: ``CXX``, or ``g++``.

    Raises
    ------
    ConfigError
        It is not there.
    """
    import shlex
    import shutil

    command = shlex.split(os.environ.get("CXX", "g++")) or ["g++"]
    if shutil.which(command[0]) is None:
        raise ConfigError(
            f"no C++ compiler: {command[0]!r} was not found, and a C++20 compiler is needed once to build Lux's"
            f" Legate library: apt-get install g++ (or name another compiler in CXX){_other_legate()}"
        )
    return command


def _other_legate() -> str:
    """Name another release of Legate than the installed one, for which libraries are shipped."""
    there = {path.name.partition("-")[0] for path in _shipped_folder().glob("*/*-*") if path.is_dir()}
    others = sorted(there - {legate_release(), ANY})
    return f"; or pip install 'legate=={others[-1]}.*', for which Lux came with the library" if others else ""


def legate_version() -> str:
    """Return the version of the installed Legate, without importing it.

    Raises
    ------
    ConfigError
        This Python has none.
    """
    # The name of the folder that pip made tells, without parsing the metadata of the package in it: 20 ms.
    with suppress(ConfigError):
        names = [path.name for path in package_folder("legate").parent.glob("legate-*.dist-info")]
        if len(names) == 1:
            return names[0].removeprefix("legate-").removesuffix(".dist-info")
    from importlib import metadata

    try:
        return metadata.version("legate")
    except metadata.PackageNotFoundError:
        raise ConfigError(
            f"{sys.executable} has no Legate: activate the environment that has (the legate launcher runs the first"
            ' "python" on PATH), or pip install lux-graph there'
        ) from None


def legate_release() -> str:
    """Return the year and month of the installed Legate, which decide with which libraries it works.

    The names of its own libraries end in them, e.g. ``liblegate.so.26.06.00`` of Legate 26.6.0 and 26.6.1.
    """
    return ".".join(legate_version().split(".")[:2])


def legate_flags() -> tuple[list[str], list[str]]:
    """Return the flags to compile code that uses the installed Legate, and those to link it."""
    legate = package_folder("legate")
    includes = [legate / "include" / part for part in ("legate", "legate/deps", "rapids")]
    includes += [package_folder("nvidia.cuda_runtime") / "include", package_folder(CUDA_13_HEADERS) / "include"]
    library = legate / "lib64"
    return [f"-isystem{path}" for path in includes], [f"-L{library}", "-llegate"]


def package_folder(name: str) -> Path:
    """Return the folder of an installed package, without importing it.

    Raises
    ------
    ConfigError
        It is not installed.
    """
    from importlib import util

    try:
        found = util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None or not found.submodule_search_locations:
        raise ConfigError(f"the package that provides {name!r} is not installed: pip install lux-graph brings it")
    return Path(next(iter(found.submodule_search_locations)))


def cache_folder() -> Path:
    """Return the folder for built libraries, created if need be."""
    return own_cache_folder("native")[0]


def _build(
    compiler: list[str],
    flags: list[str],
    sources: Sequence[Path],
    headers: Sequence[Path],
    library: Path,
    *,
    with_legate: bool,
) -> None:
    """Compile the sources, as many at a time as there are cores, and link them."""
    import shutil
    import tempfile
    from concurrent.futures import ThreadPoolExecutor

    includes, libraries = legate_flags() if with_legate else ([], [])

    with tempfile.TemporaryDirectory(dir=library.parent) as scratch:

        def compiled(source: Path) -> str:
            out = f"{scratch}/{source.stem}.o"
            if with_legate and not needs_legate(source):
                with suppress(FileNotFoundError):
                    return str(shutil.move(object_ahead(source, headers), out))
            run_compiler([*compiler, "-c", str(source), "-o", out, *flags, *includes], library.name)
            return out

        # Legate's headers take longest, so that sources with them come first.
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            objects = list(pool.map(compiled, sorted(sources, key=needs_legate, reverse=True)))
        linked = Path(scratch, library.name)
        run_compiler([*compiler, *objects, "-o", str(linked), *flags, *includes, *libraries], library.name)
        linked.replace(library)


def needs_legate(source: Path) -> bool:
    """Tell whether a source includes Legate's headers."""
    return b"#include <legate.h>" in source.read_bytes()


def object_ahead(source: Path, headers: Sequence[Path]) -> Path:
    """Return the object file in the user's cache that `legate_config.ahead` makes of a source without Legate's headers.

    The file is moved from there into the library.
    """
    import hashlib

    key = hashlib.sha256(repr((os.environ.get("CXX", "g++"), FLAGS)).encode())
    for path in (source, *headers):
        key.update(path.read_bytes() + b"\0")
    return cache_folder() / f"{source.stem}-{key.hexdigest()[:16]}.o"


def run_compiler(command: list[str], name: str) -> None:
    """Run the compiler."""
    import shlex
    import subprocess

    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ConfigError(
            f"building {name} failed with exit code {done.returncode}: a compiler that knows C++20 is needed (g++ 10 or"
            f" newer)\n{shlex.join(command)}\n{done.stdout}{done.stderr}"
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time in, while others wait; several on file systems without locks."""
    import fcntl

    with path.open("w") as file:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
