# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Host gather: CPU cores gather the values that GPUs read, the other way to load INS (section 5 of the Lux paper).

With zero-copy placement a GPU's kernel gathers the values of its INS from zero-copy memory, one by one over the link.
Here CPU cores gather them, side by side, into a staging store that also lies there, and GPUs copy that as a whole. INS
is cut into pieces, each with a point in both launches: a piece is copied as soon as it is gathered, while cores gather
the next. Legion orders all this: gathers after the state of the iteration before, each copy after its own gather, and
the iteration after its copies.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.run.instance_addresses import arrays_of
from lux.partition import split_points
from lux.runtime import GpuLauncher, GpuPlan, NativeLauncher, Store

if TYPE_CHECKING:
    from lux.engine.gpu.part_launches import PartLaunches
    from lux.launch.memory import Scratch

PIECES = 4
"""Pieces of each partition's INS."""
ALIGNMENT = 64
TRIALS = 3
"""Timed loads by CPU cores; the fastest counts."""


class Pieces:
    """Cuts of the members of INS and of the staging store.

    Parameters
    ----------
    sizes : np.ndarray of shape (parts,), int64
        Members of each partition.
    widths : sequence of int
        Bytes of a vertex, for each field.

    Attributes
    ----------
    first, count : np.ndarray of shape (parts * PIECES,), int64
        First member of each piece, counted over all partitions, and number of members.
    before : np.ndarray of shape (parts * PIECES,), int64
        First member, counted from its own partition's first one.
    at : np.ndarray of shape (parts * PIECES, len(widths)), int64
        Begin of each field of a piece in the staging store, in bytes.
    starts : np.ndarray of shape (parts * PIECES + 1,), int64
        Begin of each piece in the staging store.

    Examples
    --------
    >>> found = Pieces(np.array([10, 0]), [4, 8])
    >>> found.count.tolist(), found.before.tolist()
    ([2, 3, 2, 3, 0, 0, 0, 0], [0, 2, 5, 7, 0, 0, 0, 0])
    >>> found.at[:2].tolist(), int(found.starts[-1])
    ([[0, 64], [128, 192]], 512)
    """

    def __init__(self, sizes: NDArray[np.int64], widths: list[int]) -> None:
        ends = sizes[:, None] * np.arange(PIECES + 1) // PIECES
        self.before = ends[:, :-1].ravel()
        self.count = np.diff(ends, axis=1).ravel()
        self.first = (ends[:, :-1] + split_points.starts(sizes)[:-1, None]).ravel()
        nbytes = self.count[:, None] * np.array(widths, np.int64)
        rounded = -(-nbytes // ALIGNMENT) * ALIGNMENT
        self.starts = split_points.starts(rounded.sum(axis=1))
        self.at = self.starts[:-1, None] + np.cumsum(rounded, axis=1) - rounded
        self._widths = widths

    def table(
        self, members: NDArray[np.uint32], values: list[NDArray[Any]], to: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Tabulate the arguments of `gather`: ``values`` by vertex, and the address of each field of each piece."""
        from lux.engine.gpu.host_gather_kernels import WORDS, WORDS_OF_A_FIELD

        words = np.zeros((len(self.count), WORDS + WORDS_OF_A_FIELD * len(values)), np.int64)
        words[:, 0], words[:, 1] = members.ctypes.data + 4 * self.first, self.count
        for k, (array, width) in enumerate(zip(values, self._widths, strict=True)):
            at = WORDS + WORDS_OF_A_FIELD * k
            words[:, at], words[:, at + 1], words[:, at + 2] = array.ctypes.data, to[:, k], width
        return np.concatenate([[len(values)], words.ravel()])


class Staging:
    """Launches before an iteration of a run whose CPU cores gather; none for other runs.

    Parameters
    ----------
    run : PartLaunches
    fields, control_stores : mapping of name to Store
        Fields and control stores of the run.
    """

    def __init__(self, run: PartLaunches, fields: Mapping[str, Store], control_stores: Mapping[str, Store]) -> None:
        self.run, self._control_stores, self._pick = run, control_stores, ""
        self.seconds: dict[str, float] = {}
        self.stores: dict[str, Store] = {}
        if not run.stages:
            return
        self.names, lengths = run.staged, run.spec.lengths
        self._widths = [run.writer.neighbour_type(n).itemsize * lengths.get(n, 1) for n in self.names]
        self.sizes = run.layout.members.sizes
        pieces = self._pieces = Pieces(self.sizes, self._widths)
        self._points = len(pieces.count)
        staged, gathered = (runtime.new_store(t, n, touched=False) for t, n in self._lengths())
        for store in (staged, gathered):
            run.allocate(store, zero_copy=True)
        self._rows = {"piece_rows": runtime.ranges(pieces.starts), "token_rows": _ranges(self._points, 1)}
        self.stores = {"gathered": gathered, "gathered_rows": _ranges(run.parts, PIECES)}
        self._staged = staged
        both = {f"{c}_{n}": fields[f"{c}_{n}"] for c in (0, 1) for n in self.names}
        there = runtime.zero_copy_arrays(both | {"staged": staged})
        members = arrays_of({"members": run.layout.members.places}, {})["members"]
        to = there["staged"].ctypes.data + pieces.at
        # A launch of even number reads the values that one of odd number wrote.
        values = [[there[f"{c}_{n}"] for n in self.names] for c in (1, 0)]
        self._tables = [pieces.table(members, arrays, to) for arrays in values]
        from lux.engine.gpu.host_gather_kernels import gather

        self._gather_key = runtime.register(self._tables)
        runtime.register_body(self._gather_key, int(gather.address or 0), self._tables, self._points)
        self._host = to

    def _lengths(self) -> tuple[tuple[Any, int], tuple[Any, int]]:
        return (np.uint8, int(self._pieces.starts[-1])), (np.int64, self._points)

    def begin(self, plan: GpuPlan, words: list[int], scratch: Scratch, memory: NDArray[np.int64]) -> None:
        """Prepare, once the first launch is issued; it has run when this returns.

        Parameters
        ----------
        plan : GpuPlan
            Plan of iterations.
        words : list of int
            Arguments of the plan that tell kernels to skip the gather.
        scratch : Scratch
        memory : np.ndarray of shape (parts,)
            Addresses of each partition's scratch memory, written by the first launch.
        """
        if not self.run.stages:
            return
        runtime.finish()
        pieces = self._pieces
        copies = np.zeros((self._points, len(self.names), 3), np.int64)
        for k, (name, width) in enumerate(zip(self.names, self._widths, strict=True)):
            gathered = np.repeat(memory + scratch.at[f"near_{name}"], PIECES)
            copies[:, k, 0], copies[:, k, 1] = gathered + pieces.before * width, self._host[:, k]
            copies[:, k, 2] = pieces.count * width
        self._copy_key = runtime.register(copies)
        runtime.register_copies(self._copy_key, copies)
        self._plan, self._words = plan, words
        if self.run.loading == "cores":
            self._take_cores()

    def _take_cores(self) -> None:
        self._pick = "cores"
        self._plan.change(self._words, 1)

    def before(self, number: int, kernel_seconds: Any) -> None:
        """Launch the gather before an iteration; ``kernel_seconds()`` is how long kernels have gathered so far."""
        if not self.run.stages:
            return
        if number == 2 and self._measures:  # iteration 1 was loaded by kernels
            runtime.finish()
            self.seconds["kernel"] = kernel_seconds()
            times = []
            for _ in range(TRIALS):
                began = time.perf_counter()
                self._load(number)
                runtime.finish()
                times.append(time.perf_counter() - began)
            self.seconds["cores"] = min(times)
            if self.seconds["cores"] < self.seconds["kernel"]:
                self._take_cores()
        if self._pick == "cores":
            self._load(number)

    @property
    def _measures(self) -> bool:
        return self.run.loading == "auto" and not self.run.spec.frontier

    def _load(self, number: int) -> None:
        old = self._control_stores[f"{1 - (number & 1)}_state"]
        gatherer, copier = _launchers()
        gatherer(self._points, old_state=old, staged=self._staged, **self._rows, key=self._gather_key, number=number)
        gathered = self.stores["gathered"]
        copier(self._points, staged=self._staged, gathered=gathered, **self._rows, key=self._copy_key, number=number)

    def loaded(self, iterations: int) -> int:
        """Count the vertices that CPU cores have gathered in a run of so many iterations."""
        by_kernels = 1 if self.seconds else 0
        return max(iterations - by_kernels, 0) * int(self.sizes.sum()) if self._pick else 0

    @property
    def why(self) -> str:
        """The processors that gather, and the measurement behind the choice."""
        who = "; CPU cores gather INS" if self._pick else "; kernels gather INS"
        if not self.seconds:
            return who if self._pick else ""
        times = (f"{name} {1e3 * t:.3g} ms" for name, t in self.seconds.items())
        return f"{who} ({', '.join(times)})"

    def close(self) -> None:
        """Forget the run; no launch of it is under way."""
        if self.run.stages:
            runtime.unregister_body(self._gather_key)
            runtime.unregister(self._gather_key)
            if hasattr(self, "_copy_key"):
                runtime.unregister_copies(self._copy_key)
                runtime.unregister(self._copy_key)


def _ranges(count: int, width: int) -> Store:
    return runtime.ranges(np.arange(count + 1, dtype=np.int64) * width)


@functools.cache
def _launchers() -> tuple[NativeLauncher, GpuLauncher]:
    pieces = {"staged": "piece_rows"}
    return (
        NativeLauncher("gather_members", {"old_state": None}, pieces, zero_copy=("old_state", "staged")),
        GpuLauncher("copy_members", pieces, {"gathered": "token_rows"}, zero_copy=("staged", "gathered")),
    )
