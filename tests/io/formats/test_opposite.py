# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Binary files that say of an edge two things."""

import struct

import numpy as np
import pytest

import lux
from lux.errors import FormatError
from lux.io import open_graph_file
from lux.io.files.content import FileContent
from lux.io.files.sidecar import NUMBER, fingerprint
from lux_cases.old_lux import write_old

HEADER = 17


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One of each kind, as Lux writes them, with their numbers of vertices."""
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(1)
    u, v, w = random.integers(0, 50, (3, 200))
    for directed, kind in ((True, "directed"), (False, "undirected")):
        lux.from_edges(u, v, directed=directed, n_vertices=50).write(folder / f"{kind}.sg")
        graph = lux.from_edges(u, v, w.astype(np.int32), directed=directed, n_vertices=50)
        graph.write(folder / f"{kind}.wsg")
        write_old(graph, folder / f"{kind}.lux")
    return folder


def changed(files, tmp_path, name, change):
    content = bytearray((files / name).read_bytes())
    change(content)
    path = tmp_path / name
    path.write_bytes(content)
    beside = files / f"{name}.ids.npz"
    if beside.exists():
        with np.load(beside) as arrays:
            np.savez(tmp_path / beside.name, **{**arrays, NUMBER: fingerprint(FileContent(path))})
    return path


def set_integer(place, by):
    def change(content):
        (old,) = struct.unpack_from("<i", content, place)
        struct.pack_into("<i", content, place, (old + by) % 50)

    return change


EDGES = HEADER + 8 * 51


@pytest.mark.parametrize(
    "name,change,message",
    [
        ("directed.sg", set_integer(EDGES + 4 * 7, 1), r"out-edges and one of in-edges, but their edges differ"),
        ("directed.sg", set_integer(EDGES + 4 * 200 + 8 * 51 + 4 * 7, 1), "but their edges differ"),
        ("directed.wsg", set_integer(EDGES + 8 * 7, 1), "but their edges or their weights differ"),
        ("directed.wsg", set_integer(EDGES + 8 * 7 + 4, 1), "but their edges or their weights differ"),
        ("undirected.sg", set_integer(EDGES + 4 * 7, 1), "its edges are not the same in both directions"),
        ("undirected.wsg", set_integer(EDGES + 8 * 7 + 4, 1), "are not the same in both directions"),
        ("undirected.lux", set_integer(12 + 8 * 50 + 4 * 7, 1), "are not the same in both directions"),
        ("directed.sg", lambda c: struct.pack_into("<q", c, HEADER, 1), "the out-edges of vertex 0 start at 1"),
        ("directed.sg", lambda c: struct.pack_into("<q", c, HEADER + 8, -1), "the out-edges of vertex 0 end at -1"),
        ("directed.sg", lambda c: struct.pack_into("<i", c, EDGES, 50), "edge 0 out of vertex .* has destination 50"),
    ],
)
def test_contradictions(files, tmp_path, name, change, message):
    with pytest.raises(FormatError, match=rf"{name}.*{message}"):
        lux.read_graph(changed(files, tmp_path, name, change))


@pytest.mark.parametrize("kind", ["directed", "undirected"])
@pytest.mark.parametrize("end", ["sg", "wsg", "lux"])
def test_right_files(files, kind, end):
    graph = lux.read_graph(files / f"{kind}.{end}")
    assert graph.directed is (kind == "directed")
    opposite = open_graph_file(files / f"{kind}.{end}").opposite
    assert (opposite is None) is ((kind, end) == ("directed", "lux"))


def test_weights_that_are_not_read_are_not_compared(files, tmp_path):
    path = changed(files, tmp_path, "directed.wsg", set_integer(EDGES + 8 * 7 + 4, 1))
    assert lux.read_graph(path, weighted=False).n_edges == 200
