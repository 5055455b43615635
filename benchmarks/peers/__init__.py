# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The libraries that are compared: one file each, with a function ``contenders(shared)`` and what its rows mean."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

from benchmarks.contender import Contender
from benchmarks.graphs import SharedGraph

MODULES = {"networkit": "networkit", "graphblas": "graphblas", "scipy": "scipy"}
"""Name of a peer, and the module that it needs."""


def missing(peer: str) -> bool:
    """Whether a peer's package is not installed."""
    return find_spec(MODULES[peer]) is None


def contenders(name: str, shared: SharedGraph, works: list[str]) -> list[Contender]:
    """The rows of ``lux`` or of a peer for some works; its copy of the graph is made here."""
    made: list[Contender] = importlib.import_module(f"benchmarks.peers.{name}").contenders(shared, works)
    return made
