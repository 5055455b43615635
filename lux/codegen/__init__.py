# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A program becomes the text of Numba functions (``cpu_*``) or of CUDA C++ (``cuda_*``), and machine code."""
