# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A prepared graph in a folder: one ``.npy`` file for each store, and ``graph.json``.

Nothing is sorted again when it is loaded, and every point task maps its own slice, of which it checks that all edges
and vertices that it names are there.
"""

from __future__ import annotations

import functools
import json
import shutil
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.checks import checked_path
from lux.edges import id_dtype
from lux.errors import FileError, FormatError, LuxError
from lux.io.atomic import followed
from lux.io.beside import read_ids
from lux.order import DEALT, Order
from lux.partition import MAX_PARTITIONS
from lux.runtime import CheckedLauncher, Store

if TYPE_CHECKING:
    from lux.graph import Graph
    from perfmodel import GraphSummary

VERSION = 2
ORDER = ("order-vertices", "order-places")
"""Columns of a graph whose vertices are stored in another order than that of their ids."""
SUMMARY = "summary.json"
"""What the performance model needs of the graph, where it was counted."""


def save(graph: Graph, path: str | PathLike[str]) -> None:
    """See `lux.graph.Graph.save`. An existing folder of a saved graph is replaced."""
    target = followed(checked_path("path", path))
    part = target.with_name(target.name + ".part")
    columns = _columns(graph)
    runtime.on_first_rank(functools.partial(_create, graph, target, part, columns))
    try:
        for name, (store, length) in columns.items():
            _save_column(store, length, part / f"{name}.npy")
    except LuxError:
        runtime.on_first_rank(functools.partial(shutil.rmtree, part, ignore_errors=True))
        raise
    runtime.on_first_rank(functools.partial(_replace, part, target))


def load_graph(path: str | PathLike[str]) -> Graph:
    """Load a graph that `Graph.save` wrote; each process reads its part.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    Graph
        As it was: its order, partitions, ids and edge properties.

    Raises
    ------
    FileError
        The folder or a file in it is missing.
    FormatError
        It is not a saved graph of this version, or a file in it has another length than it should or is damaged.

    Examples
    --------
    >>> import lux, tempfile
    >>> folder = tempfile.mkdtemp() + "/kite"
    >>> lux.toy.kite().save(folder)
    >>> lux.load_graph(folder).n_edges
    36
    """
    from lux.graph import Graph, graph_bytes

    folder, error = Path(checked_path("path", path)), None
    try:
        meta, ids, summary = _read_meta(folder), read_ids(folder / "ids.npz"), _read_summary(folder / SUMMARY)
    except LuxError as raised:
        error = raised
    runtime.agree(error)
    n, m = meta["n_vertices"], meta["n_edges"]
    types = {name: np.dtype(t) for name, t in meta["properties"].items()}
    runtime.check_memory(graph_bytes(n, m, types), f"{path}, with {n:,} vertices and {m:,} edges,")
    stores: dict[str, tuple[Any, int, Check | None]] = {"offsets": (np.dtype(np.int64), n + 1, Check(m, rising=True))}
    stores |= {"sources": (id_dtype(n), m, Check(n - 1))}
    stores |= {f"property-{k}": (t, m, None) for k, t in enumerate(types.values())}
    stores |= dict.fromkeys(ORDER, (id_dtype(n), n, Check(n - 1))) if meta["order"] else {}
    loaded = {}
    for name, (dtype, length, check) in stores.items():
        loaded[name] = runtime.new_store(dtype, length)
        _load_column(loaded[name], length, folder / f"{name}.npy", check)
    properties = {name: loaded[f"property-{k}"] for k, name in enumerate(types)}
    order = None
    if meta["order"]:
        points = np.array(meta["points"], np.int64) if meta.get("points") else None
        vertices, places = (loaded[name] for name in ORDER)
        order = Order(meta["order"], vertices, places, ranges=meta.get("ranges", DEALT), points=points)
    made = loaded["offsets"], loaded["sources"], properties, types, order, summary
    return Graph(n, m, meta["directed"], ids, *made)


def _read_summary(path: Path) -> GraphSummary | None:
    from perfmodel import GraphSummary, ModelError

    try:
        return GraphSummary.read(path) if path.exists() else None
    except ModelError as error:
        raise FormatError(f"{error}; or delete the file") from None


def _columns(graph: Graph) -> dict[str, tuple[Store, int]]:
    columns = {"offsets": (graph.offsets, graph.n_vertices + 1), "sources": (graph.sources, graph.n_edges)}
    stores = (graph.properties[name] for name in graph.property_types)
    if graph.order is not None:
        made = (graph.order.vertices, graph.order.places)
        columns |= {name: (store, graph.n_vertices) for name, store in zip(ORDER, made, strict=True)}
    return columns | {f"property-{k}": (store, graph.n_edges) for k, store in enumerate(stores)}


def _create(graph: Graph, target: Path, part: Path, columns: dict[str, tuple[Store, int]]) -> None:
    if target.exists() and not (target / "graph.json").exists():
        raise FileError(f"{target} exists and is not a saved graph: choose another name")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        for name, (store, length) in columns.items():
            if length:
                np.lib.format.open_memmap(part / f"{name}.npy", "w+", store.dtype, (length,)).flush()  # type: ignore[no-untyped-call]
        np.savez(part / "ids.npz", **graph.ids.to_arrays())  # type: ignore[arg-type]  # the stubs forget keyword arrays
        meta = {
            "version": VERSION,
            "n_vertices": graph.n_vertices,
            "n_edges": graph.n_edges,
            "directed": graph.directed,
            "order": graph.order.name if graph.order else None,
            "ranges": graph.order.ranges if graph.order else None,
            "points": graph.order.points.tolist() if graph.order and graph.order.points is not None else None,
            "properties": {name: t.str for name, t in graph.property_types.items()},
        }
        (part / "graph.json").write_text(json.dumps(meta, indent=1))
        if graph.summary is not None:
            graph.summary.write(part / SUMMARY)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from None


def _replace(part: Path, target: Path) -> None:
    try:
        if target.exists():
            shutil.rmtree(target)
        part.rename(target)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from None


def _read_meta(folder: Path) -> dict[str, Any]:
    try:
        meta: dict[str, Any] = json.loads((folder / "graph.json").read_text())
        version = meta["version"]
        lengths = {"offsets": meta["n_vertices"] + 1, "sources": meta["n_edges"]}
        lengths |= dict.fromkeys(ORDER, meta["n_vertices"]) if version == VERSION and meta["order"] else {}
        lengths |= {f"property-{k}": meta["n_edges"] for k in range(len(meta["properties"]))}
        for name, length in lengths.items():
            if length and len(np.load(folder / f"{name}.npy", mmap_mode="r")) != length:
                raise FormatError(f"{folder / name}.npy does not have the {length} entries that graph.json says")
    except OSError as error:
        raise FileError(f"{folder} is not a saved graph that can be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{folder} is not a saved graph: {error}") from None
    if version != VERSION:
        raise FormatError(f"{folder} was saved in version {version} of the format; this Lux reads version {VERSION}")
    return meta


class Check(NamedTuple):
    """What a column's values are: from 0 to ``most``; ``rising``: without a step down from 0 to ``most``."""

    most: int
    rising: bool = False

    def met(self, file: NDArray[Any], lo: int, hi: int) -> bool:
        """Whether values lo to hi - 1 of a column are so."""
        values = file[max(lo - self.rising, 0) : hi]
        if not self.rising:
            return bool(values.min() >= 0 and values.max() <= self.most)
        ends = (lo > 0 or values[0] == 0) and (hi < len(file) or values[-1] == self.most)
        return bool(ends and np.all(values[1:] >= values[:-1]))


def _save_column(store: Store, length: int, path: Path) -> None:
    _move(_save_launcher(), store, length, path)


def _load_column(store: Store, length: int, path: Path, check: Check | None) -> None:
    _move(_load_launcher(), store, length, path, check)


def _move(launcher: CheckedLauncher, store: Store, length: int, path: Path, check: Check | None = None) -> None:
    """Every point task copies its slice between the store and the file."""
    if not length:
        return
    points = min(runtime.processors(), length, MAX_PARTITIONS)
    cuts = np.linspace(0, length, points + 1).astype(np.int64)
    key = runtime.share((path, cuts.tolist(), check))
    try:
        launcher(points, column=store, slices=runtime.ranges(cuts), key=key)
    finally:
        runtime.unshare(key)


@functools.cache
def _save_launcher() -> CheckedLauncher:
    def to_file(point: int, column: NDArray[Any], key: int) -> None:
        path, cuts, _ = runtime.shared(key)
        file = np.load(path, mmap_mode="r+")
        file[cuts[point] : cuts[point + 1]] = column
        file.flush()

    return CheckedLauncher(to_file, inputs={"column": "slices"}, scalars={"key": int})


@functools.cache
def _load_launcher() -> CheckedLauncher:
    def from_file(point: int, column: NDArray[Any], key: int) -> None:
        path, cuts, check = runtime.shared(key)
        file, lo, hi = np.load(path, mmap_mode="r"), cuts[point], cuts[point + 1]
        if check is not None and not check.met(file, lo, hi):
            raise FormatError(f"{path} is damaged: it names edges or vertices that are not there; save the graph again")
        column[:] = file[lo:hi]

    return CheckedLauncher(from_file, outputs={"column": "slices"}, scalars={"key": int})
