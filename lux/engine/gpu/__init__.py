# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs on GPUs: arguments of kernels, and the tasks that launch them."""
