# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Interface that NetworkX calls: conversions, the answers to can_run and should_run, and the functions themselves."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from lux import runtime
from lux.networkx_backend.conversion import convert_from_nx, convert_to_nx
from lux.networkx_backend.estimates import should_run
from lux.networkx_backend.info import FUNCTIONS

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "on_start_tests", "should_run"]


def __getattr__(name: str) -> Any:
    if name not in FUNCTIONS:
        raise AttributeError(f"the backend lux has no function {name!r}")
    found = getattr(importlib.import_module(f"lux.networkx_backend.{FUNCTIONS[name]}"), name)
    globals()[name] = found
    return found


def on_start_tests(items: Sequence[Any]) -> None:
    """Mark those of NetworkX's tests that Lux is expected to fail; NetworkX calls this before it runs them."""
    from lux.networkx_backend.suite import mark

    mark(items)


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence that says why Lux cannot answer the call; NetworkX logs it."""
    if why := runtime.why_not_here():
        return why
    if name == "from_pandas_edgelist":
        from lux.networkx_backend.construction import why_not

        return why_not(*args, **kwargs) or True
    if FUNCTIONS[name] != "construction" and any(map(callable, (*args[1:], *kwargs.values()))):
        return f"{name} was passed a function of Python, which Lux cannot call for every edge"
    return True
