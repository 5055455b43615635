# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rates of an iteration of matrix factorization, which depend on K, the length of the factors.

An edge (a rating is one edge at either end) costs K numbers that are read, and their products: K w for least squares, K
for gradient descent. A vertex costs its factor and, in least squares, the solution of K equations, whose rows have w
numbers: a factor and a rating, rounded up to whole vectors. Rates were measured with float32 and a tenth of the ratings
held out, the defaults of `lux.factorize`.
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
"""Passes over the vertices in an iteration; nodes exchange new factors after each."""
FIRST = {"als": 0, "gd": 1}
"""Extra iterations of a run: gradient descent computes the errors of the first factors by a step from them."""
VECTOR = {"cpu": 8, "gpu": 4}
"""Numbers to which rows of equations are rounded up."""
IN_WARPS = "als in warps"
"""Kernel of least squares on GPUs for small K, with a warp for each row; for larger K a block has a row."""
WARP_TILES = 32
"""Tiles of 4 x 4 equations held by a warp's threads; `lux.algorithms.factorization.gpu_text` has the same."""


@dataclass(frozen=True)
class Factors:
    """Factors' length, method and type, as `lux.factorize` takes them.

    Attributes
    ----------
    k : int
        Numbers of a factor, 1 to 512.
    method : {"als", "gd"}
        Alternating least squares or gradient descent.
    dtype : {"float32", "float64"}
        Type of a number.

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
        """Bytes of one factor."""
        return self.k * SIZES[self.dtype]

    def exchanges(self, device: str) -> int:
        """Return the exchanges of an iteration between nodes that the latency counts for: CPU cores', one a sweep.

        >>> Factors(8).exchanges("cpu"), Factors(8, "gd").exchanges("cpu")
        (2, 1)
        """
        return self.sweeps if device == "cpu" else 1

    @property
    def sweeps(self) -> int:
        """Passes over the vertices in an iteration."""
        return SWEEPS[self.method]

    def kernel(self, device: str) -> str:
        """Return the name of the kernel for this K; rates are fitted for each kernel.

        >>> [Factors(k).kernel("gpu") for k in (27, 28)], Factors(20, "gd").kernel("gpu"), Factors(20).kernel("cpu")
        (['als in warps', 'als'], 'gd', 'als')
        """
        if device == "cpu" or self.method != "als":
            return self.method
        rows, columns = -(-self.k // VECTOR["gpu"]), width(self.k, "gpu") // VECTOR["gpu"]
        tiles = rows * columns - rows * (rows - 1) // 2
        return IN_WARPS if tiles <= WARP_TILES else self.method


def width(k: int, device: str) -> int:
    """Return the numbers in a row of the least-squares equations.

    >>> [width(k, "cpu") for k in (7, 8, 20)], width(20, "gpu")
    ([8, 16, 24], 24)
    """
    vector = VECTOR[device]
    return (k + vector) // vector * vector


def fetched(k: int, device: str) -> int:
    """Return how many numbers of a factor gradient descent spends time on.

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
    """Return the terms that an edge's rates multiply.

    >>> edge_terms(Factors(20, "als"), "cpu"), edge_terms(Factors(20, "gd"), "cpu")
    ((1, 24, 480), (1, 20))
    """
    k, w = factors.k, width(factors.k, device)
    return (1, w, k * w) if factors.method == "als" else (1, fetched(k, device))


def vertex_terms(factors: Factors, device: str) -> tuple[float, ...]:
    """Return the terms that a vertex's rates multiply.

    >>> vertex_terms(Factors(20, "als"), "cpu"), vertex_terms(Factors(20, "gd"), "cpu")
    ((1, 20, 480, 11520), (1, 20))
    """
    k, w = factors.k, width(factors.k, device)
    return (1, k, k * w, k * w * w) if factors.method == "als" else (1, k)


def seconds(rates: Sequence[float], terms: Sequence[float]) -> float:
    """Return the seconds of an edge or a vertex; raises `ModelError` if the profile has other rates.

    >>> seconds((1.0, 0.5, 0.25), (1, 4, 16))
    7.0
    """
    if len(rates) != len(terms):
        raise ModelError(f"a rate of factorize has {len(rates)} numbers, not {len(terms)}: calibrate again")
    return sum(rate * term for rate, term in zip(rates, terms, strict=True))


def exchanged(row_bytes: int, n_vertices: float, workers: int, sweeps: int = 1) -> float:
    """Return the bytes of other workers' new factors that a node (or a GPU) receives in an iteration.

    Every node keeps the factors of all vertices, and computes its own.

    Examples
    --------
    >>> exchanged(80, 1000, workers=4, sweeps=2)  # 750 rows of 80 bytes, after each of two sweeps
    120000.0
    """
    return sweeps * row_bytes * n_vertices * (workers - 1) / workers


@dataclass(frozen=True)
class ExtraTimes:
    """Extra times of a run besides its kernels, in seconds.

    Attributes
    ----------
    run, run_edge : float
        Of a whole run: constant, and for each edge that is copied to GPUs.
    iteration, iteration_byte : float
        Of an iteration's launches: constant, and for each byte of all factors.
    """

    run: float = 0.0
    run_edge: float = 0.0
    iteration: float = 0.0
    iteration_byte: float = 0.0


@dataclass(frozen=True)
class FactorRate:
    """Factorization rate of one method on one worker, in seconds.

    Attributes
    ----------
    edge : tuple of float
        Coefficients of `edge_terms`.
    edge_far : float
        Extra time of each number of a factor that misses the cache; least squares hide it.
    vertex : tuple of float
        Coefficients of `vertex_terms`.
    cache_bytes : float
        Size of the factors beyond which gathers become slower.
    fixed, fixed_parts : float
        Fixed time of an iteration's kernels: barriers between the blocks of a GPU, and between GPUs.
    serial : float
        Share of the work that more workers of a node do not speed up.
    exchange : float or None
        Time of each byte that a GPU receives from others; None if one GPU was measured.
    alone, parted : ExtraTimes
        In one task, and on several partitions; None if not measured.
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
        """Build a rate from its JSON."""
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
