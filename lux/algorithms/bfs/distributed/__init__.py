# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges, messages and processors of the searches of `lux.algorithms.bfs.published`, which share a graph among many."""
