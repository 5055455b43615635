# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Split points, and decisions to move them."""

from lux.partition.repartitioner import RepartitionDecision
from lux.partition.split_points import running_work, shared_points
from lux.partition.weight_curve import WeightCurve

__all__ = ["RepartitionDecision", "WeightCurve", "running_work", "shared_points"]
