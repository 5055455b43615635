# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of components, in the order of preference."""

from lux.algorithms.components.afforest import AfforestPartitions
from lux.algorithms.components.components import SmallestLabel
from lux.algorithms.components.gpu import AfforestGpu
from lux.algorithms.components.multi_gpu import AfforestGpus
from lux.algorithms.components.threads import AfforestThreads
from lux.algorithms.strategy import Query, Strategy, VertexProgram

STRATEGIES: tuple[Strategy[Query], ...] = (
    AfforestGpus(),
    AfforestGpu(),
    AfforestThreads(),
    AfforestPartitions(),
    VertexProgram(SmallestLabel),
)
