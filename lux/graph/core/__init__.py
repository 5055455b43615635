# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ids of vertices, the stores of a graph, and its partitions."""
