# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search: the program, the public function, its strategies and their kernels."""
