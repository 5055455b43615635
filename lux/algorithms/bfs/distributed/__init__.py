# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Published breadth-first searches over many processors, each a strategy of `lux.bfs`."""

from lux.algorithms.bfs.distributed.strategies import BY_NAME, STRATEGIES, Published

__all__ = ["BY_NAME", "STRATEGIES", "Published"]
