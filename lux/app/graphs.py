# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graph that the command line asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import legate_config
from lux import runtime
from lux.errors import FileError, ParameterError
from lux.graph.construction import first_kernel
from lux.graph.construction.generators import SPECS, is_spec, parse_spec
from lux.io import load as loading
from lux.io.files.named_files import named_files

if TYPE_CHECKING:
    from lux.app.console.live import Live
    from lux.graph.graph import Graph


def check(options: argparse.Namespace) -> None:
    """Refuse contradictory options before Legate starts."""
    if options.generate is not None:
        parse_spec(options.generate, seed=options.seed or 1)
        return
    if legate_config.rank_info().ranks > 1:
        return
    try:
        named_files(options.graph)
    except FileError:
        if Path(options.graph).exists() or has_magic(options.graph):
            raise
        if is_spec(options.graph):
            raise ParameterError(
                f"there is no file {options.graph}: pass --generate {options.graph} to make that graph"
            ) from None
        hint = f", or --generate SPEC for a synthetic graph ({SPECS})" if ":" in options.graph else ""
        raise FileError(f"there is no file {options.graph}: check the name{hint}") from None


def check_not_overwritten(options: argparse.Namespace) -> None:
    """Refuse to write values to a file of the graph."""
    target = Path(options.output) if options.output and options.generate is None else None
    if target is not None and target.exists() and any(file.samefile(target) for file in named_files(options.graph)):
        raise FileError(f"--output {target} is a file of the graph, which would be lost: pass another name")


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `lux.read_graph` that were passed."""
    names = ("format", "directed", "weighted", "header", "bipartite", "ids", "properties", "drop_loops", "drop_repeats")
    return {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}


def state(options: argparse.Namespace) -> dict[str, Any]:
    """Return a file graph's cache key: reading options, and the size and time of its file or files."""
    found = [file.stat() for file in named_files(options.graph)]
    changed = max(each.st_mtime_ns for each in found)
    return {**reading(options), "bytes": sum(each.st_size for each in found), "changed_ns": changed}


def words(options: argparse.Namespace) -> list[str]:
    """Return the command line's words that ask for the same graph."""
    if options.generate is not None:
        given = ["--generate", options.generate]
        given += [] if options.seed is None else ["--seed", str(options.seed)]
        given += [] if options.weights is None else ["--weights", ",".join(map(str, options.weights))]
        toggles = ["drop_loops", "drop_repeats"]
    else:
        given = [str(options.graph)]
        given += [] if options.directed is None else ["--directed" if options.directed else "--undirected"]
        given += ["--bipartite"] if options.bipartite else []
        for name in ("format", "ids"):
            given += [] if getattr(options, name) is None else [f"--{name}", getattr(options, name)]
        given += [] if options.properties is None else ["--properties", ",".join(options.properties)]
        toggles = ["weighted", "header", "drop_loops", "drop_repeats"]
    for name in toggles:
        if getattr(options, name) is not None:
            given.append(f"--{'' if getattr(options, name) else 'no-'}{name.replace('_', '-')}")
    return given


def load(options: argparse.Namespace, progress: Callable[[int, int], None] | None = None) -> Graph:
    """Read a file, or generate a graph."""
    first_kernel.load()
    if options.generate is not None:
        dropped = {n: getattr(options, n) for n in ("drop_loops", "drop_repeats") if getattr(options, n) is not None}
        seed = 1 if options.seed is None else options.seed
        return loading.generate(options.generate, seed=seed, weights=getattr(options, "weights", None), **dropped)
    return loading.read_graph(options.graph, progress=progress, **reading(options))


def loaded(options: argparse.Namespace, live: Live) -> Graph:
    """Call `load` as a phase of a program, and wait for its end."""
    with live.phase("load", f"loading {name(options)}"):
        graph = load(options, live.bytes)
        runtime.finish()
    return graph


def name(options: argparse.Namespace) -> str:
    """Return the graph's name in reports."""
    if options.generate is None:
        return str(options.graph)
    return f"{options.generate} (seed {1 if options.seed is None else options.seed})"
