# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fuzzer: reads mutated files of every format; each is the graph of a strict parse, or an error of Lux.

``python tests/fuzz/fuzz.py COUNT SEED [NAME...]``: COUNT inputs for each file of the corpus, or for those whose names
are given. The last line counts what came of them; the exit code is 1 if something failed, and a signal says which input
ended the process: it is in the folder that is printed first. ``--jobs N`` has N processes, each with a file at a time.
"""

import argparse
import io
import json
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import strict

from lux import LuxError
from lux.io import SavedGraph, open_graph_file
from lux.io.files.sidecar import read_sidecar_ids
from lux.io.saved.state import SavedState
from perfmodel import Configuration, GraphSummary, ModelError, Profile

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).with_name("corpus")
PACKAGES = ("legate", "numpy", "scipy", "pyarrow")
OUTCOMES = {"graph": "read", "error": "refused", "failure": "failures"}
FIELDS = [b"-1", b"0", b"-5", b"9" * 5000, b"9223372036854775808", b"1e400", b"nan", b"", b" ", b"\0", b"\r", b"\t",
          b'"', b'""', b"\n", b"%", b"#", b",", b"\xff\xfe", b"-", b"array", b"hermitian", b"011", b"3p"]  # fmt: skip
NUMBERS = [-1, 0, 1, 2, 3, 4, 7, 2**31, 2**32, 2**62, -(2**63), 2**63 - 1]
VALUES = [
    None,
    True,
    -1,
    0,
    1.5,
    10**400,
    "x",
    "9" * 5000,
    [],
    [[]],
    {},
    {"a": 1},
    float("nan"),
    float("inf"),
    -(2**70),
]
MEMBERS, HEADERS = ("zip", "saved")


def mutated(chance, content):
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 3])):
        at, way = chance.randrange(len(changed) + 1), chance.randrange(7)
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
        elif way == 5:
            digits = [k for k, byte in enumerate(changed) if 48 <= byte <= 57]
            if digits:
                changed[chance.choice(digits)] = 48 + chance.randrange(10)
        else:
            changed[at : at + 8] = struct.pack("<q", chance.choice(NUMBERS))
    return bytes(changed)


def mutated_member(chance, content):
    """An archive with a mutated array."""
    copy = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(copy, "w") as new:
        chosen = chance.choice(old.namelist())
        for name in old.namelist():
            new.writestr(name, mutated(chance, old.read(name)) if name == chosen else old.read(name))
    return copy.getvalue()


def mutated_section(chance, content):
    """A .lux file of version 2 with a mutated section, or header, whose checksums are those of the new bytes."""
    changed = bytearray(content)
    count = struct.unpack_from("<I", changed, 36)[0]
    entries = [struct.unpack_from("<32s8sQQQ", changed, 64 + 64 * k) for k in range(count)]
    k = chance.randrange(count)
    name, dtype, position, length, _ = entries[k]
    if chance.random() < 0.3:
        struct.pack_into(
            "<Q", changed, chance.choice([16, 24, 32, 40, 64 + 64 * k + 48]), chance.choice(NUMBERS) % 2**64
        )
    elif k:
        size = length * int(chr(dtype[2]))
        if name.rstrip(b"\0") == b"document" and chance.random() < 0.7:
            text = json.dumps(mutated_value(chance, json.loads(changed[position : position + size]))).encode()
            changed[position : position + size] = text[:size].ljust(size)
        elif size:
            changed[position : position + size] = mutated(chance, bytes(changed[position : position + size]))[
                :size
            ].ljust(size, b"\0")
        sums = struct.pack("<I", zlib.crc32(changed[position : position + size]))
        struct.pack_into("<4s", changed, entries[0][2] + 4 * (k - 1), sums)
        struct.pack_into("<Q", changed, 64 + 64 * k + 56, zlib.crc32(sums))
    table = bytes(changed[64 : 64 + 64 * count])
    struct.pack_into("<I", changed, 56, zlib.crc32(table))
    struct.pack_into("<I", changed, 60, zlib.crc32(bytes(changed[:60])))
    return bytes(changed)


def mutated_value(chance, value):
    """A JSON value in which one value, name or length is another."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        way = chance.random()
        if way < 0.1:
            return {k: v for k, v in value.items() if k != name}
        return value | ({name + "x": value[name]} if way < 0.15 else {name: mutated_value(chance, value[name])})
    if isinstance(value, list) and value and chance.random() < 0.9:
        k, way = chance.randrange(len(value)), chance.random()
        changed = list(value)
        if way < 0.2:
            del changed[k]
        elif way < 0.3:
            changed.append(value[k])
        else:
            changed[k] = mutated_value(chance, value[k])
        return changed
    return chance.choice(VALUES)


def mutated_document(chance, content):
    if chance.random() < 0.3:
        return mutated(chance, content)
    return json.dumps(mutated_value(chance, json.loads(content))).encode()


def mutation(name, content, chance):
    """A mutation of a file of the corpus that gets beyond its checksums, most times."""
    if chance.random() < 0.7:
        if name.endswith(".npz"):
            return mutated_member(chance, content)
        if name.endswith(".json"):
            return mutated_document(chance, content)
        if content[:4] == b"\x89LUX":
            return mutated_section(chance, content)
    return mutated(chance, content)


def read_document(kind, path):
    """Read a document of the performance model; what is read can be written, and is then the same."""
    found = kind.read(path)
    copy = path.with_name("copy.json")
    found.write(copy)
    again = kind.read(copy)
    assert repr(again) == repr(found)


def read(path, **options):
    """Read a file; return its edges as a strict parser does, or None where they are stored in slices."""
    graph = open_graph_file(path, **options)
    n = graph.n_vertices
    if isinstance(graph, SavedGraph):
        ids = graph.ids
        for name in graph.file.header.sections.keys() - {"checksums"}:
            assert len(graph.file.values(name)) == graph.file.header.sections[name].length
        edges = None
    elif hasattr(graph, "check_slice"):
        graph.check_slice(0, n)
        ids = read_sidecar_ids(path, n) or graph.ids
        edges = _of_slices(graph)
    else:
        ids = graph.ids
        assert len(graph.sources) == len(graph.destinations)
        assert max(graph.sources.max(initial=0), graph.destinations.max(initial=0)) < max(n, 1)
        edges = _of_list(graph)
    assert len(ids) == n
    for place, label in enumerate(ids.labels(0, min(n, 50)).tolist()):
        assert ids.dense(label) == place
    return edges


def _of_list(graph):
    labels = graph.ids.labels(0, graph.n_vertices).tolist() if graph.n_vertices < 10_000 else range(0)
    if not labels or len(graph.properties) > 1:
        return None
    weights = next((values.tolist() for values in graph.properties.values()), [1.0] * len(graph.sources))
    ends = ([labels[k] for k in column.tolist()] for column in (graph.sources, graph.destinations))
    return list(zip(*ends, weights, strict=True))


def _of_slices(graph):
    offsets = graph.offsets(0, graph.n_vertices)
    if graph.n_vertices > 10_000 or graph.n_edges > 10_000:
        return None
    names = list(graph.property_types)
    weights = graph.edge_property(names[0], 0, graph.n_edges).tolist() if names else [1.0] * graph.n_edges
    into = [v for v in range(graph.n_vertices) for _ in range(offsets[v + 1] - offsets[v])]
    return list(zip(graph.sources(0, graph.n_edges).tolist(), into, weights, strict=True))


def difference(content, path, found):
    """Say how the edges that were read differ from those of a strict parse; empty if they do not, or it has none."""
    parse = strict.PARSERS.get(path.suffix)
    parsed = parse(content) if parse else None
    if parsed is None:
        return ""
    if found is None:
        return "a strict parse accepts it"

    def key(edge):
        u, v, weight = edge
        weight = repr(float(weight))  # NaN is no number, and the same
        return (u, v, weight) if parsed.directed else (*sorted((u, v)), weight)

    ours, theirs = (Counter(map(key, edges)) for edges in (found, parsed.edges))
    return "" if ours == theirs else f"read: {ours - theirs}, strict: {theirs - ours}"


def one(path, content, kind):
    """Read one input; return ``graph``, ``error``, or what is wrong."""
    path.write_bytes(content)
    refused = found = None
    try:
        if kind in ("profile", "configuration", "summary"):
            read_document({"profile": Profile, "configuration": Configuration, "summary": GraphSummary}[kind], path)
            return "graph"
        if kind == "state":
            state = SavedState(path)
            for name, (dtype, length) in state.columns.items():
                assert len(state.values(name, dtype, length)) == length
            return "graph"
        options = {"bipartite": True} if kind == "rectangle" else {}
        found = read(Path(str(path).removesuffix(".ids.npz")), **options)
    except (LuxError, ModelError) as error:
        refused = error
    except Exception:  # noqa: BLE001  # what is no error of Lux is what is looked for
        return traceback.format_exc()
    if kind in ("rectangle", "named") or (found is None and refused is None):
        return "graph" if refused is None else "error"
    wrong = difference(content, path, found)
    return f"{wrong}; Lux: {refused}" if wrong else "graph" if refused is None else "error"


def fuzz(count, seed, names):
    """Read the mutations of some files in this process; return how many of each outcome, by the files' names."""
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="lux-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    sys.stdout.write(f"inputs are written to {folder}\n")
    failures, table = 0, {}
    for start in sorted(CORPUS.iterdir()):
        if names and start.name not in names:
            continue
        content, chance, counts = start.read_bytes(), random.Random(f"{seed} {start.name}"), Counter()
        path = folder / f"mutated.{start.name.partition('.')[2]}"
        if start.name.endswith(".ids.npz"):
            beside = CORPUS / start.name.removesuffix(".ids.npz")
            (folder / "mutated.lux").write_bytes(beside.read_bytes())
        kind, began = start.name.partition(".")[0], time.monotonic()
        assert one(path, content, kind) == "graph", one(path, content, kind)
        for k in range(count):
            (folder / "input").write_text(f"{start.name} {k}")
            changed = mutation(start.name, content, chance)
            outcome = one(path, changed, kind)
            if outcome not in ("graph", "error"):
                failures += 1
                (folder / f"failure-{failures}.{start.name}").write_bytes(changed)
                sys.stdout.write(f"{start.name} {k}: {outcome}\n")
                outcome = "failure"
            counts[outcome] += 1
        path.unlink()
        row = {said: counts[outcome] for outcome, said in OUTCOMES.items()} | {"seconds": time.monotonic() - began}
        table[start.name] = row
        show(start.name, row)
    return table


def fuzz_in_process(count, seed, name):
    """Do the same for one file in a process of its own; one that ends too early is a failure."""
    command = [sys.executable, __file__, str(count), str(seed), name, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        row = json.loads(done.stdout.splitlines()[-1])[name]
    except (IndexError, ValueError):
        row = {"read": 0, "refused": 0, "failures": 1, "seconds": 0.0}
    if row["failures"]:
        sys.stdout.write(f"{done.stdout}{done.stderr[-2000:]}exit code {done.returncode}\n")
    show(name, row)
    return name, row


def show(name, row):
    """Print a line."""
    counts = ", ".join(f"{row[said]} {said}" for said in OUTCOMES.values())
    sys.stdout.write(f"{name}: {counts}, {row['seconds']:.0f} s\n")
    sys.stdout.flush()


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz/fuzz.py", description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, help="inputs for each file")
    parser.add_argument("seed", type=int)
    parser.add_argument("names", nargs="*", help="files of the corpus (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON last")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    given = parser.parse_intermixed_args()
    names = given.names or [start.name for start in sorted(CORPUS.iterdir())]
    sys.path.insert(0, str(ROOT))
    from benchmarks.machine import circumstances, clean_commit, since
    from benchmarks.report import write_json

    if given.output is not None:
        clean_commit()
    began = time.time()
    if given.jobs > 1:
        with ThreadPoolExecutor(given.jobs) as threads:
            table = dict(threads.map(lambda name: fuzz_in_process(given.count, given.seed, name), names))
    else:
        table = fuzz(given.count, given.seed, names)
    if given.json:
        sys.stdout.write(json.dumps(table) + "\n")
    if given.output is not None:
        header = circumstances(PACKAGES, threads=given.jobs) | since(began)
        write_json(given.output, header | {"count": given.count, "seed": given.seed, "files": table})
    return int(any(row["failures"] for row in table.values()))


if __name__ == "__main__":
    sys.exit(main())
