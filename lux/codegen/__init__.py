# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Code generation: a program becomes text of Numba functions (``cpu_*``) or CUDA C++ (``cuda_*``), and machine code."""
