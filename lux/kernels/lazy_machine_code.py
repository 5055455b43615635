# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numba's compiled functions get machine code when Python is to call them.

Numba makes machine code of every function at once, also of those that only other compiled functions call, which have
copies of them: a program's ``run`` has a dozen levels of such functions, whose own code took a fifth of compiling.
"""

from __future__ import annotations

from typing import Any

from numba.core import codegen
from numba.core.registry import cpu_target


def use() -> None:
    """Have Numba make machine code when something asks for a function's address, or for the code itself."""
    made = cpu_target.target_context.codegen()
    if made._library_class is not _Library:  # noqa: SLF001  # Numba's setting is for all functions
        made._library_class, made.set_env = _Library, _set_environment.__get__(made)  # noqa: SLF001


class _Library(codegen.JITCodeLibrary):
    """The optimised code of a function and of those that it calls.

    Attributes
    ----------
    has_machine_code : bool
    """

    has_machine_code = False

    def _optimize_functions(self, module: Any) -> None:
        """Optimise each function that a module defines with the same passes; Numba makes some for each declared one."""
        module.data_layout = self._codegen._data_layout  # noqa: SLF001
        passes, builder = self._codegen._function_pass_manager()  # noqa: SLF001
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _finalize_final_module(self) -> None:
        """End optimising; code that was read from a cache is there."""
        if self._object_caching_enabled and self._compiled_object:
            self._make_machine_code()
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def _make_machine_code(self) -> None:
        if not self.has_machine_code:
            self.has_machine_code = True
            self._dynamic_globals.clear()  # which are found again
            super()._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, or 0 if it is not defined here."""
        self._ensure_finalized()
        if not self.has_machine_code:
            try:
                defined = not self._final_module.get_function(name).is_declaration
            except NameError:
                return 0
            if not defined:
                return 0
            self._make_machine_code()
        return int(super().get_pointer_to_function(name))

    def serialize_using_object_code(self) -> Any:
        """Return what a cache keeps."""
        self._ensure_finalized()
        self._make_machine_code()
        return super().serialize_using_object_code()


def _set_environment(self: codegen.JITCPUCodegen, name: str, environment: Any) -> None:
    """Set the address of a function's environment, if the function has machine code of its own."""
    if self._engine.is_symbol_defined(name):
        codegen.JITCPUCodegen.set_env(self, name, environment)
