# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of runs: a file in the folder of ``lux.using(checkpoint=...)``, from which the same run goes on.

The file's name has a fingerprint of the graph, the program and all that decides the answer. What decides the speed
alone is not in it: a run goes on with other numbers of partitions and processes, and on other devices.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.checks import warn
from lux.engine.run.fingerprint import graph_fingerprint, store_fingerprint
from lux.engine.run.progress_state import ProgressState
from lux.errors import FileError
from lux.io.files.atomic import begin, check_writable, discard
from lux.io.files.room import cannot_write
from lux.io.saved.state import SavedState, save_state

if TYPE_CHECKING:
    from lux.engine.run.constants import Constants
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph
    from lux.program.program import Program
    from lux.runtime import Store

SHARE = 0.03
"""Most of a run's time that saving takes: after a save that took long, the next one waits longer."""
_COUNTS = ("iterations", "model", "visited", "active_edges")


class Checkpoint:
    """Checkpoint of one run. All processes make it, and call its methods, at the same places.

    Parameters
    ----------
    name : str
        Name of the algorithm or program, with which the file's name begins.
    graph : Graph
    fingerprint : str
        Text of everything that decides the answer.
    folder : Path
    every : float
        Seconds between two saves, at least.

    Attributes
    ----------
    found : SavedState or None
        What the same run has saved before.

    Raises
    ------
    FileError
        The folder cannot be written.
    FormatError
        The file is damaged.
    """

    def __init__(self, name: str, graph: Graph, fingerprint: str, folder: Path, every: float) -> None:
        self.graph, self.fingerprint, self.every = graph, fingerprint, every
        self.path = folder / f"{name}-{fingerprint[:16]}.lux"
        runtime.on_first_rank(self._make_folder)
        settings.checkpoint_files().add(self.path)
        there, others = self._look(name)
        self.found = SavedState(self.path) if there else None
        if others and not there:
            warn(
                f"{folder} has checkpoints of {name} for another graph, program or parameters: this run starts anew, "
                "and keeps one of its own"
            )
        self._wait, self._last = every, time.monotonic()

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.path, error) from error
        check_writable(self.path)
        with suppress(FileError):  # another process writes it; what a killed one has left is removed
            begin(self.path)
            discard(self.path)

    def _look(self, name: str) -> tuple[bool, bool]:
        """Tell, alike on all processes, whether there is a file of this run, and whether there are some of others."""
        found = np.zeros(2)
        if runtime.rank() == 0:
            others = [path for path in self.path.parent.glob(f"{name}-*.lux") if path != self.path]
            found[:] = self.path.exists(), bool(others)
        there, others_there = runtime.allreduce_max(found) > 0
        return bool(there), bool(others_there)

    def due(self) -> bool:
        """Tell, alike on all processes, whether it is time for a save."""
        late = np.array([time.monotonic() - self._last - self._wait])
        return bool(runtime.allreduce_max(late)[0] >= 0)

    def save(self, facts: Mapping[str, int], stores: Mapping[str, Store], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Save a state in place of the one before; parameters as of `lux.io.saved.state.save_state`."""
        began = time.monotonic()
        save_state(self.path, self.graph, self.fingerprint, facts, stores, arrays)
        self._last = time.monotonic()
        took = float(runtime.allreduce_max(np.array([self._last - began]))[0])
        self._wait = max(self.every, took / SHARE) if self.every else 0.0

    # States of programs

    def save_run(self, layout: PartitionedGraph, fields: Mapping[str, Store], control: Mapping[str, Store]) -> None:
        """Save the fields of a program, and its progress: ``control`` has the stores ``state`` and ``words``."""
        words = runtime.to_array(control["words"]) if "words" in control else None
        self.save_progress(ProgressState.of(layout, runtime.to_array(control["state"]), words), fields)

    def save_progress(self, progress: ProgressState, fields: Mapping[str, Store]) -> None:
        """Save the fields of a program, and its progress."""
        arrays: dict[str, NDArray[Any]] = {"(totals)": progress.totals}
        arrays |= {} if progress.frontier is None else {"(frontier)": progress.frontier}
        self.save({name: getattr(progress, name) for name in _COUNTS}, fields, arrays)

    def progress(self, *, frontier: bool) -> ProgressState | None:
        """Return the progress of the program that was saved; None where nothing was."""
        if self.found is None:
            return None
        from lux.kernels.frontier import MAX_TOTALS

        words = self.graph.n_vertices // 64 + 2
        bits = self.found.values("(frontier)", np.uint64, words) if frontier else None
        totals = self.found.values("(totals)", np.float64, MAX_TOTALS)
        try:
            iterations, model, visited, edges = (self.found.facts[name] for name in _COUNTS)
        except KeyError as error:
            raise FileError(f"{self.path} lacks {error}: delete it, and start anew") from None
        return ProgressState(iterations, model, visited, edges, totals, bits)

    def read_fields(self, *stores: Mapping[str, Store]) -> None:
        """Read the saved fields into each mapping's stores."""
        assert self.found is not None
        for each in stores:
            for name, store in each.items():
                self.found.read(name, store)


def asked() -> bool:
    """Tell whether runs are to keep checkpoints."""
    return settings.current().checkpoint is not None


def opened(name: str, graph: Graph, facts: Callable[[], Iterable[Any]]) -> Checkpoint | None:
    """Return the checkpoint of a run, or None where none is asked for.

    Parameters
    ----------
    name : str
        Name of the algorithm or program.
    graph : Graph
    facts : callable
        Returns everything else that decides the answer, as texts and numbers.
    """
    wanted = settings.current()
    if wanted.checkpoint is None:
        return None
    text = repr([name, graph_fingerprint(graph), *facts()])
    return Checkpoint(name, graph, hashlib.sha256(text.encode()).hexdigest(), Path(wanted.checkpoint), wanted.every)


def of_program(
    program: type[Program],
    graph: Graph,
    values: Mapping[str, Any],
    constants: Constants,
    limit: int,
) -> Checkpoint | None:
    """Return the checkpoint of a program's run, as `opened`."""

    def facts() -> Iterable[Any]:
        spec = program.spec
        yield limit
        yield sorted(values.items())
        for f in spec.fields.values():
            kind = f.dtype if f.holds_vertices else np.dtype(f.dtype).name
            yield f.name, kind, str(f.reduce), f.arg_of, f.constant, f.length, f.identity
        for function in [*spec.functions.values(), *spec.totals.values()]:
            used = {name: getattr(value, "__name__", value) for name, value in function.constants.items()}
            yield function.name, function.source, sorted(used.items(), key=lambda each: each[0])
        yield [(name, store_fingerprint(graph.properties[name])) for name in spec.edge_properties]
        yield [(name, store_fingerprint(store)) for name, store in sorted(constants.stores.items())]

    return opened(program.__name__, graph, facts)
