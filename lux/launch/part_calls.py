# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel calls on all partitions, beside launches that may go on: each sees its own parts of stores, and reports."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import LuxError
from lux.launch.memory import Scratch
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

REPORT = "report"
"""The argument that is the address of a partition's report."""
Wait = Callable[[Callable[[], bool]], None]
"""Takes a function that tests an event, and returns when it has happened."""


class PartCalls:
    """Kernels that were launched on all partitions, and their reports, until it is closed.

    A block of it waits for all launches at its end, and closes it.

    Attributes
    ----------
    launched : list of (GpuPlan, int)
        Plans and keys of the launches.
    """

    def __init__(self) -> None:
        self.launched: list[tuple[GpuPlan, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        runtime.finish()
        self.close()

    def issue(
        self,
        function: Kernel,
        name: str,
        arguments: Sequence[str | int | NDArray[np.int64]],
        inputs: Mapping[str, Store],
        outputs: Mapping[str, Store],
        splits: Mapping[str, str | None],
        rectangles: Mapping[str, Store],
        *,
        scratch: Scratch | None = None,
        report_bytes: int = 0,
    ) -> None:
        """Launch a kernel on all partitions.

        Parameters
        ----------
        function : Kernel
        name : str
            The launch's.
        arguments : sequence of str, int or np.ndarray of shape (parts,)
            Names of stores or of arrays in the scratch memory, or numbers: alike, or one per partition; one of them at
            least. `REPORT` stands for the report.
        inputs, outputs : mapping of str to Store
        splits : mapping of str to str or None
            The rectangles of each store's parts; None: all of it.
        rectangles : mapping of str to Store
        scratch : Scratch, optional
            Layout of the store ``scratch``, which is cleared as far as necessary if it is among the outputs.
        report_bytes : int
        """
        parts = next(len(a) for a in arguments if isinstance(a, np.ndarray))
        launch = _launcher(name, parts == 1, *(tuple((n, splits[n]) for n in stores) for stores in (inputs, outputs)))
        numbers = np.zeros((parts, len(arguments)), np.int64)
        stores, within, written = [], [], []
        for k, argument in enumerate(arguments):
            if not isinstance(argument, str):
                numbers[:, k] = argument
            elif argument == REPORT:
                written.append((k, 0))
            elif scratch is not None and argument in scratch.at:
                within.append((k, scratch.at[argument]))
            else:
                stores.append((k, launch.arrays.index(argument)))
        plan = GpuPlan(
            function,
            numbers,
            stores=stores,
            scratch=0 if scratch is None else launch.arrays.index("scratch"),
            in_scratch=within,
            zeroed=scratch.zeroed if scratch is not None and "scratch" in outputs else 0,
            written=written,
            report_bytes=report_bytes,
        )
        key = runtime.register(plan)
        plan.register(key)
        self.launched.append((plan, key))
        launch(parts, **inputs, **outputs, **rectangles, key=key, number=0)

    def reported(self, parts: int, numbers: int, wait: Wait) -> NDArray[np.int64]:
        """Return the reports of the last launch, of shape (parts, numbers), on every process; the last of each is 1.

        Raises
        ------
        LuxError
            A GPU failed, of any process.
        """
        plan, key = self.launched[-1]

        def reports() -> list[NDArray[np.int64]]:
            return [plan.report(key, part).view(np.int64) for part in range(parts)]

        wait(lambda: all(len(report) and report[-1] == 1 for report in reports()))
        found, error = np.zeros((parts, numbers)), None
        try:
            for row, report in zip(found, reports(), strict=True):
                row[: len(report)] = report  # other processes' are empty
        except LuxError as failed:
            error = failed
        runtime.raise_on_all_ranks(error)
        return runtime.allreduce_max(found).astype(np.int64)

    def close(self) -> None:
        """Unregister the plans, when no launch runs any more; raises the failure of any GPU."""
        try:
            for plan, key in self.launched:
                plan.report(key, nbytes=0)
        finally:
            for plan, key in self.launched:
                plan.unregister(key)
                runtime.unregister(key)
            self.launched = []


def until_finished(_: Callable[[], bool]) -> None:
    """Wait for all launches."""
    runtime.finish()


Splits = tuple[tuple[str, str | None], ...]


@functools.lru_cache(64)
def _launcher(name: str, alone: bool, inputs: Splits, outputs: Splits) -> GpuLauncher:
    return GpuLauncher(name, dict(inputs), dict(outputs), single_point=alone)
