# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Small files that claim, or expand to, much: reading each takes bounded memory and time, whatever comes of it.

``python tests/fuzz/bombs.py [NAME...]``: a line for each file, with its bytes, the growth of the process's peak memory,
and seconds. The exit code is 1 if one takes more than `memory_bound` or `seconds_bound`, or raises no error of Lux.
"""

import gzip
import io
import json
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from pathlib import Path

import fuzz
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from lux import LuxError
from perfmodel import ModelError

MIB = 1 << 20
LONG = 300 * MIB
"""Bytes that compressed files expand to: above the longest line that is read of them."""
BASE = 700 * MIB
"""Bytes that reading may take whatever the file's length: blocks of all threads, and the longest line and its copy."""
EACH_BYTE, DEFLATE = 64, 1100
"""Bytes of memory for each byte of a file; and of an archive, as its arrays may be all zeros."""


def memory_bound(path):
    """Most bytes that reading a file may take."""
    return BASE + (DEFLATE if path.suffix == ".npz" else EACH_BYTE) * path.stat().st_size


def seconds_bound(path):
    """Most seconds that reading a file may take, on a slow and busy machine."""
    return 20 + path.stat().st_size / MIB


def memory_of(name):
    """A number of this process's memory, in bytes, as the system calls it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


def gzipped(piece, length=LONG):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        block = piece * (MIB // len(piece))
        for _ in range(length // MIB):
            file.write(block)
    return out.getvalue()


def zstandard(piece, length=LONG):
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as file:
        block = piece * (MIB // len(piece))
        for _ in range(length // MIB):
            file.write(block)
    return out.getvalue().to_pybytes()


def archive(**members):
    """An archive whose members are given as arrays, or as bytes: a header and what follows it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, member in members.items():
            content = io.BytesIO()
            np.save(content, member) if isinstance(member, np.ndarray) else content.write(member)
            file.writestr(f"{name}.npy", content.getvalue())
    return out.getvalue()


def claimed(count, dtype="<i8"):
    """The beginning of an array that is said to have so many numbers."""
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": dtype, "fortran_order": False, "shape": (count,)})
    return content.getvalue() + bytes(64)


def table(rows):
    """A table of equal edges, which takes as good as no bytes."""
    zeros = pa.array(np.zeros(rows, np.int64))
    out = io.BytesIO()
    parquet.write_table(pa.table({"source": zeros, "target": zeros}), out, row_group_size=rows)
    return out.getvalue()


def sparse(**members):
    whole = {"format": np.array(b"csr"), "shape": np.array([4, 4]), "indptr": np.arange(5, dtype=np.int32)}
    whole |= {"indices": np.zeros(4, np.int32), "data": np.ones(4), "_is_array": np.array(True)}
    return archive(**whole | members)


def nested(opening, depth=1_000_000):
    return (opening * depth).encode()


def bombs():
    """Yield names of files and functions that make their content."""
    for piece, what in ((b"\0", "zeros"), (b"\n", "lines"), (b"1", "digit"), (b" ", "blanks"), (b"#", "comment")):
        yield f"{what}.el.gz", lambda piece=piece: gzipped(piece)
    yield "zeros.el.zst", lambda: zstandard(b"1 2" + b"\0" * 61)
    yield "lines.csv.zst", lambda: zstandard(b"\n")
    yield "twice.el.gz", lambda: gzip.compress(gzipped(b"1"))
    for suffix in ("el", "wel", "csv", "tsv", "gr", "graph", "mtx", "txt"):
        head = {
            "gr": b"p sp 2 1\na ",
            "graph": b"2 1\n",
            "mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 1\n",
        }
        begun = head.get(suffix, b"")
        for piece, what in (
            (b"1", "digits"),
            (b"a", "letters"),
            (b'"', "quotes"),
            (b" ", "blanks"),
            (b'" "', "fields"),
        ):
            yield f"{what}.{suffix}", lambda piece=piece, begun=begun: begun + piece * (4 * MIB // len(piece))
    for name, text in {
        "claims.gr": f"p sp {2**62} 0\n", "arcs.gr": f"p sp 4 {2**62}\na 1 2 3\n", "claims.graph": f"{2**62} {2**62}\n",
        "weights.graph": f"4 0 011 {2**62}\n", "claims.mtx": "%%MatrixMarket matrix coordinate real general\n"
        f"{2**62} {2**62} {2**62}\n1 1 1\n",
        "dense.mtx": f"%%MatrixMarket matrix array real general\n{2**31} {2**31}\n1\n",
    }.items():  # fmt: skip
        yield name, lambda text=text: text.encode()
    for suffix in ("sg", "wsg"):
        for count in (2**31, 2**40, 2**62):
            yield f"{count}.{suffix}", lambda count=count: struct.pack("<?qq", True, count, count) + bytes(64)
    yield "claims.lux", lambda: struct.pack("<IQ", 2**31, 2**40) + bytes(64)
    for count in (10**9, 10**12, 2**62):
        yield f"{count}.npz", lambda count=count: sparse(indices=claimed(count, "<i4"), data=claimed(count))
    yield "shape.npz", lambda: sparse(shape=np.array([2**62, 2**62]))
    yield "zeros.npz", lambda: sparse(data=np.zeros(LONG // 8), indices=np.zeros(LONG // 8, np.int32))
    yield "rows.parquet", lambda: table(2_000_000)
    for kind in ("profile", "configuration", "summary"):
        yield f"{kind}.nested.json", lambda: nested("[")
        yield f"{kind}.objects.json", lambda: nested('{"a":')
        yield f"{kind}.digits.json", lambda: b"9" * (4 * MIB)
        yield f"{kind}.text.json", lambda: json.dumps({"a" * (4 * MIB): "b" * (4 * MIB)}).encode()


def main(names):
    warnings.simplefilter("ignore")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="lux-bombs-") as folder:
        for name, make in bombs():
            if names and name not in names:
                continue
            path = Path(folder, name)
            path.write_bytes(make())
            Path("/proc/self/clear_refs").write_text("5")  # forget the peak
            before, began, outcome = memory_of("VmRSS"), time.monotonic(), "read"
            kinds = {"profile": fuzz.Profile, "configuration": fuzz.Configuration, "summary": fuzz.GraphSummary}
            try:
                if path.suffix == ".json":
                    fuzz.read_document(kinds[name.partition(".")[0]], path)
                else:
                    fuzz.read(path)
            except (LuxError, ModelError) as error:
                outcome = f"refused: {str(error)[-90:]!r}"
            except Exception:  # noqa: BLE001  # what is no error of Lux is what is looked for
                outcome = traceback.format_exc()
            seconds, taken = time.monotonic() - began, memory_of("VmHWM") - before
            wrong = outcome.startswith("Trace") or taken > memory_bound(path) or seconds > seconds_bound(path)
            failures += wrong
            facts = f"{path.stat().st_size} bytes, {taken / MIB:.0f} MiB, {seconds:.1f} s"
            sys.stdout.write(f"{'FAILED ' * wrong}{name}: {facts}, {outcome}\n")
            sys.stdout.flush()
            path.unlink()
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
