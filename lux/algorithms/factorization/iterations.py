# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix factorization on CPU cores: this process's factors, threads and exchange, and launches of many iterations.

Each process has a row for every vertex, of which it writes those of its own vertices, and has of others those that its
ratings need. Least squares have split points for each side (`lux.algorithms.factorization.rating_matrix`): a vertex is
owned by the partition that solves it, and after a sweep only the rows of that side are sent.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization import iteration_kernels as kernels
from lux.algorithms.factorization import kernels as sweeps
from lux.algorithms.factorization import tasks
from lux.algorithms.factorization.iteration_kernels import COLUMNS, REPORT, TAKEN
from lux.algorithms.factorization.kernels import CHUNK, SUMS
from lux.algorithms.factorization.minimize import SLOTS
from lux.algorithms.factorization.rating_matrix import RatingMatrix
from lux.algorithms.factorization.steps import (
    BEST,
    FASTER,
    FINISHED,
    ROUNDING,
    SLOWER,
    Limits,
    Step,
    first_state,
    needed_slots,
)
from lux.engine.cpu.exchange_body import kinds_of, locate, set_body
from lux.graph.indexes import node_borders
from lux.graph.layout import PartitionedGraph
from lux.graph.sides import LEFT, RIGHT
from lux.kernels.threads import BARRIER_WORDS
from lux.runtime import Store
from lux.runtime.exchange import check_size
from lux.runtime.number_exchanges import RowsExchange

if TYPE_CHECKING:
    from lux.io.saved.state import SavedState

LONGEST = 0.2
"""Seconds after which a launch hands back, so that progress is told and the run can be interrupted."""
MOST_REPORTS = 256
"""Iterations of a launch, at most."""


class CpuIterations:
    """This process's part of a run; all processes make and use theirs together.

    Parameters
    ----------
    matrix : RatingMatrix
    method : {"als", "gd"}
    limits : Limits
    first : (float, float)
        What is added to the first number of each side's first factors.
    noise : float
        Standard deviation of these.
    longest : float
        Seconds after which a launch hands back.
    """

    def __init__(
        self,
        matrix: RatingMatrix,
        method: str,
        limits: Limits,
        first: tuple[float, float],
        noise: float,
        longest: float = LONGEST,
    ) -> None:
        self.matrix, self.limits, self.longest = matrix, limits, longest
        self.layouts = matrix.layouts(method)
        graph, k, self.nodes = matrix.graph, matrix.problem.k, runtime.ranks()
        self.node_points = [node_borders.node_points(layout.points, self.nodes) for layout in self.layouts]
        self.partitions = self.node_points[0][1][runtime.rank()]
        per = matrix.threads
        self.threads_of = [range(each.start * per, each.stop * per) for each in self.node_points[0][1]]
        self.own_threads, self.threads = self.threads_of[runtime.rank()], matrix.parts * per
        self.counts = runtime.to_array(matrix.counts)
        self.slots = np.empty((SLOTS[method], graph.n_vertices, k), matrix.problem.dtype)
        self._start(first, noise)
        self.numbers = [np.zeros((self.threads + 1, COLUMNS)) for _ in range(2)]  # the last row counts for nothing
        self.reports = np.empty((MOST_REPORTS, REPORT + self.threads))
        solving = method == "als"
        numbers = [limits.max_iter, matrix.n_test, solving, limits.scaled, self.threads, 0]
        self.numbers_of_run = np.array(numbers, np.int64)
        self.states = [first_state(method, limits.rate) for _ in range(max(len(self.own_threads), 1))]
        self.taken = {part: np.zeros(2 * TAKEN, np.int64) for part in self.partitions or [-1]}
        self.exchange = RowsExchange(self.threads_of, self.numbers, self.slots, len(self.layouts))
        if self.nodes > 1:
            self._add_borders()
        self._fill_tables()

    def _start(self, first: tuple[float, float], noise: float) -> None:
        """Write the first factors of all vertices: they depend on nothing but their numbers."""
        shared, k, n = self.matrix.shared, self.matrix.problem.k, self.slots.shape[1]
        team = min(runtime.team_size(), max(n, 1))
        where, flat = (np.array(shared.sides), shared.order, self.matrix.problem.seed), self.slots[0].reshape(-1)
        cuts = [n * thread // team for thread in range(team + 1)]
        runtime.run_team(
            [
                functools.partial(
                    sweeps.start, lo, k, self.counts, *where, np.array(first), noise, flat[lo * k : hi * k]
                )
                for lo, hi in itertools.pairwise(cuts)
            ]
        )

    def _add_borders(self) -> None:
        """Tell the exchange which rows of each list are read where: of a side's vertices, by those of the other."""
        sides, found = self.matrix.shared.sides, []
        for side, (points, partitions) in enumerate(self.node_points):
            read = node_borders.read_vertices(self.layouts[-1 - side])
            if len(self.layouts) == 2:
                read = read[sides[read] == side]
            found.append(node_borders.between(read, points, partitions))
        row_bytes = self.slots[0, :1].nbytes
        for borders in found:
            for lists in (borders.sent, borders.received):
                rows = sum(len(each) for each in lists)
                check_size(rows * (row_bytes + 8) // 8 + (COLUMNS * self.threads + 1024) * self.nodes)
        for peer in range(self.nodes):
            if peer != runtime.rank():
                self.exchange.add_peer(self.threads_of[peer])
                for each in found:
                    first, other = int(each.points[runtime.rank()]), int(each.points[peer])
                    self.exchange.add_list(first, each.sent[peer], other, each.received[peer])

    def _fill_tables(self) -> None:
        """Compile the body of the threads, and give it to the exchange with their arguments."""
        matrix = self.matrix
        stores = matrix.edges()
        split_of = {name: "offsets" if name == "in_offsets" else "edges" for name in stores}
        located = [locate(layout.parts, stores, split_of, layout.splits) for layout in self.layouts]
        nothing = {name: np.zeros(int(name == "in_offsets"), store.dtype) for name, store in stores.items()}
        copies = []
        for swapped in (False, True):
            threads = []
            for part in self.partitions or [-1]:
                mine = [each.get(part, nothing) for each in located]
                n = max(len(each["in_offsets"]) - 1 for each in mine)
                meeting = self.exchange.set_barrier(np.zeros(BARRIER_WORDS, np.int64))
                team = {"meeting": meeting, "by_chunk": np.zeros(SUMS * -(-n // CHUNK))}
                threads += [self._arguments(part, k, mine, team, swapped=swapped) for k in range(matrix.threads)]
            copies.append(threads)
        self._kept = set_body(self.exchange, kernels.__name__, kinds_of(copies[0][0]), copies)

    def _arguments(
        self, part: int, member: int, edges: list[dict[str, NDArray[Any]]], team: dict[str, Any], *, swapped: bool
    ) -> dict[str, Any]:
        """Return the arguments of `iteration_kernels.run`, in order."""
        matrix, limits, problem = self.matrix, self.limits, self.matrix.problem
        thread = (part - self.partitions.start) * matrix.threads + member if part >= 0 else 0
        row = self.own_threads.start + thread if part >= 0 else self.threads
        found: dict[str, Any] = {"row": row, "member": member, "team": matrix.threads}
        found |= {"meeting": team["meeting"], "taken": self.taken[part], "by_chunk": team["by_chunk"]}
        for side in (LEFT, RIGHT):
            layout, of = self.layouts[side % len(edges)], edges[side % len(edges)]
            found[f"lo_{side}"] = int(layout.points[part]) if part >= 0 else 0
            for name, store in (("offsets", "in_offsets"), ("neighbours", "sources"), ("values", "ratings")):
                found[f"{name}_{side}"] = of[store]
            found[f"held_out_{side}"] = of["held_out"]
        numbers = [copy.reshape(-1) for copy in self.numbers]
        return found | {
            "counts": self.counts,
            "sides": matrix.shared.sides,
            "mean": float(matrix.mean),
            "factor": float(problem.regularization),
            "by_degree": int(problem.by_degree),
            "k": problem.k,
            "slots": self.slots.reshape(-1),
            "numbers": numbers[swapped],
            "other_numbers": numbers[not swapped],
            "state": self.states[thread],
            "reports": self.reports.reshape(-1),
            "reported": self.own_threads.start if self.own_threads else self.threads,
            "limits": self.numbers_of_run,
            "patience": limits.patience,
            "kept": 1.0 - limits.tol,
            "longest": self.longest,
            "faster": FASTER,
            "slower": SLOWER,
            "rounding": ROUNDING,
        }

    def steps(self, between: Callable[[], object] = lambda: None) -> Generator[Step]:
        """Yield the report of each iteration, to the end of the run; ``between`` is called between launches."""
        while not self.states[0][FINISHED]:
            for taken in self.taken.values():
                taken[:] = 0
            self.exchange.launch()
            for row in self.reports[: self.numbers_of_run[5]]:
                train, test, penalty, slot, accepted, best = row[:REPORT].tolist()
                yield Step(train, test, penalty, row[REPORT:].copy(), int(slot), bool(accepted), int(best))
            if not self.states[0][FINISHED]:
                between()

    def result(self) -> Store:
        """Return the best factors in a store."""
        return self.factors(int(self.states[0][BEST]))

    @property
    def state(self) -> NDArray[np.float64]:
        """The numbers that all threads have alike between launches (`lux.algorithms.factorization.steps.STATE`)."""
        return self.states[0]

    def restore(self, state: NDArray[np.float64], saved: SavedState) -> None:
        """Take over a state and its slots from a checkpoint, before the first launch."""
        for own in self.states:
            own[:] = state
        rows = self.slots[0]
        for slot in needed_slots(state):
            self.slots[slot] = saved.values(f"slot {slot}", rows.dtype, rows.size).reshape(rows.shape)

    def factors(self, slot: int) -> Store:
        """Return the factors of all vertices in a slot, as a store."""
        if self.layouts[0] is self.layouts[-1]:
            return self._saved(self.layouts[0], slot)
        found = [self._saved(layout, slot) for layout in self.layouts]
        layout, k = self.layouts[0], self.matrix.problem.k
        result = self.matrix.new_factors()
        with runtime.registered((self.matrix.shared, layout.points.tolist())) as key:
            rows = runtime.ranges(layout.points * k)
            tasks.join_sides(layout.parts, left=found[0], right=found[1], new=result, factor_rows=rows, key=key)
            runtime.finish()
        return result

    def _saved(self, layout: PartitionedGraph, slot: int) -> Store:
        """Return a store with this process's rows of its partitions in a layout."""
        factors, rows_of_slot = self.matrix.new_factors(), self.slots[slot]
        cuts = [rows_of_slot[lo:hi].reshape(-1) for lo, hi in itertools.pairwise(layout.points)]
        rows = runtime.ranges(layout.points * self.matrix.problem.k)
        with runtime.registered(cuts) as key:
            tasks.save_factors(layout.parts, new=factors, factor_rows=rows, key=key)
            runtime.finish()
        return factors

    def close(self) -> None:
        """Forget the exchange, of which no launch is under way."""
        self.exchange.close()
