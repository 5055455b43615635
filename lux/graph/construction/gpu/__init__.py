# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs made on one GPU: numbers of vertices, edges sorted in every way, and the order by degree."""
