# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses of a run's instances, so that iteration launches can omit the stores (10 us per store and launch).

In one process every store of a run has one instance, which stays in place. So one launch records the addresses, and
launches of iterations are given the state alone: as each partition reads the whole state that the launch before wrote,
Legion runs them one after the other.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher, Store


def arrays_of(
    read: Mapping[str, Store],
    fresh: Mapping[str, Store] = MappingProxyType({}),
    kept: Mapping[str, Store] = MappingProxyType({}),
) -> dict[str, NDArray[Any]]:
    """Map whole stores as arrays, valid while the stores live and only compiled bodies write them.

    Parameters
    ----------
    read : mapping of name to Store
        Stores with values.
    fresh : mapping of name to Store
        Stores without values: their content is lost.
    kept : mapping of name to Store
        Stores with values that will be written: Legion brings them here, and other copies are lost.
    """
    found: dict[str, tuple[int, int]] = {}
    with runtime.registered(found) as key:
        kinds = {"read": read, "fresh": fresh, "kept": kept}
        stores = {f"{kind}_{n}": s for kind, each in kinds.items() for n, s in each.items()}
        _noter(*map(tuple, kinds.values()))(1, **stores, key=key)
    every = {**read, **fresh, **kept}
    return {name: runtime.view(*found[name], store.dtype) for name, store in every.items()}


@functools.lru_cache(256)
def _noter(read: tuple[str, ...], fresh: tuple[str, ...], kept: tuple[str, ...]) -> Launcher:
    def note_addresses(_point: int, *values: Any) -> None:
        *arrays, key = values
        found = runtime.context(key)
        for name, array in zip((*read, *fresh, *kept), arrays, strict=True):
            found[name] = array.ctypes.data, len(array)

    inputs, outputs = dict.fromkeys(f"read_{n}" for n in read), dict.fromkeys(f"fresh_{n}" for n in fresh)
    updates = dict.fromkeys(f"kept_{n}" for n in kept)
    return Launcher(note_addresses, inputs=inputs, outputs=outputs, updates=updates, scalars={"key": int})
