# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in a program of one's own."""

import signal
import sys

from lux_cases.processes import start

INTERRUPTED = """
import os
import signal
import sys
import threading

import lux

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started this may have had it ignored
graph = lux.toy.path(20)
began = threading.Event()
threading.Thread(target=lambda: (began.wait(), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
try:
    lux.pagerank(graph, tol=0, max_iter=10**9, progress=lambda done: began.set())
except KeyboardInterrupt:
    assert lux.bfs(graph, 0).distances[19] == 19
    raise
"""


def test_ctrl_c_is_a_keyboard_interrupt(tmp_path):
    """After which Lux goes on, if the program does; else the program ends as Python's do."""
    done = start(tmp_path, INTERRUPTED, [sys.executable], LEGATE_CONFIG="--cpus 2 --sysmem 300")
    assert done.returncode == -signal.SIGINT, done.stderr
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert "stack trace" not in done.stderr
