# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Slots that processors write and read in one launch, in one process or several (`slot_exchange_kernels`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.kernels.threads import BARRIER_WORDS
from lux.partition.split_points import first_partitions, starts
from lux.runtime.exchange import MessageExchange, open_puts


class Kind(NamedTuple):
    """Slots that are exchanged at the same time: one entry for each that a processor reads of another.

    Attributes
    ----------
    senders, receivers : np.ndarray, int64
        The processors.
    at, words : np.ndarray, int64
        Where the slot begins, and its words (uint32).
    whole : bool
        Slots cross whole; otherwise they have messages, whose words cross.
    shares : bool
        The state of all processors crosses as well, to all processes.
    """

    senders: NDArray[np.int64]
    receivers: NDArray[np.int64]
    at: NDArray[np.int64]
    words: NDArray[np.int64]
    whole: bool = False
    shares: bool = False


def own_processors(parts: int) -> range:
    """Return the processors of this process, of so many."""
    first = first_partitions(parts, runtime.ranks())
    return range(int(first[runtime.rank()]), int(first[runtime.rank() + 1]))


def process_of(parts: int) -> NDArray[np.int64]:
    """Return the process of each of so many processors."""
    ranks = runtime.ranks()
    found: NDArray[np.int64] = np.repeat(np.arange(ranks), np.diff(np.asarray(first_partitions(parts, ranks))))
    return found


def puts_reach_all() -> bool:
    """Tell whether processors may put slots to any process, alike in all processes, which must all call this."""
    return runtime.ranks() == 1 or open_puts()


class SlotExchange:
    """The exchange of a search.

    Parameters
    ----------
    parts : int
        Number of processors, of all processes.
    slots : np.ndarray, uint32
        All slots.
    kinds : sequence of Kind
        In the order of their numbers.
    columns : int
        Words of a processor's state.

    Attributes
    ----------
    exchange : MessageExchange
    states : np.ndarray of shape (parts, columns), int64
    """

    def __init__(self, parts: int, slots: NDArray[np.uint32], kinds: Sequence[Kind], columns: int) -> None:
        me = runtime.rank()
        firsts = np.asarray(first_partitions(parts, runtime.ranks()), np.int64)
        peers = np.array([peer for peer in range(runtime.ranks()) if peer != me], np.int64)
        process = process_of(parts)
        sent, got = ([self._crossing(kind, process, *way) for kind in kinds for way in ways] for ways in (
            [(me, peer) for peer in peers.tolist()] + [(me, -1)], [(peer, me) for peer in peers.tolist()] + [(-1, me)]
        ))  # fmt: skip
        rows = np.diff(firsts) * columns

        def longest(found: list[tuple[NDArray[np.int64], NDArray[np.int64]]], k: int, processors: int) -> int:
            words = max(int(each[1].sum()) for each in found[k :: len(peers) + 1])
            return 1 + int(rows[processors]) + (words + 1) // 2

        self.exchange = MessageExchange(
            int(firsts[me + 1] - firsts[me]),
            [longest(sent, k, me) for k in range(len(peers))],
            [longest(got, k, peer) for k, peer in enumerate(peers.tolist())],
        )
        self.states = np.zeros((parts, columns), np.int64)
        self._arrays: dict[str, Any] = {
            "slots": slots,
            "states": self.states.ravel(),
            "state_columns": columns,
            "firsts": firsts,
            "peers": np.append(peers, me),
            "whole": np.array([kind.whole for kind in kinds], np.int64),
            "shares": np.array([kind.shares for kind in kinds], np.int64),
            **self._lists("sent", sent),
            **self._lists("got", got),
            "out": self.exchange.out,
            "out_words": self.exchange.out.view(np.uint32),
            "out_at": self.exchange.out_at.astype(np.int64),
            "arrived": self.exchange.arrived,
            "arrived_words": self.exchange.arrived.view(np.uint32),
            "in_at": self.exchange.in_at.astype(np.int64),
            "control": self.exchange.set_barrier(np.zeros(BARRIER_WORDS, np.int64)),
        }

    @staticmethod
    def _crossing(
        kind: Kind, process: NDArray[np.int64], sender: int, receiver: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """List the slots that cross from a process to another, each once: what several read there crosses once."""
        here = (process[kind.senders] == sender) & (process[kind.receivers] == receiver) & (kind.words > 0)
        at, first = np.unique(kind.at[here], return_index=True)
        return at, kind.words[here][first]

    @staticmethod
    def _lists(name: str, found: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> dict[str, NDArray[np.int64]]:
        at, words = (np.concatenate(each) for each in zip(*found, strict=True))
        return {
            f"{name}_at": starts(np.array([len(each) for each, _ in found], np.int64))[:-1],
            name: at,
            f"{name}_words": words,
        }

    def arguments(self, thread: int, threads: int) -> dict[str, Any]:
        """Return the fields of `slot_exchange_kernels.Mail` for a thread."""
        return {"me": thread, "size": threads, **self._arrays}


def recorded_words(parts: int, columns: int) -> int:
    """Count the numbers by which `slot_exchange_kernels.record_states` records a state: whole records of four.

    >>> recorded_words(parts=3, columns=9)
    28
    """
    return -(-parts * columns // 4) * 4


def pairs(processors: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List all pairs of processors within each of several groups: senders, and receivers.

    >>> [each.tolist() for each in pairs([np.array([0, 2]), np.array([1])])]
    [[0, 0, 2, 2, 1], [0, 2, 0, 2, 1]]
    """
    senders = [np.repeat(group, len(group)) for group in processors]
    receivers = [np.tile(group, len(group)) for group in processors]
    return np.concatenate(senders), np.concatenate(receivers)
