# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What graph primitives cost on several partitions, as in Pan et al., "Multi-GPU graph analytics" (IPDPS 2017).

"The paper" in this package is that one; ``docs/framework.md`` says how its terms and strategies map to Lux.
"""

from lux.framework.borders import Borders, borders
from lux.framework.costs import Costs
from lux.framework.memory import schemes
from lux.framework.observe import Observation, observe
from lux.framework.primitives import PRIMITIVES, measure
from lux.framework.split import Terms, fit
from lux.framework.table import table_one

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
