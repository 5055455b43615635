# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of shortest paths on one GPU and on several, in CUDA C++."""
