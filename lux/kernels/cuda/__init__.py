# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ kernels, and how they are compiled and launched."""
