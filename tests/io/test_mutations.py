# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files of every format with random mistakes in them: each is a graph or an error of Lux, and never the process's end.

They are read in a process of its own, so that a signal is seen, and the file that caused it.
"""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

import lux
from lux_cases.old_lux import write_old

TEXTS = {
    "a.el": "# toy\n1 2\n2 3\n3 1\n",
    "names.txt": "a b 3\nb c 4\n",
    "a.wel": "1 2 5.5\n2 3 7\n",
    "a.gr": "c toy\np sp 3 3\na 1 2 5\na 2 3 1\na 3 1 2\n",
    "a.graph": "3 3 011 2\n1 1 2 5 3 6\n1 1 1 5 3 7\n9 9 1 6 2 7\n",
    "a.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1.5\n3 1 2\n2 2 1e3\n",
    "symmetric.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n% toy\n3 3 2\n2 1 5\n3 1 6\n",
    "rectangle.mtx": "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 1\n1 3\n",
    "a.csv": 'source,target,weight\n1,"2",3\n2,3,4.5\n',
    "a.tsv": "1\t2\t3\n2\t3\t4\n",
}


@pytest.fixture
def starts(tmp_path):
    for name, content in TEXTS.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "a.el.gz").write_bytes(gzip.compress(TEXTS["a.el"].encode()))
    matrix = sparse.csr_array(np.array([[0, 7, 0, 0], [0, 0, 0, 5], [1, 0, 0, 0], [0, 0, 2, 0]]))
    for form in ("csr", "csc", "bsr", "coo", "dia"):
        sparse.save_npz(tmp_path / f"{form}.npz", matrix.asformat(form), compressed=form == "csr")
    parquet.write_table(pa.table({"source": [1, 2, 3], "target": [2, 3, 1], "w": [1.0, 2, 3]}), tmp_path / "a.parquet")
    named = lux.from_edges(["a", "b", "b"], ["b", "c", "a"])
    named.write(tmp_path / "saved.lux")
    write_old(named, tmp_path / "a.lux")
    named.write(tmp_path / "a.sg")
    (tmp_path / "a.sg.ids.npz").unlink()
    lux.from_edges([0, 1, 1], [1, 2, 0], weight=np.array([1, 2, 3], np.int32)).write(tmp_path / "a.wsg")
    return tmp_path


def run(folder: Path, count: int, seed: int) -> None:
    script = Path(__file__).with_name("mutations.py")
    done = subprocess.run(
        [sys.executable, script, folder, str(count), str(seed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stdout} {done.stderr[-3000:]}"


def test_mutated_files(starts):
    run(starts, 30, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_mutated_files(starts, seed):
    run(starts, 1000, seed)
