# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Indexes derived from a graph's edges for some of its runs, and kept with the graph."""
