# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``lux graph500``, with the commit and the machine in its JSON: ``python benchmarks/graph500.py FILE --scale 26``.

Options are those of ``lux graph500``. Results name a commit; without a repository, set LUX_COMMIT.
"""

import json
import sys
import time
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import write_json
from lux import runtime
from lux.app import graph500

PACKAGES = ("legate", "numpy", "numba", "cuda-core")


def main() -> int:
    """Run the benchmark as the command line says."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python benchmarks/graph500.py FILE [options of lux graph500]")
    commit, path, began = clean_commit(), Path(sys.argv[1]), time.time()
    if failed := graph500.run([*sys.argv[2:], "--output", str(path)]):
        return failed
    found = json.loads(path.read_text(encoding="utf-8"))
    # Of the machine's GPUs those that Legate was given.
    gpu_facts = {"gpus": gpus()[: runtime.gpus()], "driver": driver()}
    write_json(path, circumstances(PACKAGES) | {"commit": commit} | gpu_facts | since(began) | found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
