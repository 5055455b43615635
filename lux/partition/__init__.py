# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitioning by numbers only: split points, the sizes of the vertex sets, and the repartitioner."""
