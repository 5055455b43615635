# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Connected components; of directed graphs, the weakly connected ones.

Every vertex gets the smallest vertex of its component as label. By default edges are linked in forests by Afforest
(`lux.algorithms.components.afforest`); the vertex program propagates labels as in section 3.4 of the Lux paper (VLDB
2017). All of `lux.algorithms.components.strategies` give the same labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.autotune import tuning
from lux.checks import checked_count
from lux.graph.arguments import checked_graph
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import Result, common

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph


class SmallestLabel(lux.Program):
    """A vertex takes the smallest label among its neighbours and itself, until nothing changes."""

    edges = lux.BOTH
    label = lux.field(lux.VERTEX, reduce=lux.MIN)

    def start(v, params):
        v.label = v.id
        return True

    def compute(v, u, edge, params):
        return u.label

    def update(v, old, params):
        return v.label < old.label


@dataclass(frozen=True, eq=False, repr=False)
class ComponentsResult(Result):
    """The component of every vertex."""

    @property
    def labels(self) -> Values:
        """The smallest vertex of each vertex's component."""
        return self.columns["label"]

    @cached_property
    def _counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        roots, sizes = np.unique(self.labels.dense(), return_counts=True)
        return roots.astype(np.int64), sizes

    @property
    def n_components(self) -> int:
        """Number of components; a vertex without edges is one. Not final where `converged` is False."""
        return len(self._counts[0])

    def sizes(self) -> dict[Any, int]:
        """Count the vertices of each component by its label, largest first; of equal ones the smallest label first."""
        roots, sizes = self._counts
        order = np.lexsort((roots, -sizes))
        return dict(zip(self.graph.ids.to_numpy()[roots[order]].tolist(), sizes[order].tolist(), strict=True))

    def top(self, k: int = 10) -> list[tuple[object, object]]:
        """Return the ``k`` largest components: pairs of the label and the number of vertices."""
        roots, sizes = self._counts
        order = np.lexsort((roots, -sizes))[: checked_count("k", k)]
        return [(self.graph.ids.labels(int(roots[i]), int(roots[i]) + 1).tolist()[0], int(sizes[i])) for i in order]


@checked_call
@runtime.on_driver
@tuning.tuned
def components(
    graph: Graph,
    *,
    strategy: str = "auto",
    parts: int | None = None,
    model: str = "auto",
    max_iter: int | None = None,
    progress: Progress | None = None,
    config: Any = None,
) -> ComponentsResult:
    """Connected components (weakly connected ones of a directed graph).

    Parameters
    ----------
    graph : Graph
    strategy : {"auto", "gpus", "gpu", "threads", "partitions", "program"}
        Who does it. Afforest links edges in forests: one of several GPUs (``gpus``), one of a GPU (``gpu``), one that
        the threads of a task share (``threads``), or one for each process, which its partitions share
        (``partitions``); ``program`` propagates labels. ``auto`` takes the first of them that can answer.
    model : {"auto", "pull", "push"}
        The direction of the program's iterations; other than ``auto`` it asks for the program.
    max_iter : int, optional
        Most iterations of the program, which it asks for; where it ends the run, ``converged`` is False, and labels
        and their number are not final.
    parts, progress
        As in `lux.run`.
    config : None, "auto", path or perfmodel.Configuration
        Where ``parts`` and ``model`` come from if they are not given; see `lux.autotune.tuning.apply`.

    Returns
    -------
    ComponentsResult

    Raises
    ------
    ParameterError
        Arguments out of range, or a strategy that cannot do what was asked for.
    ConfigurationError, MemoryNeededError
        What was asked of processors cannot be had: the message says which flag to give.

    Examples
    --------
    >>> import lux
    >>> r = lux.components(lux.toy.two_triangles())
    >>> r.labels.to_numpy().tolist()
    [0, 0, 0, 3, 3, 3, 6]
    >>> r.n_components, r.sizes()
    (3, {0: 3, 3: 3, 6: 1})
    """
    from lux.algorithms.components.strategies import STRATEGIES
    from lux.algorithms.strategy import AUTO, PROGRAM, Query, select
    from lux.engine.to_user_ids import to_user_ids

    checked_graph(graph, "components")
    parts, tuned = tuning.apply("components", graph, config, parts, model)
    if strategy in (AUTO, PROGRAM):  # a configuration's model is the program's
        model = tuned
    query = Query(graph=graph, parts=parts, model=model, max_iter=max_iter, strategy=strategy, algorithm="components")
    run = select(STRATEGIES, query).run(query, progress)
    labels = to_user_ids(graph, run.fields["label"], run=run)
    return ComponentsResult(**common(run, graph, Values(graph, labels, vertices=True, name="label")))


def prepare(
    graph: Graph,
    *,
    strategy: str = "auto",
    parts: int | None = None,
    model: str = "auto",
    max_iter: int | None = None,
) -> None:
    """Make what a run needs of the graph and keep it, so that its time is seen apart."""
    from lux.algorithms.components.strategies import STRATEGIES
    from lux.algorithms.strategy import Query, select

    query = Query(graph=graph, parts=parts, model=model, max_iter=max_iter, strategy=strategy, algorithm="components")
    select(STRATEGIES, query).prepare(query)


def verify(result: ComponentsResult) -> None:
    """Check that no edge joins two labels, that labels are smallest members, and that none could be split.

    SciPy counts components for the last check; of graphs that are too large for it, each vertex's path to its label is
    found. Raises `LuxError` where a check fails.
    """
    from lux.algorithms.components import label_check

    label_check.check(result.graph, result.labels.dense())
