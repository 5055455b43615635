# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What an iteration of a matrix factorization takes: times that depend on K, the length of the factors.

An edge (each rating is one at either end) is K numbers that are read, and their products: K w for least squares, K for
gradient descent. A vertex is its factor, and in least squares the solution of K equations, whose rows have w numbers:
a factor and a rating, rounded up to whole vectors. Rates are of runs with float32 and a tenth of the ratings held out,
as are the defaults of `lux.factorize`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perfmodel.errors import ModelError

METHODS = ("als", "gd")
SIZES = {"float32": 4, "float64": 8}
MAX_K = 512
"""`lux.algorithms.factorization.factorization` has the same."""
SWEEPS = {"als": 2, "gd": 1}
"""Passes over the vertices in an iteration, after each of which nodes need the others' new factors."""
FIRST = {"als": 0, "gd": 1}
"""Iterations that a run has besides: gradient descent finds the errors of the first factors by a step from them."""
VECTOR = {"cpu": 8, "gpu": 4}
"""Numbers to which rows of equations are rounded up."""
IN_WARPS = "als in warps"
"""Least squares on GPUs with so few numbers that a warp has a row; with more a block has, which is another kernel."""
WARP_TILES = 32
"""Tiles of 4 x 4 equations that a warp's threads have; `lux.algorithms.factorization.gpu_text` has the same."""


@dataclass(frozen=True)
class Factors:
    """What `lux.factorize` is asked for.

    Attributes
    ----------
    k : int
        Numbers of a factor, 1 to 512.
    method : {"als", "gd"}
        Least squares or gradient descent.
    dtype : {"float32", "float64"}
        Of a number.

    Examples
    --------
    >>> Factors(k=20).row_bytes
    80
    >>> Factors(k=0)
    Traceback (most recent call last):
        ...
    perfmodel.errors.ModelError: k=0 was passed; allowed are whole numbers from 1 to 512
    """

    k: int = 20
    method: str = "als"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name, value, allowed in (("method", self.method, METHODS), ("dtype", self.dtype, tuple(SIZES))):
            if value not in allowed:
                raise ModelError(f"{name}={value!r} was passed; allowed are {', '.join(allowed)}")
        if not 1 <= self.k <= MAX_K:
            raise ModelError(f"k={self.k!r} was passed; allowed are whole numbers from 1 to {MAX_K}")

    @property
    def row_bytes(self) -> int:
        """Bytes of a factor."""
        return self.k * SIZES[self.dtype]

    @property
    def sweeps(self) -> int:
        """Passes over the vertices in an iteration."""
        return SWEEPS[self.method]

    def kernel(self, device: str) -> str:
        """Which kernel has this K: rates are fitted for each.

        >>> [Factors(k).kernel("gpu") for k in (27, 28)], Factors(20, "gd").kernel("gpu"), Factors(20).kernel("cpu")
        (['als in warps', 'als'], 'gd', 'als')
        """
        if device == "cpu" or self.method != "als":
            return self.method
        rows, columns = -(-self.k // VECTOR["gpu"]), width(self.k, "gpu") // VECTOR["gpu"]
        tiles = rows * columns - rows * (rows - 1) // 2
        return IN_WARPS if tiles <= WARP_TILES else self.method


def width(k: int, device: str) -> int:
    """Numbers of a row of the equations of least squares.

    >>> [width(k, "cpu") for k in (7, 8, 20)], width(20, "gpu")
    ([8, 16, 24], 24)
    """
    vector = VECTOR[device]
    return (k + vector) // vector * vector


def fetched(k: int, device: str) -> int:
    """Numbers of a factor for which time is taken in gradient descent.

    On GPUs lanes have four numbers each, and their number is a power of two, up to 32; some have none.

    >>> [fetched(k, "gpu") for k in (8, 20, 50, 64, 130)], fetched(20, "cpu")
    ([8, 32, 64, 64, 256], 20)
    """
    if device == "cpu":
        return k
    fours = -(-k // 4)
    lanes = min(1 << (fours - 1).bit_length(), 32)
    return 4 * lanes * -(-fours // lanes)


def edge_terms(factors: Factors, device: str) -> tuple[float, ...]:
    """What the rates of an edge are of.

    >>> edge_terms(Factors(20, "als"), "cpu"), edge_terms(Factors(20, "gd"), "cpu")
    ((1, 24, 480), (1, 20))
    """
    k, w = factors.k, width(factors.k, device)
    return (1, w, k * w) if factors.method == "als" else (1, fetched(k, device))


def vertex_terms(factors: Factors, device: str) -> tuple[float, ...]:
    """What the rates of a vertex are of.

    >>> vertex_terms(Factors(20, "als"), "cpu"), vertex_terms(Factors(20, "gd"), "cpu")
    ((1, 20, 480, 11520), (1, 20))
    """
    k, w = factors.k, width(factors.k, device)
    return (1, k, k * w, k * w * w) if factors.method == "als" else (1, k)


def seconds(rates: Sequence[float], terms: Sequence[float]) -> float:
    """Seconds of an edge or a vertex; raises `ModelError` where the profile has other rates.

    >>> seconds((1.0, 0.5, 0.25), (1, 4, 16))
    7.0
    """
    if len(rates) != len(terms):
        raise ModelError(f"a rate of factorize has {len(rates)} numbers, not {len(terms)}: calibrate again")
    return sum(rate * term for rate, term in zip(rates, terms, strict=True))


def exchanged(row_bytes: int, n_vertices: float, workers: int, sweeps: int = 1) -> float:
    """Bytes of the others' new factors that a node (or a GPU) gets in an iteration.

    Every node keeps the factors of all vertices, and makes those of its own.

    Examples
    --------
    >>> exchanged(80, 1000, workers=4, sweeps=2)  # 750 rows of 80 bytes, after each of two sweeps
    120000.0
    """
    return sweeps * row_bytes * n_vertices * (workers - 1) / workers


@dataclass(frozen=True)
class ExtraTimes:
    """What a run takes besides its kernels, in seconds.

    Attributes
    ----------
    run, run_edge : float
        Of a whole run: in all, and for each edge, which GPUs are given.
    iteration, iteration_byte : float
        Of an iteration's launches: in all, and for each byte of all factors.
    """

    run: float = 0.0
    run_edge: float = 0.0
    iteration: float = 0.0
    iteration_byte: float = 0.0


@dataclass(frozen=True)
class FactorRate:
    """Times of one method, in seconds, of one worker.

    Attributes
    ----------
    edge : tuple of float
        Of an edge: what `edge_terms` are multiplied by.
    edge_far : float
        For each number of a factor that is not in the cache, besides; least squares do not wait for them.
    vertex : tuple of float
        Of a vertex: what `vertex_terms` are multiplied by.
    cache_bytes : float
        Where gathers of factors become slower.
    fixed, fixed_parts : float
        Of an iteration's kernels, which more workers do not shorten: where blocks of a GPU meet, and where GPUs do.
    serial : float
        Share of the work that more workers of a node do not speed up.
    exchange : float or None
        For each byte that a GPU gets from others; None where there was one.
    alone, parted : Besides
        In one task, and on several partitions; None where they were not measured.
    error : float
        Largest relative error on the graphs of the calibration.
    """

    edge: tuple[float, ...]
    edge_far: float
    vertex: tuple[float, ...]
    cache_bytes: float
    fixed: float = 0.0
    fixed_parts: float = 0.0
    serial: float = 0.0
    exchange: float | None = None
    alone: ExtraTimes = ExtraTimes()
    parted: ExtraTimes | None = None
    error: float = 0.0

    @classmethod
    def of(cls, found: dict[str, object]) -> FactorRate:
        """A rate as JSON has it."""
        given: dict[str, object] = dict(found)
        for name in ("edge", "vertex"):
            rates = given[name]
            if not isinstance(rates, list | tuple):
                raise TypeError(f"{name} is {rates!r}, and no list")
            given[name] = tuple(map(float, rates))
        for name in ("alone", "parted"):
            besides = given.get(name)
            if isinstance(besides, dict):
                given[name] = ExtraTimes(**besides)
        return cls(**given)  # type: ignore[arg-type]
