# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files of the 2017 Lux system, as Lux wrote them before version 2: with a sidecar for names, and undirected graphs."""

import struct

from lux.io.files.atomic import atomic_output
from lux.io.files.sidecar import Sidecar, commit_with
from lux.runtime import to_array


def write_old(graph, path):
    """Write a graph, whose vertices are stored in the order of their ids."""
    n, m = graph.n_vertices, graph.n_edges
    columns = [(graph.offsets, n + 1, "<u8"), (graph.sources, m, "<u4")]
    columns += [(graph.properties[name], m, "<i4") for name in graph.property_types]
    ends, *rest = (to_array(store)[:length].astype(kind).tobytes() for store, length, kind in columns)
    kept = None if graph.directed and graph.ids.is_identity else Sidecar(graph.ids, undirected=not graph.directed)
    with atomic_output(path, lambda target: commit_with(target, kept)) as part:
        part.write_bytes(struct.pack("<IQ", n, m) + ends[8:] + b"".join(rest))
