# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are compiled in less time, but are slower, for ``make test``, which compiles more than it runs.

Numba optimises each function with all that it calls, so that the innermost ones of a program are optimised four times.
Here they are optimised once, with the function that becomes machine code: LLVM begins with the innermost ones, too. For
all kernels that would be the wrong choice: a program's sums over partitions took 1.3 times as long.
"""


def use():
    """Have Numba compile so, once it is there."""
    from numba.core.registry import cpu_target

    made = cpu_target.target_context.codegen()

    class Library(made._library_class):
        def _optimize_final_module(self):
            """Leave the code as it is until it becomes machine code."""

        def _make_machine_code(self):
            if not self.has_machine_code:
                super()._optimize_final_module()
            super()._make_machine_code()

    made._library_class = Library
