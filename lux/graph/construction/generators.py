# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Synthetic graphs as edge sources: any slice of edges is the same whatever the slicing.

A random number depends on the seed, the edge's number and the draw only, so point tasks generate their slices
without talking to each other. Every class is a `lux.graph.construction.edge_list.EdgeSource`; duplicate edges and loops
are among the edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.checks import integer, shown
from lux.errors import ParameterError
from lux.graph.core.ids import Identity, VertexIds

MAX_SCALE = 40
MAX_EDGES = 2**62
SPECS = "kronecker:SCALE[,EDGE_FACTOR], rmat:SCALE[,EDGE_FACTOR], uniform:SCALE[,EDGE_FACTOR], grid:ROWSxCOLUMNS"


class GeneratedEdges:
    """Base class of the generators.

    Parameters
    ----------
    n_vertices, n_edges : int
    directed : bool
        False: each edge is listed once and stands for both directions.
    seed : int
        0 to 2^63 - 1.
    weights : (int, int) or None
        Edge property ``weight``, int32, uniform integers from the first to the second, both included.

    Raises
    ------
    ParameterError
        A number is out of its range.
    """

    def __init__(
        self, n_vertices: int, n_edges: int, *, directed: bool, seed: int, weights: tuple[int, int] | None
    ) -> None:
        _check("seed", seed, 0, 2**63 - 1)
        _check("number of vertices", n_vertices, 1, 2**MAX_SCALE)
        _check("number of edges", n_edges, 0, MAX_EDGES)
        if weights is not None:
            pair: Any = weights
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ParameterError(f"weights={weights!r} was passed; allowed are two whole numbers, as in (1, 255)")
            _check("lowest weight", weights[0], -(2**31), 2**31 - 1)
            _check("highest weight", weights[1], weights[0], 2**31 - 1)
        self.n_vertices, self.n_edges, self.directed, self.seed = n_vertices, n_edges, directed, seed
        self.weights = weights

    @property
    def ids(self) -> VertexIds:
        """The user's name of every dense id."""
        return Identity(self.n_vertices)

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """The edge properties and their types."""
        return {} if self.weights is None else {"weight": np.dtype(np.int32)}

    def fill(
        self,
        lo: int,
        hi: int,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        properties: Mapping[str, NDArray[Any]],
    ) -> None:
        """Write edges lo to hi - 1 into arrays of length ``hi - lo``."""
        self._endpoints(lo, hi, sources, destinations)
        if "weight" in properties:
            self._weigh(lo, hi, sources, destinations, properties["weight"])

    def _weigh(self, lo: int, hi: int, _sources: NDArray[Any], _destinations: NDArray[Any], out: NDArray[Any]) -> None:
        from lux.graph.construction import generate_kernels as kernels

        assert self.weights is not None
        low, high = self.weights
        kernels.weights(lo, hi, self.seed, low, high - low + 1, out)

    def _endpoints(self, lo: int, hi: int, sources: NDArray[Any], destinations: NDArray[Any]) -> None:
        raise NotImplementedError


class RMAT(GeneratedEdges):
    """R-MAT edges (Chakrabarti, Zhan and Faloutsos, SDM 2004).

    Parameters
    ----------
    scale : int
        log2 of the number of vertices, 1 to 40.
    edge_factor : int
        Edges per vertex.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quadrant; the lower right one has the rest.
    shuffled : bool
        Renumber the vertices by a bijection that depends on the seed, so that ids say nothing about degrees.

    Attributes
    ----------
    limits : np.ndarray of shape (3,), uint64
        a, a + b and a + b + c, as fractions of 2^32.

    Examples
    --------
    >>> RMAT(4, 8).n_edges
    128
    """

    def __init__(
        self,
        scale: int,
        edge_factor: int = 16,
        a: float = 0.57,
        b: float = 0.19,
        c: float = 0.19,
        seed: int = 1,
        *,
        directed: bool = True,
        weights: tuple[int, int] | None = None,
        shuffled: bool = True,
    ) -> None:
        _check("scale", scale, 1, MAX_SCALE)
        _check("edge factor", edge_factor, 1, MAX_EDGES >> scale)
        if not (min(a, b, c) >= 0 and a + b + c <= 1 + 1e-12):
            raise ParameterError(f"a={a}, b={b}, c={c}: pass probabilities whose sum is at most 1")
        super().__init__(1 << scale, edge_factor << scale, directed=directed, seed=seed, weights=weights)
        self.scale, self.shuffled = scale, shuffled
        self.limits = np.array([min(round(p * 2**32), 2**32) for p in (a, a + b, a + b + c)], np.uint64)

    def _endpoints(self, lo: int, hi: int, sources: NDArray[Any], destinations: NDArray[Any]) -> None:
        from lux.graph.construction import generate_kernels as kernels

        kernels.rmat(lo, hi, self.scale, self.seed, self.limits, self.shuffled, sources, destinations)


class Kronecker(RMAT):
    """The Graph500 benchmark's graph: R-MAT with a, b, c = .57, .19, .19, undirected, vertices shuffled.

    Examples
    --------
    >>> g = Kronecker(10)
    >>> g.n_vertices, g.n_edges, g.directed
    (1024, 16384, False)
    """

    def __init__(
        self, scale: int, edge_factor: int = 16, seed: int = 1, weights: tuple[int, int] | None = None
    ) -> None:
        super().__init__(scale, edge_factor, seed=seed, directed=False, weights=weights)


class Uniform(GeneratedEdges):
    """Random edges with both ends uniform: Erdos and Renyi's G(n, m) with replacement.

    >>> Uniform(100, 1000).n_edges
    1000
    """

    def __init__(
        self,
        n_vertices: int,
        n_edges: int,
        seed: int = 1,
        *,
        directed: bool = False,
        weights: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(n_vertices, n_edges, directed=directed, seed=seed, weights=weights)

    def _endpoints(self, lo: int, hi: int, sources: NDArray[Any], destinations: NDArray[Any]) -> None:
        from lux.graph.construction import generate_kernels as kernels

        kernels.uniform(lo, hi, self.n_vertices, self.seed, sources, destinations)


class Grid(GeneratedEdges):
    """A lattice of rows x columns vertices, each joined to its four neighbours, as road networks nearly are.

    Vertex (r, c) is ``r * columns + c``.

    >>> Grid(2, 3).n_edges
    7
    """

    def __init__(self, rows: int, columns: int, seed: int = 1, *, weights: tuple[int, int] | None = None) -> None:
        _check("number of rows", rows, 1, 2**MAX_SCALE)
        _check("number of columns", columns, 1, 2**MAX_SCALE // rows)
        n_edges = rows * (columns - 1) + (rows - 1) * columns
        super().__init__(rows * columns, n_edges, directed=False, seed=seed, weights=weights)
        self.rows, self.columns = rows, columns

    def _endpoints(self, lo: int, hi: int, sources: NDArray[Any], destinations: NDArray[Any]) -> None:
        from lux.graph.construction import generate_kernels as kernels

        kernels.grid(lo, hi, self.rows, self.columns, sources, destinations)


def parse_spec(text: str, *, seed: int = 1, weights: tuple[int, int] | None = None) -> GeneratedEdges:
    """Make a generator from the command line's spelling.

    Parameters
    ----------
    text : str
        ``kronecker:18``, ``rmat:16,8``, ``uniform:20`` (2^20 vertices, 16 edges each) or ``grid:1024x1024``.
    weights : (int, int), optional
        Range of ``weight``, as in the classes.

    Raises
    ------
    ParameterError
        The spelling is none of these, or a number is out of its range.

    Examples
    --------
    >>> parse_spec("grid:3x4").n_vertices
    12
    >>> parse_spec("kronecker:99")
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: scale 99 is out of range: pass 1 to 40
    """
    kind, _, rest = text.strip().lower().partition(":")
    separator = "x" if kind == "grid" else ","
    parts = rest.split(separator)
    shape_known = kind in ("kronecker", "rmat", "uniform", "grid")
    length_right = len(parts) == 2 if kind == "grid" else len(parts) in (1, 2)
    if not (shape_known and length_right and all(part.isascii() and part.isdigit() for part in parts)):
        raise ParameterError(f"{shown(text)} is no synthetic graph: pass {SPECS}")
    numbers = [number for part in parts if (number := integer(part)) is not None]
    if len(numbers) < len(parts):
        raise ParameterError(f"a number of {shown(text)} is out of range: it does not fit 64 bits")
    if kind == "grid":
        return Grid(numbers[0], numbers[1], seed, weights=weights)
    scale, edge_factor = numbers[0], numbers[1] if len(numbers) == 2 else 16
    if kind == "kronecker":
        return Kronecker(scale, edge_factor, seed, weights)
    if kind == "rmat":
        return RMAT(scale, edge_factor, seed=seed, weights=weights)
    _check("scale", scale, 1, MAX_SCALE)
    return Uniform(1 << scale, edge_factor << scale, seed=seed, weights=weights)


def is_spec(text: str) -> bool:
    """Tell whether a graph argument means a generator and not a file.

    >>> is_spec("uniform:20"), is_spec("roads.gr.gz")
    (True, False)
    """
    return text.strip().lower().partition(":")[0] in ("kronecker", "rmat", "uniform", "grid") and ":" in text


def _check(what: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ParameterError(f"{what} {value!r} is no integer: pass {low} to {high}")
    if not low <= value <= high:
        raise ParameterError(f"{what} {shown(int(value))} is out of range: pass {low} to {high}")
