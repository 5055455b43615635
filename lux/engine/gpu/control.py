# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Constants and types that kernels of programs have again in CUDA C++."""

import numpy as np

PIECES = 64
"""Sampled pieces of a partition, of about equally many vertices each; equal to the constant of `pull.cuh`."""

CONTROL_TYPE = np.dtype(
    [
        ("arrived", np.uint32), ("next", np.uint32, 3), ("small", np.uint32, 3), ("chunks", np.uint32, 3),
        ("touched", np.uint32, 3), ("active", np.uint32, 3), ("yield", np.uint32, 3), ("pad", np.uint32),
        ("active_edges", np.uint64, 3), ("loaded", np.uint64), ("iteration", np.int64), ("finished", np.int64),
        ("model", np.int64), ("ran", np.int64), ("nanoseconds", np.int64),
    ]
)  # fmt: skip
"""``Control`` of `iteration.cuh`."""
