# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Reads mutated files of one folder's: each is a graph or an error of Lux. `test_mutations` runs it in a process.

``python mutations.py FOLDER MUTATIONS SEED``: files in FOLDER are the ones to start from.
"""

import io
import random
import struct
import sys
import traceback
import warnings
import zipfile
from pathlib import Path

from lux import LuxError
from lux.io import SavedGraph, open_graph_file
from lux.io.files.sidecar import read_sidecar_ids

FIELDS = [b"-1", b"0", b"-5", b"9" * 5000, b"9223372036854775808", b"1e400", b"nan", b"", b" ", b"\0", b"\r", b"\t",
          b'"', b'""', b"\n", b"%", b"#", b",", b"\xff\xfe", b"-", b"array", b"hermitian", b"011", b"3p"]  # fmt: skip
NUMBERS = [-1, 0, 1, 2, 3, 4, 7, 2**31, 2**32, 2**62, -(2**63), 2**63 - 1]


def mutated(chance: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 3])):
        at, way = chance.randrange(len(changed) + 1), chance.randrange(6)
        if way == 0:
            changed[at : at + 1] = bytes([chance.randrange(256)])
        elif way == 1:
            del changed[at : at + chance.randrange(1, 9)]
        elif way == 2:
            changed[at : at + chance.randrange(3)] = chance.choice(FIELDS)
        elif way == 3:
            del changed[at:]
        elif way == 4:
            changed[at:at] = changed[at : at + chance.randrange(20)]
        else:
            changed[at : at + 8] = struct.pack("<q", chance.choice(NUMBERS))
    return bytes(changed)


def mutated_member(chance: random.Random, content: bytes) -> bytes:
    """An archive with a mutated array."""
    copy = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(copy, "w") as new:
        chosen = chance.choice(old.namelist())
        for name in old.namelist():
            new.writestr(name, mutated(chance, old.read(name)) if name == chosen else old.read(name))
    return copy.getvalue()


def read(path: Path, **options: object) -> None:
    graph = open_graph_file(path, **options)
    n = graph.n_vertices
    if isinstance(graph, SavedGraph):
        ids = graph.ids
        for name in graph.file.header.sections:
            assert len(graph.file.values(name)) == graph.file.header.sections[name].length
    elif hasattr(graph, "check_slice"):
        graph.check_slice(0, n)
        ids = read_sidecar_ids(path, n) or graph.ids
    else:
        ids = graph.ids
        assert len(graph.sources) == len(graph.destinations)
        assert max(graph.sources.max(initial=0), graph.destinations.max(initial=0)) < max(n, 1)
    assert len(ids) == n
    for place, label in enumerate(ids.labels(0, min(n, 50)).tolist()):
        assert ids.dense(label) == place


def main(folder: Path, count: int, seed: int) -> int:
    warnings.simplefilter("ignore")
    failures, graphs = 0, 0
    starts = sorted(folder.iterdir())
    for start in starts:
        content, chance = start.read_bytes(), random.Random(f"{seed} {start.name}")
        place = folder / f"mutated.{start.name.partition('.')[2]}"
        if start.name.endswith(".ids.npz"):
            (folder / "mutated.lux").write_bytes((folder / start.name.removesuffix(".ids.npz")).read_bytes())
        options = {"bipartite": True} if "rectangle" in start.name else {}
        for k in range(count):
            archive = start.suffix == ".npz" and chance.random() < 0.6
            place.write_bytes((mutated_member if archive else mutated)(chance, content))
            sys.stderr.write(f"{start.name} {k}\n")
            sys.stderr.flush()
            try:
                read(Path(str(place).removesuffix(".ids.npz")), **options)
                graphs += 1
            except LuxError:
                pass
            except Exception:  # noqa: BLE001  # what is no error of Lux is what is looked for
                traceback.print_exc()
                failures += 1
        place.unlink()
    sys.stdout.write(f"{graphs} graphs, {failures} failures of {count * len(starts)}\n")
    return min(failures, 99)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
