# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What searches by a grid of processors share: stores, the update of the owners, and the search from level to level."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines import parents
from lux.bfs_engines.grid import Grid
from lux.bfs_engines.mail import Mail, Notices
from lux.engine.layout import cut, rectangles
from lux.engine.loop import Run
from lux.engine.statistics import Iteration
from lux.kernels import grid_search as kernels
from lux.kernels.compile import compile_like
from lux.kernels.messages import slot_words
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.loop import Progress
    from lux.graph import Graph

NO_NAMES = np.empty(0, np.uint32)


class Processors:
    """The processors of a grid: stores that searches work in, one after the other, and what each sees of them.

    Parameters
    ----------
    grid : Grid
    names : Store of shape (parts * stride,), uint32, or None
        The place of every local id of each block; None where they follow the places.

    Attributes
    ----------
    words : int
        Words of a slot for messages.
    mail : Mail
        Between processors of a grid row: vertices that have been reached, named to their owners.
    notices : Notices
        Between processors of a grid column: frontiers.
    visited : Store, uint64
        Bits of each processor's local rows.
    preds : Store, uint32
        The place of the vertex before each of its local rows.
    state : Store, int64
        Rows of `lux.kernels.grid_search`.
    splits : dict of str to Store
        Rectangles for each processor: ``blocks`` (vertices), ``names``, ``visited``, ``preds``, ``states``.
    """

    def __init__(self, grid: Grid, names: Store | None) -> None:
        self.grid, self.names, self.words = grid, names, int(slot_words(grid.stride))
        rows = np.arange(grid.parts) % grid.rows
        self.mail = Mail(np.where(rows[:, None] == rows, self.words, 0))
        self.notices = Notices(grid.parts, grid.rows, self.words)
        self.visited = runtime.new_store(np.uint64, grid.parts * grid.local_rows // 64)
        self.preds = runtime.new_store(np.uint32, grid.parts * grid.local_rows)
        self.state = runtime.new_store(np.int64, grid.parts * kernels.STATE_COLUMNS)
        each = np.arange(grid.parts + 1, dtype=np.int64)
        self.splits = rectangles(
            {
                "blocks": cut(grid.points),
                "names": cut(each * grid.stride),
                "visited": cut(each * (grid.local_rows // 64)),
                "preds": cut(each * grid.local_rows),
                "states": cut(each * kernels.STATE_COLUMNS),
            }
        )

    @staticmethod
    def bytes_needed(grid: Grid) -> int:
        """Bytes of the stores, and of a search's fields."""
        slots = 4 * int(slot_words(grid.stride)) * (grid.columns + 1)
        each = slots + grid.local_rows // 8 + 4 * grid.local_rows + 4 * grid.stride
        return grid.parts * each + 12 * grid.n_vertices

    def found_at(self, point: int) -> NDArray[np.int64]:
        """Where messages of the processors of its grid row begin in what a processor sees, by column."""
        return np.ascontiguousarray(self.mail.found_at[self.grid.in_row(self.grid.row(point)), point])

    @property
    def named(self) -> dict[str, Store]:
        """``names`` for a launch, where there are any."""
        return {} if self.names is None else {"names": self.names, "name_rows": self.splits["names"]}

    def states(self) -> NDArray[np.int64]:
        """The state rows; waits for what has been launched."""
        return runtime.to_array(self.state).reshape(-1, kernels.STATE_COLUMNS)


Explore = Callable[[int, int, int, int], tuple[str, str]]
"""``explore(level, frontier, edges, longest)`` launches what visits the frontier's edges, and says model and why.

``longest`` is the number of words of the frontier's longest notice."""


def search(graph: Graph, on: Processors, source: int, limit: int, progress: Progress | None, explore: Explore) -> Run:
    """A search from the place ``source``; as in `lux.bfs_engines.engine.Engine`.

    The owners of the vertices are told of those that ``explore`` reached by ``on.mail``, and give them their level.
    Parents are where they were found until the search is over (`lux.bfs_engines.parents`): the bytes of that exchange
    are the last iteration's.
    """
    n, points = graph.n_vertices, on.grid.parts
    fields = {"distance": runtime.new_store(np.int32, n), "parent": runtime.new_store(np.uint32, n)}
    degrees = graph.out_degree_store
    statistics: list[Iteration] = []
    runtime.check_points(points)
    _compile(np.dtype(degrees.dtype))
    runtime.finish()
    key = runtime.share(on)
    began = time.perf_counter()
    named = on.names is not None
    vertices = fields | {"degrees": degrees, "blocks": on.splits["blocks"]}
    working = {"visited": on.visited, "visited_rows": on.splits["visited"]}
    working |= {"state": on.state, "states": on.splits["states"]}
    noticed = {"notices": on.notices.store, "notice_rows": on.notices.outbox}
    shared = vertices | working | noticed | on.named
    folded = {"mail": on.mail.store, "outbox": on.mail.outbox}
    preds = {"preds": on.preds, "pred_rows": on.splits["preds"]}
    _starter(named)(points, **shared, **folded, **preds, source=source, key=key)
    states = on.states()
    while (frontier := int(states[:, kernels.ACTIVE].sum())) and len(statistics) < limit:
        edges, level = int(states[:, kernels.EDGES].sum()), len(statistics) + 1
        model, why = explore(level, frontier, edges, int(states[:, kernels.LONGEST].max()))
        # No processor names more vertices than the frontier has edges.
        inbox, inbox_of = on.mail.inbox(1 + edges)
        _updater(named)(points, **shared, mail=on.mail.store, inbox=inbox, inbox_of=inbox_of, level=level, key=key)
        states = on.states()
        seconds = np.asarray(states[:, kernels.NANOSECONDS] * 1e-9)
        sent = 4 * int(states[:, kernels.WORDS].sum())
        statistics.append(Iteration(model, frontier, edges, seconds, why=why, exchanged=sent))
        if progress is not None:
            progress(level)
    sent = parents.collect(on, fields["parent"], key)
    runtime.finish()
    seconds_taken = time.perf_counter() - began
    runtime.unshare(key)
    if statistics:
        statistics[-1] = replace(statistics[-1], exchanged=(statistics[-1].exchanged or 0) + sent)
    return Run(fields, len(statistics), frontier == 0, seconds_taken, points, statistics)


@functools.cache
def _compile(degrees: np.dtype[Any]) -> None:
    """Compile the kernels (or load them), so that their time is not a search's."""
    at, bits, ids, levels = (np.empty(0, t) for t in (np.int64, np.uint64, np.uint32, np.int32))
    given = (ids, at, 0, 0, 0, 0, ids, np.empty(0, degrees), 0, bits, levels, ids, ids, at)
    compile_like(kernels.update, given)
    parents.compile_kernels()


@functools.cache
def _starter(named: bool) -> Launcher:
    def start(point: int, degrees: NDArray[Any], *rest: Any) -> None:
        names, (distance, parent, visited, state, notice, slots, preds, source, key) = split_names(named, rest)
        on: Processors = runtime.shared(key)
        first, own = int(on.grid.points[point]), on.grid.column(point)
        distance[:], parent[:] = np.iinfo(np.int32).max, kernels.NONE
        visited[:], state[:], notice[0] = 0, 0, 0
        slots[:: on.words] = 0
        preds[:1] = 0
        if not first <= source < first + len(distance):
            return
        i = source - first
        distance[i] = 0
        found = np.flatnonzero(names == source) if named else np.array([i])
        state[kernels.ACTIVE], state[kernels.EDGES], state[kernels.LONGEST] = 1, degrees[i], 2
        if not len(found):  # it has no edges, and no local id
            parent[i] = source
            return
        v = own * on.grid.stride + int(found[0])
        visited[v // 64] = np.uint64(1 << (v % 64))
        parent[i], preds[v] = own, source
        notice[:2] = 1, found[0]

    outputs: dict[str, str | None] = {"distance": "blocks", "parent": "blocks", "visited": "visited_rows"}
    outputs |= {"state": "states", "notices": "notice_rows", "mail": "outbox", "preds": "pred_rows"}
    return Launcher(
        start,
        inputs={"degrees": "blocks"} | name_input(named),
        outputs=outputs,
        scalars={"source": int, "key": int},
    )


@functools.cache
def _updater(named: bool) -> Launcher:
    def update_owners(point: int, mail: NDArray[np.uint32], degrees: NDArray[Any], *rest: Any) -> None:
        names, (notice, visited, distance, parent, state, level, key) = split_names(named, rest)
        on: Processors = runtime.shared(key)
        grid, first = on.grid, int(on.grid.points[point])
        given = (mail, on.found_at(point), on.words, grid.column(point), grid.stride, first, names, degrees, level)
        kernels.update(*given, visited, distance, parent, notice, state)

    inputs: dict[str, str | None] = {"mail": "inbox", "degrees": "blocks"}
    updates: dict[str, str | None] = {"visited": "visited_rows", "distance": "blocks", "parent": "blocks"}
    return Launcher(
        update_owners,
        inputs=inputs | name_input(named),
        outputs={"notices": "notice_rows"},
        updates=updates | {"state": "states"},
        scalars={"level": int, "key": int},
        grouped={"inbox": "inbox_of"},
    )


def name_input(named: bool) -> dict[str, str | None]:
    """How a launch is given ``names``."""
    return {"names": "name_rows"} if named else {}


def split_names(named: bool, values: tuple[Any, ...]) -> tuple[NDArray[np.uint32], tuple[Any, ...]]:
    """The names, where a body is given any, and the rest."""
    return (values[0], values[1:]) if named else (NO_NAMES, values)
