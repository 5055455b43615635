# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation when Lux is installed, or its wheel is built: ``python -m lux.app.precompile``.

The command builds the native libraries, runs the algorithms on small graphs (`lux.app.installation.calls`), and
compiles the kernels for GPUs (`lux.app.installation.gpu_kernels`) where the packages are that do so, which needs no
GPU. It does that in as many processes as there are cores, which begin while the libraries are built. What they compile
is kept in the package (`legate_config.shipped`), where every later process finds it; what is there already, made of the
same sources, stays. The modules that they have imported get their bytecode, which an installation with ``--no-compile``
leaves to the first process that may write it.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from legate_config import ConfigError, native, preload, shipped
from lux.app.installation import calls
from lux.app.installation.claims import claimed
from lux.errors import LuxError
from lux.kernels import shipped_kernels
from lux.kernels.deferred import prepare_numba
from lux.runtime import mapper_library, unsearched

SOURCES = {".py", ".c", ".cc", ".h", ".cu", ".cuh"}
"""Suffixes of the files that code is compiled from."""
FLAGS = "--cpus 2 --gpus 0 --sysmem 500"
"""Flags of the processes that compile: threads and partitions of two cores have the kernels of any number."""
LEGATES = ("26.1.0", "26.6.1")
"""The newest version of each release of Legate that Lux runs on: a wheel has Lux's library for all of them."""


def main(words: Sequence[str] | None = None) -> int:
    """Compile what is not there yet; returns an exit code. ``words`` is the command line, by default this process's."""
    name = "python -m lux.app.precompile" if words is None else "lux warm-up"
    parser = argparse.ArgumentParser(name, description=__doc__.partition("\n\n")[2])
    parser.add_argument("--portable", action="store_true", help="compile for all processors with AVX2, for wheels")
    each_help = "build Lux's library for every release of Legate that Lux runs on, too; pip fetches them for that"
    parser.add_argument("--each-legate", action="store_true", help=each_help)
    usual_help = "compile only for calls with default arguments in one process, which takes half of the time"
    parser.add_argument("--usual", action="store_true", help=usual_help)
    parser.add_argument("--claims", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--anew", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    shipped.fill(shipped.folder)
    if options.claims is not None:
        work(options.claims, usual=options.usual, anew=options.anew)
        return 0
    target = shipped_kernels.PORTABLE if options.portable else shipped_kernels.host()
    environment = os.environ | {"LEGATE_CONFIG": FLAGS}
    if options.portable:
        environment |= shipped_kernels.portable_settings()
    if not options.usual and (why := calls.why_not_for_gpus()):
        sys.stderr.write(f"kernels for GPUs are compiled when they are first needed: {why}\n")
    with tempfile.TemporaryDirectory() as claims:
        command = [sys.executable, "-m", "lux.app.precompile", "--claims", claims, *["--usual"] * options.usual]
        try:
            with refilled(shipped.folder, made_of(target)) as anew:
                begin = [*command, *["--anew"] * anew]
                workers = [subprocess.Popen(begin, env=environment) for _ in os.sched_getaffinity(0)]
                try:
                    build_libraries(each_legate=options.each_legate)
                except BaseException:
                    for worker in workers:
                        worker.terminate()
                        worker.wait()
                    raise
        except (ConfigError, LuxError) as error:
            sys.stderr.write(f"{error}\n")
            return 1
        return max(worker.wait() for worker in workers)


def build_libraries(*, each_legate: bool) -> None:
    """Build the native libraries that are not there yet, with ``each_legate`` for all releases of Legate."""
    if not preload.has_cuda_driver():
        preload.cuda_stub()
    mapper_library.built()
    if preload.networks():
        preload.gather_library()
    for version in LEGATES if each_legate else ():
        build_for_legate(version)


def made_of(target: str) -> str:
    """Hash what code for these processors is made of and by: Lux's sources, Python and Numba, but not NumPy."""
    whole = hashlib.sha256()
    for words in (target, sys.implementation.cache_tag, metadata.version("numba"), metadata.version("llvmlite")):
        whole.update(f"{words}\0".encode())
    package = Path(__file__).parents[2]
    for folder in ("lux", "perfmodel", "legate_config"):
        for path in sorted((package / folder).rglob("*")):
            if path.suffix in SOURCES:
                whole.update(path.read_bytes())
    return whole.hexdigest()


@contextlib.contextmanager
def refilled(folder: Path, made: str) -> Iterator[bool]:
    """Take a folder away, unless it was ``made`` of the same; put it back where the block raises an error.

    Yields whether the folder is to be filled anew.
    """
    stamp = folder / "made_of"
    if stamp.exists() and stamp.read_text(encoding="ascii") == made:
        yield False
        return
    before = folder.with_name(f"{folder.name}.before")
    shutil.rmtree(before, ignore_errors=True)
    if folder.exists():
        folder.rename(before)
    try:
        yield True
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if before.exists():
            before.rename(folder)
        raise
    stamp.write_text(made, encoding="ascii")
    shutil.rmtree(before, ignore_errors=True)


def build_for_legate(version: str) -> None:
    """Build Lux's library for another version of Legate than the installed one, if that is of another release.

    Raises
    ------
    ConfigError
        It cannot be fetched, or the library cannot be built.
    """
    if version.startswith(f"{native.legate_release()}."):
        return
    program = (
        "import sys; from pathlib import Path; from legate_config import native, shipped;"
        "shipped.fill(shipped.folder); native.legate_library(Path(sys.argv[1]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
        fetch = (
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "--target",
            folder,
            f"legate=={version}",
        )
        for words in (fetch, ("-c", program, str(Path(mapper_library.__file__).with_name("mapper")))):
            command, environment = [sys.executable, *words], os.environ | {"PYTHONPATH": path}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ConfigError(f"Lux's library cannot be built for Legate {version}:\n{done.stdout}{done.stderr}")


def work(claims: Path, *, usual: bool, anew: bool) -> None:
    """Run the calls that no other process has claimed.

    With ``anew`` the libraries are not there yet. The first call waits for them, as long as the compiler reads Legate's
    headers on one core; what Numba does once in each process is done before.
    """
    if anew:
        with unsearched():
            prepare_numba()
            compile_nothing()
    for _, call in claimed(claims, calls.usual() if usual else calls.all_calls()):
        with unsearched():
            call()
    compile_modules()


def compile_nothing() -> None:
    """Compile a function of no use, so that Numba imports all that compiling needs."""
    import numba

    def last(values: Any) -> Any:
        found = 0.0
        for value in values:
            found = value
        return found

    numba.njit(last).compile((numba.float64[::1],))


def compile_modules() -> None:
    """Compile to bytecode all modules that this process has imported, where that was not done and can be done."""
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path is not None and path.endswith(".py") and os.access(Path(path).parent, os.W_OK):
            compileall.compile_file(path, quiet=2)


if __name__ == "__main__":
    sys.exit(main())
