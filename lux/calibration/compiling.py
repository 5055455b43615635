# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation of all kernels of a GPU calibration at once, which one after the other would take longer than the runs.

Compiled kernels are kept on disk, where the runs find them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import lux
from lux import runtime
from lux.calibration import measure_cpu
from lux.calibration.measure import made
from lux.calibration.measure_gpu import numbers, vertex_programs
from perfmodel.factors import METHODS
from perfmodel.this_machine import this_machine

SMALL = "uniform:6"
"""A small graph with the measured graphs' types: kernels depend on types and on the order of vertices."""
OF_CORES = (
    f"import {measure_cpu.__name__} as cores; "
    f"cores.{measure_cpu.beside_gpus.__name__}([{{small!r}}], [{{name!r}}], 2, 1, 300)"
)
OF_CORES_FLAGS = "--cpus 2 --gpus 0 --sysmem 500"
"""Flags of a process that runs a program on a small graph: Numba compiles one function at a time in each process."""
MOST_SECONDS = 60
"""Seconds after which such processes are ended."""
Text = tuple[str, Sequence[Any]]
"""CUDA C++ text, and the functions that it calls."""


def compile_all(
    programs: Sequence[str], gpus: int, *, by_degree: bool, ks: Sequence[int] = (), cores: Sequence[str] = ()
) -> None:
    """Compile the kernels of programs, on one GPU and on so many, and those of factorizations with these K.

    Parameters
    ----------
    by_degree : bool
        Also compile for graphs that are stored by degree.
    cores : sequence of str
        Programs to compile for CPU cores.
    """
    from lux.codegen import cuda_build

    others, end = [_on_cores(name) for name in cores], time.perf_counter() + MOST_SECONDS
    graph = made(SMALL)
    graphs = [graph, graph.reordered("degree")] if by_degree else [graph]
    texts = {text: calls for g in graphs for name in programs for text, calls in of_program(name, g, gpus)}
    texts |= dict.fromkeys(of_factors(graph, ks, gpus if runtime.peer_access() else 1), ())
    capability = runtime.capability()
    for text in list(texts)[:1]:
        cuda_build.cubin(text, capability, texts.pop(text))  # imports modules that threads cannot import at once
    with ThreadPoolExecutor(this_machine("cpu").cores) as threads:
        list(threads.map(lambda text: cuda_build.cubin(text, capability, texts[text]), texts))
    for process in others:
        try:
            process.wait(max(end - time.perf_counter(), 0.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _on_cores(name: str) -> subprocess.Popen[bytes]:
    """Start a process that compiles a program for CPU cores by running it; if it fails, the calibration compiles."""
    words = [sys.executable, "-c", OF_CORES.format(small=SMALL, name=name)]
    quiet, environment = subprocess.DEVNULL, os.environ | {"LEGATE_CONFIG": OF_CORES_FLAGS}
    return subprocess.Popen(words, env=environment, stdout=quiet, stderr=quiet)


def of_program(name: str, graph: lux.Graph, gpus: int) -> Iterator[Text]:
    """Return the kernels of a program in both models, on one GPU and on up to so many, in each placement."""
    from lux.engine.gpu.single import writer_of
    from lux.engine.run.check import parameter_values

    several = numbers(gpus)[1:]
    ways: list[dict[str, Any]] = [{}, {"part": True, "local": True}]
    ways += [{"part": True}] if several else []
    ways += [{"part": True, "local": True, "peers": n} for n in several]
    for program, parameters in vertex_programs(name, graph, int(graph.ids.labels(0, 1)[0])).values():
        for how in ways:
            writer = writer_of(program, graph, parameter_values(program.spec, parameters), **how)
            yield writer.text(), writer.devices()


def of_factors(graph: lux.Graph, ks: Sequence[int], gpus: int) -> Iterator[str]:
    """Return the kernels of factorizations in float32."""
    from lux.algorithms.factorization.gpu_text import Shape

    single = np.dtype(np.float32)
    for parts in numbers(gpus):
        for k in ks:
            for method in METHODS:
                yield Shape(k, single, method, parts, single, graph.degree_dtype, runtime.block_memory()).text()
