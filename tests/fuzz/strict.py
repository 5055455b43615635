# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Strict parsers of graph files, in plain Python: the oracle of the fuzzer.

Each takes a file's bytes and returns a `Parsed`, or None where the bytes are not in the core of the format that every
reader agrees on. They know no Lux.
"""

import csv
import io
import re
import struct
import zipfile
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from scipy import sparse

INTEGER = re.compile(r"0|[1-9][0-9]{0,15}")
DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")
NAME = re.compile(r"[A-Za-z0-9]{1,9}")


class Parsed(NamedTuple):
    """Edges of a file: the user's ids of their ends, and their weights (1 where there are none)."""

    directed: bool
    edges: list[tuple[object, object, float]]


def _lines(content, comments):
    """Fields of each line, of plain ASCII text with single blanks; None for all else."""
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError:
        return None
    if not re.fullmatch(r"[ -~\n]*", text):
        return None
    lines = [line for line in text.split("\n") if line and line[0] not in comments]
    if any(line != " ".join(line.split()) for line in lines):
        return None
    return [line.split(" ") for line in lines]


def _integers(words):
    return all(INTEGER.fullmatch(word) for word in words)


def edge_list(content, width=2):
    lines = _lines(content, "#%")
    if not lines or any(len(line) != width or not _integers(line[:2]) for line in lines):
        return None
    if width == 3 and not all(DECIMAL.fullmatch(line[2]) for line in lines):
        return None
    return Parsed(True, [(int(u), int(v), float(w[0]) if w else 1.0) for u, v, *w in lines])


def weighted_edge_list(content):
    return edge_list(content, 3)


def dimacs(content):
    lines = _lines(content, "c")
    if not lines or lines[0][:2] != ["p", "sp"] or len(lines[0]) != 4 or not _integers(lines[0][2:]):
        return None
    n, m = map(int, lines[0][2:])
    arcs = lines[1:]
    if len(arcs) != m or any(len(a) != 4 or a[0] != "a" or not _integers(a[1:3]) for a in arcs):
        return None
    found = [(int(u), int(v), w) for _, u, v, w in arcs]
    if not all(1 <= u <= n and 1 <= v <= n and DECIMAL.fullmatch(w) for u, v, w in found):
        return None
    return Parsed(True, [(u, v, float(w)) for u, v, w in found])


def metis(content):
    try:
        lines = content.decode("ascii").split("\n")
    except UnicodeDecodeError:
        return None
    if not lines or any(line.startswith("%") or not re.fullmatch("[0-9 ]*", line) for line in lines):
        return None
    head = lines[0].split()
    if not 2 <= len(head) <= 4 or not _integers(head[:2]) or lines[-1]:
        return None
    flags, n_weights = (head[2] if len(head) > 2 else "000").zfill(3), head[3] if len(head) > 3 else "1"
    if not re.fullmatch("[01]{3}", flags) or not re.fullmatch("[0-9]", n_weights):
        return None
    n, m = int(head[0]), int(head[1])
    rows = [line.split() for line in lines[1:-1]]
    if len(rows) != n:
        return None
    skipped, step = int(flags[0]) + int(flags[1]) * int(n_weights), 1 + int(flags[2])
    entries = []
    for u, row in enumerate(rows, 1):
        if not _integers(row) or len(row) < skipped or (len(row) - skipped) % step:
            return None
        numbers = [int(word) for word in row[skipped:]]
        entries += [(u, numbers[k], float(numbers[k + 1]) if step == 2 else 1.0) for k in range(0, len(numbers), step)]
    if any(not 1 <= v <= n for _, v, _ in entries):
        return None
    forward = sorted(entry for entry in entries if entry[0] < entry[1])
    backward = sorted((v, u, w) for u, v, w in entries if u > v)
    loops = [entry for entry in entries if entry[0] == entry[1]]
    if forward != backward or len(forward) + len(loops) != m:
        return None
    return Parsed(False, forward + loops)


def matrix_market(content):
    lines = _lines(content, "")
    if not lines or content[-1:] != b"\n":
        return None
    banner = [word.lower() for word in lines[0]]
    if len(banner) != 5 or banner[:3] != ["%%matrixmarket", "matrix", "coordinate"]:
        return None
    kind, symmetry = banner[3:]
    if kind not in ("real", "integer", "pattern") or symmetry not in ("general", "symmetric"):
        return None
    rows = [line for line in lines[1:] if not line[0].startswith("%")]
    if not rows or len(rows[0]) != 3 or not _integers(rows[0]):
        return None
    n, columns, m = map(int, rows[0])
    width = 2 if kind == "pattern" else 3
    if n != columns or len(rows) != m + 1 or any(len(row) != width or not _integers(row[:2]) for row in rows[1:]):
        return None
    pattern = INTEGER if kind == "integer" else DECIMAL
    if not all(pattern.fullmatch(row[2]) for row in rows[1:] if row[2:]):
        return None
    edges = [(int(r[0]), int(r[1]), float(r[2]) if r[2:] else 1.0) for r in rows[1:]]
    if not all(1 <= u <= n and 1 <= v <= n for u, v, _ in edges) or len({e[:2] for e in edges}) < len(edges):
        return None
    if symmetry == "symmetric" and any(u < v for u, v, _ in edges):
        return None
    return Parsed(symmetry == "general", edges)


def comma_separated(content, delimiter=","):
    """Rows of two ids and a weight, under the header ``source,target,weight``."""
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError:
        return None
    if not re.fullmatch(r"[ -~\t\n]*", text) or '"' in text or " " in text:
        return None
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if len(rows) < 2 or rows[0] != ["source", "target", "weight"] or any(len(row) != 3 for row in rows):
        return None
    if not all(_integers(row[:2]) and DECIMAL.fullmatch(row[2]) for row in rows[1:]):
        return None
    return Parsed(True, [(int(u), int(v), float(w)) for u, v, w in rows[1:]])


def tab_separated(content):
    return comma_separated(content, "\t")


def _rows(content, at, n, m, unit):
    """Edges (row, neighbour, weight) of offsets and neighbours from a byte on; None where they are impossible."""
    offsets = np.frombuffer(content, "<i8", n + 1, at)
    if offsets[0] != 0 or offsets[-1] != m or (np.diff(offsets) < 0).any():
        return None
    units = np.frombuffer(content, "<i4", m * unit // 4, at + 8 * (n + 1)).reshape(m, -1)
    if ((units[:, 0] < 0) | (units[:, 0] >= n)).any():
        return None
    rows = np.repeat(np.arange(n), np.diff(offsets))
    weights = units[:, 1] if unit == 8 else np.ones(m)
    return [(int(r), int(u), float(w)) for r, u, w in zip(rows, units[:, 0], weights, strict=True)]


def gap(content, unit=4):
    if len(content) < 17:
        return None
    directed, m, n = struct.unpack("<Bqq", content[:17])
    if directed > 1 or not 0 <= m < 1000 or not 0 <= n < 1000:
        return None
    part = 8 * (n + 1) + unit * m
    if len(content) != 17 + part * (1 + directed):
        return None
    out = _rows(content, 17, n, m, unit)
    if out is None:
        return None
    if not directed:
        return (
            Parsed(True, [(v, u, w) for v, u, w in out])
            if sorted(out) == sorted((u, v, w) for v, u, w in out)
            else None
        )
    into = _rows(content, 17 + part, n, m, unit)
    if into is None or sorted(out) != sorted((u, v, w) for v, u, w in into):
        return None
    return Parsed(True, out)


def weighted_gap(content):
    return gap(content, 8)


def table(content):
    """Parquet: by Arrow, where the first two columns are whole numbers, and the third is named ``w``."""
    if content[:4] != b"PAR1":  # Arrow looks at the end alone
        return None
    try:
        found = parquet.read_table(io.BytesIO(content))
        names = found.column_names
    except (pa.ArrowException, OSError, ValueError):
        return None
    if names != ["source", "target", "w"] or any(c.null_count for c in found.columns):
        return None
    if not found.num_rows:  # no vertices either
        return None
    kinds = found.schema.types
    if not (pa.types.is_int64(kinds[0]) and pa.types.is_int64(kinds[1]) and pa.types.is_float64(kinds[2])):
        return None
    return Parsed(True, list(zip(*(column.to_pylist() for column in found.columns), strict=True)))


def sparse_matrix(content):
    """Matrices in compressed rows, in SciPy's files: by SciPy, after a check of all indices.

    SciPy's own check passes over a last pointer of 0 or below, and its conversion then writes beside its arrays.
    """
    try:
        if zipfile.ZipFile(io.BytesIO(content)).testzip() is not None:
            return None
        arrays = np.load(io.BytesIO(content), allow_pickle=False)
        if not all(isinstance(arrays[name], np.ndarray) for name in arrays.files):
            return None
        pointers, indices = arrays["indptr"].tolist(), arrays["indices"]
        if pointers[0] != 0 or pointers != sorted(pointers) or pointers[-1] != len(indices):
            return None
        matrix = sparse.load_npz(io.BytesIO(content))
        if matrix.format != "csr" or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "if":
            return None
        matrix.check_format(full_check=True)
        found = matrix.tocoo()
    except Exception:  # noqa: BLE001  # whatever it raises, the file is none
        return None
    pairs = list(zip(found.row.tolist(), found.col.tolist(), strict=True))
    if len(set(pairs)) < len(pairs) or not np.isfinite(found.data).all() or matrix.shape[0] > 1000:
        return None
    return Parsed(True, [(u, v, float(w)) for (u, v), w in zip(pairs, found.data.tolist(), strict=True)])


PARSERS = {
    ".el": edge_list, ".wel": weighted_edge_list, ".gr": dimacs, ".graph": metis, ".mtx": matrix_market,
    ".csv": comma_separated, ".tsv": tab_separated, ".sg": gap, ".wsg": weighted_gap, ".parquet": table,
    ".npz": sparse_matrix,
}  # fmt: skip
