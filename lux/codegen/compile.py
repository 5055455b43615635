# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation of programs to kernels, which are kept on disk between processes."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from legate_config.native import locked
from legate_config.own_folder import own_cache_folder
from lux.checks import warn
from lux.errors import ProgramError
from lux.kernels.deferred import Function as CompiledFunction
from lux.kernels.deferred import prepare_numba
from lux.kernels.kinds import Kind, kind_of, numba_type
from lux.program.parser import Function
from lux.program.program import Program
from lux.program.spec import Spec
from lux.runtime import unsearched

FIXED = (
    "codegen/direction.py",
    "codegen/native_entry.py",
    "kernels/frontier.py",
    "kernels/inlined.py",
    "kernels/locality.py",
    "kernels/scalars.py",
    "kernels/threads.py",
    "../perfmodel/direction.py",
)
"""Files that generated text uses."""


def cache_folder() -> Path:
    """Return the folder of generated kernels, which nobody else can write to (`legate_config.own_folder`)."""
    folder, why = own_cache_folder("kernels")
    if why:
        _warn(why, folder)
    return folder


@functools.cache
def _warn(why: str, folder: Path) -> None:
    """Warn once that compiled code is kept elsewhere."""
    warn(
        f"{why}: compiled code, which is executed, is kept in {folder} instead. Set XDG_CACHE_HOME to a folder where "
        "only you can write"
    )


def compile_like(kernel: CompiledFunction, arguments: Iterable[Any]) -> None:
    """Compile a kernel (or load it) for arguments of these types, so that no run is timed with compiling."""
    given = tuple(arguments)
    if kernel.shipped(map(kind_of, given)) is None:
        prepare_numba()
        _compile(kernel, tuple(map(numba_type, given)))


def compile_once(kernel: CompiledFunction, kinds: tuple[Kind, ...]) -> None:
    """Compile a kernel (or load it) for arguments of these kinds."""
    if kernel.shipped(kinds) is None:
        prepare_numba()
        _compile(kernel, tuple(kind.numba() for kind in kinds))


def _compile(kernel: CompiledFunction, types: tuple[Any, ...]) -> None:
    """Compile a kernel once for all processes that share the folder: one compiles, the others wait and load."""
    if types not in kernel.overloads:
        with locked(cache_folder() / f"{kernel.py_func.__module__}.lock"), unsearched():
            kernel.compile(types)


@functools.cache
def _fixed_part() -> bytes:
    """Hash the inputs of compiled code besides the generated text."""
    here = Path(__file__).parents[1]
    return b"".join((here / name).read_bytes() for name in FIXED)


@functools.cache
def kernels(program: type[Program], ordered: bool, blocked: bool = False) -> ModuleType:
    """Return the generated module of a program, with functions ``start`` and ``run``; compiled when first called.

    ``ordered`` graphs store vertices in another order than that of their ids, ``blocked`` ones their edges in tiles.
    """
    from lux.codegen.cpu_writer import module_text

    return _written(f"lux_{program.__name__}", module_text(program.spec, ordered=ordered, blocked=blocked))


@functools.cache
def native_body(text: str) -> int:
    """Return the address of the function that `lux.codegen.native_entry.body_text` wrote."""
    with unsearched():
        return int(_written("lux_body", text, _algorithms_kernels()).body.address)


@functools.cache
def _algorithms_kernels() -> bytes:
    """Return the text of the kernels that bodies call by name: Numba does not see whether these have changed."""
    algorithms = Path(__file__).parents[1] / "algorithms"
    return b"".join(path.read_bytes() for path in sorted(algorithms.rglob("*kernels.py")))


def _written(kind: str, text: str, used: bytes = b"") -> ModuleType:
    """Import the module of a text, which is kept on disk for Numba's cache, and uses other texts."""
    name = f"{kind}_{hashlib.sha256(text.encode() + used + _fixed_part()).hexdigest()[:20]}"
    path = cache_folder() / f"{name}.py"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False) as file:
            file.write(text)
        Path(file.name).replace(path)
    module_spec = importlib.util.spec_from_file_location(name, path)
    if module_spec is None or module_spec.loader is None:
        raise ProgramError(f"kernels cannot be loaded from {path}")
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name] = module
    module_spec.loader.exec_module(module)
    return module


def check_compiles(spec: Spec, types: dict[tuple[str, str], np.dtype[Any]]) -> None:
    """Compile each function of a program alone, so that an error names the function and its line.

    Parameters
    ----------
    types : mapping of (role, attribute) to dtype
        Types of the values that the functions read.
    """
    for function in [*spec.functions.values(), *spec.totals.values()]:
        _compile_alone(spec, function, types)


def _compile_alone(spec: Spec, function: Function, types: dict[tuple[str, str], np.dtype[Any]]) -> None:
    import ast

    import numba
    from numba.core.errors import NumbaError

    from lux.kernels.inlined import inlined
    from lux.kernels.scalars import dot

    tree = ast.Module(body=[function.tree], type_ignores=[])
    space = function.constants | {"dot": dot}
    exec(compile(tree, function.file, "exec"), space)  # noqa: S102  # the user's own function
    signature: tuple[Any, ...] = ()
    for role, name in function.arguments:
        scalar = numba.from_dtype(types[role, name])
        signature += (numba.types.Array(scalar, 1, "C"), numba.int64) if name in spec.lengths else (scalar,)
    signature += tuple(numba.types.Array(numba.from_dtype(types["v", n]), 1, "C") for n in function.outs)
    try:
        inlined(space[f"f_{function.name}"]).compile(signature)
    except NumbaError as error:
        line = getattr(getattr(error, "loc", None), "line", None) or function.line
        why = first_reason(str(error))
        raise ProgramError(
            f"{spec.name}.{function.name}, {function.file}, line {line}: Numba cannot compile it: {why}"
        ) from None


def is_numbas(error: Exception) -> bool:
    """Tell whether Numba has raised an error because it cannot compile a function."""
    errors = sys.modules.get("numba.core.errors")
    return errors is not None and isinstance(error, errors.NumbaError)


def first_reason(message: str) -> str:
    """Extract the reason from Numba's message."""
    lines = [x.strip() for x in message.splitlines()]
    skip = ("Failed in", "File ", "During:", "^", "[1] During", "\x1b")
    reasons = [x for x in lines if x and not x.startswith(skip) and "During: " not in x]
    return " ".join(reasons[:2]) or "unknown reason"
