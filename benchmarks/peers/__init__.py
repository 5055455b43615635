# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Peers of Lux: one file each, with a function ``contenders(shared, works)`` and an explanation of its rows."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

from benchmarks import gap_suite
from benchmarks.contender import Contender
from benchmarks.graphs import SharedGraph

MODULES = {"networkit": "networkit", "graphblas": "graphblas", "scipy": "scipy", "igraph": "igraph"}
"""Name of a peer in Python, and the module that it needs."""
NAMES = (*MODULES, "gapbs")


def missing(peer: str) -> str:
    """Explain why a peer cannot take part; empty if it can."""
    if peer == "gapbs":
        return gap_suite.missing()
    return "" if find_spec(MODULES[peer]) else "it is not installed (pip install -e .[benchmarks])"


def contenders(name: str, shared: SharedGraph, works: list[str]) -> list[Contender]:
    """Return the rows of ``lux`` or of a peer for some works; its copy of the graph is made here."""
    made: list[Contender] = importlib.import_module(f"benchmarks.peers.{name}").contenders(shared, works)
    return made
