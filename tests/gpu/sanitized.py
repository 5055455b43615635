# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs that are small enough for compute-sanitizer, which makes kernels a thousand times slower.

    LEGATE_CONFIG="--cpus 1 --gpus 1 --fbmem 500 --sysmem 500 --zcmem 64" \\
        compute-sanitizer --tool racecheck --error-exitcode 1 python tests/gpu/sanitized.py parts

``parts`` are two partitions in each placement, on one GPU or, where Legate was given two, one on each; ``moved`` are
factorizations between whose partitions Legion moves factors; ``made`` are graphs that GPUs make; ``whole`` is one GPU
that holds the graph, and its factorizations; ``resumed`` are runs that go on from a checkpoint. Kernels have two blocks
each, so that some wait for others. Answers are compared with those of CPU cores. With ``--seconds`` no run begins that
late. ``python -m benchmarks.sanitized`` runs all of them.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "common"))

import lux
from lux import runtime
from lux_cases.graphs import gpus_make_small_graphs

BLOCKS = 2
PLACEMENTS = ("zero-copy", "device", "peer")


def main() -> None:
    """Run what the command line says, and tell how long each took."""
    parser = argparse.ArgumentParser(description="Small runs for compute-sanitizer.")
    parser.add_argument("which", choices=RUNS)
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    runtime.limit_blocks(BLOCKS)
    gpus_make_small_graphs()
    console = Console()
    began, left_out = time.time(), []
    for name, settings, run in RUNS[options.which]():
        if time.time() - began > options.seconds:
            left_out.append(name)
            continue
        with lux.using(device="cpu"):
            expected = run(None).dense()
        clock = time.time()
        with lux.using(device="gpu", **settings):
            found = run(settings).dense()
        console.print(f"{name}: {time.time() - clock:.1f} s, {time.time() - began:.0f} s since the start")
        slack = 0 if found.dtype.kind in "iu" else 1e-3
        np.testing.assert_allclose(found, expected, rtol=slack, atol=slack * 1e-2, err_msg=name)
    console.print("done" + (f", but for {', '.join(left_out)}" if left_out else ""))


Run = tuple[str, dict[str, Any], Callable[[Any], Any]]


def _programs(graph: lux.Graph, parts: int) -> dict[str, Callable[[Any], Any]]:
    """What to run, with as many partitions on GPUs, and any number on CPU cores."""

    def split(settings: Any) -> dict[str, Any]:
        return {} if settings is None else {"parts": parts}

    source = _hub(graph)
    return {
        "pagerank": lambda s: lux.pagerank(graph, tol=0, max_iter=2, dtype=np.float32, weight=None, **split(s)).ranks,
        "bfs": lambda s: lux.bfs(graph, source, **split(s)).distances,
        "components": lambda s: lux.components(graph, **split(s)).labels,
        "sssp": lambda s: lux.sssp(graph, source, **split(s)).distances,
    }


def _hub(graph: lux.Graph) -> int:
    return int(np.argmax(graph.dense_out_degrees()))


def partitions() -> Iterator[Run]:
    """Two partitions of 64 vertices: programs that gather, and that push too."""
    graph = lux.generate("kronecker:6,4", weights=(1, 255)).reordered("degree")
    for name, run in _programs(graph, 2).items():
        for placement in (*PLACEMENTS, *(["auto"] if name == "pagerank" else [])):  # which samples, and measures rates
            yield f"{name}, {placement}", {"placement": placement, "loading": "kernel"}, run


def _factors(parts: int) -> dict[str, Callable[..., Any]]:
    """Factorizations of 40 users and 20 items by both methods, with as many partitions on GPUs."""
    pairs = np.unique(np.random.default_rng(1).integers(0, 800, 300))
    values = (1 + pairs % 5).astype(np.float32)
    graph = lux.from_edges(pairs // 20, pairs % 20, weight=values, bipartite=True)

    def call(settings: Any, method: str, **more: Any) -> Any:
        more |= {} if settings is None else {"parts": parts}
        return lux.factorize(graph, 4, method=method, max_iter=4, tol=0, **more).factors

    return {f"factorize {method}": partial(call, method=method) for method in ("als", "gd")}


def moved() -> Iterator[Run]:
    """Two partitions between which Legion moves factors."""
    for name, run in _factors(2).items():
        yield f"{name}, device", {"placement": "device"}, run


def made() -> Iterator[Run]:
    """Graphs that a GPU makes of arrays and of generated edges, and numbers of vertices that it finds."""
    chance = np.random.default_rng(1)
    ends, weights = chance.integers(0, 64, (2, 300)), chance.random(300)
    sparse = ends * 10**9 + 7
    how: dict[str, Any] = {"directed": False, "drop_loops": True, "drop_repeats": True}

    def ordered(graph: lux.Graph) -> Any:
        return graph.reordered("degree").in_degrees()

    def weighed(ends: Any, **more: Any) -> Any:
        return lux.sssp(lux.from_edges(*ends, weight=weights, **more), int(ends[0][5])).distances

    yield "edges without loops and repeats", {}, lambda _: ordered(lux.from_edges(*ends, **how))
    yield "edges of sparse ids with weights", {}, lambda _: weighed(sparse, **how)
    yield "edges with weights", {}, lambda _: weighed(ends)
    for spec in ("kronecker:6,4", "uniform:6,4", "rmat:6,4"):
        yield spec, {}, lambda _, spec=spec: ordered(lux.generate(spec))


def whole() -> Iterator[Run]:
    """One GPU that holds the graph: searched and factorized."""
    graph = lux.generate("kronecker:6,4", weights=(1, 255)).reordered("degree")
    more: dict[str, Callable[[Any], Any]] = {
        "labels": lambda _: lux.components(graph, strategy="program").labels,
        "search by the program": lambda _: lux.bfs(graph, _hub(graph), strategy="program").distances,
        "betweenness": lambda _: lux.betweenness(graph, k=2, seed=1).scores,
        "weighted betweenness": lambda _: lux.betweenness(graph, k=2, seed=1, weight="weight").scores,
    }
    for name, run in (_programs(graph, 1) | more | _factors(1)).items():
        yield name, {}, run


def resumed() -> Iterator[Run]:
    """Runs that are ended in the middle, and go on from their checkpoint: on one GPU, and on two partitions."""
    graph = lux.generate("kronecker:6,4").reordered("degree")

    def ranks(settings: Any, parts: int | None, **more: Any) -> Any:
        more |= {} if settings is None else {"parts": parts}
        return lux.pagerank(graph, tol=0, max_iter=4, weight=None, **more).ranks

    def go_on(settings: Any, run: Callable[..., Any]) -> Any:
        if settings is None:
            return run(None)
        with tempfile.TemporaryDirectory() as folder:
            with suppress(Ended), lux.using(checkpoint=folder, every=0):
                run(settings, progress=_end)
            with lux.using(checkpoint=folder, every=0):
                return run(settings)

    ways: list[tuple[int | None, dict[str, Any]]] = [(None, {}), *((2, {"placement": each}) for each in PLACEMENTS)]
    for parts, settings in ways:
        placement = settings.get("placement", "one GPU")
        of_all = {"pagerank": partial(ranks, parts=parts)}
        of_all |= _factors(parts or 1) if placement in ("one GPU", "device") else {}
        for name, run in of_all.items():
            yield f"{name}, {placement}, resumed", settings, partial(go_on, run=run)


class Ended(Exception):  # noqa: N818  # no error: the end of a run
    """End of a run that is to go on from its checkpoint."""


def _end(done: int) -> None:
    if done >= 3:
        raise Ended


RUNS = {"parts": partitions, "moved": moved, "made": made, "whole": whole, "resumed": resumed}


if __name__ == "__main__":
    main()
