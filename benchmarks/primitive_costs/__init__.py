# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Costs of graph primitives on several partitions, as in Pan et al., "Multi-GPU graph analytics" (IPDPS 2017).

"The paper" in this package is Pan et al.'s; ``docs/explanation/partitions.md`` maps its terms and strategies to Lux.
"""

from benchmarks.primitive_costs.borders import Borders, borders
from benchmarks.primitive_costs.costs import Costs
from benchmarks.primitive_costs.memory import schemes
from benchmarks.primitive_costs.observe import Observation, observe
from benchmarks.primitive_costs.primitives import PRIMITIVES, measure
from benchmarks.primitive_costs.split import Terms, fit
from benchmarks.primitive_costs.table import table_one

__all__ = [
    "PRIMITIVES",
    "Borders",
    "Costs",
    "Observation",
    "Terms",
    "borders",
    "fit",
    "measure",
    "observe",
    "schemes",
    "table_one",
]
