# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of the backend's functions: the settings they run with, and the errors that NetworkX expects."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

import lux
from lux.errors import LuxError
from lux.networkx_backend.backend_graph import LuxGraph, NoNodeError

Answer = Callable[..., Any]

SMALL = 1 << 16
"""Nodes and edges that one thread goes over in the time of a launch."""
LINKED = 1 << 19
"""Nodes and edges of which one thread finds the components in that time: it need not look at most edges."""


def answer(function: Answer) -> Answer:
    """Wrap a function of the backend.

    Graphs without nodes, and nodes that are not there, are left to NetworkX's own code, which has a rule for each
    function. Errors of Lux become `NotImplementedError`, after which NetworkX computes itself where it may.
    """

    @functools.wraps(function)
    def call(graph: LuxGraph, *args: Any, **kwargs: Any) -> Any:
        if not len(graph):
            return by_networkx(function.__name__, graph, *args, **kwargs)
        try:
            with lux.using(device=configured().device):
                return function(graph, *args, **kwargs)
        except NoNodeError as missing:
            if graph.origin is None:
                raise nx.NodeNotFound(f"Node {missing.args[0]!r} is not in the graph") from None
            return by_networkx(function.__name__, graph, *args, **kwargs)
        except LuxError as error:
            raise NotImplementedError(f"{function.__name__}: {error}") from error

    return call


def by_networkx(name: str, graph: LuxGraph, *args: Any, **kwargs: Any) -> Any:
    """Return what NetworkX's own code answers."""
    return getattr(nx, name)(graph.to_networkx(), *args, backend="networkx", **kwargs)


def configured() -> Any:
    """Return ``networkx.config.backends.lux``."""
    settings: Any = nx.config.backends
    return settings.lux


def is_small(graph: LuxGraph, searches: int = 1, *, most: int = SMALL) -> bool:
    """Tell whether one thread does so many searches sooner than launches, and the settings leave that open.

    ``most`` is the number of nodes and edges from which on launches are sooner.
    """
    settings = configured()
    open_to_all = settings.parts is None and settings.device in ("auto", "cpu")
    return open_to_all and searches * (len(graph) + 2 * len(graph.sources)) <= most


def parts() -> int | None:
    """Return the configured number of partitions."""
    found: int | None = configured().parts
    return found


def precision() -> np.dtype[Any]:
    """Return the configured type of scores."""
    found: np.dtype[Any] = np.dtype(configured().precision)
    return found
