# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Preparation of launches with a point in each process: where partitions' stores are, and the body of the threads."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen import native_entry
from lux.codegen.compile import native_body
from lux.engine.run.statistics import SUMS, Rows, most_kept
from lux.kernels import frontier as fr
from lux.kernels.kinds import Kind, array, number
from lux.kernels.threads import OFFER_WORDS, PUT_WORDS
from lux.runtime import Launcher, Store
from lux.runtime.exchange import IterationExchange, gathered


def lasting(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that a task was given for use beyond its end.

    Stores that Lux made stay where they are; arrays of the user, from which Legion may have copied, are copied.
    """
    if name == "order" or name.startswith("given_"):
        return array.copy()
    return runtime.view(array.ctypes.data, array.size, array.dtype) if array.size else np.empty(0, array.dtype)


def locate(
    parts: int, stores: Mapping[str, Store], split_of: Mapping[str, str | None], splits: Mapping[str, Store]
) -> dict[int, dict[str, NDArray[Any]]]:
    """Find the parts of stores that this process's partitions read, where they stay while the stores live.

    Parameters
    ----------
    parts : int
    stores : mapping of str to Store
    split_of : mapping of str to str or None
        The split of each store.
    splits : mapping of str to Store
        The splits by name.

    Returns
    -------
    dict of int to dict of str to np.ndarray
        For each of this process's partitions, arrays by the stores' names.
    """
    found: dict[int, dict[str, NDArray[Any]]] = {}
    used = {name: splits[name] for name in dict.fromkeys(split_of.values()) if name is not None}
    with runtime.registered(found) as key:
        _locator(tuple(split_of.items()))(parts, **stores, **used, key=key)
        runtime.finish()
    return found


@functools.lru_cache(256)
def _locator(split_of: tuple[tuple[str, str | None], ...]) -> Launcher:
    def locate_stores(point: int, *values: Any) -> None:
        *arrays, key = values
        runtime.context(key)[point] = {n: lasting(n, a) for n, a in zip(dict(split_of), arrays, strict=True)}

    return Launcher(locate_stores, inputs=dict(split_of), scalars={"key": int})


def kinds_of(arguments: Mapping[str, Any]) -> dict[str, Kind]:
    """Return the kinds of arguments of ``run``, and of ``between`` after them."""
    return {name: _kind(value) for name, value in arguments.items()} | {"between": array(np.int64)}


def _kind(value: Any) -> Kind:
    return array(value.dtype) if isinstance(value, np.ndarray) else number(np.asarray(value).dtype)


def set_body(
    exchange: IterationExchange,
    module: str,
    kinds: Mapping[str, Kind],
    copies: Sequence[Sequence[Mapping[str, Any]]],
) -> list[NDArray[Any]]:
    """Compile the body that calls ``run`` of a module, and give it to an exchange with its arguments.

    Parameters
    ----------
    exchange : IterationExchange
    module : str
    kinds : mapping of str to Kind
        The arguments of ``run``, in order. ``between`` is added.
    copies : pair of sequences of mappings of str to object
        The arguments of each thread, in launches of even and of odd number.

    Returns
    -------
    list of np.ndarray
        The arrays that must live as long as the exchange.
    """
    names, tables, kept = list(kinds), [], list[NDArray[Any]]()
    known: dict[tuple[str, int], tuple[int, int]] = {}  # most arguments are the same for all threads

    def place(name: str, value: Any) -> tuple[int, int]:
        """Return an argument's address and length."""
        given = name, id(value)  # the caller has all values
        if given not in known:
            array = native_entry.as_array(value, kinds[name])
            kept.append(array)
            known[given] = array.__array_interface__["data"][0], len(array)
        return known[given]

    last = names.index("between")
    for threads in copies:
        rows = np.arange(len(threads))
        offers = exchange.record_function, exchange.offer_function, *[0] * OFFER_WORDS
        puts = *exchange.put_functions, *[0] * PUT_WORDS
        between = np.array([[*exchange.call, row, *offers, *puts] for row in rows], np.int64)
        kept.append(between)
        words = np.empty((len(threads), len(names), 2), np.int64)
        for row, given in enumerate(threads):
            words[row] = [place(name, given[name]) if name != "between" else (0, 0) for name in names]
        words[:, last, 0] = between.ctypes.data + between.strides[0] * rows
        words[:, last, 1] = between.shape[1]
        tables.append(words.reshape(-1, 2))
    text = native_entry.body_text(module, names, kinds, {}, recorded=False)
    exchange.set_body(native_body(text), tables[0], tables[-1])
    return kept


def collect_statistics(
    partitions_of: Sequence[range], rows: Mapping[int, Rows], iterations: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bring every partition's statistics to every process, like `Rows.kept`.

    Parameters
    ----------
    partitions_of : sequence of range
        The partitions of each process.
    rows : mapping of int to Rows
        For each of this process's partitions.
    iterations : int
        Of the run; at least one.
    """
    width = SUMS + most_kept(iterations) * fr.STATISTICS_COLUMNS
    mine = [np.concatenate(rows[part].kept()[::-1], axis=1)[0] for part in partitions_of[runtime.rank()]]
    own = np.concatenate([np.empty(0), *mine])
    if runtime.ranks() > 1:
        own = np.concatenate(gathered(own))
    found = own.reshape(-1, width)
    return found[:, SUMS:].copy(), found[:, :SUMS].copy()
