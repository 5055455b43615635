# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Test errors of predicted ratings beside Surprise's and Cornac's matrix factorization without biases.

``python -m benchmarks.factorization RATINGS`` (with ``pip install scikit-surprise cornac``). All get the same test
part, factors of the same length and the same regularization, and all minimize the same objective: Lux's with
``by_degree=True`` is the objective of stochastic gradient descent, which the others use. The iteration with the lowest
test error counts: Lux's early stop keeps it, and the others are trained with several numbers of epochs. Predictions are
not clipped, and are the mean of the training ratings for a user or an item without any.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import lux
from benchmarks.machine import circumstances
from benchmarks.report import write_json

EPOCHS = (20, 40, 80, 160)
"""Epochs of stochastic gradient descent; 20 is the default of both libraries."""
RESULT = Path(__file__).parent / "results" / "factorization.json"


@dataclass(frozen=True)
class Split:
    """Split of ratings by dense ids (users and items each from 0) into training and held-out ones."""

    users: NDArray[np.int64]
    items: NDArray[np.int64]
    ratings: NDArray[np.float64]
    held_out: NDArray[np.bool_]

    def train(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the training part."""
        kept = ~self.held_out
        return self.users[kept], self.items[kept], self.ratings[kept]

    def errors(self, p: NDArray[Any], q: NDArray[Any]) -> tuple[float, float]:
        """Return training and test RMSE of factors."""
        users, items, ratings = self.train()
        known = np.isin(self.users, users) & np.isin(self.items, items)
        products = np.einsum("ek,ek->e", p[self.users], q[self.items], dtype=np.float64)
        squares = (self.ratings - np.where(known, products, ratings.mean())) ** 2
        return float(np.sqrt(squares[~self.held_out].mean())), float(np.sqrt(squares[self.held_out].mean()))


Contender = Callable[[Split, int, float, int], dict[str, Any]]
"""Function of a split, K, lambda and a seed."""


def lux_by(graph: lux.Graph, method: str, threads: int | None) -> Contender:
    """Return Lux with all cores, or with one partition."""

    def run(split: Split, k: int, regularization: float, seed: int) -> dict[str, Any]:
        found = lux.factorize(graph, k, method=method, regularization=regularization, seed=seed, parts=threads)
        train, test = split.errors(found.user_factors, found.item_factors)
        return {"train_rmse": train, "test_rmse": test, "iterations": found.best, "seconds": found.seconds}

    return run


def surprise(split: Split, k: int, regularization: float, seed: int, epochs: int) -> dict[str, Any]:
    """Train ``surprise.SVD(biased=False)``, by stochastic gradient descent on one core."""
    from surprise import SVD, Trainset

    by_user, by_item = defaultdict(list), defaultdict(list)
    users, items, ratings = split.train()
    for u, i, r in zip(users.tolist(), items.tolist(), ratings.tolist(), strict=True):
        by_user[u].append((i, r))
        by_item[i].append((u, r))
    sizes = int(split.users.max()) + 1, int(split.items.max()) + 1
    names: list[dict[int, int]] = [{n: n for n in range(size)} for size in sizes]
    trainset = Trainset(by_user, by_item, *sizes, len(ratings), (ratings.min(), ratings.max()), *names)
    model = SVD(n_factors=k, n_epochs=epochs, biased=False, reg_all=regularization, random_state=seed)
    began = time.perf_counter()
    model.fit(trainset)
    seconds = time.perf_counter() - began
    train, test = split.errors(model.pu, model.qi)
    return {"train_rmse": train, "test_rmse": test, "iterations": epochs, "seconds": seconds}


def cornac(split: Split, k: int, regularization: float, seed: int, epochs: int) -> dict[str, Any]:
    """Train ``cornac.models.MF(use_bias=False)``, by stochastic gradient descent on one core (as it has a seed)."""
    from cornac.data import Dataset
    from cornac.models import MF

    users, items, ratings = split.train()
    dataset = Dataset.from_uir(zip(users.tolist(), items.tolist(), ratings.tolist(), strict=True))
    model = MF(k=k, max_iter=epochs, lambda_reg=regularization, use_bias=False, seed=seed)
    began = time.perf_counter()
    model.fit(dataset)
    seconds = time.perf_counter() - began
    p, q = np.zeros((split.users.max() + 1, k)), np.zeros((split.items.max() + 1, k))
    p[list(dataset.uid_map)], q[list(dataset.iid_map)] = model.u_factors, model.i_factors
    train, test = split.errors(p, q)
    return {"train_rmse": train, "test_rmse": test, "iterations": epochs, "seconds": seconds}


def best_of(run: Callable[..., dict[str, Any]]) -> Contender:
    """Train a library with several numbers of epochs; returns the one with the lowest test error."""

    def best(*arguments: Any) -> dict[str, Any]:
        return min((run(*arguments, epochs) for epochs in EPOCHS), key=lambda answer: float(answer["test_rmse"]))

    return best


def default_epochs(run: Callable[..., dict[str, Any]]) -> Contender:
    """Train a library with its default number of epochs."""
    return lambda *arguments: run(*arguments, EPOCHS[0])


def contenders(graph: lux.Graph) -> dict[str, Contender]:
    """Return all installed libraries by name."""
    found = {
        "Lux, least squares": lux_by(graph, "als", None),
        "Lux, least squares, one thread": lux_by(graph, "als", 1),
        "Lux, gradient descent": lux_by(graph, "gd", None),
    }
    for name, module, run in (("Surprise", "surprise", surprise), ("Cornac", "cornac", cornac)):
        try:
            __import__(module)
        except ImportError:
            sys.stderr.write(f"{name} is not installed and left out\n")
            continue
        found |= {f"{name}, {EPOCHS[0]} epochs": default_epochs(run), f"{name}, best epochs": best_of(run)}
    return found


def splits(graph: lux.Graph, seeds: Sequence[int]) -> dict[int, Split]:
    """Yield the ratings, held out by Lux, for each seed."""
    parts = {}
    for seed in seeds:
        users, items, ratings, held_out = lux.factorize(graph, 1, max_iter=1, seed=seed).dense_ratings()
        parts[seed] = Split(users - users.min(), items - items.min(), ratings, held_out)
    return parts


def compare(graph: lux.Graph, k: int, lambdas: Sequence[float], seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Return one entry for each regularization and contender, with an answer for each seed."""
    parts, measured = splits(graph, seeds), []
    for regularization in lambdas:
        for name, run in contenders(graph).items():
            answers = [run(parts[seed], k, regularization, seed) for seed in seeds]
            measured.append({"regularization": regularization, "name": name, "k": k, "answers": answers})
    return measured


def table(measured: Sequence[dict[str, Any]]) -> Table:
    """Return means over the splits."""
    shown = Table("lambda", "", "train RMSE", "test RMSE", "iterations", "s", title="mean over the splits")
    for entry in measured:
        means = {key: statistics.fmean(a[key] for a in entry["answers"]) for key in entry["answers"][0]}
        cells = [f"{means['train_rmse']:.4f}", f"{means['test_rmse']:.4f}", f"{means['iterations']:.0f}"]
        shown.add_row(f"{entry['regularization']:g}", entry["name"], *cells, f"{means['seconds']:.2f}")
    return shown


def main() -> None:
    """Compare on the ratings of one file, print a table, write JSON."""
    parser = argparse.ArgumentParser(description="errors of predicted ratings beside Surprise and Cornac")
    parser.add_argument("ratings", help="a graph file: user, item, rating")
    parser.add_argument("--k", type=int, default=20, help="length of the factors (20)")
    parser.add_argument("--regularization", type=float, nargs="+", default=[0.08, 0.1, 0.12, 0.15], metavar="L")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], metavar="S", help="one split for each")
    parser.add_argument("--output", type=Path, default=RESULT, metavar="FILE", help="JSON")
    options = parser.parse_args()
    graph = lux.read_graph(options.ratings, bipartite=True)
    measured = compare(graph, options.k, options.regularization, options.seeds)
    Console(width=100 if not sys.stdout.isatty() else None).print(table(measured))
    facts = {"ratings": graph.n_edges // 2, "users_and_items": graph.n_vertices, "file": Path(options.ratings).name}
    document = {
        **circumstances(("numpy", "numba", "legate", "scikit-surprise", "cornac"), len(os.sched_getaffinity(0))),
        "graph": facts,
        "held_out": "a tenth of the ratings, by a hash of user, item and seed",
        "results": measured,
    }
    write_json(options.output, document)


if __name__ == "__main__":
    main()
