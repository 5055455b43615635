# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ranks as a cuPyNumeric array: the same Legion region, no copy.

Run it with ``python examples/with_cupynumeric.py`` or ``legate --cpus 2 examples/with_cupynumeric.py``.
"""

import lux

graph = lux.generate("kronecker:12")
result = lux.pagerank(graph)

import cupynumeric as cn  # noqa: E402  # Legate must have been started by Lux, which completes its configuration

ranks = cn.asarray(result.ranks)
print(f"sum {float(ranks.sum()):.6f}, largest {float(ranks.max()):.6f} at vertex {int(cn.argmax(ranks))}")
