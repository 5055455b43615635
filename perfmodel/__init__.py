# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Analytic performance model of Lux: from a graph's summary and a machine's profile to predicted times and a choice.

It follows section 6 of the Lux paper (VLDB 2017). Nothing here imports Lux; `lux.calibration` measures the profiles.
Public names are loaded on first use: most runs of Lux need `perfmodel.direction` alone.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from perfmodel.choose_configuration import Choice as Choice
    from perfmodel.choose_configuration import choose as choose
    from perfmodel.configuration import Configuration as Configuration
    from perfmodel.cost import Prices as Prices
    from perfmodel.cost import efficiency as efficiency
    from perfmodel.errors import ModelError as ModelError
    from perfmodel.factors import FactorRate as FactorRate
    from perfmodel.factors import Factors as Factors
    from perfmodel.predict_program import predict as predict
    from perfmodel.prediction import Prediction as Prediction
    from perfmodel.profile import Machine as Machine
    from perfmodel.profile import Profile as Profile
    from perfmodel.profile import Rate as Rate
    from perfmodel.summary import Frontier as Frontier
    from perfmodel.summary import GraphSummary as GraphSummary
    from perfmodel.summary import Sizes as Sizes

_WHERE = {
    "choose_configuration": ("Choice", "choose"),
    "configuration": ("Configuration",),
    "cost": ("Prices", "efficiency"),
    "errors": ("ModelError",),
    "factors": ("FactorRate", "Factors"),
    "predict_program": ("predict",),
    "prediction": ("Prediction",),
    "profile": ("Machine", "Profile", "Rate"),
    "summary": ("Frontier", "GraphSummary", "Sizes"),
}
_HOME = {name: home for home, names in _WHERE.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605  # pydoc and dir() read it


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> _Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
