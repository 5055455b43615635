# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of components, in the order of preference."""

from __future__ import annotations

from lux.algorithms.components.afforest import AfforestPartitions
from lux.algorithms.components.components import SmallestLabel
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.components.threads import AfforestThreads
from lux.algorithms.gpu_strategy import GpuStrategy
from lux.algorithms.strategy import Query, Strategy, VertexProgram, needs_program


def _gpus() -> Strategy[Query]:
    from lux.algorithms.components.multi_gpu import AfforestGpus

    return AfforestGpus()


def _gpu() -> Strategy[Query]:
    from lux.algorithms.components.gpu import AfforestGpu

    return AfforestGpu()


def _first(query: Query) -> str:
    return needs_program(query) or has_iterations(query)


STRATEGIES: tuple[Strategy[Query], ...] = (
    GpuStrategy("gpus", _gpus, _first),
    GpuStrategy("gpu", _gpu, _first),
    AfforestThreads(),
    AfforestPartitions(),
    VertexProgram(SmallestLabel),
)
