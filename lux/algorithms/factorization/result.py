# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Result of a factorization: factors of users and items, predicted ratings, and recommendations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.errors import ParameterError
from lux.graph.sides import LEFT, RIGHT, Sides
from lux.graph.values import Values
from lux.results.result import Result

if TYPE_CHECKING:
    from lux.algorithms.factorization.minimize import Sweep

_GOLDEN, _MIX_1, _MIX_2 = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finalizer of splitmix64, with which the kernels hash."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@dataclass(frozen=True, eq=False, repr=False)
class FactorizationResult(Result):
    """Factors of length ``k`` for users (left vertices) and items (right vertices); see `lux.factorize`.

    Attributes
    ----------
    method : str
    k : int
    regularization : float
    by_degree : bool
    weight : str
        The edge property that holds the ratings.
    seed, test :
        What the test part was chosen with.
    best : int
        The iteration after which the factors were as they are here: that with the lowest test error (the lowest
        objective, without a test part). 0 stands for the random factors before the first.
    kept : Sweep
        Their errors.
    n_train, n_test : int
        Numbers of ratings.
    mean : float
        Mean of the training ratings. It is predicted where the user or the item has no training rating.
    trained : Values
        Number of training ratings of every vertex.
    sides : Sides
    """

    method: str
    k: int
    regularization: float
    by_degree: bool
    weight: str
    seed: int
    test: float
    best: int
    kept: Sweep
    n_train: int
    n_test: int
    mean: float
    trained: Values
    sides: Sides

    @property
    def factors(self) -> Values:
        """The factor of every vertex; ``to_numpy()`` has shape (n_vertices, k). Zero without training ratings."""
        return self.columns["factor"]

    @cached_property
    def _factors(self) -> NDArray[Any]:
        return self.factors.dense()

    @cached_property
    def _trained(self) -> NDArray[np.bool_]:
        return self.trained.dense() > 0

    @property
    def user_factors(self) -> NDArray[Any]:
        """Factors of the left vertices in ascending order of their ids, of shape (n_users, k)."""
        return np.asarray(self._factors[self.sides.of == LEFT])

    @property
    def item_factors(self) -> NDArray[Any]:
        """Factors of the right vertices in ascending order of their ids, of shape (n_items, k)."""
        return np.asarray(self._factors[self.sides.of == RIGHT])

    @property
    def train_rmse(self) -> float:
        """Root of the mean squared error of the training ratings, in the unit of a rating."""
        return self.kept.train_rmse

    @property
    def test_rmse(self) -> float:
        """Root mean squared error of the ratings that were held out; NaN without any."""
        return self.kept.test_rmse

    @property
    def objective(self) -> float:
        """The value that was minimized."""
        return self.kept.objective

    @property
    def sweeps(self) -> list[Sweep]:
        """``statistics``, with the errors after each iteration."""
        return cast("list[Sweep]", self.statistics)

    def ratings(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64], NDArray[np.bool_]]:
        """Return all ratings, on every process.

        Returns
        -------
        users, items : np.ndarray of shape (n_train + n_test,)
            As the graph names them.
        ratings : np.ndarray of the same shape, float64
        held_out : np.ndarray of the same shape, bool
            Whether a rating belongs to the test part: whether a hash of its two ends' dense ids and the seed is small.
        """
        users, items, ratings, held_out = self.dense_ratings()
        labels = self.graph.ids.to_numpy()
        return labels[users], labels[items], ratings, held_out

    def dense_ratings(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return all ratings with dense ids of users and items, int64."""
        edges = self.graph.dense_edge_list()
        ends = edges.sources.astype(np.int64), edges.destinations.astype(np.int64)
        turned = self.sides.of[ends[0]] == RIGHT
        users, items = np.where(turned, ends[1], ends[0]), np.where(turned, ends[0], ends[1])
        begin = _mix(np.array([self.seed], np.uint64) + _GOLDEN)
        hashed = _mix(_mix(begin ^ (users.astype(np.uint64) * _GOLDEN)) ^ (items.astype(np.uint64) * _MIX_1))
        held_out = (hashed >> np.uint64(11)) * 2.0**-53 < self.test
        return users, items, edges.properties[self.weight].astype(np.float64), np.asarray(held_out)

    def predict(self, user: ArrayLike, item: ArrayLike) -> Any:
        """Predicted ratings.

        Parameters
        ----------
        user, item : id or array of ids
            As the graph names them (``left:7``, ``right:31``) or by the id alone (7, 31). Arrays are broadcast.

        Returns
        -------
        float, or np.ndarray of float64
            Not limited to the range of the ratings.

        Raises
        ------
        GraphError
            There is no such vertex.
        ParameterError
            It is on the other side.
        """
        found = self._predict(self.sides.find(user, LEFT), self.sides.find(item, RIGHT))
        return float(found) if found.ndim == 0 else found

    def _predict(self, users: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.float64]:
        p, q = self._factors[users], self._factors[items]
        products = np.einsum("...k,...k->...", p, q, dtype=np.float64)
        return np.asarray(np.where(self._trained[users] & self._trained[items], products, self.mean))

    def recommend(self, user: Any, n: int = 10, *, rated: bool = False) -> list[tuple[Any, float]]:
        """Return the ``n`` items with the highest predicted ratings: pairs of item and prediction, highest first.

        Parameters
        ----------
        user : id
            As in `predict`.
        n : int
        rated : bool
            Keep items that the user has already rated (in the training or the test part).

        Raises
        ------
        GraphError, ParameterError
            As `predict`, and ``n`` is negative.
        """
        if n < 0:
            raise ParameterError(f"recommend(n={n}): allowed are numbers from 0")
        who = int(self.sides.find(user, LEFT))
        items = self.sides.members(RIGHT)
        if not rated:
            items = np.setdiff1d(items, self._dense_rated_by(who), assume_unique=False)
        scores = self._predict(np.array(who), items)
        order = np.lexsort((items, -scores))[:n]
        names = [self.graph.ids.labels(int(i), int(i) + 1).tolist()[0] for i in items[order]]
        return list(zip(names, scores[order].tolist(), strict=True))

    def rated_by(self, user: Any) -> list[Any]:
        """List the items that a user has rated, in either part of the ratings, in ascending order; as in `predict`."""
        items = self._dense_rated_by(int(self.sides.find(user, LEFT)))
        return [self.graph.ids.labels(int(i), int(i) + 1).tolist()[0] for i in items]

    def _dense_rated_by(self, user: int) -> NDArray[np.int64]:
        graph = self.graph.symmetrized()
        place, names = user, None
        if graph.order is not None:
            place, names = int(runtime.to_array(graph.order.places)[user]), runtime.to_array(graph.order.vertices)
        first, end = runtime.slice_to_array(graph.offsets, place, place + 2).tolist()
        found = runtime.slice_to_array(graph.sources, first, end)
        return np.sort((found if names is None else names[found]).astype(np.int64))
