# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Published ways to search in breadth over many processors, each an engine of `lux.bfs`."""

from lux.algorithms.bfs.distributed.engine import AUTO, ENGINES, UNDIRECTED, Engine, find

__all__ = ["AUTO", "ENGINES", "UNDIRECTED", "Engine", "find"]
