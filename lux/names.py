# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Messages for misspelt functions, attributes and arguments: they list the names that exist, and the nearest."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from lux.errors import CallError, NoSuchNameError

P = ParamSpec("P")
R = TypeVar("R")

FUNCTIONS = {
    "betweenness_centrality": "betweenness", "breadth_first_search": "bfs", "connected_components": "components",
    "weakly_connected_components": "components", "dijkstra": "sssp", "shortest_paths": "sssp", "als": "factorize",
    "from_pandas_edgelist": "from_pandas", "from_arrow": "from_table", "from_polars": "from_table",
    "from_duckdb": "from_table", "from_dataframe": "from_table", "join": "table", "merge": "table",
    "from_scipy_sparse_array": "from_scipy", "from_numpy": "from_edges", "DiGraph": "from_edges",
    "read_csv": "read_graph", "read_edgelist": "read_graph", "load": "load_graph",
}  # fmt: skip
"""Other libraries' names of Lux's functions."""

ELSEWHERE = {
    "astar": "astar_path", "astar_path": "astar_path", "closeness": "closeness_centrality",
    "closeness_centrality": "closeness_centrality", "clustering": "clustering", "coloring": "greedy_color",
    "core_number": "core_number", "core_numbers": "core_number", "cores": "core_number",
    "degree_centrality": "degree_centrality", "diameter": "diameter", "eigenvector": "eigenvector_centrality",
    "eigenvector_centrality": "eigenvector_centrality", "greedy_color": "greedy_color",
    "harmonic_centrality": "harmonic_centrality", "hits": "hits", "jaccard": "jaccard_coefficient",
    "jaccard_coefficient": "jaccard_coefficient", "k_core": "k_core", "katz": "katz_centrality",
    "katz_centrality": "katz_centrality", "label_propagation": "community.label_propagation_communities",
    "leiden": "community.louvain_communities", "link_prediction": "adamic_adar_index",
    "louvain": "community.louvain_communities", "louvain_communities": "community.louvain_communities",
    "matching": "max_weight_matching", "max_flow": "maximum_flow_value", "maximum_flow": "maximum_flow",
    "minimum_spanning_tree": "minimum_spanning_tree", "modularity": "community.modularity",
    "random_walk": "generate_random_paths", "scc": "strongly_connected_components",
    "strongly_connected_components": "strongly_connected_components", "topological_sort": "topological_sort",
    "transitivity": "transitivity", "triangles": "triangles",
}  # fmt: skip
"""Algorithms that Lux lacks, and NetworkX's functions for them."""

ARGUMENTS = {
    "damping": "alpha", "d": "alpha", "eps": "tol", "tolerance": "tol", "iterations": "max_iter", "niter": "max_iter",
    "max_iterations": "max_iter", "reset": "personalization", "root": "source", "start": "source", "weights": "weight",
    "partitions": "parts", "n_parts": "parts", "num_parts": "parts", "reduction": "reduce", "length": "shape",
    "n": "k", "limit": "k", "rank": "k", "create_using": "directed", "nodes": "vertices",
}  # fmt: skip
"""Other libraries' names of Lux's arguments."""
SETTINGS = ("device", "cpu_share", "placement", "loading", "repartition", "exchange", "checkpoint", "every")
"""Names of `lux.settings.Settings` that hold for a block of calls."""


def nearest(name: str, names: Collection[str], known: Mapping[str, str] | None = None) -> str:
    """Ask after the nearest of some names; empty if none is near.

    >>> nearest("damping", ["alpha", "dangling"], ARGUMENTS), nearest("page_rank", ["pagerank"]), nearest("x", ["bfs"])
    (': did you mean alpha?', ': did you mean pagerank?', '')
    >>> nearest("device", ["alpha", "dangling"], ARGUMENTS)
    ': a setting, for calls in a block of lux.using(device=...)'
    """
    if known is ARGUMENTS and name in SETTINGS:
        return f": a setting, for calls in a block of lux.using({name}=...)"
    meant = (known or {}).get(name)
    near = [meant] if meant in names else difflib.get_close_matches(name, names, 1)
    return f": did you mean {near[0]}?" if near else ""


def no_such_name(
    of: str, name: str, names: Collection[str], known: Mapping[str, str] | None = None, more: str = ""
) -> AttributeError:
    """Return the error of a misspelt attribute; for private names, which Python itself probes, the plain one.

    >>> print(no_such_name("module 'lux'", "page_rank", ["bfs", "pagerank"]))
    module 'lux' has no attribute 'page_rank': did you mean pagerank? It has bfs, pagerank
    >>> print(no_such_name("module 'lux'", "triangles", ["bfs"]))
    module 'lux' has no attribute 'triangles', and NetworkX has: networkx.triangles(graph.to_networkx()). Or write ...
    """
    said = f"{of} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(said)
    near = nearest(name, names, known)
    if name in ELSEWHERE and of == "module 'lux'":
        near = f", and NetworkX has: networkx.{ELSEWHERE[name]}(graph.to_networkx()). Or write a lux.Program."
    return NoSuchNameError(f"{said}{near or '.'} It has {', '.join(sorted(names))}{more}")


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a public function: unknown, missing and surplus arguments raise a `CallError` that lists its arguments."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            error = _wrong_arguments(function, args, kwargs)
            if error is None:
                raise
        raise error

    return call


def _wrong_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Exception | None:
    """Describe the mistake in a call's arguments, if there is one."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        why = str(error)
    else:
        progress = bound.arguments.get("progress")
        if progress is None or callable(progress):
            return None
        return CallError(f"progress={progress!r} was passed; allowed are None and a function of what is done")
    taken = {name: p for name, p in signature.parameters.items() if name != "self"}
    names = [name for name, p in taken.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    unknown = [name for name in kwargs if name not in names] if len(names) == len(taken) else []
    home = "" if "." in function.__qualname__ else "lux.toy." if function.__module__ == "lux.toy" else "lux."
    if unknown:
        free = [name for name in names if name not in kwargs]
        why = f"there is no argument {unknown[0]!r}{nearest(unknown[0], free, ARGUMENTS)}"
    shown = [name if p.default is p.empty else f"{name}={_shown(p.default)}" for name, p in taken.items()]
    return CallError(
        f"{home}{function.__qualname__}: {why}{'' if why.endswith('?') else '.'} It takes {', '.join(shown) or 'none'}"
    )


def _shown(default: Any) -> str:
    return default.__name__ if isinstance(default, type) else repr(default)


class Spelt:
    """Spelling-aware base of the public classes: misspelt attributes and arguments of methods raise errors of Lux."""

    _known: ClassVar[Mapping[str, str]] = {}
    """Other libraries' names of the attributes."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, value in list(vars(cls).items()):
            if inspect.isfunction(value) and not name.startswith("_"):
                setattr(cls, name, checked_call(value))

    def _further(self) -> str:
        """Return further text for the message about a misspelt attribute."""
        return ""

    if not TYPE_CHECKING:  # keeps type checkers from accepting every attribute

        def __getattr__(self, name: str) -> Any:
            names = {public for public in (*dir(type(self)), *vars(self)) if not public.startswith("_")}
            raise no_such_name(f"{type(self).__name__!r} object", name, names - {name}, self._known, self._further())
