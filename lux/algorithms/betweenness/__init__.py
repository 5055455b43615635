# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness centrality: the public function, its strategies and their kernels."""
