# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels as shared libraries, which `lux.kernels.shipped_kernels` loads without Numba.

A library has Numba's optimised code, a function that takes all arguments as words of 8 bytes, and the part of Numba's
runtime that kernels need to allocate (``numba_runtime.c``).
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.np.arrayobj import make_array, populate_array

from legate_config import ConfigError
from legate_config.native import find_compiler, locked
from legate_config.own_folder import own_cache_folder
from lux.kernels import native_body, shipped_kernels
from lux.kernels.kinds import Group, Kind

_RUNTIME = Path(__file__).with_name("numba_runtime.c")
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_FOR_COMPILED_CALLERS: dict[str, Any] = {"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that get no entry points of Numba's, and no machine code (`lux.kernels.lazy_machine_code`)."""
_DATA, _SHAPE, _STRIDES = 16, 32, 40
"""Places of an array's address, shape and strides in its object, which is public in NumPy's headers."""


def make(function: Callable[..., Any], options: dict[str, Any], kinds: tuple[Kind | Group, ...]) -> None:
    """Compile a kernel and write its library, if its result allows it, and there is a C++ compiler.

    Parameters
    ----------
    function : callable
        The function as it was written.
    options : dict
        Of `numba.njit`.
    kinds : tuple of Kind or Group
        Of its arguments.
    """

    def write_entry(compiled: Any, module: ir.Module) -> bool:
        if (result := _result(compiled.signature.return_type)) is not None:
            _write_entry(module, compiled, result)
        return result is not None

    _make(function, options, kinds, tuple(kind.numba() for kind in kinds), write_entry)


def make_body(function: Callable[..., Any]) -> None:
    """Compile the body of a launch (`lux.kernels.native_body`) and write its library, if there is a C++ compiler."""
    _make(function, {}, (), native_body.signature().args, _write_body_entry)


def _make(
    function: Callable[..., Any],
    options: dict[str, Any],
    kinds: tuple[Kind | Group, ...],
    of: tuple[Any, ...],
    write_entry: Callable[[Any, ir.Module], bool],
) -> None:
    """Compile a function for types and write its library, unless another thread or process does."""
    for path in shipped_kernels.paths(function, kinds):
        lock = own_cache_folder("kernels")[0] / f"{path.name}.lock"
        with global_compiler_lock, locked(lock), suppress(ConfigError, subprocess.CalledProcessError):
            if not shipped_kernels.is_whole(path):
                made = numba.njit(**options | _FOR_COMPILED_CALLERS)(function)
                made.compile(of)
                [compiled] = made.overloads.values()
                if (code := _object(compiled, write_entry)) is not None:
                    data = _linked(code)
                    write(path, data + hashlib.sha256(data).digest())


def write(path: Path, data: bytes) -> None:
    """Write a file at once, for all who use the package to read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    os.chmod(file.name, 0o644)  # noqa: PTH101
    Path(file.name).replace(path)


def _kind(kind: Any) -> Kind | None:
    """Return the kind of a number or an array that is returned."""
    if isinstance(kind, types.Array):
        scalar = _kind(kind.dtype)
        return None if scalar is None else Kind(scalar.dtype, kind.ndim, layout=kind.layout)  # type: ignore[arg-type]  # of three
    if isinstance(kind, types.Integer | types.Float):
        return Kind(np.dtype(str(kind)))
    return Kind(np.dtype(bool)) if kind == types.boolean else None


def _result(kind: Any) -> str | None:
    """Say what is returned, for `shipped_kernels.RESULT`; None if more than numbers and one-dimensional arrays are."""
    if kind == types.none:
        return ""
    parts: Any = kind if isinstance(kind, types.BaseTuple) else [kind]
    found = [_kind(types.unliteral(part)) for part in parts]
    known = [part for part in found if part is not None and part.ndim <= 1 and part.layout == "C"]
    words = sum(shipped_kernels.WORDS_OF_ARRAY if part.ndim else 1 for part in known)
    if len(known) < len(found) or not found or 8 * words > shipped_kernels.ROOM:
        return None
    return " ".join(shipped_kernels.ARRAY * part.ndim + part.dtype.char for part in known)


def _object(compiled: Any, write_entry: Callable[[Any, ir.Module], bool]) -> bytes | None:
    """Return the object file of a kernel and of its entry; None if there can be none."""
    codegen = compiled.target_context.codegen()
    module = codegen.create_library(shipped_kernels.ENTRY).create_ir_module(shipped_kernels.ENTRY)
    if not write_entry(compiled, module):
        return None
    whole = compiled.library._final_module.clone()  # noqa: SLF001
    whole.link_in(binding.parse_assembly(str(module)))
    for defined in [*whole.functions, *whole.global_variables]:
        if not defined.is_declaration and defined.name not in (shipped_kernels.ENTRY, shipped_kernels.RESULT):
            defined.linkage = "internal"
    machine = binding.Target.from_triple(whole.triple).create_target_machine(
        cpu=codegen._get_host_cpu_name(),  # noqa: SLF001
        features=codegen._get_host_cpu_features(),  # noqa: SLF001
        opt=3,
        reloc="pic",
        codemodel="small",
    )
    unused = binding.create_new_module_pass_manager()
    unused.add_global_dead_code_eliminate_pass()
    unused.run(whole, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options()))
    return bytes(machine.emit_object(whole))


def _kernel(module: ir.Module, compiled: Any) -> ir.Function:
    """Declare the kernel."""
    described = compiled.fndesc
    of = compiled.target_context.call_conv.get_function_type(described.restype, described.argtypes)
    return ir.Function(module, of, described.llvm_func_name)


def _write_body_entry(compiled: Any, module: ir.Module) -> bool:
    """Write the function that a launch calls; its kernel returns what was recorded, and raises nothing."""
    context, described = compiled.target_context, compiled.fndesc
    types_of = [context.get_value_type(kind) for kind in described.argtypes]
    entry = ir.Function(module, ir.FunctionType(_I64, types_of), shipped_kernels.ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block())
    kernel = _kernel(module, compiled)
    _, value = context.call_conv.call_function(builder, kernel, described.restype, described.argtypes, entry.args)
    builder.ret(value)
    return True


def _write_entry(module: ir.Module, compiled: Any, result: str) -> None:
    """Write the function that takes words, calls the kernel, and writes its result or the exception it raised.

    ``result`` says what is returned, for `shipped_kernels.RESULT`.
    """
    text = ir.Constant(ir.ArrayType(_I8, len(result) + 1), bytearray(result.encode() + b"\0"))
    constant = ir.GlobalVariable(module, text.type, shipped_kernels.RESULT)
    constant.initializer, constant.global_constant = text, True
    context, described = compiled.target_context, compiled.fndesc
    convention, words = context.call_conv, _I64.as_pointer()
    entry = ir.Function(module, ir.FunctionType(_I32, [words, words]), shipped_kernels.ENTRY)
    kernel = _kernel(module, compiled)
    builder = ir.IRBuilder(entry.append_basic_block())
    given, room = entry.args
    next_word = (builder.gep(given, [_I64(k)]) for k in itertools.count())
    arguments = [_argument(context, builder, kind, next_word) for kind in described.argtypes]
    status, value = convention.call_function(builder, kernel, described.restype, described.argtypes, arguments)
    with builder.if_else(status.is_ok) as (returned, raised):
        with returned:
            value = context.data_model_manager[described.restype].as_data(builder, value)
            builder.store(value, builder.bitcast(room, value.type.as_pointer()))
        with raised:
            builder.store(_I64(0), room)
            with builder.if_then(status.is_user_exc):
                text, size = (
                    builder.load(builder.gep(status.excinfoptr, [_I32(0), _I32(k)], inbounds=True)) for k in (0, 1)
                )
                builder.store(builder.ptrtoint(text, _I64), room)
                builder.store(builder.zext(size, _I64), builder.gep(room, [_I64(1)]))
    builder.ret(builder.select(status.is_ok, _I32(0), _I32(shipped_kernels.RAISED)))


def _argument(context: Any, builder: ir.IRBuilder, kind: Any, words: Iterator[Any]) -> Any:
    """Read an argument from its word; a tuple from those of its parts."""
    if isinstance(kind, types.BaseTuple):
        of: Any = kind
        return context.make_tuple(builder, of, [_argument(context, builder, part, words) for part in of.types])
    word = next(words)
    if not isinstance(kind, types.Array):
        model = context.data_model_manager[kind]
        return model.from_data(builder, builder.load(builder.bitcast(word, model.get_data_type().as_pointer())))
    item, count = builder.load(word), range(kind.ndim)

    def field(place: int, of: ir.Type) -> Any:
        return builder.load(builder.inttoptr(builder.add(item, _I64(place)), of.as_pointer()))

    def numbers(place: int) -> Sequence[Any]:
        first = field(place, _I64.as_pointer())
        return [builder.load(builder.gep(first, [_I64(k)])) for k in count]

    made = make_array(kind)(context, builder)
    data, size = field(_DATA, made.data.type), context.get_abi_sizeof(context.get_data_type(kind.dtype))
    populate_array(made, data, numbers(_SHAPE), numbers(_STRIDES), _I64(size), None)
    return made._getvalue()  # noqa: SLF001  # that is how Numba spells it


def _linked(code: bytes) -> bytes:
    """Link an object file with the runtime; raises `subprocess.CalledProcessError` if the compiler cannot."""
    with tempfile.TemporaryDirectory() as folder:
        runtime, kernel, library = (Path(folder, name) for name in ("runtime.o", "kernel.o", "library.so"))
        runtime.write_bytes(_runtime())
        kernel.write_bytes(code)
        _compile("-shared", "-s", str(runtime), str(kernel), "-lm", "-o", str(library))
        return library.read_bytes()


@functools.cache
def _runtime() -> bytes:
    """Compile the runtime; returns its object file."""
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        _compile("-c", "-fPIC", "-O2", "-x", "c", str(_RUNTIME), "-o", file.name)
        return Path(file.name).read_bytes()


def _compile(*words: str) -> None:
    subprocess.run([*find_compiler(), *words], check=True, capture_output=True)
