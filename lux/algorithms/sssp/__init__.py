# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths: the programs, the public function, its strategies and their kernels."""
