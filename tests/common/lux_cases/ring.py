# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Words that go round a ring of processors, in one launch of one process or several."""

import numpy as np

from lux import runtime
from lux.engine.cpu.exchange_body import kinds_of, set_body
from lux.kernels.threads import BARRIER_WORDS
from lux.partition.split_points import first_partitions
from lux.runtime.exchange import MessageExchange, open_puts
from lux_cases import ring_kernels


def go_round(parts, rounds, words):
    """Return the words of this process's processors after the last round, by processor, and the bytes that it sent."""
    ranks, rank = runtime.ranks(), runtime.rank()
    assert ranks == 1 or open_puts()
    first = np.asarray(first_partitions(parts, ranks))
    own = range(int(first[rank]), int(first[rank + 1]))
    memory, flags = np.zeros(rounds * parts * words, np.int64), np.zeros(parts, np.int64)
    exchange = MessageExchange(len(own), [1] * (ranks - 1), [1] * (ranks - 1))
    exchange.out[:] = 1
    exchange.receive_puts(memory, flags)
    given = {
        "size": len(own),
        "process_of": np.repeat(np.arange(ranks), np.diff(first)),
        "memory": memory,
        "flags": flags,
        "rounds": rounds,
        "words": words,
        "control": exchange.set_barrier(np.zeros(BARRIER_WORDS, np.int64)),
    }
    threads = [{"me": k, "size": given["size"], "point": point} | given for k, point in enumerate(own)]
    kept = set_body(exchange, ring_kernels.__name__, kinds_of(threads[0]), [threads])
    exchange.launch()
    sent = exchange.sent().bytes
    del kept
    exchange.close()
    last = memory.reshape(rounds, parts, words)[-1]
    return {point: last[point] for point in own}, sent
