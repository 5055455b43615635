# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs: vertices, ids, edges in Legion regions, and their partitions."""
