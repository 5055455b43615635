# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of graphs and runs, by Matplotlib: values, frontiers, balance, degrees, predictions and scaling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import ConfigurationError, ParameterError

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.values import Values
    from lux.results.result import Result
    from perfmodel import Configuration, Prediction

COLOURS = {"pull": "#1f77b4", "push": "#ff7f0e"}
FEW = 60
"""Most bars for different values; more of them are a histogram."""
STEPS = ("load", "compute", "update", "transfer", "launch")
"""Predicted parts of an iteration: attributes of `perfmodel.Prediction`."""


def axes(ax: Any = None) -> Any:
    """Return the axes to draw on: those given, or new ones of a figure that no window shows.

    Raises
    ------
    ConfigurationError
        Matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigurationError("pictures need Matplotlib: pip install 'lux-graph[plots]'") from None
    return Figure(figsize=(6.4, 3.6), layout="constrained").subplots()


def values(column: Values, ax: Any = None) -> Any:
    """Draw how many vertices have each value; of floats above 0, how many have more than each (both axes in powers)."""
    ax = axes(ax)
    if column.length is not None or column.store.dtype.kind not in "biuf":
        raise ParameterError(f"plot: {column.name} holds vectors, which have no order: draw a column of to_numpy()")
    array = column.dense()
    ax.set_title(f"{column.name} of {len(array):,} vertices")
    ax.set_xlabel(column.name)
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    if column.vertices:
        sizes = np.unique(array, return_counts=True)[1]
        return _more_than(ax, sizes, f"vertices with the same {column.name}", "groups with as many or more")
    if array.dtype.kind == "f":
        if len(finite) and finite.min() >= 0 and finite.max() > 0:
            return _more_than(ax, finite[finite > 0], column.name, "vertices with as much or more")
        ax.hist(finite, bins=FEW)
    else:
        found, counts = np.unique(array, return_counts=True)
        if len(found) > FEW:
            ax.hist(array, bins=FEW)
        else:
            ax.bar(found.astype(np.float64), counts)
    ax.set_ylabel("vertices")
    return ax


def _more_than(ax: Any, numbers: NDArray[Any], name: str, count: str) -> Any:
    """Draw for each number how many are as large."""
    found, counts = np.unique(numbers, return_counts=True)
    ax.step(found, counts[::-1].cumsum()[::-1], where="post")
    ax.set(xscale="log", yscale="log", xlabel=name, ylabel=count)
    return ax


def frontier(result: Result, ax: Any = None) -> Any:
    """Draw the active vertices of each iteration, coloured by the model."""
    ax = axes(ax)
    steps = list(result.statistics)
    for model, colour in COLOURS.items():
        at = [number for number, step in enumerate(steps, 1) if step.model == model]
        if at:
            ax.bar(at, [steps[number - 1].frontier for number in at], color=colour, label=model, width=0.9)
    ax.set(xlabel="iteration", ylabel="active vertices", title=f"frontier: {len(steps):,} iterations")
    if any(step.frontier for step in steps):
        ax.set_yscale("log")
    if steps:
        ax.legend()
    return ax


def balance(result: Result, ax: Any = None) -> Any:
    """Draw the seconds that each partition (each thread, where one task holds all) computed, and their mean."""
    ax = axes(ax)
    what = "thread" if result.threads > 1 else "partition"
    seconds = np.sum([step.seconds for step in result.statistics], axis=0) if len(result.statistics) else np.zeros(1)
    seconds = np.atleast_1d(np.asarray(seconds, np.float64))
    mean = float(seconds.mean())
    ax.bar(np.arange(len(seconds)), 1000 * seconds)
    ax.axhline(1000 * mean, color="black", linewidth=1)
    most = f", the longest {seconds.max() / mean:.2f} times the mean" if mean > 0 else ""
    ax.set(xlabel=what, ylabel="ms", title=f"balance: {len(seconds)} {what}{'s' * (len(seconds) != 1)}{most}")
    return ax


def degrees(graph: Graph, ax: Any = None) -> Any:
    """Draw how many vertices have at least each degree."""
    ax = axes(ax)
    sides = {"in-degree": graph.dense_in_degrees(), "out-degree": graph.dense_out_degrees()}
    for name, of in sides.items() if graph.directed else [("degree", sides["out-degree"])]:
        found, counts = np.unique(of[of > 0], return_counts=True)
        lone = int(np.count_nonzero(of == 0))
        ax.step(found, counts[::-1].cumsum()[::-1], where="post", label=f"{name} ({lone:,} vertices have none)")
    ax.set(xscale="log", yscale="log", xlabel="degree", ylabel="vertices with as many or more")
    ax.set_title(f"degrees: {graph.n_vertices:,} vertices, {graph.n_edges:,} stored edges")
    ax.legend()
    return ax


def predictions(found: Sequence[Prediction], measured: float | None = None, ax: Any = None) -> Any:
    """Draw the predicted parts of an iteration of each configuration; ``measured`` seconds of one beside them."""
    ax = axes(ax)
    left = np.zeros(len(found))
    for step in STEPS:
        width = np.array([1000 * (getattr(p, step) + (p.fixed if step == "launch" else 0.0)) for p in found])
        ax.barh(range(len(found)), width, left=left, label=step)
        left += width
    if measured is not None:
        ax.axvline(1000 * measured, color="black", linestyle="--", label="measured: the first")
    ax.set_yticks(range(len(found)), [_configuration(p.configuration) for p in found], fontsize="small")
    ax.invert_yaxis()
    ax.set(xlabel="ms an iteration", title="predicted by the model")
    ax.legend(fontsize="small")
    return ax


def _configuration(c: Configuration) -> str:
    nodes = f"{c.nodes} nodes x " if c.nodes > 1 else ""
    each = f"{c.per_node} {'core' if c.device == 'cpu' else 'GPU'}{'s' * (c.per_node > 1)}"
    return f"{c.model}, {nodes}{each}, parts {c.parts or '-'}"


def scaling(parts: Sequence[int], seconds: Sequence[float], name: str, ax: Any = None) -> Any:
    """Draw the seconds of runs on several numbers of partitions, beside those of perfect scaling."""
    ax = axes(ax)
    count, took = np.asarray(parts, np.float64), 1000 * np.asarray(seconds, np.float64)
    ax.plot(count, took, marker="o", label="measured")
    ax.plot(count, took[0] * count[0] / count, linestyle=":", color="grey", label="perfect scaling")
    ax.set(xscale="log", yscale="log", xlabel="partitions", ylabel="ms", title=f"{name} by partitions")
    ax.set_xticks(count, [str(n) for n in parts])
    ax.minorticks_off()
    ax.legend()
    return ax


def save(ax: Any, path: Any, suffix: str) -> None:
    """Write the figure of some axes to a file; ``.svg``, ``.png`` or ``.pdf`` says the format."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lux"}):
        ax.figure.savefig(path, format=suffix.lower().removeprefix("."))


def svg(ax: Any) -> str:
    """Return the figure of some axes as an element of a page."""
    import io

    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "lux"}):
        ax.figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
