# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A program's functions for GPUs: LTO-IR that the linker inlines into CUDA C++ kernels.

Every function becomes ``void lux_NAME(arguments, pointers to results)``. A bool is an unsigned char, a vector a pointer
and the index of its first element.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lux.program.parser import Function
from lux.program.spec import Spec

C_TYPES = {
    "bool": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long",
    "uint8": "unsigned char", "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long",
    "float32": "float", "float64": "double",
}  # fmt: skip


class Argument(NamedTuple):
    """A parameter of a function: its name, its type, and whether it is a pointer."""

    name: str
    dtype: np.dtype[Any]
    pointer: bool


class Device:
    """One function of a program as the GPU's linker sees it.

    Parameters
    ----------
    spec : Spec
    function : Function
    symbol : str
        Name of the function for the linker.
    types : mapping of (role, attribute) to dtype
        Types of the values that it reads.
    returned : sequence of dtype
        Types of its results, in order: the returned value, if any, then the assigned fields.
    """

    def __init__(
        self,
        spec: Spec,
        function: Function,
        symbol: str,
        types: Mapping[tuple[str, str], np.dtype[Any]],
        returned: list[np.dtype[Any]],
    ) -> None:
        self.spec, self.function, self.symbol = spec, function, symbol
        self.arguments: list[Argument] = []
        for role, name in function.arguments:
            dtype = types[role, name]
            vector = name in spec.lengths
            self.arguments.append(Argument(f"{role}_{name}", dtype, vector))
            if vector:
                self.arguments.append(Argument(f"{role}_{name}_at", np.dtype(np.int64), pointer=False))
        self.arguments += [Argument(f"out_{n}", types["v", n], pointer=True) for n in function.outs]
        self.arguments += [Argument(f"result_{k}", dtype, pointer=True) for k, dtype in enumerate(returned)]

    def declaration(self) -> str:
        """Write the C++ declaration."""
        given = ", ".join(C_TYPES[a.dtype.name] + ("*" if a.pointer else "") for a in self.arguments)
        return f'extern "C" __device__ void {self.symbol}({given});'

    def source(self) -> str:
        """Write the Python function that is compiled: results are written through pointers."""
        tree = _ResultsByPointer([a.dtype for a in self.arguments if a.name.startswith("result_")]).visit(
            copy.deepcopy(self.function.tree)
        )
        tree.name = self.symbol
        tree.args.args = [ast.arg(arg=a.name) for a in self.arguments]
        bools = [a.name for a in self.arguments if a.dtype == np.bool_ and not a.pointer]
        tree.body = [*(ast.parse(f"{n} = {n} != 0").body[0] for n in bools), *tree.body]
        return ast.unparse(ast.fix_missing_locations(tree))

    def compile(self, capability: tuple[int, int]) -> bytes:
        """Compile to LTO-IR for GPUs of a compute capability."""
        from numba import cuda, types

        def numba_type(argument: Argument) -> Any:
            import numba

            scalar = types.uint8 if argument.dtype == np.bool_ else numba.from_dtype(argument.dtype)
            return types.CPointer(scalar) if argument.pointer else scalar

        space: dict[str, Any] = dict(self.function.constants)
        names = {n.id for n in ast.walk(self.function.tree) if isinstance(n, ast.Name)}
        if "dot" in names:
            space["dot"] = _declared_dot(self.arguments)
        exec(self.source(), space)  # noqa: S102  # the user's own function
        signature = types.void(*(numba_type(a) for a in self.arguments))
        code, _ = cuda.compile(  # type: ignore[attr-defined]
            space[self.symbol],
            signature,
            device=True,
            abi="c",
            abi_info={"abi_name": self.symbol},
            output="ltoir",
            cc=capability,
        )
        return bytes(code)


def _declared_dot(arguments: list[Argument]) -> Any:
    """Declare ``lux_dot`` of the vectors' type, which the kernels' text defines."""
    from numba import cuda, from_dtype, types

    vectors = {a.dtype for a in arguments if a.pointer and not a.name.startswith(("out_", "result_"))}
    scalar = from_dtype(np.result_type(*vectors))
    pointer = types.CPointer(scalar)
    signature = scalar(pointer, types.int64, pointer, types.int64, types.int64)
    return cuda.declare_device(f"lux_dot_{scalar}", signature)


class _ResultsByPointer(ast.NodeTransformer):
    """Transformer that turns ``return a, b`` into ``result_0[0] = a; result_1[0] = b; return``."""

    def __init__(self, returned: list[np.dtype[Any]]) -> None:
        self.returned = returned

    def visit_Return(self, node: ast.Return) -> Any:
        """Write each result."""
        if node.value is None or not self.returned:
            return ast.Return(None)
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        lines: list[ast.stmt] = []
        for k, (value, dtype) in enumerate(zip(values, self.returned, strict=True)):
            target = ast.Subscript(ast.Name(f"result_{k}", ast.Load()), ast.Constant(0), ast.Store())
            if dtype == np.bool_:
                value = ast.IfExp(value, ast.Constant(1), ast.Constant(0))  # noqa: PLW2901  # what is written
            lines.append(ast.Assign([target], value))
        return [*lines, ast.Return(None)]
