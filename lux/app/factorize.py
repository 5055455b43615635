# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux factorize``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, cast

import lux
from lux.app.application import Application, Summary, asked
from lux.app.arguments import add_strategy, number, real

if TYPE_CHECKING:
    from lux.algorithms.factorization.result import FactorizationResult
    from lux.graph.graph import Graph
    from lux.results.result import Result
    from perfmodel import Factors

SHOWN = 20
"""Rows of the table of errors; of more iterations it shows evenly spread ones, the best and the last."""


class Factorization(Application):
    """Factorization of ratings: factors of users and items whose products are close to them."""

    name = "factorize"
    description = (
        "Predict ratings by matrix factorization. Ratings are the edges of a bipartite graph: pass --bipartite, or a "
        "directed graph in which no vertex has both in- and out-edges."
    )
    refused: ClassVar[dict[str, str]] = {
        "--source": "all users and items get factors",
        "--model": "--method says what is done",
    }
    flag_help: ClassVar[dict[str, str]] = {
        "--seed": "of the synthetic graph, the test part and the first factors (1)",
        "--tol": "stop when the test ratings' error improves by less than this fraction; 0: never (1e-4)",
        "--max-iter": "most iterations (50 of least squares, 500 of gradient descent)",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the flags that only this algorithm has."""
        own = parser.add_argument_group("factorize")
        toggle = argparse.BooleanOptionalAction
        add_strategy(own, "lux.algorithms.factorization.strategies")
        own.add_argument("--method", choices=("als", "gd"), default="als", help="least squares or gradient descent")
        own.add_argument("--k", type=number(1), default=20, metavar="K", help="length of the factors (20)")
        own.add_argument("--regularization", type=real(0), metavar="L", help="lambda (0.12)")
        own.add_argument("--by-degree", action=toggle, default=True, help="lambda times a vertex's number of ratings")
        own.add_argument("--learning-rate", type=real(0), metavar="G", help="gamma of gradient descent (adapts itself)")
        own.add_argument("--test", type=real(0, 1), metavar="F", help="fraction of the ratings to hold out (0.1)")
        own.add_argument("--weight", metavar="NAME", help="edge property with the ratings ('weight', or the only one)")
        own.add_argument("--dtype", choices=("float32", "float64"), default="float32", help="type of factors (float32)")
        own.add_argument("--recommend", metavar="USER", help="show the items with the highest predictions for a user")

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Refuse GPUs and CPU cores at once, unless the vertex program is to run."""
        by_program = options.method == "gd" and options.strategy in ("auto", "program")
        if options.device == "gpu+cpu" and not by_program:
            parser.error(
                "--device gpu+cpu was passed, which only the program of gradient descent takes: pass gpu or cpu, "
                "or --method gd (--strategy program)"
            )

    def factors(self, options: argparse.Namespace) -> Factors:
        """Return the factorization's parameters for the performance model."""
        from perfmodel import Factors

        return Factors(options.k, options.method, options.dtype)

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Refuse a graph without two sides, and an unknown user, before anything runs."""
        from lux.graph.sides import LEFT, Sides

        sides = Sides(graph)
        if options.recommend is not None:
            sides.find(options.recommend, LEFT)

    def partition(self, graph: Graph, options: argparse.Namespace) -> None:
        """Store the ratings in both directions, and make what the strategy needs of them."""
        from lux.algorithms.factorization.factorization import prepare

        prepare(graph, options.k, **asked(options, "method", "weight", "dtype", "strategy", "parts"))

    def run(self, graph: Graph, options: argparse.Namespace, progress: Callable[[int], None]) -> Result:
        """Run the algorithm."""
        given = asked(options, "k", "method", "by_degree", "learning_rate", "weight", "dtype", "strategy", "parts")
        own = asked(options, "regularization", "max_iter", "tol", "test", "seed")
        own = {name: value for name, value in own.items() if value is not None}
        return lux.factorize(graph, progress=progress, **given, **own)

    def verify(self, result: Result) -> None:
        """Raise `LuxError` unless the result has its defining properties."""
        import_module("lux.algorithms.factorization.factorization").verify(result)

    def summary(self, result: Result, options: argparse.Namespace) -> Summary:
        """Report errors by iteration, and recommendations."""
        found = cast("FactorizationResult", result)
        facts = {
            "method": found.method,
            "k": found.k,
            "regularization": found.regularization,
            "by_degree": found.by_degree,
            "train_ratings": found.n_train,
            "test_ratings": found.n_test,
            "train_rmse": found.train_rmse,
            "test_rmse": None if math.isnan(found.test_rmse) else found.test_rmse,
            "best_iteration": found.best,
        }
        edges = found.trained.graph.n_edges * found.iterations
        listing = []
        if options.recommend is not None:
            listing = [{"item": i, "prediction": p} for i, p in found.recommend(options.recommend, options.top)]
        title = f"recommended to {options.recommend}"
        return Summary(facts, title, listing, edges, tables={"errors": errors(found)})


def errors(result: FactorizationResult) -> list[dict[str, Any]]:
    """Return the rows of the table of errors."""
    last = result.iterations
    chosen = {round(k * last / SHOWN) for k in range(1, SHOWN + 1)} if last > SHOWN else set(range(1, last + 1))
    rows = []
    for iteration in sorted((chosen | {result.best, last}) - {0}):
        step = result.sweeps[iteration - 1]
        row = {"iteration": iteration, "train_rmse": step.train_rmse}
        row |= {} if math.isnan(step.test_rmse) else {"test_rmse": step.test_rmse}
        rows.append(row | {"objective": step.objective})
    return rows


APPLICATION = Factorization()
