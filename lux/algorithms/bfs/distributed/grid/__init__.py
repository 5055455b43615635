# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches over a grid of processors: two-dimensional (2014), and the K computer's hybrid (2017)."""
