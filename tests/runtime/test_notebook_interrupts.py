# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A notebook's stop button: the long cell raises `KeyboardInterrupt`, and the next cell works, in other threads too."""

import os
import signal
import threading
import time

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from lux_cases.processes import environment

POOL = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    print(*pool.map(lambda source: int(lux.bfs(graph, source).distances[19]), (5, 12)))
"""
LONG = """
graph = lux.toy.path(20)
lux.pagerank(graph, tol=0, max_iter=10**9, progress=lambda done: None if begun.exists() else begun.touch())
"""


def test_the_cell_after_an_interrupted_one_works(tmp_path):
    begun = tmp_path / "begun"
    first = f"import lux, pathlib; begun = pathlib.Path({str(begun)!r})"
    last = "print(lux.bfs(graph, 0).distances[19])"
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in (first, LONG, last, POOL)])
    client = NotebookClient(notebook, timeout=60, allow_errors=True, kernel_name="python3")

    def interrupt():
        while not begun.exists():
            time.sleep(0.01)
        os.kill(client.km.provisioner.pid, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    client.execute(env=environment() | {"LEGATE_CONFIG": "--cpus 2 --sysmem 300"})
    _, long, last, pool = notebook.cells
    assert [output["ename"] for output in long.outputs] == ["KeyboardInterrupt"]
    assert "".join(output["text"] for output in last.outputs) == "19\n"
    assert "".join(output["text"] for output in pool.outputs) == "14 7\n"
