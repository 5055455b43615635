# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that only several processes call, which the installation compiles without calling them."""

from __future__ import annotations

import numpy as np

from lux.graph.construction import radix_kernels, sort_kernels
from lux.kernels.deferred import Function
from lux.kernels.kinds import Kind, array, number

_IDS, _NUMBERS, _BITS, _NUMBER, _FLAG = array(np.uint32), array(np.int64), array(np.uint64), number(int), number(bool)
_EDGES = _IDS, _IDS, _NUMBERS, _NUMBER, _FLAG, _FLAG, _NUMBERS
_KEYS = _IDS, _IDS, _NUMBER, _NUMBER, array(np.uint16), _NUMBERS, _NUMBER, _FLAG, _FLAG

KERNELS: list[tuple[Function, tuple[Kind, ...]]] = [
    (sort_kernels.count_buckets, _EDGES),
    (sort_kernels.fill_buckets, (*_EDGES, _IDS, _IDS, _NUMBERS)),
    (radix_kernels.fill_keys, (*_KEYS, _NUMBERS, _IDS, _IDS, _NUMBER)),
    (sort_kernels.by_source, (_NUMBER, _NUMBERS, _IDS, _BITS, _NUMBERS, _IDS, _FLAG)),
    (sort_kernels.source_set, (_IDS, _BITS)),
    *((sort_kernels.list_members, (_BITS, out)) for out in (_BITS, _IDS)),
]
"""Kernels, and the kinds of their arguments: those of graphs of fewer than 2^32 vertices."""
