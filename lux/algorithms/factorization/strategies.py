# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of factorization, in the order of preference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lux import runtime
from lux.algorithms.factorization.gpu_memory import FactorPlan
from lux.algorithms.factorization.minimize import RESULTS, SLOTS, as_run, on_cores, on_gpus
from lux.algorithms.factorization.program import FactorizationProgram
from lux.algorithms.factorization.query import FactorizationQuery, FactorizationRun
from lux.algorithms.factorization.rating_matrix import matrix_bytes
from lux.algorithms.strategy import Memory, Strategy, needs_device
from lux.engine.gpu.placement import device_selection

if TYPE_CHECKING:
    from lux.engine.run.run import Progress


class FactorizationGpu:
    """Sweeps by GPUs that each make the factors of some users and items."""

    name = "gpus"

    def refusal(self, query: FactorizationQuery) -> str:
        """Say why GPUs cannot do it."""
        if why := device_selection.why_not_mixed():
            return why
        return query.plan if isinstance(query.plan, str) else ""

    def memory(self, query: FactorizationQuery) -> Memory:
        """Estimate the first factors, the result and which ratings are held out; and what the plan needs of a GPU."""
        plan = query.plan
        assert isinstance(plan, FactorPlan)
        return Memory(matrix_bytes(query.graph, query.problem, 2), plan.memory_bytes(), plan.parts)

    def prepare(self, query: FactorizationQuery) -> None:
        """Make nothing: rows are assigned to GPUs for each run."""

    def run(self, query: FactorizationQuery, progress: Progress | None) -> FactorizationRun:
        """Sweep until the error stays."""
        plan = query.plan
        assert isinstance(plan, FactorPlan)
        matrix = query.matrix(None)
        return as_run(on_gpus(matrix, plan, query, progress), matrix, parts=plan.parts, threads=1, device="gpu")


class FactorizationPartitions:
    """Sweeps by threads of CPU cores, each for a partition of its own or all for one."""

    name = "partitions"

    def refusal(self, query: FactorizationQuery) -> str:
        """Say which other device was asked for."""
        return needs_device(query)

    def memory(self, query: FactorizationQuery) -> Memory:
        """Estimate the factors of each process, those of the result, and which ratings are held out."""
        copies = SLOTS[query.method] * runtime.ranks() + RESULTS[query.method]
        return Memory(host=matrix_bytes(query.graph, query.problem, copies))

    def prepare(self, query: FactorizationQuery) -> None:
        """Partition the graph."""
        query.graph.layout(query.parts).splits  # noqa: B018  # made on first use

    def run(self, query: FactorizationQuery, progress: Progress | None) -> FactorizationRun:
        """Sweep until the error stays."""
        matrix = query.matrix(query.parts)
        found = on_cores(matrix, query, progress)
        return as_run(found, matrix, parts=matrix.parts, threads=matrix.threads, device="cpu")


STRATEGIES: tuple[Strategy[FactorizationQuery], ...] = (
    FactorizationGpu(),
    FactorizationPartitions(),
    FactorizationProgram(),
)
