# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Running on GPUs: what kernels are given, and the tasks that launch them."""
