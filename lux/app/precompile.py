# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation when Lux is installed, or its wheel is built: ``python -m lux.app.precompile``.

The command builds the native libraries, runs the algorithms on small graphs, and compiles the kernels for GPUs
(`lux.app.gpu_kernels`) where the packages are that do so, which needs no GPU. It does that in as many processes as
there are cores. What they compile is kept in the package (`legate_config.shipped`), where every later process finds it.
The modules that they have imported get their bytecode, which an installation with ``--no-compile`` leaves to the first
process that may write it.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import lux
from legate_config import ConfigError, native, preload, shipped
from lux.codegen import cuda_build
from lux.codegen.shipped_cubins import CAPABILITIES, architecture
from lux.errors import ConfigurationError, LuxError
from lux.graph.construction.kernels_of_processes import KERNELS
from lux.kernels import shipped_kernels
from lux.runtime import mapper_library

SMALL, LARGE = "kronecker:8", "kronecker:16"
"""Graphs: kernels depend on the types of arrays, on whether vertices are ordered, and some on the number of edges."""
FILES = {
    "el": "1 2\n2 3\n",
    "wel": "1 2 5\n2 3 4\n",
    "txt": "1\t2\n2\t3\n",
    "csv": "source,target,weight\na,b,0.5\nb,c,1.5\n",
    "gr": "p sp 3 2\na 1 2 5\na 2 3 4\n",
    "mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
}
"""Text files, by extension."""
WRITTEN = {"sg": SMALL, "wsg": f"{SMALL} int32"}
"""Binary files, by extension, and the undirected graphs that are written to them."""
LINES = 200_000
"""Lines of a table that is read by kernels, with gaps between ids."""
OF_NETWORKX: list[tuple[str, dict[str, Any]]] = [
    ("pagerank", {"weight": "weight"}),
    ("hits", {}),  # weights become float64
    *(("katz_centrality", {"alpha": 0.001, "weight": weight}) for weight in (None, "weight")),
    *(("eigenvector_centrality", {"max_iter": 1000, "weight": weight}) for weight in (None, "weight")),
    ("core_number", {}),
    ("closeness_centrality", {"distance": None}),
    ("closeness_centrality", {"distance": "weight"}),
    ("multi_source_dijkstra_path_length", {"sources": [0, 33], "weight": "weight"}),
    *(("betweenness_centrality_subset", {"sources": list(range(30)), "targets": [33], "weight": weight})
      for weight in (None, "weight")),
    ("bfs_edges", {"source": 0}),
]  # fmt: skip
"""Functions of NetworkX, and arguments, that together run all programs of `lux.networkx_backend`."""
FLAGS = "--cpus 2 --gpus 0 --sysmem 500"
"""Flags of the processes that compile: threads and partitions of two cores have the kernels of any number."""
LEGATES = ("26.1.0", "26.6.1")
"""The newest version of each release of Legate that Lux runs on: a wheel has Lux's library for all of them."""
PARTS = (None, 1, 2)
Job = Callable[[], Any]


def main(words: Sequence[str] | None = None) -> int:
    """Compile everything anew; returns an exit code. ``words`` is the command line, by default this process's."""
    name = "python -m lux.app.precompile" if words is None else "lux warm-up"
    parser = argparse.ArgumentParser(name, description=__doc__.partition("\n\n")[2])
    parser.add_argument("--portable", action="store_true", help="compile for all processors with AVX2, for wheels")
    each_help = "build Lux's library for every release of Legate that Lux runs on, too; pip fetches them for that"
    parser.add_argument("--each-legate", action="store_true", help=each_help)
    parser.add_argument("--claims", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    shipped.fill(shipped.folder)
    if options.claims is not None:
        work(options.claims)
        return 0
    try:
        with replaced(shipped.folder):
            if not preload.has_cuda_driver():
                preload.cuda_stub()
            mapper_library.built()
            for version in LEGATES if options.each_legate else ():
                build_for_legate(version)
    except (ConfigError, LuxError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    environment = os.environ | {"LEGATE_CONFIG": FLAGS}
    if options.portable:
        environment |= shipped_kernels.portable_settings()
    if why := why_not_for_gpus():
        sys.stderr.write(f"kernels for GPUs are compiled when they are first needed: {why}\n")
    with tempfile.TemporaryDirectory() as claims:
        command = [sys.executable, "-m", "lux.app.precompile", "--claims", claims]
        workers = [subprocess.Popen(command, env=environment) for _ in os.sched_getaffinity(0)]
        return max(worker.wait() for worker in workers)


@contextlib.contextmanager
def replaced(folder: Path) -> Iterator[None]:
    """Take a folder away, to be filled anew in this block; put it back where the block raises an error."""
    before = folder.with_name(f"{folder.name}.before")
    shutil.rmtree(before, ignore_errors=True)
    if folder.exists():
        folder.rename(before)
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if before.exists():
            before.rename(folder)
        raise
    shutil.rmtree(before, ignore_errors=True)


def build_for_legate(version: str) -> None:
    """Build Lux's library for another version of Legate than the installed one, if that is of another release.

    Raises
    ------
    ConfigError
        It cannot be fetched, or the library cannot be built.
    """
    if version.startswith(f"{native.legate_release()}."):
        return
    program = (
        "import sys; from pathlib import Path; from legate_config import native, shipped;"
        "shipped.fill(shipped.folder); native.legate_library(Path(sys.argv[1]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
        fetch = (
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "--target",
            folder,
            f"legate=={version}",
        )
        for words in (fetch, ("-c", program, str(Path(mapper_library.__file__).with_name("mapper")))):
            command, environment = [sys.executable, *words], os.environ | {"PYTHONPATH": path}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ConfigError(f"Lux's library cannot be built for Legate {version}:\n{done.stdout}{done.stderr}")


def why_not_for_gpus() -> str:
    """Say why no kernels for GPUs can be compiled here; empty if they can."""
    try:
        cuda_build.compilers()
    except ConfigurationError as error:
        return str(error)
    return ""


def work(claims: Path) -> None:
    """Run the jobs that no other process has claimed."""
    for name, job in jobs():
        try:
            (claims / name).touch(exist_ok=False)
        except FileExistsError:
            continue
        job()
    compile_modules()


def compile_modules() -> None:
    """Compile to bytecode all modules that this process has imported, where that was not done and can be done."""
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path is not None and path.endswith(".py") and os.access(Path(path).parent, os.W_OK):
            compileall.compile_file(path, quiet=2)


def jobs() -> Iterator[tuple[str, Job]]:
    """Yield what is run, with a name."""
    for graph, parts in (*product((SMALL, LARGE), PARTS), *product([f"{LARGE} by degree"], (None, 2))):
        yield _job(lux.betweenness, graph, parts=parts, k=2)
        yield _job(lux.bfs, graph, parts=parts, source=0)
        yield _job(lux.components, graph, parts=parts)
        yield _job(lux.pagerank, graph, parts=parts)
        yield _job(lux.pagerank, graph, parts=parts, dtype=np.float32)
    yield _job(lux.sssp, f"{SMALL} int32 by degree", source=0)
    for parts in PARTS:
        yield _job(lux.sssp, f"{SMALL} int32", parts=parts, source=0)
        yield _job(lux.pagerank, f"{SMALL} int32", parts=parts)
    yield _job(lux.sssp, f"{SMALL} float64", source=0)
    for graph in (SMALL, f"{LARGE} by degree"):
        yield _job(lux.bfs, graph, source=[0, 1])
    for search in ("threads-top-down", "threads-direction-optimizing"):
        yield _job(lux.bfs, SMALL, strategy=search, source=0)
    for k, (kernel, kinds) in enumerate(KERNELS):
        yield f"kernel {k} of several processes", functools.partial(kernel.shipped, kinds)
    yield from for_networkx()
    for extension, text in FILES.items():
        yield f"read {extension}", functools.partial(_read, extension, text)
    for extension, graph in WRITTEN.items():
        yield f"read {extension}", functools.partial(_read_written, extension, graph)
    for dtype, gap in product((np.int32, np.uint32, np.int64, np.uint64), (1, 2)):
        yield f"number {dtype.__name__} {gap}", functools.partial(_number, dtype, gap)
    for separator in "\t ":
        lines = "".join(f"{3 * (k // 9)}{separator}{2 * (k % 7919)}\n" for k in range(LINES))
        yield f"read a large table {separator!r}", functools.partial(_read, "txt", f"# edges\n{lines}")
    if not why_not_for_gpus():
        yield from for_gpus()


def for_networkx() -> Iterator[tuple[str, Job]]:
    """Yield calls of NetworkX's functions that run vertex programs of the backend's own, where NetworkX is."""
    if importlib.util.find_spec("networkx") is None:
        return
    for kind, (name, arguments) in product((int, float), OF_NETWORKX):
        if kind is int or any(value == "weight" for value in arguments.values()):
            yield f"networkx {name} {kind.__name__} {arguments}", functools.partial(_call, name, kind, arguments)


def _call(name: str, kind: type, arguments: Mapping[str, Any]) -> None:
    import networkx as nx

    from lux.networkx_backend import calls

    # The second is as if it were too large for answers without launches.
    usual = calls.SMALL
    for graph, small in ((nx.karate_club_graph(), usual), (nx.barabasi_albert_graph(1000, 2, seed=1), 0)):
        calls.SMALL = small
        for _, _, values in graph.edges(data=True):
            values["weight"] = kind(values.get("weight", 1))
        found = getattr(nx, name)(graph, **arguments, backend="lux")
        if isinstance(found, Iterator):
            list(found)
    calls.SMALL = usual


def for_gpus() -> Iterator[tuple[str, Job]]:
    """Yield the compilations of kernels for GPUs."""
    from lux.app import gpu_kernels

    for capability in CAPABILITIES:
        for number, (text, functions) in enumerate(gpu_kernels.texts(capability)):
            name = f"kernel {number} for {architecture(capability)}"
            yield name, functools.partial(cuda_build.cubin, text, capability, functions)


def _job(function: Callable[..., Any], graph: str, **arguments: Any) -> tuple[str, Job]:
    return f"{function.__name__} {graph} {arguments}", lambda: function(_graph(graph), **arguments)


@functools.cache
def _graph(name: str) -> lux.Graph:
    """Make a graph, of which a suffix says the type of weights, or that vertices are stored by degree."""
    if name.endswith(" by degree"):
        return _graph(name.removesuffix(" by degree")).reordered("degree")
    spec, _, what = name.partition(" ")
    if what == "float64":
        ends = _graph(spec).edge_arrays()
        return lux.from_edges(*ends, np.ones(len(ends[0])))
    return lux.generate(spec, weights=(1, 255) if what == "int32" else None)


def _read(extension: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"graph.{extension}")
        path.write_text(text, encoding="utf-8")
        lux.pagerank(lux.read_graph(path))


def _read_written(extension: str, graph: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ends, weights = ([0, 1, 1], [1, 2, 0]), np.ones(3, np.int32) if extension == "wsg" else None
        for k, written in enumerate((_graph(graph), lux.from_edges(*ends, weights))):
            path = Path(folder, f"{k}.{extension}")
            written.write(path)
            lux.bfs(lux.read_graph(path), 1)


def _number(dtype: type[Any], gap: int) -> None:
    """Make a graph of integers, which are numbered where they have gaps, and moved where they begin after 0."""
    ends = np.arange(1, 1000, gap, dtype)
    lux.pagerank(lux.from_edges(ends[:-1], ends[1:]))


if __name__ == "__main__":
    sys.exit(main())
