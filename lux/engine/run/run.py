# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The result of a run of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lux.engine.run.statistics import Iteration
from lux.runtime import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lux.engine.run.statistics import GatherStatistics
    from lux.partition.repartitioner import RepartitionDecision
    from lux.runtime.exchange import Sent

Progress = Callable[[int], None]
"""Called with the number of iterations that are known to be done."""


@dataclass
class Run:
    """The result of a run: the fields' final values, in the stored order, and facts about the run.

    Attributes
    ----------
    fields : dict of str to Store
        The stores of shape (n_vertices,) that hold the result.
    iterations : int
    converged : bool
        False if ``max_iterations`` ended the run.
    seconds : float
        Wall-clock time of the iterations, in seconds; set-up is not in it.
    parts : int
    statistics : sequence of Iteration
    threads : int
        Threads in each partition's task.
    device : {"cpu", "gpu", "gpu+cpu"}
    loads : GatherStatistics or None
        Gathers of values by GPUs before iterations, if there were any.
    sent : Sent or None
        What this process sent to other processes, where an engine counts it.
    repartitions : sequence of RepartitionDecision
        Decisions from the partitions' seconds.
    finished : bool
        True if the fields are as users see them already (`lux.engine.to_user_ids`).
    strategy : str
        The name of the strategy that ran (`lux.algorithms.strategy`).
    refusals : mapping of str to str
        Why strategies that are preferred to it did not run, by their names.
    resumed : int
        Iterations that a checkpoint had; ``seconds`` and ``statistics`` are of the others.
    points : np.ndarray of shape (parts + 1,), int64, or None
        Split points of the vertices, where each of several GPUs has a part of the fields.
    """

    fields: dict[str, Store]
    iterations: int
    converged: bool
    seconds: float
    parts: int
    statistics: Sequence[Iteration] = field(repr=False)
    threads: int = 1
    device: str = "cpu"
    loads: GatherStatistics | None = None
    sent: Sent | None = None
    repartitions: Sequence[RepartitionDecision] = ()
    finished: bool = False
    strategy: str = ""
    refusals: Mapping[str, str] = field(default_factory=dict)
    resumed: int = 0
    points: NDArray[np.int64] | None = None
