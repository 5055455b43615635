# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ headers that kernels of several algorithms share."""
