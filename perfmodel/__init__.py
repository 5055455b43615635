# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Analytic performance model of Lux: from a graph's summary and a machine's profile to predicted times and a choice.

It follows section 6 of the Lux paper (VLDB 2017). Nothing here imports Lux; `lux.calibration` measures the profiles.
"""

from perfmodel.choose import Choice, choose
from perfmodel.configuration import Configuration
from perfmodel.cost import Prices, efficiency
from perfmodel.errors import ModelError
from perfmodel.factors import FactorRate, Factors
from perfmodel.predict import predict
from perfmodel.prediction import Prediction
from perfmodel.profile import Machine, Profile, Rate
from perfmodel.summary import Frontier, GraphSummary, Sizes

__all__ = [
    "Choice",
    "Configuration",
    "FactorRate",
    "Factors",
    "Frontier",
    "GraphSummary",
    "Machine",
    "ModelError",
    "Prediction",
    "Prices",
    "Profile",
    "Rate",
    "Sizes",
    "choose",
    "efficiency",
    "predict",
]
